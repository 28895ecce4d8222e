"""One case to run and what came of it: what the transcripts hand to every executor, and get back from each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import AdvanceTimeSettings, StreamDefinition
from streaming.temporal.events import EdgeKind, Payload
from streaming.temporal.outcomes import Outcome, Reason
from streaming.wire.failures import ExpressionFailure

ONLY_LANE = "0"
"""The lane of a stream that lists none."""


class EndMode(StrEnum):
    """How a case ends after its last row.

    FLUSH: CTI infinity on every input at once. STOP: the user's stop, infinity only on inputs whose settings say
    `final`. NONE: as if killed; nothing is flushed.
    """

    FLUSH = "flush"
    STOP = "stop"
    NONE = "none"


@dataclass(frozen=True)
class CaseRow:
    """One row in arrival order.

    `fields` is JSON-able, with the keys of a transcript row that say what the row is: `start end edge payload`, or
    `cti` (null: infinity) and `strict`, or `bad` (raw text that cannot be parsed: always `bad_row`). Times are ticks
    or ISO text as the user wrote them; `end` null is infinity. Executors judge them (T5). `lane` may be one that the
    stream does not list (`bad_row`). `batch` numbers the micro-batch from 0, common to all streams of the case and
    never falling; batches may be empty. `arrival` is the wall clock in ticks, None where it is not known.

    With the one key `heartbeat` (ticks) the row is no element: the wall clock of the stream, all its lanes, reached
    that time (T16, T17). It has no outcome and takes no position in a lane.
    """

    stream: str
    lane: str
    batch: int
    fields: Mapping[str, Any]
    arrival: int | None = None

    @property
    def heartbeat(self) -> int | None:
        """The wall clock that a heartbeat row says; None for every other row."""
        at: int | None = self.fields.get("heartbeat")
        return at


@dataclass(frozen=True)
class Case:
    """A definition without faults, its rows, and how it ends. A stream feeds every input node that reads it.

    `streams` is keyed by stream name; `advance`, by input node, holds the binding's advance-time settings, which
    replace the stream's. `restart` asks an executor that can (engine) to be killed and restarted from its snapshot
    before each batch but the first. `id` is unique in a run of `run_cases` and is any text.
    """

    id: str
    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    rows: tuple[CaseRow, ...]
    end: EndMode = EndMode.FLUSH
    restart: bool = False
    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)


@dataclass(frozen=True)
class CaseEvent:
    """One row of a result: lifetime `[start, end)` in ticks (INFINITY for open) and payload (timestamps as ticks)."""

    output: str
    start: int
    end: int
    payload: Payload


@dataclass(frozen=True)
class StepPane:
    """The pane metadata of a row (T20): `timing` is early, on_time or late, `index` counts the rows of one pane."""

    start: int
    end: int
    timing: str
    index: int
    is_last: bool


@dataclass(frozen=True)
class CaseStep:
    """One row as an output gave it: not the net result, but the steps to it.

    An edge comes as two rows: `edge` start with the end INFINITY, then `edge` end with both times. `deleted` takes the
    row back that said the same before; of an edge, one whose end left nothing of it. `pane` is None where no window
    made the row.
    """

    output: str
    start: int
    end: int
    payload: Payload
    edge: EdgeKind | None = None
    deleted: bool = False
    pane: StepPane | None = None


@dataclass(frozen=True)
class CaseLate:
    """One received row whose outcome is neither on_time nor reordered.

    `position` counts the rows of its stream and lane from 0, CTI rows included. `start`, `end` and `edge` are as the
    row had them before any policy, None where a malformed row has none. `moved_by` is the ticks by which an adjusted
    or shifted row was moved, else None.
    """

    stream: str
    lane: str
    position: int
    outcome: Outcome
    reason: Reason | None = None
    start: int | None = None
    end: int | None = None
    edge: EdgeKind | None = None
    moved_by: int | None = None


@dataclass(frozen=True)
class CaseResult:
    """What an executor made of a case.

    `ctis` by output node: those that moved, in order, without infinity. `outcomes` by stream: counts of every outcome
    that occurred (T12), malformed rows included, CTI rows not. `failure` is a sentence when the executor cannot run
    the case or failed; the rest is then empty. `events` is the net result; `rows` is every row that led to it,
    output by output, each in the order of release, None when the executor does not tell. `failures` counts the rows on
    which expressions failed (T5), None when the executor does not tell.
    """

    id: str
    events: tuple[CaseEvent, ...] = ()
    rows: tuple[CaseStep, ...] | None = None
    ctis: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    late: tuple[CaseLate, ...] = ()
    outcomes: Mapping[str, Mapping[Outcome, int]] = field(default_factory=dict)
    failure: str | None = None
    failures: Mapping[ExpressionFailure, int] | None = None
