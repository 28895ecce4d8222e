"""Tumbling and hopping windows: which windows an event belongs to, and when they close (TEMPORAL.md section 5)."""

from dataclasses import dataclass
from typing import Final

from streaming.temporal.ticks import INFINITY, NO_CTI, NO_TICKS, Tick, Ticks

MAX_WINDOWS_PER_EVENT: Final = 10_000
"""An event in more windows than these is refused: malformed, reason too_many_windows (T24)."""


@dataclass(frozen=True, slots=True)
class HoppingWindows:
    """The windows `[offset + k*hop, offset + k*hop + size)` for every whole k, negative ones too (T23).

    `size` and `hop` are positive ticks; tumbling windows have `hop == size`; `hop > size` leaves gaps (T25). An event
    `[s, e)` belongs to window k iff `s < end_k` and `e > start_k`: the windows `first_index(s)` to `last_index(e)`,
    none of them when the first is above the last. Indices are unbounded ints: INFINITY gives an index above those of
    all times, NO_CTI one below.
    """

    size: Ticks
    hop: Ticks
    offset: Ticks = NO_TICKS

    def __post_init__(self) -> None:
        if self.size <= 0 or self.hop <= 0:
            raise ValueError(f"size {self.size} and hop {self.hop} must be positive ticks")

    def bounds(self, index: int) -> tuple[Tick, Tick]:
        """The half-open `(start, end)` of window `index`."""
        start = self.offset + index * self.hop
        return Tick(start), Tick(start + self.size)

    def first_index(self, start: Tick) -> int:
        """The smallest k with `end_k > start`."""
        return (start - self.size - self.offset) // self.hop + 1

    def last_index(self, end: Tick) -> int:
        """The largest k with `start_k < end`."""
        return (end - self.offset - 1) // self.hop

    def indices(self, start: Tick, end: Tick) -> range:
        """The windows of the event `[start, end)`: empty in a gap, and without a cap (T24)."""
        return range(self.first_index(start), self.last_index(end) + 1)

    def first_open(self, cti: Tick) -> int:
        """The earliest window not closed at `cti`: the smallest k with `end_k > cti` (T19)."""
        return self.first_index(cti)

    def output_cti(self, cti: Tick) -> Tick:
        """The CTI of the results at the input's `cti`: the start of the earliest window not closed.

        With gaps it may be above `cti` (T25). NO_CTI and INFINITY stay what they are.
        """
        if cti in (NO_CTI, INFINITY):
            return cti
        return self.bounds(self.first_open(cti))[0]
