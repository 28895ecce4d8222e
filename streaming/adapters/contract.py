"""The adapter interface: lanes, positions and Arrow chunks.

The same object serves the job, the connection test and the preview.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from streaming.adapters.number_marks import PLAIN, NumberMarks
from streaming.definition.streams.stream import EventTime
from streaming.temporal.events import Shape
from streaming.wire.rows.arrived import Arrived, RecordedItem

Position = int
"""A place in a lane: how many rows (or which broker offset) precede it. `read(lane, a, b)` covers `[a, b)`."""


class AdapterError(Exception):
    """An input or output can't be used; the message says what to do.

    `domain` (user, external, internal) decides who is notified and whether to retry. `again_after_s` is the shortest
    wait before a retry in seconds, as the other side requested. `partly_sent`: the target accepted a part of the batch
    before this error, and the next attempt resumes after that part.
    """

    def __init__(self, message: str, *, domain: str = "user", again_after_s: float | None = None) -> None:
        super().__init__(message)
        self.domain = domain
        self.again_after_s = again_after_s
        self.partly_sent = False


class InputAdapter(Protocol):
    """Reads a stream. Instances are inexpensive, picklable by their options, and hold no state that a restart needs."""

    def lanes(self) -> Sequence[str]:
        """The lanes that exist from the start, in a stable order. Raises `AdapterError`."""

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the end of the next batch in each lane: at most about `limit_rows` rows in all after `start`.

        `now` is the journaled wall clock in ticks. Positions never decrease. Raises `AdapterError`.
        """

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True if the input has ended for good at `positions` (a finite input that was read to its end)."""

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Yield the rows `[start, end)` of `lane` in arrival order; the same call gives the same rows.

        Raises `AdapterError`.
        """


@runtime_checkable
class BoundedAdapter(Protocol):
    """An input adapter that may hold fewer rows for a batch than the batch has room for."""

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """Return the furthest end of a batch that begins at `start`, by lane; a lane that is not named has no bound.

        Called after `latest`, for the same lanes; each bound is after the lane's start. Raises `AdapterError`.
        """


@runtime_checkable
class ReplayingAdapter(Protocol):
    """An input adapter that may lose rows that it has already returned; other adapters return them for ever."""

    def holds(self, lane: str, start: Position, end: Position) -> bool:
        """Return True if `[start, end)` of `lane` can be read again. Raises `AdapterError`."""


@runtime_checkable
class RecordingAdapter(Protocol):
    """An input adapter over a recording that may hold the order across lanes and the clock readings."""

    @property
    def in_order(self) -> bool:
        """True if the recording holds them."""

    def recorded(self, start: Position, end: Position) -> Iterator[RecordedItem]:
        """Yield the recorded items of `[start, end)` of every lane; positions are the same in all lanes."""


@dataclass(frozen=True)
class RecordSpan:
    """Consecutive records of an input in order of arrival, unparsed: no stream is defined yet.

    `where` describes their place in words. A value is a JSON value, the text of a CSV cell, or ISO 8601 for a
    timestamp; a column that a record lacks is absent from it, or None. `misfits`: for columns whose type the input
    declares, how many values a run would refuse (absent: none). `numbers` are the row numbers in the input, counted
    from 1; empty if they can't be determined.
    """

    where: str
    records: Sequence[Mapping[str, Any]]
    misfits: Mapping[str, int] = field(default_factory=dict)
    numbers: Sequence[int] = ()


@dataclass(frozen=True)
class RecordLifetimes:
    """The lifetimes that an input defines for its own rows; `at` is one of its times, in ticks."""

    shape: Shape
    times: EventTime
    at: int
    reason: str


@dataclass(frozen=True)
class RecordSample:
    """A bounded sample of an input: `spans` in order of arrival, with gaps between them unless `whole`.

    - `columns` are those of the input in their order.
    - `types` are the types, in a stream's notation, of the columns whose type the input itself declares.
    - `texts`: values are cells of text, whatever they mean.
    - `unreadable` counts the records that were skipped.
    - `options` are options of the adapter that fit the input better than its current ones.
    - `lifetimes`: if set, no column of the records is searched for times.
    - `marks` are the number marks in cells.
    - `rows` is the number of rows of the input, negative for an estimate, None if it can't be determined.
    """

    spans: Sequence[RecordSpan]
    columns: Sequence[str]
    whole: bool
    texts: bool = False
    unreadable: int = 0
    types: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    lifetimes: RecordLifetimes | None = None
    marks: NumberMarks = PLAIN
    rows: int | None = None


@runtime_checkable
class SampledAdapter(Protocol):
    """An input adapter that returns records before a stream is defined; other adapters are sampled through `raw`."""

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        """Return at most about `most_records` records and `most_bytes` bytes of raw input; `now` is the clock in
        ticks.
        """


@runtime_checkable
class DeclaringAdapter(Protocol):
    """An input adapter whose rows may have a schema that declares the types of their columns."""

    def declared(self) -> Mapping[str, str | None]:
        """Return the columns in their order with types in a stream's notation, None where only the values show the
        type.

        Empty if no schema declares any. Raises `AdapterError`.
        """


@dataclass(frozen=True)
class DeliveryBatch:
    """The rows and the CTI that one batch of a binding committed for one output.

    `number` increases from batch to batch, with gaps. `rows` are those of the batch in their order, each with the keys
    and values of a `streaming.wire.messages.ResultRow` in JSON. `cti` is the output's CTI after them in ticks, INFINITY
    at the end of everything; None if the output has no CTI yet, or if an old batch no longer records it. Batches
    without rows are included if their CTI is new.
    """

    number: int
    rows: Sequence[Mapping[str, Any]]
    cti: int | None


@runtime_checkable
class DeliveringAdapter(Protocol):
    """Delivers committed results to another system, each batch once; a new instance is built after every failure.

    It is built with an identity: stable text of at most 100 of `[A-Za-z0-9._-]` that no other output ever has. A target
    that stores batch numbers stores them under this identity.
    """

    def delivered(self) -> int | None:
        """Return the number of the last batch that arrived for good; None: none yet. Raises `AdapterError`.

        Half-finished work of an earlier process with the same identity is undone by this call or never becomes visible.
        """

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Deliver all of `batches`, ascending and above `delivered`, or none, with the number of the last, in one step.

        Raises `AdapterError`: `external` is retried with a new adapter, `user` after somebody has fixed the cause.
        """

    def close(self) -> None:
        """Release everything that is open; never raises."""


@dataclass(frozen=True)
class RefusedRequest:
    """Rows that a target refuses for good: `rows` of the batch `number`, as its `part`-th piece, and the reason."""

    number: int
    part: int
    reason: str
    rows: Sequence[Mapping[str, Any]]


@runtime_checkable
class AcknowledgingAdapter(Protocol):
    """Delivers committed results to a target that stores no batch numbers; the caller records the target's answers.

    Each batch arrives at least once: it is sent again if an answer was lost. A repeated request has the same name, so
    the target can recognise it. Built with an identity as a `DeliveringAdapter` is.
    """

    def send(self, batch: DeliveryBatch) -> Sequence[RefusedRequest]:
        """Send all of `batch` and return what was refused for good; the rest has arrived when this returns.

        Raises `AdapterError` as `DeliveringAdapter.deliver` does; then `send` is called again with the same batch.
        After an external error the same instance is called: it may resume after the part that the target accepted.
        """

    def close(self) -> None:
        """Release everything that is open; never raises."""


OutputDelivery = DeliveringAdapter | AcknowledgingAdapter
"""The two ways to deliver results: the target stores the batch numbers itself, or it only answers."""


@runtime_checkable
class CheckedTarget(Protocol):
    """A target, or an input, that can report problems before it is used."""

    def check(self) -> None:
        """Try everything that the first delivery or the first row needs, leaving nothing behind."""


@dataclass(frozen=True)
class DeliveredRow:
    """A row stored in a target; `where` names the file or object, `values` are by column, as in JSON."""

    id: str
    where: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class DeliveredPage:
    """Rows of a target, those of the newest files first; `next` leads to the following page, None at the end.

    A page may hold fewer rows than requested, even none, and still have a `next`.
    """

    rows: Sequence[DeliveredRow]
    next: str | None


@runtime_checkable
class ReadableTarget(Protocol):
    """A target whose rows can be read back: rows that have arrived for good, nothing half-finished."""

    def delivered_rows(self, limit: int, before: str | None) -> DeliveredPage:
        """Return at most `limit` rows, those after the page whose `next` is `before`. Raises `AdapterError`."""
