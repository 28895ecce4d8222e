"""Window indices in columns: which windows rows belong to, which are open, and where results begin."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.temporal.windows import HoppingWindows
from streaming.wire.arrived import Int64s

BEFORE_ALL = -(2**62)
"""Below every window index: nothing is closed yet."""
_LATER_THAN_ALL = 2**60
"""Stands for INFINITY in arithmetic: above every time, and no difference of two indices leaves int64."""
AFTER_ALL = 2**62
"""Above every window index: CTI INFINITY has closed everything."""


@dataclass(frozen=True, slots=True)
class WindowIndices:
    """temporal.HoppingWindows over int64 columns; indices count from an offset in `[0, hop)`, so nothing overflows."""

    size: int
    hop: int
    offset: int

    @classmethod
    def of(cls, windows: HoppingWindows) -> "WindowIndices":
        """The same windows, numbered from the first start at or after 1970."""
        return cls(windows.size, windows.hop, windows.offset % windows.hop)

    def first(self, start: Int64s) -> Int64s:
        """The first window of events that start at `start`; also the first one open at a finite CTI."""
        return (start - (self.size + self.offset)) // self.hop + 1

    def last(self, end: Int64s) -> Int64s:
        """The last window of events that end at `end`; INFINITY gives an index above those of all times."""
        return (np.minimum(end, _LATER_THAN_ALL) - (self.offset + 1)) // self.hop

    def first_open(self, first: Int64s, late_at: Int64s | None, grace: int) -> Int64s:
        """`first`, the first windows of events, raised for late_kept ones to those that are open at `late_at` (T19).

        `late_at` is NO_CTI for events that are not late, None if none is.
        """
        if late_at is None:
            return first
        met = np.maximum(np.maximum(late_at, -_LATER_THAN_ALL) - min(grace, _LATER_THAN_ALL), -_LATER_THAN_ALL)
        return np.maximum(first, self.first(met))

    def closed_at(self, cti: int, grace: int) -> int:
        """The last window that is closed at the input's `cti`: it ends at least `grace` before (T19)."""
        if cti in (NO_CTI, INFINITY):
            return BEFORE_ALL if cti == NO_CTI else AFTER_ALL
        return (max(cti - grace, -_LATER_THAN_ALL) - (self.size + self.offset)) // self.hop

    def output_cti(self, closed: int) -> int:
        """The CTI of the results when the windows up to `closed` are closed: where the next one starts (T25)."""
        if closed in (BEFORE_ALL, AFTER_ALL):
            return NO_CTI if closed == BEFORE_ALL else INFINITY
        return (closed + 1) * self.hop + self.offset

    def output_ctis(self, ctis: Sequence[int], grace: int, closed: int) -> tuple[int, ...]:
        """The CTIs of the results at rising input `ctis`, those that moved since the windows up to `closed` closed."""
        finite = np.array([cti for cti in ctis if cti != INFINITY], np.int64)
        settled = np.maximum(finite - min(grace, _LATER_THAN_ALL), -_LATER_THAN_ALL)
        mapped = np.unique(self.starts(self.first(settled)))
        found = mapped[mapped > self.output_cti(closed)].tolist()
        return tuple(found) if len(finite) == len(ctis) else (*found, INFINITY)

    def starts(self, index: Int64s) -> Int64s:
        """Where windows start."""
        return index * self.hop + self.offset

    def bounds(self, index: Int64s) -> tuple[Int64s, Int64s]:
        """Where windows start and end."""
        start = self.starts(index)
        return start, start + self.size
