"""Generated files for the benchmark: one file for each lane and micro-batch, in order of arrival.

Most rows are at most 4 s late, within the delay of 5 s. From the third file on LATE_SHARE of them are so late that
plain Spark, whose watermark lags by two batches, drops them too: so both sides must have the same results.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

MEAN_LATENESS_S = 1.0
MOST_LATENESS_S = 4.0
LATE_SHARE = 0.007
LONGEST_WINDOW_S = 700
"""A late row is later than two batches plus the longest window."""
START_US = 1_767_225_600_000_000
SENTINEL = "end"
"""The key of the final rows that make plain Spark emit its last windows; results with it are left out."""
_DAY_US = 86_400_000_000
_FIRST_MTIME = 1_700_000_000
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Source:
    """One input: a full batch has `rows` rows, `per_s` for each second of event time.

    Columns: ts (us, UTC), key (text, one of `keys`), `value` (double), and, with `users`, user (long). Starts are
    multiples of `tick_us`. Each batch is cut into one file for each of `lanes`.
    """

    rows: int
    per_s: int
    keys: int = 1_000
    value: str = "value"
    users: int | None = None
    tick_us: int = 1
    lanes: int = 1
    form: Literal["parquet", "json"] = "parquet"

    @property
    def fields(self) -> dict[str, str]:
        """The payload, with Punctual's types."""
        return {"key": "string", self.value: "double"} | ({} if self.users is None else {"user": "long"})

    @property
    def schema(self) -> str:
        """All columns, with Spark's types."""
        names = {"string": "string", "double": "double", "long": "bigint"}
        return ", ".join(["ts timestamp", *(f"{name} {names[of]}" for name, of in self.fields.items())])

    def scaled(self, factor: float) -> "Source":
        """Return the source with `factor` times the rows of each batch, at the same rate."""
        return replace(self, rows=max(2 * self.lanes, round(self.rows * factor)))

    def file(self, folder: Path, number: int, lane: int) -> Path:
        """Return the file of batch `number` and one lane."""
        return folder / f"{number:04d}-{lane}.{'parquet' if self.form == 'parquet' else 'jsonl'}"


def sizes(source: Source, batches: Sequence[float]) -> list[int]:
    """Return the number of rows of each batch, from fractions of a full one; the lanes share them evenly."""
    return [max(1, round(source.rows * part / source.lanes)) * source.lanes for part in batches]


def write(
    source: Source,
    batches: Sequence[float],
    folder: Path,
    seed: int,
    *,
    late_share: float = LATE_SHARE,
    sentinels: bool = True,
) -> None:
    """Write the files of all batches, then with `sentinels` two batches with a row of SENTINEL in each lane."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, table in enumerate(tables(source, batches, seed, late_share=late_share)):
        _write_batch(source, folder, number, table)
    random = np.random.default_rng(seed)
    for further in (1, 2) if sentinels else ():
        start = np.full(source.lanes, START_US + further * 365 * _DAY_US)
        table = _table(source, random, start, pa.array([SENTINEL] * source.lanes))
        _write_batch(source, folder, len(batches) + further - 1, table)


def tables(
    source: Source, batches: Sequence[float], seed: int, *, late_share: float = LATE_SHARE
) -> Iterator[pa.Table]:
    """Yield the rows of each batch, those of all lanes in turns."""
    random = np.random.default_rng([20_26, seed])
    width = len(str(source.keys - 1))
    names = pa.array([f"key-{key:0{width}d}" for key in range(source.keys)])
    first = 0
    for number, rows in enumerate(sizes(source, batches)):
        start = _starts(source, random, first, rows, late_share if number >= 2 else 0.0)
        keys = names.take(pa.array(random.integers(0, source.keys, rows)))
        yield _table(source, random, start, keys)
        first += rows


def _starts(source: Source, random: np.random.Generator, first: int, rows: int, late_share: float) -> Int64s:
    arrival_us = (np.arange(first, first + rows) * (1_000_000 / source.per_s)).astype(np.int64)
    late_s = np.minimum(random.exponential(MEAN_LATENESS_S, rows), MOST_LATENESS_S)
    if late_share:
        late_s[random.random(rows) < late_share] += 2 * source.rows / source.per_s + LONGEST_WINDOW_S
    start: Int64s = START_US + arrival_us - (late_s * 1_000_000).astype(np.int64)
    return start // source.tick_us * source.tick_us


def _table(source: Source, random: np.random.Generator, start: Int64s, keys: pa.Array) -> pa.Table:
    rows = len(start)
    columns = {"ts": pa.array(start, pa.timestamp("us", "UTC")), "key": keys}
    columns[source.value] = pa.array(np.round(random.random(rows) * 100.0, 6))
    if source.users is not None:
        columns["user"] = pa.array(random.integers(0, source.users, rows))
    return pa.table(columns)


def _write_batch(source: Source, folder: Path, number: int, table: pa.Table) -> None:
    """Write the rows of a batch, distributed to the lanes in turns; the time of a file gives its place in the order."""
    for lane in range(source.lanes):
        path = source.file(folder, number, lane)
        part = table.take(pa.array(np.arange(lane, table.num_rows, source.lanes))) if source.lanes > 1 else table
        if source.form == "parquet":
            pq.write_table(part, path, row_group_size=1_000_000)
        else:
            frame = pl.from_arrow(part)
            assert isinstance(frame, pl.DataFrame)
            frame.with_columns(pl.col("ts").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")).write_ndjson(path)
        at = datetime.fromtimestamp(_FIRST_MTIME + number * 10, UTC).timestamp()
        os.utime(path, (at, at))
