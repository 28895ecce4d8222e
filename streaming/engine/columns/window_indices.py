"""Window indices in columns: the windows of rows, the open windows, and the start of results."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streaming.definition.windows import FixedPanes
from streaming.engine.columns.ranks import distinct
from streaming.temporal.calendar_windows import CalendarWindows
from streaming.temporal.ticks import DAY_TICKS, INFINITY, NO_CTI, Tick
from streaming.temporal.windows import HoppingWindows
from streaming.wire.rows.arrived import Int64s

BEFORE_ALL = -(2**62)
"""Below every window index: nothing is closed yet."""
_LATER_THAN_ALL = 2**60
"""INFINITY in arithmetic: above every time, and no difference of two indices overflows int64."""
AFTER_ALL = 2**62
"""Above every window index: CTI INFINITY has closed everything."""


class WindowIndices(ABC):
    """Fixed windows over int64 columns, by index."""

    __slots__ = ()

    @property
    @abstractmethod
    def most(self) -> int:
        """Return the largest number of windows that contain a point; 0 if there are gaps between windows (T25)."""

    @abstractmethod
    def first(self, start: Int64s) -> Int64s:
        """Return the first window of events that start at `start`; also the first one open at a finite CTI."""

    @abstractmethod
    def last(self, end: Int64s) -> Int64s:
        """Return the last window of events that end at `end`; INFINITY gives an index above those of all times."""

    @abstractmethod
    def of_points(self, start: Int64s) -> tuple[Int64s, Int64s]:
        """Return the first and the last window of events of one tick: the same array if they are equal."""

    @abstractmethod
    def bounds(self, index: Int64s) -> tuple[Int64s, Int64s]:
        """Return the starts and ends of windows."""

    def starts(self, index: Int64s) -> Int64s:
        """Return the starts of windows."""
        return self.bounds(index)[0]

    def start(self, index: int) -> int:
        """Return the start of one window."""
        return int(self.bounds(np.array([index]))[0][0])

    def end(self, index: int) -> int:
        """Return the end of one window."""
        return int(self.bounds(np.array([index]))[1][0])

    def first_open(self, first: Int64s, late_at: Int64s | None, grace: int) -> Int64s:
        """Return `first`, the first windows of events, raised for late_kept ones to those open at `late_at` (T19).

        `late_at` is NO_CTI for events that are not late, None if none is.
        """
        if late_at is None:
            return first
        met = np.maximum(np.maximum(late_at, -_LATER_THAN_ALL) - min(grace, _LATER_THAN_ALL), -_LATER_THAN_ALL)
        return np.maximum(first, self.first(met))

    def closed_at(self, cti: int, grace: int) -> int:
        """Return the last window that is closed at the input's `cti`: it ends at least `grace` before (T19)."""
        if cti in (NO_CTI, INFINITY):
            return BEFORE_ALL if cti == NO_CTI else AFTER_ALL
        return int(self.first(np.array([max(cti - grace, -_LATER_THAN_ALL)]))[0]) - 1

    def output_cti(self, closed: int) -> int:
        """Return the CTI of the results when the windows up to `closed` are closed: where the next one starts (T25)."""
        if closed in (BEFORE_ALL, AFTER_ALL):
            return NO_CTI if closed == BEFORE_ALL else INFINITY
        return self.start(closed + 1)

    def output_ctis(self, ctis: Sequence[int], grace: int, closed: int) -> tuple[int, ...]:
        """Return the CTIs of the results at rising input `ctis` that moved since the windows up to `closed` closed."""
        finite = np.array([cti for cti in ctis if cti != INFINITY], np.int64)
        settled = np.maximum(finite - min(grace, _LATER_THAN_ALL), -_LATER_THAN_ALL)
        mapped = np.unique(self.starts(self.first(settled)))
        found = mapped[mapped > self.output_cti(closed)].tolist()
        return tuple(found) if len(finite) == len(ctis) else (*found, INFINITY)


@dataclass(frozen=True, slots=True)
class HoppingIndices(WindowIndices):
    """temporal.HoppingWindows over int64 columns; indices count from an offset in `[0, hop)`, so nothing overflows."""

    size: int
    hop: int
    offset: int

    @property
    def most(self) -> int:
        """Return the largest number of windows that contain a point; 0 with gaps."""
        return 0 if self.hop > self.size else self.size // self.hop + 1

    def first(self, start: Int64s) -> Int64s:
        """Return the smallest k with `end_k > start`."""
        return (start - (self.size + self.offset)) // self.hop + 1

    def last(self, end: Int64s) -> Int64s:
        """Return the largest k with `start_k < end`."""
        return (np.minimum(end, _LATER_THAN_ALL) - (self.offset + 1)) // self.hop

    def of_points(self, start: Int64s) -> tuple[Int64s, Int64s]:
        """Return the first and the last window of events of one tick, by one division where possible."""
        last = (start - self.offset) // self.hop
        if self.size == self.hop:
            return last, last
        return (last - (self.size // self.hop - 1) if self.size % self.hop == 0 else self.first(start)), last

    def bounds(self, index: Int64s) -> tuple[Int64s, Int64s]:
        """Return the starts and ends of windows."""
        start = index * self.hop + self.offset
        return start, start + self.size


@dataclass(frozen=True, slots=True)
class CalendarIndices(WindowIndices):
    """temporal.CalendarWindows over int64 columns, which touch few windows: these are computed one by one (T63)."""

    windows: CalendarWindows

    @property
    def most(self) -> int:
        """Return one: the windows neither overlap nor have gaps."""
        return 1

    def first(self, start: Int64s) -> Int64s:
        """Return the window that contains each moment."""
        if not len(start):
            return start
        low, high = (self.windows.first_index(Tick(int(each))) for each in (start.min(), start.max()))
        if low == high:
            return np.full(len(start), low, np.int64)
        dense = high - low < len(start)
        indices = np.arange(low, high + 1) if dense else self._on_days(distinct(start // DAY_TICKS).tolist())
        return indices[np.searchsorted(self._starts(indices), start, side="right") - 1]

    def last(self, end: Int64s) -> Int64s:
        """Return the window that contains the last tick of each event."""
        return self.first(np.minimum(end, _LATER_THAN_ALL) - 1)

    def of_points(self, start: Int64s) -> tuple[Int64s, Int64s]:
        """Return the one window of each point."""
        only = self.first(start)
        return only, only

    def bounds(self, index: Int64s) -> tuple[Int64s, Int64s]:
        """Return the starts and ends of windows."""
        return self._starts(index), self._starts(index + 1)

    def _starts(self, index: Int64s) -> Int64s:
        known = distinct(index)
        starts = np.array([self.windows.start(each) for each in known.tolist()], np.int64)
        return starts[np.searchsorted(known, index)]

    def _on_days(self, days: Sequence[int]) -> Int64s:
        """Return the windows that contain a moment of one of `days` of UTC, in order."""
        found: set[int] = set()
        for day in days:
            first, last = Tick(day * DAY_TICKS), Tick((day + 1) * DAY_TICKS - 1)
            found.update(range(self.windows.first_index(first), self.windows.first_index(last) + 1))
        return np.array(sorted(found), np.int64)


def window_indices(windows: FixedPanes) -> WindowIndices:
    """Return the indices of `windows`; those of hopping ones count from the first start at or after 1970."""
    match windows:
        case HoppingWindows():
            return HoppingIndices(windows.size, windows.hop, windows.offset % windows.hop)
        case CalendarWindows():
            return CalendarIndices(windows)
