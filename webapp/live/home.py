"""The rows of the live page in their order, and the tiles above them, which are the sums of all rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Final

from webapp.live.conditions import RANKS, Condition, LiveFinding, findings
from webapp.live.figures import largest_lag, per_second
from webapp.live.queries import LiveQuery
from webapp.runs.states import IN_NO_RESULT, Observed

UNREADABLE: Final = frozenset({Observed.LOST})
"""States of a run whose present figures are unknown."""


@dataclass(frozen=True)
class LiveRow:
    """A live query with its findings, worst first; `lag`, in ticks, and `rate` are None if unknown or missing."""

    query: LiveQuery
    findings: Sequence[LiveFinding]
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


def row_of(query: LiveQuery, now: int) -> LiveRow:
    """Return the row of a live query at tick `now`."""
    state = query.run.state
    unknown, ended = state.observed in UNREADABLE, state.ended_at is not None and state.observed != Observed.FAILED
    lag = None if unknown or ended else largest_lag(query.run.inputs, now)
    return LiveRow(query, findings(query, now), lag, None if unknown else per_second(query.recent, query.recent_ticks))


def deliveries_of(query: LiveQuery) -> DeliveryCounts:
    """Return the deliveries of a query; without a live runner rows don't reach their targets, or nobody knows."""
    unseen = query.run.state.observed in UNREADABLE
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


def worst_first(row: LiveRow) -> tuple[int, int, str]:
    """Order rows by condition, then by rows lost in the last day, most first, then by name."""
    return RANKS[row.condition], -row.lost_of_day, row.query.name


def by_name(row: LiveRow) -> str:
    """Order rows by name."""
    return row.query.name


@dataclass(frozen=True)
class Tiles:
    """The sums of all rows; `worst` is the query with the largest lag, `median_lag` the median, both in ticks."""

    conditions: Mapping[Condition, int]
    rate: float
    unknown_rates: int
    received_of_day: int
    lost_of_day: int
    worst: LiveRow | None
    median_lag: int | None
    unknown_lags: int
    deliveries: DeliveryCounts
    alerts: Mapping[str, int]


def tiles_of(rows: Sequence[LiveRow]) -> Tiles:
    """Return the sums of `rows`."""
    known = [row for row in rows if row.lag is not None]
    lags = [row.lag for row in known if row.lag is not None]
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
        unknown_lags=sum(row.query.run.state.observed in UNREADABLE for row in rows),
        deliveries=deliveries,
        alerts=alerts,
    )


def counts_of(rows: Iterable[LiveRow], labels: Callable[[LiveQuery], Iterable[str]]) -> list[tuple[str, int]]:
    """Return how many rows have each label, the most frequent first."""
    counts = Counter(label for row in rows for label in labels(row.query))
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))
