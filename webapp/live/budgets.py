"""The loss budget of a binding: how many rows may be missing from results, and how many already are; no database."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Final

from webapp.live.figures import PeriodCounts
from webapp.live.queries import LiveQuery
from webapp.runs.states import IN_NO_RESULT

BUDGET_DAYS: Final = 30
"""A budget counts today and the 29 days before it, in UTC: the days of a ledger."""


class BudgetState(StrEnum):
    """The state of a loss budget, worst first.

    `used_up`: no further row may be lost. `burning`: in the last 15 minutes more rows were lost than the level allows.
    `unknown`: present reports may be missing, or no row could be counted.
    """

    USED_UP = "used_up"
    BURNING = "burning"
    UNKNOWN = "unknown"
    ENOUGH = "enough"


@dataclass(frozen=True)
class LossBudget:
    """The budget of `BUDGET_DAYS` days for a binding that promises `completeness` percent.

    `lost` rows of the `received` ones were in no result at first, and `repaired` of these were given back to results.
    Rows whose reports are missing count neither for nor against the budget: reports of `unknown_s` seconds may be
    missing, and also present ones unless `is_current`.
    """

    completeness: float
    received: int = 0
    lost: int = 0
    repaired: int = 0
    unknown_s: int = 0
    is_current: bool = True

    @property
    def rows(self) -> int:
        """The rows that may be missing, rounded down."""
        share = (100 - Decimal(str(self.completeness))) / 100
        return int((self.received * share).to_integral_value(ROUND_FLOOR))

    @property
    def used(self) -> int:
        """The rows that are missing; never below zero, also if the reports of rows that were repaired are missing."""
        return max(0, self.lost - self.repaired)

    @property
    def left(self) -> int:
        """The rows that may still be lost; below zero if the promise is broken."""
        return self.rows - self.used

    @property
    def share_left(self) -> Fraction:
        """`left` as a share of `rows`: 1 if nothing is used, below zero if the promise is broken."""
        return Fraction(self.left, max(1, self.rows)) if self.used else Fraction(1)

    def used_up_at(self, now: int, recent: PeriodCounts, ticks: int) -> int | None:
        """Return the tick at which the budget is used up if rows are lost as in the last `ticks`.

        Every received row adds to the budget. None if nothing is lost then, or less than is added, or if the budget is
        used up already.
        """
        added = recent.received * (100 - Decimal(str(self.completeness))) / 100
        net = recent.of(IN_NO_RESULT) - added
        if net <= 0 or self.left <= 0:
            return None
        return now + int(self.left * ticks / net)


@dataclass(frozen=True)
class BudgetStatus:
    """A loss budget with its state; `used_up_at` is None unless it is burning."""

    budget: LossBudget
    state: BudgetState
    used_up_at: int | None = None

    @property
    def rank(self) -> Fraction:
        """The place in an order by the share left, least first; an unknown budget may have nothing left."""
        share = self.budget.share_left
        return min(share, Fraction(0)) if self.state == BudgetState.UNKNOWN else share


def status_of(budget: LossBudget, query: LiveQuery | None, now: int) -> BudgetStatus:
    """Return the state of a budget at tick `now`; `query` is None for a binding without a run."""
    if budget.used and budget.left <= 0:
        return BudgetStatus(budget, BudgetState.USED_UP)
    silent = query is not None and query.run.is_silent
    if silent or not budget.is_current or (budget.unknown_s and not budget.received):
        return BudgetStatus(budget, BudgetState.UNKNOWN)
    at = None if query is None else budget.used_up_at(now, query.recent, query.recent_ticks)
    return BudgetStatus(budget, BudgetState.ENOUGH if at is None else BudgetState.BURNING, at)
