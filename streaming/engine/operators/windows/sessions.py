"""session: for each group `[first start, last start + gap)`, split where it would exceed its maximum (section 5)."""

from dataclasses import dataclass

import numpy as np

from streaming.engine.operators.windows.pane_rule import (
    GroupEvents,
    NumberedPanes,
    StartAssigner,
    begins,
    numbered,
    order_of,
    saturated,
)
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Int64s


@dataclass(frozen=True)
class SessionAssigner(StartAssigner):
    """Sessions by starts: an event belongs if it starts before the end that the events before it give.

    With `max`, at least the gap, the event that would make the session longer opens the next one.
    """

    gap: int
    max: int | None = None

    def due(self, begin: Int64s) -> Int64s:
        """When it ends its session, if it is the last."""
        return saturated(begin, self.gap)

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """The sessions, each group's from its earliest event on."""
        order = order_of(events.group, events.begin)
        group, start = events.group[order], events.begin[order]
        opens = begins(group, start[1:] - start[:-1] >= self.gap)
        if self.max is not None:
            opens[self._splits(start, np.flatnonzero(opens), self.max)] = True
        firsts = np.flatnonzero(opens)
        lasts = np.append(firsts[1:], len(order))[: len(firsts)] - 1
        number = numbered(order, opens)
        settled = np.ones(len(order), np.bool_)
        settled[order[lasts]] = False
        ends = saturated(start[lasts], self.gap)
        return NumberedPanes(number, number, start[firsts], ends, (ends <= at) & (at != NO_CTI), settled)

    def _splits(self, start: Int64s, firsts: Int64s, longest: int) -> Int64s:
        """The further openers inside sessions that are too long: sequential, but only from opener to opener."""
        bounds = np.append(firsts, len(start))
        long = np.flatnonzero(saturated(start[bounds[1:] - 1] - start[firsts], self.gap) > longest)
        found: list[int] = []
        for low, high in zip(bounds[long].tolist(), bounds[long + 1].tolist(), strict=True):
            inside = start[low:high]
            following = np.searchsorted(inside, inside + (longest - self.gap), side="right").tolist()
            opener = following[0]
            while opener < high - low:
                found.append(low + opener)
                opener = following[opener]
        return np.array(found, np.int64)
