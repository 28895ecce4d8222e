"""The interface of session, snapshot and count windows in columns: the panes of each group's events."""

from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

import numpy as np

from streaming.engine.columns.flows import Mask
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s

_WIDEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class GroupEvents:
    """All events of some groups, in any order: `group` is small dense integers, times are ticks.

    Time before `begin` is closed for the event; `opens` marks edges without an end.
    """

    group: Int64s
    begin: Int64s
    end: Int64s
    opens: Mask


@dataclass(frozen=True, slots=True)
class NumberedPanes:
    """The panes of some events, numbered by group, then by start: event i is in `first[i]..last[i]`, at least one pane.

    `start` and `end` are by number. Among the panes of a group with an event, `closed` ones come first, then open ones
    with an end, then those that are not `complete`, whose end is not known (None: no such). `settled`: as far as known,
    nothing closes because of this event before its `later`.
    """

    first: Int64s
    last: Int64s
    start: Int64s
    end: Int64s
    closed: Mask
    settled: Mask
    complete: Mask | None = None


class PaneAssigner(Protocol):
    """One kind of panes: a pure function of the set of events. Times are ticks."""

    cuts: ClassVar[bool]
    """True if an event counts for each pane in which it lives, so that closed time is cut off.

    Otherwise its start determines its panes, and it stays whole.
    """

    def due(self, begin: Int64s) -> Int64s:
        """Return when panes may close because of a new event."""

    def later(self, end: Int64s) -> Int64s:
        """Return when they may, once it is settled; INFINITY: never."""

    def over(self, start: Int64s, end: Int64s) -> Int64s:
        """Return the time up to which everything must be closed for no part of the event to remain (T19)."""

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """Return all panes of `events`.

        Panes that end at or before `at` are closed, none at NO_CTI; at INFINITY all.
        """


class StartAssigner:
    """The common part of rules in which only the start of an event determines its panes, so that it stays whole."""

    cuts: ClassVar[bool] = False

    def later(self, end: Int64s) -> Int64s:
        """Return INFINITY: only another event makes a pane close because of a settled one."""
        return np.full(len(end), INFINITY)

    def over(self, start: Int64s, end: Int64s) -> Int64s:
        """Return the start: later events can only change open panes."""
        del end
        return start + 1


def begins(group: Int64s, apart: Mask) -> Mask:
    """Return where runs start in rows by group.

    A run starts at the first row of each group, and where `apart` separates neighbours.
    """
    found = np.ones(len(group), np.bool_)
    found[1:] = (group[1:] != group[:-1]) | apart
    return found


def numbered(order: Int64s, opens: Mask) -> Int64s:
    """Return the number of the run of each row; `opens` marks where runs start among the rows in `order`."""
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(opens) - 1
    return number


def order_of(group: Int64s, time: Int64s, *, stable: bool = False) -> Int64s:
    """Return the order by group, then time; equal ones in any, but always the same order, in their own if `stable`."""
    if not len(time):
        return np.empty(0, np.int64)
    low = int(time.min())
    span = int(time.max()) - low + 1
    if (int(group.max()) + 1) * span < _WIDEST:  # as one number they are sorted once, not once for each part
        return np.argsort(group * span + (time - low), kind="stable" if stable else None)
    return np.lexsort((time, group))


def saturated(time: Int64s, more: int) -> Int64s:
    """Return `time + more`, which is not negative, at most INFINITY."""
    return np.where(time > INFINITY - more, INFINITY, time + more)
