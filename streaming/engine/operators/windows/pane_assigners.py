"""Session, snapshot and count windows in columns: the panes that the events of all groups make (section 5)."""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from streaming.definition.windows import CountPanes, EventPanes, SessionPanes, SnapshotPanes
from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.windows.pane_rule import (
    GroupEvents,
    NumberedPanes,
    PaneAssigner,
    StartAssigner,
    begins,
    numbered,
    order_of,
    saturated,
)
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s

_WIDEST: Final = 2**62


@dataclass(frozen=True)
class SessionAssigner(StartAssigner):
    """Sessions by starts: an event belongs if it starts before the end that the previous events give.

    With `max`, at least the gap, an event that would make the session longer opens the next one.
    """

    gap: int
    max: int | None = None

    def due(self, begin: Int64s) -> Int64s:
        """Return when it ends its session, if it is the last."""
        return saturated(begin, self.gap)

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """Return the sessions, each group's from its earliest event on."""
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
        """Return the further openers inside sessions that are too long: sequential, but only from opener to opener."""
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


@dataclass(frozen=True)
class SnapshotAssigner:
    """Snapshots: no event starts or ends inside one; the last one of an open edge has the end INFINITY."""

    cuts: ClassVar[bool] = True

    def due(self, begin: Int64s) -> Int64s:
        """Return its start, which ends the previous snapshot."""
        return begin

    def later(self, end: Int64s) -> Int64s:
        """Return its end."""
        return end

    def over(self, start: Int64s, end: Int64s) -> Int64s:
        """Return the end of the event."""
        del start
        return end

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """Return the snapshots, and between them those of no event.

        One that ends at `at` only because an edge opened there is not closed: until the CTI is after its start, the
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


@dataclass(frozen=True)
class CountAssigner(StartAssigner):
    """Count windows: `n` distinct starts, and every event that starts at one of them."""

    n: int

    def due(self, begin: Int64s) -> Int64s:
        """Return the tick after its start, when that may be the n-th of a window."""
        return begin + 1

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """Return a window from each distinct start; the last n - 1 of a group are not complete."""
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


def pane_assigner(panes: EventPanes) -> PaneAssigner:
    """Return the assigner of `panes` to events."""
    match panes:
        case SessionPanes(gap, longest):
            return SessionAssigner(gap, longest)
        case SnapshotPanes():
            return SnapshotAssigner()
        case CountPanes(n):
            return CountAssigner(n)


def _bounds(events: GroupEvents) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Return group and time of each bound, by group and time, and for each event the positions of its two."""
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
    """Return starts and ends counted from zero, with INFINITY as the largest.

    Then the time of zero, and the number of values.
    """
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
