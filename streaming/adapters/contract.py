"""What an adapter is: lanes, positions and Arrow chunks. The same object serves job, connection test and preview."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.temporal.outcomes import Reason

Position = int
"""A place in a lane: the number of rows (or the broker's offset) before it. `read(lane, a, b)` covers `[a, b)`."""
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

    Shapes: `kind`, `start`, `end` and `positions` have one entry for each row; so has `payload`, whose columns are the stream's
    fields in their order (a timestamp is int64 ticks). Units: ticks. A CTI row holds its CTI in `start` (INFINITY
    ends the input). A point's `end` is `start + 1`, an edge start's is INFINITY. The columns of a malformed row mean nothing;
    `malformed` gives its reason by index. `raw` gives the original text of the rows at the indices asked for. `arrival` is the wall
    clock in ticks at which a row arrived, where the adapter knows it.
    """

    kind: npt.NDArray[np.int8]
    start: Int64s
    end: Int64s
    positions: Int64s
    payload: pa.RecordBatch
    malformed: Mapping[int, Reason]
    raw: Callable[[Sequence[int]], list[str]]
    arrival: Int64s | None = None


class AdapterError(Exception):
    """An input or output cannot be used; the message says what to do. `domain` decides who is told and whether to retry."""

    def __init__(self, message: str, *, domain: str = "user") -> None:
        super().__init__(message)
        self.domain = domain


class InputAdapter(Protocol):
    """Reads a stream. Instances are cheap, picklable by their options, and keep nothing that a restart would miss."""

    kind: ClassVar[str]

    def lanes(self) -> Sequence[str]:
        """The lanes that exist from the start, in a stable order. Raises `AdapterError`."""

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """How far each lane may be read in the next batch: at most about `limit_rows` rows in all beyond `start`.

        `now` is the journaled wall clock in ticks. Positions never go back. Raises `AdapterError`.
        """

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Whether the input has ended for good at `positions` (a finite input that was read to its end)."""

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """The rows `[start, end)` of `lane` in arrival order; the same call gives the same rows. Raises `AdapterError`."""


class OutputAdapter(Protocol):
    """Writes results idempotently: the same `part` replaces what an interrupted attempt left."""

    kind: ClassVar[str]

    def write(self, part: str, rows: pa.Table) -> str:
        """Write `rows` (columns start, end, then the fields) as `part` and return the path. Raises `AdapterError` or `OSError`."""


def no_raw(_: Sequence[int]) -> list[str]:
    """For chunks that cannot contain a late or malformed row."""
    raise LookupError("this chunk keeps no raw rows")


Options = Mapping[str, Any]
