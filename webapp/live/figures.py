"""Figures of a run in a period, as differences of totals; no database, no clock."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.wire.progress import InputCounts
from webapp.monitoring.reading import TICKS_PER_S

MOVED: Final = ("adjusted", "shifted")


@dataclass(frozen=True)
class PeriodCounts:
    """The rows received in a period, and how many of them had each outcome; outcomes without a row are left out.

    `results` are the result rows committed in it, of all outputs, where they are counted.
    """

    received: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    results: int = 0

    def of(self, outcomes: Iterable[str]) -> int:
        """Return the rows that had one of `outcomes`."""
        return sum(self.outcomes.get(each, 0) for each in outcomes)

    def plus(self, other: "PeriodCounts") -> "PeriodCounts":
        """Return the counts of both periods together."""
        names = dict.fromkeys([*self.outcomes, *other.outcomes])
        added = {name: self.outcomes.get(name, 0) + other.outcomes.get(name, 0) for name in names}
        return PeriodCounts(self.received + other.received, added, self.results + other.results)


NO_ROWS: Final = PeriodCounts()


def totals(inputs: Iterable[Mapping[str, Any]], results: int = 0) -> PeriodCounts:
    """Return the totals in a stored report or sample; inputs are added up."""
    whole = PeriodCounts(results=results)
    for each in inputs:
        outcomes = {name: count for name, count in each["outcomes"].items() if count}
        whole = whole.plus(PeriodCounts(each["received"], outcomes))
    return whole


def since(base: PeriodCounts, now: PeriodCounts) -> PeriodCounts:
    """Return what was counted from the totals `base` to the totals `now`."""
    grown = {name: count - base.outcomes.get(name, 0) for name, count in now.outcomes.items()}
    outcomes = {name: count for name, count in grown.items() if count}
    return PeriodCounts(now.received - base.received, outcomes, now.results - base.results)


def largest_lag(inputs: Mapping[str, InputCounts], now: int) -> int | None:
    """Return `now` minus the smallest CTI of the inputs that have not ended; None if one of them has none yet."""
    ctis = [each.cti for each in inputs.values() if not each.ended]
    return None if not ctis or None in ctis else max(0, now - min(cti for cti in ctis if cti is not None))


def per_second(counts: PeriodCounts, ticks: int) -> float:
    """Return the rows received in each second of a period of so many ticks, with three digits."""
    return float(f"{counts.received * TICKS_PER_S / max(ticks, TICKS_PER_S):.3g}")
