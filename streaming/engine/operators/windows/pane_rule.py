"""Which panes the events of each group make: what sessions, snapshots and count windows answer in columns."""

from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

import numpy as np

from streaming.engine.columns.flows import Mask
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrived import Int64s

_WIDEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class GroupEvents:
    """All events of some groups, in any order: `group` is small dense integers, times are ticks.

    What lies before `begin` is closed for the event; `opens` marks edges that nothing has ended.
    """

    group: Int64s
    begin: Int64s
    end: Int64s
    opens: Mask


@dataclass(frozen=True, slots=True)
class NumberedPanes:
    """The panes of some events, numbered by group, then by start: event i is in `first[i]..last[i]`, never in none.

    `start` and `end` are by number. Of the panes of a group that hold an event those that are `closed` come first, then
    those that have an end but stay open, then those that are not `complete`, whose end is not known (None: no such).
    `settled`: what is known makes nothing close on account of this event before its `later`.
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
    """Whether an event counts for each pane that it lives in, so that what is closed is cut off it; else its start
    says in which panes it is, and it stays whole."""

    def due(self, begin: Int64s) -> Int64s:
        """When panes may close on account of an event that has come."""

    def later(self, end: Int64s) -> Int64s:
        """When they may, once it is settled; INFINITY: never."""

    def over(self, start: Int64s, end: Int64s) -> Int64s:
        """The time before which all must be closed for nothing to be left of the event (T19)."""

    def panes(self, events: GroupEvents, at: int) -> NumberedPanes:
        """All panes of `events`. Those are closed that end at or before `at`, NO_CTI for none; at INFINITY all."""


class StartAssigner:
    """What rules share in which the start of an event alone says in which panes it is, so that it stays whole."""

    cuts: ClassVar[bool] = False

    def later(self, end: Int64s) -> Int64s:
        """Never: only another event makes a pane close on account of one that is settled."""
        return np.full(len(end), INFINITY)

    def over(self, start: Int64s, end: Int64s) -> Int64s:
        """Once its start is: what starts where time is open changes only panes that are open."""
        del end
        return start + 1


def begins(group: Int64s, apart: Mask) -> Mask:
    """Where a run begins in rows by group: at the first of each group, and where `apart` says so of two neighbours."""
    found = np.ones(len(group), np.bool_)
    found[1:] = (group[1:] != group[:-1]) | apart
    return found


def numbered(order: Int64s, opens: Mask) -> Int64s:
    """The number of the run of each row; `opens` says where runs begin among the rows in `order`."""
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(opens) - 1
    return number


def order_of(group: Int64s, time: Int64s, *, stable: bool = False) -> Int64s:
    """The order by group, then time; equal ones in any, but always the same, or as they stood if `stable`."""
    if not len(time):
        return np.empty(0, np.int64)
    low = int(time.min())
    span = int(time.max()) - low + 1
    if (int(group.max()) + 1) * span < _WIDEST:  # as one number they are sorted once, and not by each of them
        return np.argsort(group * span + (time - low), kind="stable" if stable else None)
    return np.lexsort((time, group))


def saturated(time: Int64s, more: int) -> Int64s:
    """`time + more`, which is not negative, INFINITY where that is beyond."""
    return np.where(time > INFINITY - more, INFINITY, time + more)
