"""The freshness budgets of bindings: in how many minutes results may be late, and in how many they already were."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from webapp.alerts.models import BindingMemory
from webapp.alerts.rules.minutes import MINUTE, Window
from webapp.alerts.rules.punctuality import DAY, DAYS, DayMinutes
from webapp.alerts.rules.tallies import LossTally, counted
from webapp.live.budgets import BudgetState
from webapp.live.queries import LiveQuery
from webapp.runs.bindings.service_levels import FreshnessLevel, read_level
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding

HOUR: Final = 60
"""A budget burns if the last 60 minutes had more late ones than the level allows."""
DECIDED_WITHIN: Final = 3 * MINUTE
"""Minutes are decided within this time; otherwise nothing is known of the present."""

NO_MINUTES: Final = LossTally(0)


@dataclass(frozen=True)
class FreshnessBudget:
    """The minutes of `DAYS` days that `level` decides: `counted` were on time or late, `unknown` ones don't count.

    `recent` are those of the last hour, late ones as lost. A minute is judged by the level that was in force in it.
    `decided_at` is the end of the last decided minute.
    """

    level: FreshnessLevel
    counted: int = 0
    late: int = 0
    unknown: int = 0
    recent: LossTally = NO_MINUTES
    decided_at: int = 0

    @property
    def minutes(self) -> int:
        """The minutes in which results may be late, rounded down."""
        return int((self.counted * self._allowed).to_integral_value(ROUND_FLOOR))

    @property
    def left(self) -> int:
        """The minutes in which results may still be late; below zero if the promise is broken."""
        return self.minutes - self.late

    @property
    def _allowed(self) -> Decimal:
        return (100 - Decimal(str(self.level.share))) / 100

    def used_up_at(self, now: int) -> int | None:
        """Return the tick at which the budget is used up if results are late as in the last hour.

        Every minute adds to the budget. None if that is enough for those that are late.
        """
        if not self.recent.received:
            return None
        net = Fraction(self.recent.lost, self.recent.received) - Fraction(self._allowed)
        return now + int(self.left / net) * MINUTE if net > 0 else None


@dataclass(frozen=True)
class FreshnessStatus:
    """A freshness budget with its state; `used_up_at` is None unless it is burning."""

    budget: FreshnessBudget
    state: BudgetState
    used_up_at: int | None = None


def freshness_budget_of(binding: Binding, live: LiveQuery | None, now: datetime) -> FreshnessStatus | None:
    """Return the budget of one binding, None without a freshness level; `live` is None without a run."""
    level = read_level(binding.freshness_level)
    if level is None:
        return None
    if live is None:
        return FreshnessStatus(FreshnessBudget(level), BudgetState.ENOUGH)
    return freshness_budgets_of([live], now)[binding.pk]


def freshness_budgets_of(queries: Sequence[LiveQuery], now: datetime) -> dict[UUID, FreshnessStatus]:
    """Return by binding the budgets of the queries that have a freshness level; one database query."""
    levels = {query.binding: query.freshness_level for query in queries if query.freshness_level is not None}
    rows = BindingMemory.objects.filter(binding__in=levels) if levels else ()
    memories = {row.binding_id: row for row in rows}
    silent = {query.binding for query in queries if query.run.is_silent}
    at = ticks_of(now)
    return {
        binding: _status(budget_from(level, memories.get(binding), at), at, silent=binding in silent)
        for binding, level in levels.items()
    }


def budget_from(level: FreshnessLevel, memory: BindingMemory | None, now: int) -> FreshnessBudget:
    """Return the budget that follows from the minutes that turns have decided."""
    if memory is None or memory.window is None:
        return FreshnessBudget(level)
    stored: Mapping[str, Any] = memory.window
    window = Window.from_json(dict(stored))
    first = now - now % DAY - (DAYS - 1) * DAY
    days: list[DayMinutes] = [each for each in window.days if each.begin >= first]
    return FreshnessBudget(
        level=level,
        counted=sum(each.counted for each in days),
        late=sum(each.late for each in days),
        unknown=sum(each.unknown for each in days),
        recent=counted(window.late_tallies, memory.until, HOUR),
        decided_at=memory.until,
    )


def _status(budget: FreshnessBudget, now: int, *, silent: bool) -> FreshnessStatus:
    """Return the state at tick `now`: unknown while the runner is silent or minutes are not decided."""
    if budget.late and budget.left <= 0:
        return FreshnessStatus(budget, BudgetState.USED_UP)
    if silent or now - budget.decided_at > DECIDED_WITHIN or (budget.unknown and not budget.counted):
        return FreshnessStatus(budget, BudgetState.UNKNOWN)
    at = budget.used_up_at(now)
    return FreshnessStatus(budget, BudgetState.ENOUGH if at is None else BudgetState.BURNING, at)
