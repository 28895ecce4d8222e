"""Fingerprints of who is in a pane and how long in it, so that a change shows (T20)."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.engine.aggregates.layout import Layout
from streaming.engine.flows import Flows
from streaming.engine.hashing import hash_of
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Int64s

Bounds = Callable[[Int64s], tuple[Int64s, Int64s]]
_BOUND: Final = NO_CTI
"""Stands for the pane's own bound where a lifetime reaches it."""


def extents(members: Flows, first: Int64s, bounds: Bounds, layout: Layout) -> Int64s:
    """The wrapping sum, for each row of `layout`, of a hash of each member's id and of its lifetime within the pane.

    A lifetime within a pane is given by its start, unless that is not after the pane's, and its end, unless that is
    not before the pane's. So a member has at most three different ones, each for a run of its panes, and the cost
    follows the members, not the panes that they are in.
    """
    count = layout.panes
    from_start = _until(lambda number: bounds(number)[0] >= members.start, first, count)
    beyond_end = _until(lambda number: bounds(number)[1] > members.end, first, count)
    cuts = np.sort(np.stack([np.zeros_like(count), from_start, beyond_end, count]), axis=0)
    ids = np.zeros(len(members), np.int64) if members.id is None else hash_of([members.id], len(members)).view(np.int64)
    total = np.zeros(layout.rows, np.int64)
    for low, high in pairwise(cuts):
        run = np.flatnonzero(low < high)
        if not len(run):
            continue
        at = low[run]
        start = np.where(at >= from_start[run], _BOUND, members.start[run])
        end = np.where(at >= beyond_end[run], members.end[run], _BOUND)
        hashed = hash_of([pa.array(ids[run]), pa.array(start), pa.array(end)], len(run)).view(np.int64)
        total += layout.added(layout.base[run] + at, high[run] - at, hashed)
    return total


def _until(holds: Callable[[Int64s], np.typing.NDArray[np.bool_]], first: Int64s, count: Int64s) -> Int64s:
    """For how many of its `count` panes, which begin with `first`, `holds` is not true yet: it stays true."""
    low, high = np.zeros_like(count), count.copy()
    while (low < high).any():
        middle = (low + high) >> 1
        # a member whose search has ended asks again for a pane of its own
        true = holds(first + np.minimum(middle, count - 1))
        searching = low < high
        high = np.where(searching & true, middle, high)
        low = np.where(searching & ~true, middle + 1, low)
    return low
