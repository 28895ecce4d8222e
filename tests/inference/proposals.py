"""Inputs for the tests of inference: files, what is proposed for them, and the stream of an accepted proposal."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from streaming.adapters import preview
from streaming.adapters.registry import input_adapter
from streaming.inference.accepting import accepted_stream
from streaming.inference.propose import StreamProposal, propose
from streaming.inference.sampling import UNDEFINED, sample_of
from streaming.wire.rows.row_json import MalformedRow

Record = Mapping[str, Any]


def proposed(root: Path, path: str, **options: Any) -> StreamProposal:
    """Return the proposal for the file `path` in `root`."""
    return propose(sample_of(input_adapter("file", {"path": path, **options}, UNDEFINED, root), now=0))


def malformed(root: Path, path: str, proposal: StreamProposal, most: int = 10_000) -> list[str]:
    """Return the texts of the rows that are malformed if the proposal is accepted."""
    stream = accepted_stream(proposal, proposal.times[0])
    adapter = input_adapter("file", {"path": path, **proposal.options}, stream, root)
    return [row.raw for row in preview.sample(adapter, most, now=0) if isinstance(row.element, MalformedRow)]


def csv(path: Path, rows: Sequence[Record], delimiter: str = ",") -> None:
    """Write `rows` as CSV; texts are quoted only if necessary."""

    def cell(value: Any) -> str:
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        return f'"{text.replace(chr(34), chr(34) * 2)}"' if set(text) & {delimiter, '"', "\n", "\r"} else text

    lines = [delimiter.join(map(cell, rows[0])), *(delimiter.join(cell(row[name]) for name in rows[0]) for row in rows)]
    path.write_bytes(("\n".join(lines) + "\n").encode())


def json_lines(path: Path, rows: Sequence[Record]) -> None:
    """Write `rows` as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def parquet(path: Path, rows: Sequence[Record]) -> None:
    """Write `rows` as Parquet, two rows in a group."""
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path, row_group_size=max(2, len(rows) // 5))


WRITERS = {"csv": csv, "jsonl": json_lines, "parquet": parquet}
