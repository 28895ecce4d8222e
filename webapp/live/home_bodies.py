"""The response of the live page."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.definition.strict import Strict
from webapp.live.budgets import BudgetState
from webapp.live.conditions import Condition
from webapp.live.freshness_budgets import FreshnessStatus
from webapp.runs.states import Observed


class HomeQuery(Strict):
    """The live queries to list: with a tag, of an owner, with a text in their name; `skip` those of earlier pages."""

    tag: Annotated[str, Field(max_length=40)] = ""
    owner: Annotated[str, Field(max_length=254)] = ""
    name: Annotated[str, Field(max_length=63)] = ""
    order: Literal["worst", "name"] = "worst"
    skip: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class LabelCount(Strict):
    """A tag or an owner, and the number of live queries with it."""

    label: str
    count: int


class HomeDeliveries(Strict):
    """Outputs, how many of them deliver, how many are unknown, and the rows that wait for their delivery."""

    total: int
    flowing: int
    unknown: int
    waiting_rows: int


class HomeAlerts(Strict):
    """The number of rules in each state that is not ok."""

    firing: int
    pending: int
    unknown: int


class HomeBudget(Strict):
    """The loss budget of a binding, as `home/<binding>/budget/` has it, for `completeness` percent in 30 days.

    `left` of `rows` may still be lost; below zero: the promise is broken. `used_up_at` is the tick at which a `burning`
    budget is used up. With the state `unknown`, the figures are the last known ones.
    """

    state: BudgetState
    completeness: float
    rows: int
    left: int
    used_up_at: int | None
    unknown_s: int


class FreshnessBudgetResponse(Strict):
    """The freshness budget of a binding: in `share` percent of 30 days, results are at most `within_s` seconds late.

    `late` of `counted` minutes were late, and `left` of `minutes` may still be; below zero: the promise is broken.
    `used_up_at` is the tick at which a `burning` budget is used up if results are late as in the last hour. `unknown`
    minutes count neither for nor against it. With the state `unknown`, the figures are the last known ones.
    """

    state: BudgetState
    within_s: int
    share: float
    counted: int
    late: int
    unknown: int
    minutes: int
    left: int
    used_up_at: int | None


def shown_freshness(status: FreshnessStatus | None) -> FreshnessBudgetResponse | None:
    """Return a freshness budget as the API shows it."""
    if status is None:
        return None
    budget = status.budget
    return FreshnessBudgetResponse(
        state=status.state,
        within_s=budget.level.within_s,
        share=budget.level.share,
        counted=budget.counted,
        late=budget.late,
        unknown=budget.unknown,
        minutes=budget.minutes,
        left=budget.left,
        used_up_at=status.used_up_at,
    )


class HomeRow(Strict):
    """A live query: a binding whose newest run is open or failed.

    `sentence` says why it is in `condition` since tick `since`, cut at 240 characters; `others` counts further
    findings. `lag_s` is now minus the smallest CTI of its inputs, `lags_s` the largest in each 45 minutes of the last
    day, null without a report. `rate` is rows per second and `recent` rows by outcome, both of the last 15 minutes;
    null: unknown now. `freshness` is null without a freshness level.
    """

    binding: str
    name: str
    query: str
    version: int
    tags: list[str]
    owner: str | None
    run: str
    observed: Observed
    condition: Condition
    sentence: str
    since: int | None
    others: int
    lag_s: float | None
    lags_s: list[int | None]
    rate: float | None
    recent: dict[str, int]
    received_of_day: int
    lost_of_day: int
    budget: HomeBudget
    freshness: FreshnessBudgetResponse | None
    deliveries: HomeDeliveries
    alerts: HomeAlerts


class HomeBudgets(Strict):
    """The number of loss budgets in each state; `today` of the burning ones are used up today in UTC.

    `next_name` is the query whose budget is used up first, at tick `next_at`; null if none is burning.
    """

    enough: int
    burning: int
    used_up: int
    unknown: int
    today: int
    next_name: str | None
    next_at: int | None


class HomeTiles(Strict):
    """The sums of all listed queries, on this page and on others."""

    conditions: dict[str, int]
    rate: float
    unknown_rates: int
    received_of_day: int
    lost_of_day: int
    worst_lag_s: float | None
    worst_lag_name: str | None
    median_lag_s: float | None
    unknown_lags: int
    budgets: HomeBudgets
    deliveries: HomeDeliveries
    alerts: HomeAlerts


class HomeIncident(Strict):
    """The rules that fire for a binding (null: the organisation): the first in words, and who has taken them.

    `incident` is the open incident that they belong to, null without one. An incident for which no rule fires is listed
    with its own title.
    """

    incident: str | None
    binding: str | None
    name: str
    run: str | None
    title: str
    paging: bool
    since: int | None
    firing: int
    taken_by: str | None


class HomeIdle(Strict):
    """Bindings without a live run: never started, stopped, or completed."""

    never: int
    stopped: int
    completed: int


class HomeResponse(Strict):
    """The live queries of an organisation, and what needs attention first.

    `total` counts all live queries, `listed` those that the filters leave, `rows` is a page of them. `decided_at` is
    the tick up to which alerts were decided; null: never. `ended_at` is the end of the last firing of a rule.
    """

    now: int
    total: int
    listed: int
    rows: list[HomeRow]
    tiles: HomeTiles
    incidents: list[HomeIncident]
    tags: list[LabelCount]
    owners: list[LabelCount]
    idle: HomeIdle
    decided_at: int | None
    ended_at: int | None
