"""snapshot: for each group a pane between any two neighbouring starts or ends with an event alive (section 5)."""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.windows.pane_rule import GroupEvents, NumberedPanes
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.arrived import Int64s

_WIDEST: Final = 2**62


@dataclass(frozen=True)
class SnapshotAssigner:
    """Within a snapshot nothing begins and nothing ends; the last of an edge that is open has the end INFINITY."""

    cuts: ClassVar[bool] = True

    def due(self, begin: Int64s) -> Int64s:
        """At its start, which ends the snapshot before."""
        return begin

    def later(self, end: Int64s) -> Int64s:
        """At its end."""
        return end

    def over(self, start: Int64s, end: Int64s) -> Int64s:
        """Once its end is."""
        del start
        return end

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """The snapshots, and between them those of no event.

        One that ends at `at` only because an edge opened there is not closed: until the CTI is beyond its start, the
        edge may vanish.
        """
        group, time, first, stop = _bounds(events)
        closed = np.zeros(len(time), np.bool_)
        closed[:-1] = (time[1:] <= at) & (group[1:] == group[:-1]) & (at != NO_CTI)
        unsure = events.opens & (events.begin == at)
        if at != INFINITY and unsure.any():
            sure = np.zeros(len(time), np.bool_)
            sure[first[~events.opens]] = True
            sure[stop] = True
            closed[:-1] &= (time[1:] < at) | sure[1:]
        settled = (events.begin < at) | ((events.begin == at) & ~events.opens)
        return NumberedPanes(first, stop - 1, time, np.append(time[1:], INFINITY)[: len(time)], closed, settled)


def _bounds(events: GroupEvents) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Group and time of each bound, by group and time, and for each event the places of its two."""
    if not len(events.group):
        empty = np.empty(0, np.int64)
        return empty, empty, empty, empty
    begin, end, low, span = _narrowed(events)
    if (int(events.group.max()) + 1) * span >= _WIDEST:
        times = distinct(np.concatenate([events.begin, events.end]))
        group, place, first, stop = _places(
            events.group, np.searchsorted(times, events.begin), np.searchsorted(times, events.end), len(times)
        )
        return group, times[place], first, stop
    group, place, first, stop = _places(events.group, begin, end, span)
    time = place + low
    time[place == span - 1] = INFINITY
    return group, time, first, stop


def _narrowed(events: GroupEvents) -> tuple[Int64s, Int64s, int, int]:
    """Starts and ends from zero on, INFINITY as the largest, then what zero stands for and how many there are."""
    low = int(events.begin.min())
    finite = events.end != INFINITY
    high = max(int(events.begin.max()), int(events.end.max(initial=low, where=finite)))
    span = high - low + 2
    return events.begin - low, np.where(finite, events.end - low, span - 1), low, span


def _places(group: Int64s, begin: Int64s, end: Int64s, span: int) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    base = group * span
    begin, end = base + begin, base + end
    bounds = distinct(np.concatenate([begin, end]))
    place = np.argsort(begin)
    first, stop = np.empty_like(begin), np.empty_like(end)
    first[place] = np.searchsorted(bounds, begin[place])
    stop[place] = np.searchsorted(bounds, end[place])
    return bounds // span, bounds % span, first, stop
