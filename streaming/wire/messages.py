"""Messages between web application and runner, validated at both ends.

Times are ticks; INFINITY and "none yet" are null.
"""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from streaming.definition.expressions.failures import FailureKind
from streaming.definition.graph import QueryGraph
from streaming.definition.streams import AdapterChoice, AdvanceTimeSettings, StreamDefinition
from streaming.definition.strict import Strict
from streaming.temporal.outcomes import Outcome
from streaming.wire.beginning import BeginAt, RunBeginning, drops

LATENESS_BUCKETS = 40
"""Bucket i counts lateness in `[2**i, 2**(i+1))` us; bucket 0 all below 2 us, the last all above."""

BESIDE: Final = "~next"
"""What the name of a binding ends with where a run reads beside its open one."""

FAILURES_TOLD = 20
"""So many expressions that failed are told of one run, those that failed most."""

OutcomeName = Outcome
"""The outcomes as they are named on the wire: in `InputCounts.outcomes` and `LateEvent.outcome`."""


class InputSpec(Strict):
    """One input of a binding: the stream, what feeds it, and the binding's settings, which replace the stream's."""

    stream: StreamDefinition
    adapter: AdapterChoice
    advance: AdvanceTimeSettings | None = None


class RunSpec(Strict):
    """What a runner must carry: level-triggered, so it may be read again at any time.

    `desired` is what the user wants; `stopped` with `flush` sends CTI infinity first where `final` asks for it, with
    `discard` its state is thrown away, and nothing is flushed.
    `results` is the folder, inside the organisation's, for results and quarantine. `dedicated`: it runs in a streaming
    query of its own, in several buckets where its graph can be divided. `freshness`: so long, in ticks, its rows may
    wait before they are read; null: as long as is usual in its carrier; it may change while the run goes on. `begin`:
    where it begins if the state of the run before cannot go on, or in any case (`drops`); null: where nothing is lost,
    as far as its inputs let it. `after_discard`: the state of the runs before was thrown away, so that what is found of
    it is left alone. `repair`: the one whose rows it is to give with its next batch (`streaming/wire/repairs.py`).
    `beside`: it reads beside the open run of its binding what that has read, and gives nothing to anybody.
    `takes_over`: the run that has done so, from which it goes on where the run before it stops
    (`streaming/wire/changeover.py`).
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
        """What the binding is called where it is carried: for a run beside another it has a second name."""
        return f"{self.binding}{BESIDE}" if self.beside else self.binding

    @property
    def drops_state(self) -> bool:
        """Whether it goes on with no state of a run before."""
        return self.after_discard or drops(self.begin)


class RunLimits(Strict):
    """What the runs of an organisation may use together; null: as much as they can."""

    events_per_second: int | None


class InputCounts(Strict):
    """Totals of one input. `outcomes` adds up to `received`; `cti` and `largest_start` go on from run to run."""

    received: int
    outcomes: dict[str, int]
    reasons: dict[str, int]
    lateness: Annotated[list[int], Field(min_length=LATENESS_BUCKETS, max_length=LATENESS_BUCKETS)]
    cti: int | None
    ended: bool
    largest_start: int | None


class ExpressionFailed(Strict):
    """On how many rows an expression of a node failed, so that it is null there (T5); the total since the first start.

    `field` is the name of the column or aggregate, else `where`, `by`, `over` or `expression`; `text` is the expression
    as it was written, cut at 200 characters. `example` has the fields that it read on one such row, as text.
    """

    node: str
    field: str
    kind: FailureKind
    count: int
    text: str
    example: dict[str, str | None]


class PaneOfRow(Strict):
    """The pane of a row that a window gave before it was final (T20): times in ticks, `index` counts its rows."""

    start: int
    end: int | None
    timing: Literal["early", "on_time", "late"]
    index: int
    is_last: bool


class ResultRow(Strict):
    """One row of a result: lifetime in ticks (end null for infinity) and payload.

    Most rows are final when they come. Those that are not have a `key`, which all rows of the same edge, or of the same
    pane, share: an edge comes as a row with `edge` start and a later one with `edge` end, which has both times; a row
    with a `pane` takes the place of the one before it with the same key; `deleted` takes that back. An `incomplete` row
    may lack what its run has not read (`RunBeginning`), or was cut short when its user had all windows closed; with
    `incomplete_columns`, the fields of its payload that were not kept before, in these alone. A row of a `repair` takes
    an earlier final one back, which it repeats, with `deleted`, or stands in its place without.
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


class LateEvent(Strict):
    """One row that no result contains, or that was changed: the original row, the CTI it met, the reason (T13).

    `edge` says which end of an edge it was, null for points, intervals and what could not be read.
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


class ProgressReport(Strict):
    """What one micro-batch of one binding did; all counts are totals of the run, so a lost report loses nothing.

    `of_run` false: a report of before runs were told apart, whose totals count from the first start of the binding.
    `held_back` is the organisation's limit of events each second where more waited than it let the batch read.
    `failures` are the expressions that failed on most rows; `failed` counts the failures of all.
    `beginning` says how the run began, null where it is the first or went on whole; `reading_again`: it has not yet
    come to where the run before had read to. `behind`: so many rows a run beside another has still to read of those
    that the other had read before this batch; null: it reads beside none.
    """

    kind: Literal["progress"]
    run: str
    batch: int
    at: int
    inputs: dict[str, InputCounts]
    output_ctis: dict[str, int | None]
    results: int
    quarantined: int
    recent_results: list[ResultRow]
    recent_late: list[LateEvent]
    batch_s: float
    of_run: bool = False
    held_back: int | None = None
    failures: list[ExpressionFailed] = Field(default_factory=list, max_length=FAILURES_TOLD)
    failed: int = 0
    beginning: RunBeginning | None = None
    reading_again: bool = False
    behind: int | None = None


class RunObserved(Strict):
    """The state of one run as its runner sees it. `message` is a sentence for the user, `domain` who must act.

    `completed`: it has read its inputs to their end; `stopped`: it was told to stop. `step` is how far it is while it
    is `starting`: the streaming query that carries it begins, or that query reads for it for the first time.
    """

    kind: Literal["observed"]
    run: str
    state: Literal["starting", "running", "stopping", "stopped", "completed", "failed"]
    domain: Literal["user", "external", "internal"] | None
    message: str | None
    at: int
    step: Literal["planning", "first_batch"] | None = None


class RunIncident(Strict):
    """Something that happened to a run inside of its runner, and moved it to no other state.

    `carried`: it goes on, with all that it keeps, in the streaming query that `place` names: the one of all runs of
    its organisation (`shared`), one of its own (`dedicated`), the one of a pool (`pooled`), or the one of those that
    would hold the others of a pool up (`apart`). `worker`: a worker of its query died while it computed this run
    (`alone`, or `among` others at the same time) or none of it (`beside`); `again`: it died so in one batch before.
    """

    kind: Literal["incident"] = "incident"
    run: str
    at: int
    what: Literal["carried", "worker"]
    place: Literal["shared", "dedicated", "pooled", "apart"] | None = None
    died: Literal["alone", "among", "beside", "again"] | None = None

    @model_validator(mode="after")
    def _says_what_belongs_to_it(self) -> Self:
        if (self.place is None) == (self.what == "carried") or (self.died is None) == (self.what == "worker"):
            raise ValueError("an incident says a place where a run is carried, else how a worker died")
        return self


class RunnerLease(Strict):
    """The heartbeat of a runner: kept in Redis with a time to live. `session_at`: when its Spark session was there.

    That is `started_at` itself of one that stood by: it started for somebody when it was taken.
    """

    token: str
    host: str
    pid: int
    started_at: int
    beat_at: int
    session_at: int | None = None
