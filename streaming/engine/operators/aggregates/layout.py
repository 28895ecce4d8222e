"""Positions of the members of panes in the result rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from streaming.engine.columns import spans
from streaming.engine.columns.grouping import Codes, Grouping, combine, encode_integers, group
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True, slots=True)
class PaneLayout:
    """One row for each pane that has a member; the panes of a group follow one another in time.

    `same` has one slot for the members that are in the same panes of the same group: mergeable aggregates are folded by
    slot first. `cells` (None if every member is in one pane) are the runs of panes with the same slots, in order of the
    used ones, and `at` is the cell of each row. `number` is the pane of each row, `holder` a member of it. `base` is
    the row of each member's first pane, `panes` the number of its panes: they are in the following rows.
    """

    same: Grouping
    cells: spans.SpanCells | None
    at: Int64s
    number: Int64s
    holder: Int64s
    base: Int64s
    panes: Int64s

    @classmethod
    def of(cls, first: Int64s, last: Int64s, groups: list[Codes]) -> "PaneLayout":
        """Return the rows of members that are in the panes `first..last` of their groups.

        There is at least one member.
        """
        length = last - first
        alone = not length.any()
        codes = combine([*groups, encode_integers(first), *([] if alone else [encode_integers(length)])], len(first))
        by = group(codes)
        start = first[by.first_row]
        slot = np.empty(by.slots, np.int64)
        if alone:
            slot[by.used] = np.arange(len(by.used))
            return cls(by, None, np.arange(len(by.used)), start, by.first_row, slot[by.ids], length + 1)
        grouped = combine(groups, len(first)).codes[by.first_row]
        cells = spans.cut(np.unique(grouped, return_inverse=True)[1], start, last[by.first_row])
        used = np.flatnonzero(spans.sums(cells, np.ones(len(by.used), np.int64)))
        width = cells.width[used]
        before = np.cumsum(width) - width
        at = np.repeat(used, width)
        number = np.repeat(cells.first_window[used] - before, width) + np.arange(len(at))
        row = np.zeros(cells.cells, np.int64)
        row[used] = before
        slot[by.used] = row[cells.first_cell]
        return cls(by, cells, at, number, by.first_row[spans.holders(cells)[at]], slot[by.ids], length + 1)

    @property
    def rows(self) -> int:
        """Return how many panes have a member."""
        return len(self.number)

    def added(self, runs: Int64s, length: Int64s, values: Int64s) -> Int64s:
        """Return the sum, modulo 2**64, of the `values` of runs of `length` rows that start at `runs`."""
        total = np.zeros(self.rows + 1, np.int64)
        if self.cells is None:
            np.add.at(total, runs, values)
            return total[:-1]
        np.add.at(total, runs, values)
        np.subtract.at(total, runs + length, values)
        return np.cumsum(total[:-1])

    def pieces(self, count: Int64s, most: int) -> Iterator[tuple[int, int]]:
        """Ranges of rows that hold about `most` pairs of member and pane, given how many each row has."""
        behind = np.cumsum(count)
        low = 0
        while low < self.rows:
            reached = int(behind[low - 1]) if low else 0
            high = max(low + 1, int(np.searchsorted(behind, reached + most, side="right")))
            yield low, high
            low = high

    def pairs(self, members: Int64s, low: int, high: int) -> tuple[Int64s, Int64s]:
        """For each pair of one of `members` and a row in `low..high` (exclusive): the index in `members`, the row."""
        base = self.base[members]
        if self.cells is None and high - low == self.rows:
            return np.arange(len(members)), base
        start, stop = np.maximum(base, low), np.minimum(base + self.panes[members], high)
        inside = np.flatnonzero(start < stop)
        start, length = start[inside], (stop - start)[inside]
        ramp = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        return np.repeat(inside, length), np.repeat(start, length) + ramp
