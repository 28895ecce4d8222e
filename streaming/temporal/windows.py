"""Tumbling and hopping windows: an event's windows, and the CTI that closes them (TEMPORAL.md section 5)."""

from dataclasses import dataclass
from typing import Final

from streaming.temporal.ticks import INFINITY, NO_CTI, NO_TICKS, Tick, Ticks

MAX_WINDOWS_PER_EVENT: Final = 10_000
"""An event in more windows than this is refused: malformed, reason too_many_windows (T24)."""


@dataclass(frozen=True, slots=True)
class HoppingWindows:
    """The windows `[offset + k*hop, offset + k*hop + size)` for every whole k, negative ones too (T23).

    `size` and `hop` are positive ticks; tumbling windows have `hop == size`; `hop > size` leaves gaps (T25). An event
    `[s, e)` belongs to window k iff `s < end_k` and `e > start_k`: the windows `first_index(s)` to `last_index(e)`, or
    no window if the first is above the last. Indices are unbounded ints: INFINITY gives an index above those of all
    times, NO_CTI one below.
    """

    size: Ticks
    hop: Ticks
    offset: Ticks = NO_TICKS

    def __post_init__(self) -> None:
        if self.size <= 0 or self.hop <= 0:
            raise ValueError(f"size {self.size} and hop {self.hop} must be positive ticks")

    @property
    def overlap(self) -> Ticks:
        """Return by how much a window ends after the start of the next; below zero with gaps."""
        return Ticks(self.size - self.hop)

    def bounds(self, index: int) -> tuple[Tick, Tick]:
        """Return the half-open `(start, end)` of window `index`."""
        start = self.offset + index * self.hop
        return Tick(start), Tick(start + self.size)

    def first_index(self, start: Tick) -> int:
        """Return the smallest k with `end_k > start`."""
        return (start - self.size - self.offset) // self.hop + 1

    def last_index(self, end: Tick) -> int:
        """Return the largest k with `start_k < end`."""
        return (end - self.offset - 1) // self.hop

    def indices(self, start: Tick, end: Tick) -> range:
        """Return the windows of the event `[start, end)`: empty in a gap, and without a limit (T24)."""
        return range(self.first_index(start), self.last_index(end) + 1)

    def first_open(self, cti: Tick) -> int:
        """Return the earliest window not closed at `cti`: the smallest k with `end_k > cti` (T19)."""
        return self.first_index(cti)

    def output_cti(self, cti: Tick) -> Tick:
        """Return the CTI of the results at the input's `cti`: the start of the earliest window not closed.

        With gaps it may be above `cti` (T25). NO_CTI and INFINITY stay unchanged.
        """
        if cti in (NO_CTI, INFINITY):
            return cti
        return self.bounds(self.first_open(cti))[0]
