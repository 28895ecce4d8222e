"""The results of a side as a few numbers, so that a figure of a wrong query is detected."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from streaming.storage.results import committed_spans, read_span
from tests.bench.data import SENTINEL

Digest = Mapping[str, float]
"""`rows`, and the sum of each compared column."""
RELATIVE = 1e-9


def of_frames(frames: Iterable[pl.DataFrame], columns: Sequence[str]) -> Digest:
    """Return the digest of all rows except those of the sentinel; an array counts as its length."""
    found = {"rows": 0.0, **dict.fromkeys(columns, 0.0)}
    for frame in frames:
        own = frame.filter(pl.col("key") != SENTINEL)
        found["rows"] += own.height
        for name in columns:
            found[name] += float(own[name].sum() or 0)
    return found


def of_ours(folder: Path, columns: Sequence[str]) -> Digest:
    """Return the digest of the committed results of a binding."""
    payload = pl.Struct({"key": pl.String, **dict.fromkeys(columns, pl.Float64)})
    commits = [read_span(folder, span) for span in committed_spans(folder)]
    parts = [part for commit in commits if commit is not None for part in commit.parts]
    paths = [folder / part.path for part in parts if part.kind == "results" and part.rows]
    frames = (pl.read_ndjson(path, schema={"payload": payload}).unnest("payload") for path in paths)
    return of_frames(frames, columns)


def of_plain(folder: Path, columns: Sequence[str]) -> Digest:
    """Return the digest of the Parquet files that plain Spark's sink wrote."""
    frames = (pl.read_parquet(path, columns=["key", *columns]) for path in sorted(folder.glob("*.parquet")))
    return of_frames(frames, columns)


def differences(plain: Digest, ours: Digest) -> list[str]:
    """Return descriptions of the differences; empty if the results agree."""
    return [
        f"{name}: plain Spark {value:,.6f}, Punctual {ours[name]:,.6f}"
        for name, value in plain.items()
        if not math.isclose(value, ours[name], rel_tol=RELATIVE, abs_tol=1e-6)
    ]
