"""The horizontal scale of a picture: linear, with round numbers marked on it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from streaming.temporal.ticks import INFINITY, NO_CTI

_MOST_MARKS = 10
_HOUR = 3_600_000_000
_HOURS = (1, 2, 3, 6, 12, 24, 48, 120, 240)
_MOST_DATES = 5


@dataclass(frozen=True)
class Scale:
    """Maps moments `low` to `high` to pixels `left` to `right`; moments outside are drawn at the nearer edge."""

    low: int
    high: int
    left: float
    right: float

    def x(self, moment: int) -> float:
        """Return the position of `moment`."""
        inside = min(max(moment, self.low), self.high)
        return self.left + (inside - self.low) / (self.high - self.low) * (self.right - self.left)

    @property
    def dated(self) -> bool:
        """Return whether it spans hours, so that dates are easier to read than ticks."""
        return self.high - self.low >= 10 * _HOUR

    def marks(self) -> Iterator[int]:
        """Yield round moments, at most ten."""
        length = self.high - self.low
        step = _dated_step(length) if self.dated else _round_step(length)
        first = -(-self.low // step) * step
        return iter(range(first, self.high + 1, step))


def _dated_step(length: int) -> int:
    return next((hours * _HOUR for hours in _HOURS if length // (hours * _HOUR) < _MOST_DATES), length)


def _round_step(length: int) -> int:
    power = 1
    while True:
        for factor in (1, 2, 5):
            if length // (factor * power) < _MOST_MARKS:
                return factor * power
        power *= 10


def scale_over(moments: Iterable[int], left: float, right: float) -> Scale:
    """Return a scale that holds all finite `moments`, with a little room on both sides."""
    finite = [moment for moment in moments if moment not in (INFINITY, NO_CTI)] or [0]
    room = max(1, (max(finite) - min(finite)) // 20)
    return Scale(min(finite) - room, max(finite) + room, left, right)
