"""Rows that an adapter has stored as JSON lines, in numbered batches, on their way to a decoder."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from streaming.adapters.file.records import Records
from streaming.adapters.file.split import split_lines
from streaming.wire.arrived import Int64s

CHUNK_BYTES: Final = 4 << 20
"""Small batches are decoded together, until there are so many bytes."""


@dataclass(frozen=True)
class StoredBatch:
    """A batch as it is read: the position of its first row, how many it has, and its lines."""

    first: int
    rows: int
    lines: bytes


def records_between(batches: Iterator[StoredBatch], start: int, end: int) -> Iterator[tuple[Records, Int64s]]:
    """The records `[start, end)` of `batches`, which follow each other, with their positions; in larger parts."""
    for some in _together(batches):
        block = b"".join(batch.lines for batch in some)
        split, first = split_lines(block, True), some[0].first
        whole = Records(block, split.starts, split.ends, split.broken, first)
        low, high = max(start - first, 0), min(end - first, len(split.starts))
        yield whole.part(low, high), np.arange(first + low, first + high, dtype=np.int64)


def _together(batches: Iterator[StoredBatch]) -> Iterator[list[StoredBatch]]:
    """Neighbours as one list until they have CHUNK_BYTES."""
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
