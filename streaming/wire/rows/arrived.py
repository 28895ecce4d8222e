"""Rows of one lane as they arrived, in columns: adapters hand them to the executors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.temporal.events import Payload
from streaming.temporal.outcomes import Reason

Int64s = npt.NDArray[np.int64]


class RowKind(IntEnum):
    """The kind of a row in a chunk."""

    INSERT = 0
    EDGE_START = 1
    EDGE_END = 2
    CTI = 3
    MALFORMED = 4
    VERSION = 5
    DELETE = 6
    SNAPSHOT = 7
    REFUSED = 8
    OVERLAP = 9


@dataclass(frozen=True)
class Arrived:
    """Rows of one lane in arrival order, decoded and typed by the stream's schema.

    Shapes: `kind`, `start`, `end`, `positions` and `payload` have one entry for each row. The columns of `payload` are
    the stream's fields in their order (a timestamp is int64 ticks). Units: ticks. A CTI row holds its CTI in `start`
    (INFINITY ends the input). A point's `end` is `start + 1`, an edge start's is INFINITY. The columns of a malformed
    row are undefined; `malformed` holds its reason by index. `raw` returns the original text of the rows at the
    requested indices. `arrival` is the wall clock in ticks at which a row arrived, if the adapter knows it.

    Rows of tables: a VERSION, a DELETE (a deletion with its keys in `payload`), a SNAPSHOT (a whole load with its rows
    in `loads` by index), and REFUSED (a malformed row that has a start). An OVERLAP is in the other source of the input
    too (T55); its start is NO_CTI if it can't be read.
    """

    kind: npt.NDArray[np.int8]
    start: Int64s
    end: Int64s
    positions: Int64s
    payload: pa.RecordBatch
    malformed: Mapping[int, Reason]
    raw: Callable[[Sequence[int]], list[str]]
    arrival: Int64s | None = None
    loads: Mapping[int, Sequence[Payload]] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordedItem:
    """One item in a recording of all lanes of an input: a row of `lane`, or the time `beat` of the wall clock.

    `order` is its place in the recording of all inputs. Exactly one of `arrived` (one row), `beat` and `marks_history`
    is set; then `history` has the lanes of the history that begins, None at its end.
    """

    order: int
    lane: str = ""
    arrived: Arrived | None = None
    beat: int | None = None
    marks_history: bool = False
    history: Sequence[str] | None = None


def no_raw(_: Sequence[int]) -> list[str]:
    """Raise: for chunks that can't contain a late or malformed row."""
    raise LookupError("this chunk keeps no raw rows")
