"""The figures of an incident, counted over its span by the functions of the query's page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from webapp.alerts.models import Incident
from webapp.live.budget_counts import budget_of
from webapp.live.budgets import BudgetStatus
from webapp.live.details import detail_steps
from webapp.live.figures import PeriodCounts
from webapp.live.gathering import gather_one
from webapp.live.history import LONGEST, BindingHistory, HistoryStep, TimeRange, history_of
from webapp.live.queries import LiveQuery
from webapp.live.repaired import repaired_rows
from webapp.live.verdict import counted_in
from webapp.monitoring.reading import TICKS_PER_S, Span, joined
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding
from webapp.runs.states import IN_NO_RESULT

MINUTE: Final = 60 * TICKS_PER_S
LOOKS_BACK: Final = 10 * MINUTE
"""A rule fires up to so long after the first lost row."""
CONTEXT: Final = 30 * MINUTE
"""So much time before an incident is on its page too."""


@dataclass(frozen=True)
class LaneLoss:
    """The rows of a lane that were dropped; `lane` is None for the lanes that reports sum up."""

    input: str
    lane: str | None
    dropped: int


@dataclass(frozen=True)
class LossByLane:
    """The lanes with dropped rows in `[begin, end)`, most first: the stored steps that contain the incident's span."""

    begin: int
    end: int
    lanes: Sequence[LaneLoss]


@dataclass(frozen=True)
class IncidentFigures:
    """The rows of a binding in `span`: the ticks from the first lost row to the end of the incident, or `now`.

    Without a lost row the span begins with the incident. `loss` is the first step with a lost row, `around` the history
    that the chart draws. `unknown` are the spans whose reports may be missing. `repaired` rows were given back to
    results since the span began.
    """

    span: Span
    history: BindingHistory
    around: BindingHistory
    counts: PeriodCounts
    unknown: Sequence[Span]
    loss: HistoryStep | None
    by_lane: LossByLane
    repaired: int
    budget: BudgetStatus
    live: LiveQuery | None

    @property
    def lost(self) -> int:
        """The rows that are in no result, as counted; repaired ones included."""
        return self.counts.of(IN_NO_RESULT)

    @property
    def largest_lag(self) -> int | None:
        """The largest lag in ticks; None if nothing is known."""
        return max((step.lag for step in self.history.steps if step.lag is not None), default=None)


def figures_of(incident: Incident, binding: Binding, now: datetime) -> IncidentFigures:
    """Return the figures of an incident as of `now`; at most the last 90 days of it."""
    at, live = ticks_of(now), gather_one(binding.pk, now)
    counting = _Counting(binding.pk, live, at)
    end = at + 1 if incident.resolved_at is None else incident.resolved_at
    begin = max(0, min(incident.begin, end - 1), end - LONGEST + LOOKS_BACK + CONTEXT)
    close = _first_loss(counting.history((max(0, begin - LOOKS_BACK), min(end, begin + 2 * LOOKS_BACK))))
    context = (max(0, min(begin, begin if close is None else close.at) - CONTEXT), max(end, begin + MINUTE))
    around = counting.history(context)
    loss = close or _first_loss(around, begin)
    span = (begin if loss is None else min(begin, loss.at), end)
    within = TimeRange.between(*span, at)
    history = history_of(binding.pk, within, counting.run, at)
    since = datetime.fromtimestamp(span[0] / TICKS_PER_S, UTC)
    return IncidentFigures(
        span=span,
        history=history,
        around=around,
        counts=counted_in(history.steps),
        unknown=joined(part for step in history.steps for part in step.unknown),
        loss=loss,
        by_lane=_by_lane(binding.pk, within.for_details(at)),
        repaired=sum(rows for _, rows in repaired_rows(binding, since, now)),
        budget=budget_of(binding, live, now),
        live=live,
    )


class _Counting:
    """Counts the rows of a binding in ranges, as of one time."""

    def __init__(self, binding: UUID, live: LiveQuery | None, now: int) -> None:
        self._binding, self._now = binding, now
        self.run = None if live is None else live.run

    def history(self, span: Span) -> BindingHistory:
        """Return the history of a range that contains `span`."""
        return history_of(self._binding, TimeRange.between(*span, self._now), self.run, self._now)


def _first_loss(history: BindingHistory, begin: int = 0) -> HistoryStep | None:
    """Return the first step with a lost row that ends after tick `begin`."""
    lossy = (step for step in history.steps if step.counts.of(IN_NO_RESULT) and step.at + history.step > begin)
    return next(lossy, None)


def _by_lane(binding: UUID, within: TimeRange) -> LossByLane:
    dropped: Counter[tuple[str, str | None]] = Counter()
    for step in detail_steps(binding, within).values():
        for name, period in step.inputs.items():
            for lane, rows in period.lanes.items():
                dropped[name, lane] += rows.dropped
            dropped[name, None] += period.others.dropped
    lanes = [LaneLoss(name, lane, rows) for (name, lane), rows in dropped.most_common() if rows]
    return LossByLane(within.begin, within.end, lanes)


def outcomes_of(counts: PeriodCounts) -> Mapping[str, int]:
    """Return the outcomes of rows that are in no result or were moved, with their rows."""
    return {name: counts.outcomes.get(name, 0) for name in (*IN_NO_RESULT, "adjusted", "shifted")}
