"""Messages between web application and runner, validated at both ends.

Times are ticks; INFINITY and "none yet" are null.
"""

import json
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError, model_validator

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, StreamDefinition
from streaming.temporal.outcomes import Outcome
from streaming.wire.beginning import BeginAt, drops
from streaming.wire.message import Message

BESIDE: Final = "~next"
"""The suffix of a binding's name for a run that reads in parallel with its open one."""

OutcomeName = Outcome
"""The names of outcomes in messages: in `InputCounts.outcomes` and `LateEvent.outcome`."""


class InputSpec(Message):
    """One input of a binding: the stream, its adapter, and the binding's settings, which replace the stream's."""

    stream: StreamDefinition
    adapter: AdapterChoice
    advance: AdvanceTimeSettings | None = None

    @property
    def source(self) -> list[Any]:
        """Everything that determines its rows, as JSON values."""
        history = self.stream.history
        found = [self.adapter.model_dump(mode="json"), self.stream.lanes]
        return found if history is None else [*found, history.model_dump(mode="json")]


class RunSpec(Message):
    """The desired state of a run: level-triggered, so a runner may read it again at any time.

    `desired` is the user's wish. `stopped` with `flush` first sends CTI infinity to inputs with the setting `final`;
    `stopped` with `discard` discards the state and flushes nothing. `results` is the folder, inside the organisation's,
    for results and quarantine. `dedicated`: it runs in a streaming query of its own, in several buckets if its graph
    can be divided. `freshness`: the longest time, in ticks, that its rows wait before they are read; null: the default
    of its carrier; it may change during the run. `begin`: the start position if the state of the previous run can't be
    reused, or in any case (`drops`); null: where no row is lost, as far as its inputs allow. `after_discard`: the state
    of earlier runs was discarded, so the runner ignores leftovers of it. `repair`: the repair whose rows its next batch
    emits (`streaming/resume/repairs.py`). `beside`: it reads in parallel with the open run of its binding, never ahead
    of it, and delivers nothing. `takes_over`: the run that read so; this run resumes with its state where the previous
    run stops (`streaming/resume/changeover.py`).
    """

    organisation: str
    binding: str
    run: str
    desired: Literal["running", "stopped"]
    flush: bool = False
    discard: bool = False
    query: QueryGraph
    inputs: dict[str, InputSpec]
    results: str
    dedicated: bool = False
    freshness: Annotated[int, Field(ge=0)] | None = None
    begin: BeginAt | None = None
    after_discard: bool = False
    repair: str | None = None
    beside: bool = False
    takes_over: str | None = None

    @property
    def carried_as(self) -> str:
        """The binding's name in its carrier: a run that reads in parallel uses a second name."""
        return f"{self.binding}{BESIDE}" if self.beside else self.binding

    @property
    def drops_state(self) -> bool:
        """True if it starts without the state of earlier runs."""
        return self.after_discard or drops(self.begin)


class RunLimits(Message):
    """The limits of all runs of an organisation together; null: unlimited."""

    events_per_second: int | None


class PaneOfRow(Message):
    """The pane of a row that a window emitted before it was final (T20): times in ticks, `index` counts its rows."""

    start: int
    end: int | None
    timing: Literal["early", "on_time", "late"]
    index: int
    is_last: bool


class ResultRow(Message):
    """One row of a result: lifetime in ticks (end null for infinity) and payload.

    Most rows are final when they are emitted. Other rows have a `key`, shared by all rows of the same edge or pane. An
    edge comes as a row with `edge` start and a later one with `edge` end, which has both times. A row with a `pane`
    replaces the previous one with the same key; `deleted` retracts it. An `incomplete` row may lack input that its run
    has not read (`RunBeginning`), or its window was closed early by a flush; with `incomplete_columns`, only these
    fields of its payload may be incomplete, because an earlier version didn't compute them. A row of a `repair` with
    `deleted` repeats an earlier final row and retracts it; one without replaces it. `historic` marks a row that history
    alone gave (T57): `stored` rows are not delivered to outputs.
    """

    output: str
    start: int
    end: int | None
    payload: dict[str, Any]
    key: str | None = None
    edge: Literal["start", "end"] | None = None
    deleted: bool = False
    pane: PaneOfRow | None = None
    incomplete: bool = False
    incomplete_columns: list[str] | None = None
    repair: str | None = None
    historic: Annotated[Literal["stored", "delivered"] | None, Field(exclude_if=lambda value: value is None)] = None


class LateEvent(Message):
    """One row that no result contains, or that was changed: the original row, the CTI that it met, the reason (T13).

    `edge` is its side of an edge, null for points, intervals and unreadable rows.
    """

    input: str
    lane: str
    position: int
    start: int | None
    end: int | None
    edge: Literal["start", "end"] | None = None
    cti: int | None
    outcome: str
    reason: str | None
    policy: str
    moved_by: int | None
    raw: str


class RunObserved(Message):
    """The state of one run as its runner sees it. `message` is a sentence for the user, `domain` who must act.

    `completed`: it has read its inputs to their end; `stopped`: it stopped as desired. `step` is its progress while it
    is `starting`: the streaming query that carries it starts, or that query reads its inputs for the first time.
    """

    kind: Literal["observed"]
    run: str
    state: Literal["starting", "running", "stopping", "stopped", "completed", "failed"]
    domain: Literal["user", "external", "internal"] | None
    message: str | None
    at: int
    step: Literal["planning", "first_batch"] | None = None


class RunIncident(Message):
    """An event of a run inside its runner that didn't change the run's state.

    `carried`: it continues, with all its state, in the streaming query that `place` names: the one of all runs of its
    organisation (`shared`), its own (`dedicated`), the one of a pool (`pooled`), or the pool's second one, for runs
    that would delay the others (`apart`). `worker`: a worker of its query died while it computed this run, alone
    (`alone`) or at the same time as others (`among`), or while it computed other runs (`beside`); `again`: a worker had
    died so in the same batch before. `unread`: its runner, of `release`, can't read the run's desired state and lets it
    continue.
    """

    kind: Literal["incident"] = "incident"
    run: str
    at: int
    what: Literal["carried", "worker", "unread"]
    place: Literal["shared", "dedicated", "pooled", "apart"] | None = None
    died: Literal["alone", "among", "beside", "again"] | None = None
    release: str | None = None

    @model_validator(mode="after")
    def _says_what_belongs_to_it(self) -> Self:
        if (self.place is None) == (self.what == "carried") or (self.died is None) == (self.what == "worker"):
            raise ValueError("`place` belongs to `carried` incidents, `died` to `worker` incidents")
        return self


class RunnerLease(Message):
    """The heartbeat of a runner, in Redis with a time to live. `session_at`: when its Spark session was ready.

    For a runner that was on standby both are the same: `started_at` is then the time when it was taken.
    """

    token: str
    host: str
    pid: int
    started_at: int
    beat_at: int
    session_at: int | None = None

    @property
    def unread(self) -> bool:
        """True if it represents an unreadable lease, which is that of a newer, live runner."""
        return self.started_at == _UNREAD_SINCE


_UNREAD_SINCE: Final = -1
"""Earlier than any time: no observation of a run is older than the start of its newer runner."""


def read_lease(content: bytes | str) -> RunnerLease:
    """Return the lease in `content`; an unreadable one is that of a newer runner, which counts as alive.

    It keeps the token if that is readable, so the leases of a pool still belong to the same runner.
    """
    try:
        return RunnerLease.model_validate_json(content)
    except ValidationError:
        try:
            known = json.loads(content)
        except ValueError:
            known = None
        token = known.get("token") if isinstance(known, dict) else None
        return RunnerLease(
            token=token if isinstance(token, str) else "",
            host="",
            pid=0,
            started_at=_UNREAD_SINCE,
            beat_at=_UNREAD_SINCE,
            session_at=_UNREAD_SINCE,
        )
