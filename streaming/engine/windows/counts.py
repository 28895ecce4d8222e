"""count: for each group, from each distinct start to the n-th distinct start + 1 tick (section 5)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from streaming.engine.windows.pane_rule import Panes, Sheet, order_of
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.arrived import Int64s


@dataclass(frozen=True)
class Counts:
    """Holds `n` distinct starts, and with them every event that starts at one of them."""

    n: int
    cuts: ClassVar[bool] = False

    def due(self, begin: Int64s) -> Int64s:
        """Right after its start, when that may be the n-th of a window."""
        return begin + 1

    def later(self, end: Int64s) -> Int64s:
        """Never: another event is the n-th of the windows that are open."""
        return np.full(len(end), INFINITY)

    def over(self, start: Int64s, end: Int64s) -> Int64s:
        """Once its start is: what starts where time is open changes only panes that are open."""
        del end
        return start + 1

    def panes(self, sheet: Sheet, at: int) -> Panes:
        """A window from each distinct start; the last n - 1 of a group are not complete."""
        order = order_of(sheet.group, sheet.begin)
        group, start = sheet.group[order], sheet.begin[order]
        opens = np.ones(len(order), np.bool_)
        opens[1:] = (group[1:] != group[:-1]) | (start[1:] != start[:-1])
        number = np.empty(len(order), np.int64)
        number[order] = np.cumsum(opens) - 1
        firsts = np.flatnonzero(opens)
        group, start = group[firsts], start[firsts]
        earliest = np.searchsorted(group, group)
        nth = np.minimum(np.arange(len(group)) + (self.n - 1), max(len(group) - 1, 0))
        complete = (group[nth] == group) & (np.arange(len(group)) + self.n <= len(group))
        ends = start[nth] + 1
        closed = complete & (ends <= at) & (at != NO_CTI)
        return Panes(
            first=np.maximum(earliest[number], number - (self.n - 1)),
            last=number,
            start=start,
            end=ends,
            closed=closed,
            settled=sheet.begin < at,
            complete=complete,
        )
