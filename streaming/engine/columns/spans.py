"""Aggregates over spans of windows: every window's value from partials that each cover a run of windows.

A partial covers the windows `first..last` of one group. Between two neighbouring ends of partials nothing changes, so a
group's windows fall into *cells*, at most two for each partial, however many windows a cell spans. The cost depends on
the partials and the result rows, never on size / hop.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from streaming.engine.columns.ranks import ranked
from streaming.wire.rows.arrived import Int64s

Numbers = npt.NDArray[Any]
"""A column of int64, float64 or Python's integers."""


@dataclass(frozen=True, slots=True)
class SpanCells:
    """Runs of windows of one group that the same partials cover.

    `first_cell..last_cell` (inclusive) are the cells of each partial. `group`, `first_window` and `width` (in windows)
    describe each of the `cells` cells; cells that no partial covers are among them.
    """

    cells: int
    first_cell: Int64s
    last_cell: Int64s
    group: Int64s
    first_window: Int64s
    width: Int64s

    def of(self, partials: Int64s) -> "SpanCells":
        """Return the same cells for some of the partials, given by index."""
        if len(partials) == len(self.first_cell):
            return self
        return replace(self, first_cell=self.first_cell[partials], last_cell=self.last_cell[partials])


def cut(group: Int64s, first: Int64s, last: Int64s) -> SpanCells:
    """The cells of partials that cover the windows `first..last` (inclusive, `first <= last`) of `group`."""
    places, (place_first, place_after) = ranked((first, last + 1))
    base = group * len(places)
    breaks, (first_cell, after) = ranked((base + place_first, base + place_after))
    window = places[breaks % len(places)]
    return SpanCells(
        cells=len(breaks),
        first_cell=first_cell,
        last_cell=after - 1,
        group=breaks // len(places),
        first_window=window,
        width=np.append(window[1:] - window[:-1], 0),
    )


def holders(cells: SpanCells) -> Int64s:
    """Return for each covered cell a partial of its group; for other cells any number."""
    begun = np.zeros(cells.cells, np.int64)
    begun[cells.first_cell] = np.arange(len(cells.first_cell))
    # a group's cells are consecutive and start where a partial starts: the latest start belongs to the same group
    latest = np.zeros(cells.cells, np.int64)
    latest[cells.first_cell] = cells.first_cell
    return begun[np.maximum.accumulate(latest)]


def sums(cells: SpanCells, values: Numbers) -> Numbers:
    """The sum of `values` (one for each partial) in each cell: by differences, so exactly where all sums of them are.

    Sums of int64 are exact modulo 2**64; Python's integers, as objects, are always.
    """
    change = np.zeros(cells.cells + 1, values.dtype)
    np.add.at(change, cells.first_cell, values)
    np.subtract.at(change, cells.last_cell + 1, values)
    return np.cumsum(change[:-1])


def spread(cells: SpanCells, operation: np.ufunc, values: Numbers, identity: object) -> Numbers:
    """Return `operation` (minimum, maximum) over the values of the partials in each cell, without subtraction.

    Each partial goes to the O(log) nodes of a binary tree over the cells that cover it exactly, then the nodes are
    pushed down.
    """
    levels = _collect(cells, operation, values, identity)
    below = levels[-1]
    for level in reversed(levels[:-1]):
        below = operation(level, np.repeat(below, 2)[: len(level)])
    return below


def _collect(cells: SpanCells, operation: np.ufunc, values: Numbers, identity: object) -> list[Numbers]:
    low, high = cells.first_cell.copy(), cells.last_cell.copy()
    levels = []
    length = cells.cells
    while len(low):
        level = np.full(length, identity, values.dtype)
        odd = (low & 1).astype(np.bool_)
        operation.at(level, low[odd], values[odd])
        low += odd
        even = (low <= high) & ~(high & 1).astype(np.bool_)
        operation.at(level, high[even], values[even])
        high -= even
        levels.append(level)
        left = low <= high
        low, high, values = low[left] >> 1, high[left] >> 1, values[left]
        length = (length + 1) >> 1
    return levels or [np.full(cells.cells, identity, values.dtype)]
