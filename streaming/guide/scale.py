"""Where moments stand on a picture: a straight scale, with round numbers marked on it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from streaming.temporal.ticks import INFINITY, NO_CTI

_MOST_MARKS = 10


@dataclass(frozen=True)
class Scale:
    """From moments `low` to `high` to pixels `left` to `right`; what lies outside is drawn at the nearer edge."""

    low: int
    high: int
    left: float
    right: float

    def x(self, moment: int) -> float:
        """The place of `moment`."""
        inside = min(max(moment, self.low), self.high)
        return self.left + (inside - self.low) / (self.high - self.low) * (self.right - self.left)

    def marks(self) -> Iterator[int]:
        """Round moments, at most ten of them."""
        step = _round_step(self.high - self.low)
        first = -(-self.low // step) * step
        return iter(range(first, self.high + 1, step))


def _round_step(length: int) -> int:
    power = 1
    while True:
        for factor in (1, 2, 5):
            if length // (factor * power) < _MOST_MARKS:
                return factor * power
        power *= 10


def scale_over(moments: Iterable[int], left: float, right: float) -> Scale:
    """A scale that holds all finite `moments`, with a little room on both sides."""
    finite = [moment for moment in moments if moment not in (INFINITY, NO_CTI)] or [0]
    room = max(1, (max(finite) - min(finite)) // 20)
    return Scale(min(finite) - room, max(finite) + room, left, right)
