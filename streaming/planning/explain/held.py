"""By how much a node holds CTIs back, in ticks and in a formula."""

from dataclasses import dataclass
from typing import Final

from streaming.planning.explain.words import spoken
from streaming.temporal.ticks import NO_TICKS, ONE_TICK, Ticks

OPEN_EDGES: Final = "an edge may stay open for any length of time"


@dataclass(frozen=True)
class HoldBound:
    """By how many ticks, at least and at most; `most` None: without a bound, for the reason `because`."""

    formula: str
    least: Ticks = NO_TICKS
    most: Ticks | None = NO_TICKS
    because: str | None = None

    @classmethod
    def unbounded(cls, formula: str, because: str, least: Ticks = NO_TICKS) -> "HoldBound":
        """Held for as long as it takes."""
        return cls(formula, least, None, because)


def moved_by(what: str, by: Ticks) -> str:
    """`what`, so many ticks later."""
    if by == 0:
        return what
    sign = "-" if by < 0 else "+"
    return f"{what} {sign} {'1 tick' if abs(by) == ONE_TICK else spoken(abs(by))}"
