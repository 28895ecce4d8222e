"""One case and its result: the transcripts give every executor a case and compare the results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.temporal.events import EdgeKind, Payload
from streaming.temporal.outcomes import Outcome, Reason
from streaming.wire.execution.failures import ExpressionFailure

ONLY_LANE = "0"
"""The lane of a stream without a list of lanes."""


HISTORY_LANE = "(history)"
"""The lane of history's rows that name no lane of live (T55)."""


def listed_lanes(stream: StreamDefinition) -> list[str]:
    """Return the lanes of a stream that exist from the start; one with history has a lane for it alone."""
    return [*(stream.lanes or [ONLY_LANE]), *([] if stream.history is None else [HISTORY_LANE])]


class EndMode(StrEnum):
    """The end of a case after its last row.

    FLUSH: CTI infinity on every input at once. STOP: the user's stop, infinity only on inputs with the setting `final`.
    NONE: as if killed; nothing is flushed.
    """

    FLUSH = "flush"
    STOP = "stop"
    NONE = "none"


@dataclass(frozen=True)
class CaseRow:
    """One row in arrival order.

    `fields` holds JSON values under the keys of a transcript row: `start end edge payload`, or `cti` (null: infinity)
    and `strict`, or `bad` (raw text that can't be parsed: always `bad_row`). Times are ticks or ISO text as the user
    wrote them; `end` null is infinity. Executors validate them (T5). A `lane` that the stream doesn't list makes the
    row a `bad_row`. `batch` numbers the micro-batch from 0, common to all streams of the case and never falling;
    batches may be empty. `arrival` is the wall clock in ticks, None where unknown.

    With the single key `heartbeat` (ticks) the row isn't an element: the wall clock of all lanes of the stream reached
    that time (T16, T17). It has no outcome and no position in a lane.
    """

    stream: str
    lane: str
    batch: int
    fields: Mapping[str, Any]
    arrival: int | None = None

    @property
    def marks_history(self) -> bool:
        """True if the row is no element: the stream's history begins with the lanes under `history`, or ends (T56)."""
        return "history" in self.fields

    @property
    def heartbeat(self) -> int | None:
        """The wall clock of a heartbeat row; None for every other row."""
        at: int | None = self.fields.get("heartbeat")
        return at


@dataclass(frozen=True)
class Case:
    """A valid definition, its rows, and its end. A stream feeds every input node that reads it.

    `streams` is keyed by stream name; `advance`, by input node, holds the binding's advance-time settings, which
    replace the stream's. With `restart`, an executor that supports it (engine) is killed and restarted from its
    snapshot before each batch but the first. `id` is any text, unique in a run of `run_cases`.
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
    """One row as an output emitted it: a step to the net result.

    An edge comes as two rows: `edge` start with the end INFINITY, then `edge` end with both times. `deleted` retracts
    the earlier row with the same content; of an edge, one whose end left nothing of it. `pane` is None unless a window
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

    `position` counts the rows of its stream and lane from 0, CTI rows included. `start`, `end` and `edge` are those of
    the row before any policy, None where a malformed row has none. `moved_by` is the ticks that an adjusted or shifted
    row was moved, else None.
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
    """The result of an executor for a case.

    `ctis` by output node: its CTIs in order, without repetitions and infinity. `outcomes` by stream: counts of every
    outcome that occurred (T12), including malformed rows but not CTI rows. `failure` is a sentence when the executor
    can't run the case or failed; the other fields are then empty. `events` is the net result; `rows` holds every row
    that led to it, output by output in the order of emission, None when the executor doesn't report them. `failures`
    counts the rows on which expressions failed (T5), None when the executor doesn't report them.
    """

    id: str
    events: tuple[CaseEvent, ...] = ()
    rows: tuple[CaseStep, ...] | None = None
    ctis: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    late: tuple[CaseLate, ...] = ()
    outcomes: Mapping[str, Mapping[Outcome, int]] = field(default_factory=dict)
    failure: str | None = None
    failures: Mapping[ExpressionFailure, int] | None = None
