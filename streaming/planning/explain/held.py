"""The delay that a node adds to CTIs, in ticks and as a formula."""

from dataclasses import dataclass
from typing import Final

from streaming.planning.explain.words import spoken
from streaming.temporal.ticks import NO_TICKS, ONE_TICK, Ticks

OPEN_EDGES: Final = "an edge may stay open for any length of time"


@dataclass(frozen=True)
class HoldBound:
    """The delay in ticks, at least and at most; `most` None: without a bound, for the reason `because`."""

    formula: str
    least: Ticks = NO_TICKS
    most: Ticks | None = NO_TICKS
    because: str | None = None

    @classmethod
    def unbounded(cls, formula: str, because: str, least: Ticks = NO_TICKS) -> "HoldBound":
        """Return a delay without a bound."""
        return cls(formula, least, None, because)


def moved_by(what: str, by: Ticks) -> str:
    """Return a formula for `what` moved by that many ticks."""
    if by == 0:
        return what
    sign = "-" if by < 0 else "+"
    return f"{what} {sign} {'1 tick' if abs(by) == ONE_TICK else spoken(abs(by))}"
