"""count: for each group, from each distinct start to the n-th distinct start + 1 tick (section 5)."""

from dataclasses import dataclass

import numpy as np

from streaming.engine.operators.windows.pane_rule import (
    GroupEvents,
    NumberedPanes,
    StartAssigner,
    begins,
    numbered,
    order_of,
)
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Int64s


@dataclass(frozen=True)
class CountAssigner(StartAssigner):
    """Holds `n` distinct starts, and with them every event that starts at one of them."""

    n: int

    def due(self, begin: Int64s) -> Int64s:
        """Right after its start, when that may be the n-th of a window."""
        return begin + 1

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """A window from each distinct start; the last n - 1 of a group are not complete."""
        order = order_of(events.group, events.begin)
        group, start = events.group[order], events.begin[order]
        opens = begins(group, start[1:] != start[:-1])
        number = numbered(order, opens)
        firsts = np.flatnonzero(opens)
        group, start = group[firsts], start[firsts]
        earliest = np.searchsorted(group, group)
        nth = np.minimum(np.arange(len(group)) + (self.n - 1), max(len(group) - 1, 0))
        complete = (group[nth] == group) & (np.arange(len(group)) + self.n <= len(group))
        ends = start[nth] + 1
        closed = complete & (ends <= at) & (at != NO_CTI)
        return NumberedPanes(
            first=np.maximum(earliest[number], number - (self.n - 1)),
            last=number,
            start=start,
            end=ends,
            closed=closed,
            settled=events.begin < at,
            complete=complete,
        )
