"""Fingerprints of the members of a pane and their lifetimes in it, to detect changes (T20)."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.flows import Flows
from streaming.engine.columns.hashing import UInt64s, hash_of, mixed
from streaming.engine.operators.aggregates.layout import PaneLayout
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s

Bounds = Callable[[Int64s], tuple[Int64s, Int64s]]
_BOUND: Final = NO_CTI
"""The pane's own bound, if a lifetime reaches it."""


def extents(members: Flows, first: Int64s, bounds: Bounds, layout: PaneLayout) -> Int64s:
    """Return for each row of `layout` the wrapping sum of a hash of each member's id and lifetime within the pane.

    A lifetime within a pane is given by its start, unless that is not after the pane's, and its end, unless that is not
    before the pane's. So a member has at most three different lifetimes, each for a run of its panes, and the cost
    depends on the members, not on their panes. A member without an id adds the same amount whether or not the pane also
    has members with one.
    """
    count = layout.panes
    from_start = _until(lambda number, of: bounds(number)[0] >= members.start[of], first, count)
    beyond_end = _until(lambda number, of: bounds(number)[1] > members.end[of], first, count)
    ids = None if members.id is None else _named(members.id)
    total = np.zeros(layout.rows, np.int64)
    earlier, later = np.minimum(from_start, beyond_end), np.maximum(from_start, beyond_end)
    for low, high in pairwise((np.zeros_like(count), earlier, later, count)):
        run = np.flatnonzero(low < high)
        if not len(run):
            continue
        of: slice | Int64s = slice(None) if len(run) == len(count) else run
        at = low[of]
        start = np.where(at >= from_start[of], _BOUND, members.start[of])
        end = np.where(at >= beyond_end[of], members.end[of], _BOUND)
        hashed = _hashed(start, end, None if ids is None else ids[of])
        total += layout.added(layout.base[of] + at, high[of] - at, hashed)
    return total


def _named(ids: pa.Array) -> UInt64s:
    """Return a hash of each id; 0 for no id, also if no member has one."""
    return np.where(ids.is_valid().to_numpy(zero_copy_only=False), hash_of([ids], len(ids)), np.uint64(0))


def _hashed(start: Int64s, end: Int64s, ids: UInt64s | None) -> Int64s:
    named = end.view(np.uint64) if ids is None else end.view(np.uint64) ^ ids
    return mixed(mixed(named) + start.view(np.uint64)).view(np.int64)


def _until(holds: Callable[[Int64s, Int64s], npt.NDArray[np.bool_]], first: Int64s, count: Int64s) -> Int64s:
    """Return for how many of its `count` panes, starting with `first`, `holds` is not true yet: it stays true.

    `holds` receives panes by number and members by index.
    """
    everyone = np.arange(len(first))
    found: Int64s = np.where(holds(first, everyone), 0, 1)
    searching = np.flatnonzero((found > 0) & (count > 1))
    low, high = np.ones(len(searching), np.int64), count[searching]
    while len(searching):
        middle = (low + high) >> 1
        # the pane at `count` is not a pane of the member: the search ends there
        inside = low < high
        found[searching[~inside]] = low[~inside]
        searching, low, high, middle = searching[inside], low[inside], high[inside], middle[inside]
        true = holds(first[searching] + middle, searching)
        low, high = np.where(true, low, middle + 1), np.where(true, middle, high)
    return found
