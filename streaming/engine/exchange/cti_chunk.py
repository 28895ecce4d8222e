"""CTIs as the chunk of an envelope: every batch of a binding has some, and an Arrow table costs ten times as much."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.engine.state.container import framed, unframed
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s

_ZSTD: Final = pa.Codec("zstd", 1)
_LARGE_BYTES: Final = 1 << 16
"""The limit of `ipc.to_chunk`: a larger chunk is compressed."""


def ctis_to_chunk(ctis: Sequence[Int64s], horizon: int = NO_CTI) -> bytes:
    """The rising CTIs of each branch, in the order of the plan, and the largest finite time seen."""
    lists = [each.tobytes() for each in ctis]
    if sum(map(len, lists)) < _LARGE_BYTES:
        return framed([horizon, None], lists)
    return framed([horizon, [len(each) for each in lists]], [_ZSTD.compress(each, asbytes=True) for each in lists])


def ctis_of_chunk(chunk: bytes) -> tuple[list[Int64s], int]:
    """Return the arguments of `ctis_to_chunk`; the arrays are read-only."""
    (horizon, sizes), lists = unframed(memoryview(chunk))
    if sizes is not None:
        lists = [_ZSTD.decompress(each, size) for each, size in zip(lists, sizes, strict=True)]
    return [np.frombuffer(each, np.int64) for each in lists], horizon
