"""A lane that falls silent again and again, and then sends its delayed rows at once."""

from dataclasses import dataclass

import numpy as np

from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True)
class HeldLane:
    """The lane `number` is silent in the last `length` ticks of each `period`, counted from the first row.

    Its rows happen as without the silence; those of a silence arrive at its end.
    """

    number: int
    period: int
    length: int

    def arrivals(self, due: Int64s, origin: int) -> Int64s:
        """Return the arrival of each row that is due at `due`; times in ticks."""
        passed = (due - origin) % self.period
        found: Int64s = np.where(passed >= self.period - self.length, due - passed + self.period, due)
        return found

    def due_before(self, tick: int, origin: int) -> int:
        """Return the time before which the rows are due that arrive before `tick`: `tick`, or a silence's beginning."""
        passed = (tick - 1 - origin) % self.period
        begin = self.period - self.length
        return tick if passed < begin else tick - 1 - passed + begin
