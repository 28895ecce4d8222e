"""Rows of one lane as they arrived, in columns: what adapters hand to the executors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.temporal.outcomes import Reason

Int64s = npt.NDArray[np.int64]


class RowKind(IntEnum):
    """What a row of a chunk is."""

    INSERT = 0
    EDGE_START = 1
    EDGE_END = 2
    CTI = 3
    MALFORMED = 4


@dataclass(frozen=True)
class Arrived:
    """Rows of one lane in arrival order, decoded and typed by the stream's schema.

    Shapes: `kind`, `start`, `end` and `positions` have one entry for each row; so has `payload`, whose columns are
    the stream's fields in their order (a timestamp is int64 ticks). Units: ticks. A CTI row holds its CTI in `start`
    (INFINITY ends the input). A point's `end` is `start + 1`, an edge start's is INFINITY. The columns of a malformed
    row mean nothing; `malformed` gives its reason by index. `raw` gives the original text of the rows at the indices
    asked for. `arrival` is the wall clock in ticks at which a row arrived, where the adapter knows it.
    """

    kind: npt.NDArray[np.int8]
    start: Int64s
    end: Int64s
    positions: Int64s
    payload: pa.RecordBatch
    malformed: Mapping[int, Reason]
    raw: Callable[[Sequence[int]], list[str]]
    arrival: Int64s | None = None


@dataclass(frozen=True)
class RecordedItem:
    """One thing in a recording of all lanes of an input: a row of `lane`, or that the wall clock reached `beat`.

    `order` is its place among what was recorded of all inputs. Exactly one of `arrived` (one row) and `beat` is set.
    """

    order: int
    lane: str = ""
    arrived: Arrived | None = None
    beat: int | None = None


def no_raw(_: Sequence[int]) -> list[str]:
    """For chunks that cannot contain a late or malformed row."""
    raise LookupError("this chunk keeps no raw rows")
