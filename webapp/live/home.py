"""The rows of the live page in their order, and the tiles above them, which are the sums of all rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median_low

from webapp.live.budgets import BudgetState, BudgetStatus
from webapp.live.conditions import RANKS, Condition, LiveFinding, findings
from webapp.live.figures import largest_lag, per_second
from webapp.live.freshness_budgets import FreshnessStatus
from webapp.live.history import DAY
from webapp.live.queries import LiveQuery
from webapp.runs.states import IN_NO_RESULT, Observed


@dataclass(frozen=True)
class LiveRow:
    """A live query with its findings, worst first; `lag`, in ticks, and `rate` are None if unknown or missing."""

    query: LiveQuery
    findings: Sequence[LiveFinding]
    budget: BudgetStatus
    freshness: FreshnessStatus | None
    lag: int | None
    rate: float | None

    @property
    def condition(self) -> Condition:
        """Return the worst condition."""
        return self.findings[0].condition if self.findings else Condition.HEALTHY

    @property
    def lost_of_day(self) -> int:
        """Return the rows of the last day that are in no result."""
        return self.query.day.of(IN_NO_RESULT)


@dataclass(frozen=True)
class DeliveryCounts:
    """The outputs, how many of them deliver, how many are unknown, and the rows that wait."""

    total: int = 0
    flowing: int = 0
    unknown: int = 0
    waiting_rows: int = 0

    def plus(self, other: "DeliveryCounts") -> "DeliveryCounts":
        """Return both together."""
        pairs = zip(vars(self).items(), vars(other).values(), strict=True)
        return DeliveryCounts(**{name: one + more for (name, one), more in pairs})


def row_of(query: LiveQuery, budget: BudgetStatus, freshness: FreshnessStatus | None, now: int) -> LiveRow:
    """Return the row of a live query with its loss budget and its freshness budget, if any, at tick `now`."""
    state = query.run.state
    unknown, ended = query.run.is_silent, state.ended_at is not None and state.observed != Observed.FAILED
    lag = None if unknown or ended else largest_lag(query.run.inputs, now)
    rate = None if unknown else per_second(query.recent, query.recent_ticks)
    return LiveRow(query, findings(query, now), budget, freshness, lag, rate)


def deliveries_of(query: LiveQuery) -> DeliveryCounts:
    """Return the deliveries of a query; without a live runner rows don't reach their targets, or nobody knows."""
    unseen = query.run.is_silent
    every = query.deliveries
    known = [each for each in every if each.seen is not None and query.deliveries_known and not unseen]
    return DeliveryCounts(
        total=len(every),
        flowing=sum(each.is_flowing for each in known),
        unknown=len(every) - len(known),
        waiting_rows=sum(each.seen.waiting_rows for each in known if each.seen is not None),
    )


def alerts_of(query: LiveQuery) -> Counter[str]:
    """Return how many rules of a query are in each phase that is not ok."""
    return Counter(each.phase for each in query.alerts)


def worst_first(row: LiveRow) -> tuple[int, Fraction, int, str]:
    """Order rows by condition, then by loss budget left, least first, rows lost in the last day, and name."""
    return RANKS[row.condition], row.budget.rank, -row.lost_of_day, row.query.name


def by_name(row: LiveRow) -> str:
    """Order rows by name."""
    return row.query.name


@dataclass(frozen=True)
class Tiles:
    """The sums of all rows; `worst` is the query with the largest lag, `median_lag` the median, both in ticks.

    `budgets` counts loss budgets by state, `today` those that are used up before midnight in UTC at the present rate;
    `next_budget` is the first of all that are burning.
    """

    conditions: Mapping[Condition, int]
    rate: float
    unknown_rates: int
    received_of_day: int
    lost_of_day: int
    worst: LiveRow | None
    median_lag: int | None
    unknown_lags: int
    budgets: Mapping[BudgetState, int]
    today: int
    next_budget: LiveRow | None
    deliveries: DeliveryCounts
    alerts: Mapping[str, int]


def tiles_of(rows: Sequence[LiveRow], now: int) -> Tiles:
    """Return the sums of `rows` at tick `now`."""
    known = [row for row in rows if row.lag is not None]
    lags = [row.lag for row in known if row.lag is not None]
    ends = [(row.budget.used_up_at, row.query.name, row) for row in rows if row.budget.used_up_at is not None]
    deliveries, alerts = DeliveryCounts(), Counter[str]()
    for row in rows:
        deliveries, alerts = deliveries.plus(deliveries_of(row.query)), alerts + alerts_of(row.query)
    return Tiles(
        conditions=Counter(row.condition for row in rows),
        rate=sum(row.rate for row in rows if row.rate is not None),
        unknown_rates=sum(row.rate is None for row in rows),
        received_of_day=sum(row.query.day.received for row in rows),
        lost_of_day=sum(row.lost_of_day for row in rows),
        worst=max(known, key=lambda row: row.lag or 0, default=None),
        median_lag=median_low(lags) if lags else None,
        unknown_lags=sum(row.query.run.is_silent for row in rows),
        budgets=Counter(row.budget.state for row in rows),
        today=sum(at // DAY == now // DAY for at, *_ in ends),
        next_budget=min(ends)[-1] if ends else None,
        deliveries=deliveries,
        alerts=alerts,
    )


def counts_of(rows: Iterable[LiveRow], labels: Callable[[LiveQuery], Iterable[str]]) -> list[tuple[str, int]]:
    """Return how many rows have each label, the most frequent first."""
    counts = Counter(label for row in rows for label in labels(row.query))
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))
