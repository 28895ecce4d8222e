"""What an adapter is: lanes, positions and Arrow chunks.

The same object serves the job, the connection test and the preview.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from streaming.definition.streams import EventTime
from streaming.temporal.events import Shape
from streaming.wire.arrived import Arrived, RecordedItem

Position = int
"""A place in a lane: how many rows (or which broker offset) precede it. `read(lane, a, b)` covers `[a, b)`."""


class AdapterError(Exception):
    """An input or output cannot be used; the message says what to do.

    `domain` (user, external, internal) decides who is told and whether to retry; `again_after_s`: not before so many
    seconds, because the other side asked for that.
    """

    def __init__(self, message: str, *, domain: str = "user", again_after_s: float | None = None) -> None:
        super().__init__(message)
        self.domain = domain
        self.again_after_s = again_after_s


class InputAdapter(Protocol):
    """Reads a stream. Instances are cheap, picklable by their options, and keep nothing that a restart would miss."""

    def lanes(self) -> Sequence[str]:
        """The lanes that exist from the start, in a stable order. Raises `AdapterError`."""

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """How far each lane may be read in the next batch: at most about `limit_rows` rows in all beyond `start`.

        `now` is the journaled wall clock in ticks. Positions never go back. Raises `AdapterError`.
        """

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Whether the input has ended for good at `positions` (a finite input that was read to its end)."""

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """The rows `[start, end)` of `lane` in arrival order; the same call, the same rows. Raises `AdapterError`."""


@runtime_checkable
class BoundedAdapter(Protocol):
    """An input adapter that may hold less in a batch than the rows that the batch has room for."""

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """How far a batch that begins at `start` may read each lane; one that is not named has no bound.

        Asked after `latest`, of the same lanes; beyond the start of each. Raises `AdapterError`.
        """


@runtime_checkable
class ReplayingAdapter(Protocol):
    """An input adapter that may lose rows that it has given before; one that is none gives them for ever."""

    def holds(self, lane: str, start: Position, end: Position) -> bool:
        """Whether `[start, end)` of `lane` can be read again. Raises `AdapterError`."""


@runtime_checkable
class RecordingAdapter(Protocol):
    """An input adapter over a recording that may say in which order all lanes spoke, and when the clock was read."""

    @property
    def in_order(self) -> bool:
        """Whether it does."""

    def recorded(self, start: Position, end: Position) -> Iterator[RecordedItem]:
        """What was recorded of `[start, end)` of every lane, whose positions are the same."""


@dataclass(frozen=True)
class RecordSpan:
    """Consecutive records of an input in order of arrival, as they are written: no stream is defined yet.

    `where` says in words where they lie. A value is that of JSON, the text of a CSV cell, ISO 8601 for a timestamp;
    a column that a record lacks is absent from it, or None.
    """

    where: str
    records: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class RecordLifetimes:
    """Where an input has the lifetimes of its rows, when it knows that itself; `at` is one of its times, in ticks."""

    shape: Shape
    times: EventTime
    at: int
    reason: str


@dataclass(frozen=True)
class RecordSample:
    """A bounded sample of an input: `spans` in order of arrival, with gaps between them unless `whole`.

    `columns` are those of the input in their order, `types` the types (as a stream writes them) of those whose type is
    written in the input itself. `texts`: values are cells of text, whatever they mean. `unreadable` counts records that
    were passed over. `options` are options of the adapter that fit the input better than those it has. `lifetimes`: no
    column of the records is looked at for times.
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


@runtime_checkable
class SampledAdapter(Protocol):
    """An input adapter that shows records before a stream says what they mean; others are read and shown by `raw`."""

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        """At most about so many records, and so many bytes of them as they lie there; `now` is the clock in ticks.

        Raises `AdapterError`.
        """


@runtime_checkable
class DeclaringAdapter(Protocol):
    """An input adapter whose rows may have a schema that says the types of their columns."""

    def declared(self) -> Mapping[str, str | None]:
        """The columns in their order, with types as a stream writes them, None where the values have to say it.

        Empty where no schema declares any. Raises `AdapterError`.
        """


@dataclass(frozen=True)
class DeliveryBatch:
    """What one batch of a binding committed for one output.

    `number` rises from batch to batch, with holes. `rows` are those of the batch in their order, each with the keys and
    values of a `streaming.wire.messages.ResultRow` as it stands in JSON. `cti`: the output's CTI after them in ticks,
    INFINITY at the end of everything; None while there is none, and in old batches of which it is not known any more.
    Batches without rows come where their CTI is news.
    """

    number: int
    rows: Sequence[Mapping[str, Any]]
    cti: int | None


@runtime_checkable
class DeliveringAdapter(Protocol):
    """Brings committed results to where others read them, each batch once; built anew after every failure.

    It is built with an identity, stable text of at most 100 of `[A-Za-z0-9._-]` that is its own and no other output's
    for ever; whoever stores numbers of batches stores them under it.
    """

    def delivered(self) -> int | None:
        """The number of the last batch that arrived for good; None: none yet. Raises `AdapterError`.

        Whatever an earlier process left half done under the same identity is undone by this call or never seen.
        """

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Bring all of `batches`, ascending and beyond `delivered`, or none, with the number of the last, in one step.

        Raises `AdapterError`: `external` is tried again with a new adapter, `user` when somebody has mended it.
        """

    def close(self) -> None:
        """Let go of what is open; never raises."""


@dataclass(frozen=True)
class RefusedRequest:
    """Rows that a target refuses for good: `rows` of the batch `number`, the `part`-th of its pieces, and why."""

    number: int
    part: int
    reason: str
    rows: Sequence[Mapping[str, Any]]


@runtime_checkable
class AcknowledgingAdapter(Protocol):
    """Brings committed results to a target that keeps no numbers: it answers, and whoever delivers notes the answer.

    So each batch arrives at least once: it is sent again where an answer was lost. Whatever is sent again bears the
    same name, by which the target can tell. Built with an identity as a `DeliveringAdapter` is.
    """

    def send(self, batch: DeliveryBatch) -> Sequence[RefusedRequest]:
        """Send all of `batch`, and return what was refused for good; the rest has arrived when this returns.

        Raises `AdapterError` as `DeliveringAdapter.deliver` does; then the whole batch is sent again.
        """

    def close(self) -> None:
        """Let go of what is open; never raises."""


OutputDelivery = DeliveringAdapter | AcknowledgingAdapter
"""How results leave for a target: it stores the numbers of batches itself, or it only answers."""


@runtime_checkable
class CheckedTarget(Protocol):
    """A target, or an input, that can say beforehand what would stop it."""

    def check(self) -> None:
        """Try what the first delivery or the first row needs, leaving nothing behind.

        Raises `AdapterError`, which names what failed.
        """


@dataclass(frozen=True)
class DeliveredRow:
    """A row as it lies in a target; `where` names the file or object, `values` are by column, as JSON has them."""

    id: str
    where: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class DeliveredPage:
    """Rows of a target, those of the newest files first; `next` leads to the page behind, None at the end.

    A page may hold fewer rows than asked for, even none, and still have a `next`.
    """

    rows: Sequence[DeliveredRow]
    next: str | None


@runtime_checkable
class ReadableTarget(Protocol):
    """A target whose rows can be shown again: what has arrived for good, and nothing that is half done."""

    def delivered_rows(self, limit: int, before: str | None) -> DeliveredPage:
        """At most `limit` rows, behind those of the page whose `next` is `before`. Raises `AdapterError`."""
