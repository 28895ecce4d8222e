"""The response of the page of a binding: its figures over all runs and versions."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from streaming.definition.strict import Strict
from webapp.live.conditions import Condition
from webapp.live.history import LONGEST, Knowledge
from webapp.live.verdict import Trust
from webapp.runs.states import Observed

_LAST_TICK: Final = 253_402_300_799_999_999
"""The end of the year 9999."""


class DashboardQuery(Strict):
    """The requested range: so many seconds until now, or the ticks from `begin` to `end`.

    Without any: the shortest range that has the whole life of the binding, at most two hours.
    """

    seconds: Literal[900, 3_600, 7_200, 86_400, 604_800, 2_592_000, 7_776_000] | None = None
    begin: Annotated[int, Field(ge=0, le=_LAST_TICK)] | None = None
    end: Annotated[int, Field(ge=0, le=_LAST_TICK)] | None = None

    @model_validator(mode="after")
    def _has_both_borders(self) -> Self:
        if (self.begin is None) != (self.end is None):
            raise ValueError("A range has both `begin` and `end`. Set both, or neither.")
        if self.begin is not None and self.end is not None and not 0 < self.end - self.begin <= LONGEST:
            raise ValueError("`end` must be later than `begin`, by at most 90 days. Choose a shorter range.")
        return self


class DashboardVerdict(Strict):
    """The trust in the results, the tick from which they lack rows, and who is to blame; `blame` may be empty."""

    trust: Trust
    sentence: str
    since: int | None
    blame: str
    final_until: int | None


class DashboardFinding(Strict):
    """A condition that needs attention since tick `since`, and the sentence why."""

    condition: Condition
    since: int | None
    sentence: str


class DashboardStep(Strict):
    """The rows by outcome of one step from tick `at` on, and its largest lag in ticks (null: no data).

    `knowledge`: everything is recorded; reports may be missing (unknown); there was no run (none).
    """

    at: int
    knowledge: Knowledge
    outcomes: dict[str, int]
    lag: int | None


class DashboardRun(Strict):
    """A run in the range, with its version and its time in ticks; `end` is null while it is open."""

    run: str
    number: int
    version: int | None
    begin: int
    end: int | None


class DashboardLane(Strict):
    """A lane of an input, one of those that delay it most; times are ticks, totals those of the newest run."""

    lane: str
    cti: int | None
    last_arrival: int | None
    received: int
    late: int
    dropped: int
    state: str


class DashboardInput(Strict):
    """An input of the newest run.

    `delay` and `lane_wait` are ticks; they and `lanes` are null where the run does not report them. `other_lanes` is
    the number of lanes that are not listed.
    """

    name: str
    cti: int | None
    largest_start: int | None
    ended: bool
    delay: int | None
    lane_wait: int | None
    lanes: list[DashboardLane] | None
    other_lanes: int


class DashboardDelivery(Strict):
    """An output; `state` is null if no runner has reported its delivery. `since`: it has failed since then."""

    node: str
    state: str | None
    waiting_rows: int
    waiting_exact: bool
    refused_requests: int
    since: int | None
    message: str | None


class DashboardResponse(Strict):
    """The figures of a binding over all its runs and versions, in `[begin, end)`, in steps of `step` ticks.

    `seconds` is the length of a range until now, null with fixed borders. `run` is its newest run, null without one.
    `older_runs` counts runs of the range that are left out.
    """

    now: int
    seconds: int | None
    begin: int
    end: int
    step: int
    binding: str
    name: str
    query: str
    query_name: str
    version: int
    tags: list[str]
    owner: str | None
    run: str | None
    observed: Observed | None
    changed_at: int | None
    reported_at: int | None
    verdict: DashboardVerdict
    findings: list[DashboardFinding]
    steps: list[DashboardStep]
    runs: list[DashboardRun]
    older_runs: int
    inputs: list[DashboardInput]
    deliveries: list[DashboardDelivery]
    alerts: int
    repaired_rows: int
