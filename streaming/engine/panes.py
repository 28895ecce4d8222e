"""Window indices in columns: which windows rows belong to, which are open, and where results begin."""

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
class Panes:
    """temporal.HoppingWindows over int64 columns; indices count from an offset in `[0, hop)`, so nothing overflows."""

    size: int
    hop: int
    offset: int

    @classmethod
    def of(cls, windows: HoppingWindows) -> "Panes":
        """The same windows, numbered from the first start at or after 1970."""
        return cls(windows.size, windows.hop, windows.offset % windows.hop)

    def first(self, start: Int64s) -> Int64s:
        """The first window of events that start at `start`; also the first one open at a finite CTI."""
        return (start - (self.size + self.offset)) // self.hop + 1

    def last(self, end: Int64s) -> Int64s:
        """The last window of events that end at `end`; INFINITY gives an index above those of all times."""
        return (np.minimum(end, _LATER_THAN_ALL) - (self.offset + 1)) // self.hop

    def closed_before(self, output_cti: int) -> int:
        """The last window closed when results have the CTI `output_cti`, which is where the next window starts."""
        if output_cti in (NO_CTI, INFINITY):
            return BEFORE_ALL if output_cti == NO_CTI else AFTER_ALL
        return (output_cti - self.offset) // self.hop - 1

    def output_ctis(self, ctis: Int64s) -> Int64s:
        """The CTIs of the results at rising input CTIs, without repetitions; INFINITY stays what it is."""
        mapped = np.where(ctis == INFINITY, INFINITY, self.starts(self.first(ctis)))
        return mapped[np.concatenate(([True], mapped[1:] != mapped[:-1]))] if len(mapped) else mapped

    def starts(self, index: Int64s) -> Int64s:
        """Where windows start."""
        return index * self.hop + self.offset
