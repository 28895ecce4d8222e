"""The loss budget of a binding: how many rows may be missing from results, and how many already are; no database."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from webapp.live.figures import PeriodCounts
from webapp.runs.states import IN_NO_RESULT

BUDGET_DAYS: Final = 30
"""A budget counts today and the 29 days before it, in UTC: the days of a ledger."""


@dataclass(frozen=True)
class LossBudget:
    """The budget of `BUDGET_DAYS` days for a binding that promises `completeness` percent.

    `lost` rows of the `received` ones were in no result at first, and `repaired` of these were given back to results.
    Rows whose reports are missing count neither for nor against the budget.
    """

    completeness: float
    received: int
    lost: int
    repaired: int

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
