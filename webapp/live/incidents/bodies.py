"""The response of the page of an incident. Times are ticks."""

from streaming.definition.strict import Strict
from webapp.alerts.api.incidents import IncidentResponse
from webapp.live.history import Knowledge
from webapp.live.incidents.timeline import EntryKind


class IncidentLane(Strict):
    """The dropped rows of a lane; `lane` is null for the lanes that reports sum up."""

    input: str
    lane: str | None
    dropped: int


class IncidentLanes(Strict):
    """The lanes with dropped rows in `[begin, end)`, which may be longer than the span of the incident, most first."""

    begin: int
    end: int
    lanes: list[IncidentLane]


class IncidentSpan(Strict):
    """A span whose reports may be missing: rows of it may not be counted."""

    begin: int
    end: int


class IncidentStep(Strict):
    """The lost rows of a step of the chart from tick `at` on, with the coverage of its reports."""

    at: int
    knowledge: Knowledge
    lost: int


class IncidentChart(Strict):
    """The lost rows over time in `[begin, end)`, in steps of `step` ticks."""

    begin: int
    end: int
    step: int
    steps: list[IncidentStep]


class IncidentFiguresResponse(Strict):
    """The rows of the binding from tick `begin` to `end`, as its own page counts them in this range.

    `outcomes` has the rows that are in no result, which add up to `lost`, and those that were moved. `repaired` rows
    were given back to results since `begin`. `lost_recently` are the rows lost in the last 15 minutes, null while the
    runner is silent or no run is active. `budget_left` of `budget_rows` may still be lost in 30 days.
    """

    begin: int
    end: int
    received: int
    lost: int
    outcomes: dict[str, int]
    repaired: int
    lost_recently: int | None
    largest_lag: int | None
    unknown: list[IncidentSpan]
    loss_at: int | None
    by_lane: IncidentLanes
    chart: IncidentChart
    budget_state: str
    budget_rows: int
    budget_left: int
    run: str | None
    query: str


class TimelineEntryResponse(Strict):
    """An event at tick `at`, or until `end`; `mark` has its letters on the chart, and is empty for the first lost row.

    `before_loss`: the first lost row followed after so many ticks; the entry need not be its cause. `who` is null for
    the system. `run` is the run that it is about.
    """

    mark: str
    at: int
    end: int | None
    kind: EntryKind
    who: str | None
    text: str
    remark: str
    before_loss: int | None
    run: str | None


class IncidentPageResponse(Strict):
    """An incident as of tick `now`: its figures (null for one of the organisation) and its timeline, oldest first.

    `left_out`: the timeline has only the newest entries.
    """

    now: int
    incident: IncidentResponse
    figures: IncidentFiguresResponse | None
    timeline: list[TimelineEntryResponse]
    left_out: bool
