"""Rows that an adapter has stored as JSON lines, in numbered batches, prepared for a decoder."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from streaming.adapters.file.records import Records
from streaming.adapters.formats.text.split import split_lines
from streaming.wire.rows.arrived import Int64s

CHUNK_BYTES: Final = 4 << 20
"""Small batches are decoded together up to this number of bytes."""


@dataclass(frozen=True)
class StoredBatch:
    """A stored batch: the position of its first row, its number of rows, and its lines."""

    first: int
    rows: int
    lines: bytes


def records_between(batches: Iterator[StoredBatch], start: int, end: int) -> Iterator[tuple[Records, Int64s]]:
    """Yield the records `[start, end)` of consecutive `batches`, with their positions, in larger parts."""
    for some in _together(batches):
        block = b"".join(batch.lines for batch in some)
        split, first = split_lines(block, True), some[0].first
        whole = Records(block, split.starts, split.ends, split.broken, first)
        low, high = max(start - first, 0), min(end - first, len(split.starts))
        yield whole.part(low, high), np.arange(first + low, first + high, dtype=np.int64)


def _together(batches: Iterator[StoredBatch]) -> Iterator[list[StoredBatch]]:
    """Yield neighbouring batches as one list up to CHUNK_BYTES."""
    held: list[StoredBatch] = []
    size = 0
    for batch in batches:
        if held and size + len(batch.lines) > CHUNK_BYTES:
            yield held
            held, size = [], 0
        held.append(batch)
        size += len(batch.lines)
    if held:
        yield held
