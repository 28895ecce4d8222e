"""moment: each distinct start of each group separately."""

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
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True)
class MomentAssigner(StartAssigner):
    """Holds the events that start at one time."""

    def due(self, begin: Int64s) -> Int64s:
        """Right after its start."""
        return begin + 1

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """A window of one tick for each distinct start."""
        order = order_of(events.group, events.begin)
        group, start = events.group[order], events.begin[order]
        opens = begins(group, start[1:] != start[:-1])
        number = numbered(order, opens)
        start = start[opens]
        closed = (start + 1 <= at) & (at != NO_CTI)
        return NumberedPanes(number, number, start, start + 1, closed, settled=np.asarray(events.begin < at))
