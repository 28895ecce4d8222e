"""Rows of groups in order, in columns: places, frames and the rows that are known (T27, T44)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.flows import Flows, Mask
from streaming.engine.columns.grouping import combine, encode
from streaming.engine.columns.ordering import ordered, unsigned_zeros
from streaming.engine.columns.rows import Rows
from streaming.planning.columns import RowFrame, RowOrderBy
from streaming.wire.rows.arrived import Int64s

_WIDEST = 2**62


def order_of_rows(rows: Rows, group_by: Sequence[str], order_by: Sequence[RowOrderBy], fields: Sequence[str]) -> Int64s:
    """Return the rows by group, each group in order: by start, ORDER BY, payload and end (T27)."""
    group = combine([encode(rows.columns[name]) for name in group_by], len(rows)).codes
    order = np.lexsort((rows.start, group))
    same = (group[order][1:] == group[order][:-1]) & (rows.start[order][1:] == rows.start[order][:-1])
    if not same.any():
        return order
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    run = np.cumsum(np.append(False, ~same))[tied]
    picked = order[tied]
    columns = {name: column.take(pa.array(picked)) for name, column in rows.columns.items()}
    part = Rows(columns, None, rows.start[picked], rows.end[picked], None)
    keys = [_ranks(part.values(each.of, each.type), descending=each.descending) for each in order_by]
    keys += [_ranks(part.columns[name], descending=False) for name in fields]
    order[tied] = picked[np.lexsort((part.end, *reversed(keys), run))]
    return order


def _ranks(column: pa.Array, *, descending: bool) -> Int64s:
    """Return the rank of each value: nulls first when rising, last when falling."""
    found = np.zeros(len(column), np.int64)
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    if valid.any():
        numbers = ordered(unsigned_zeros(column.drop_null())).numbers
        found[valid] = np.unique(numbers, return_inverse=True)[1] + 1
    return -found if descending else found


@dataclass(frozen=True)
class PlacedRows:
    """Rows by group and in order. Rows that start before `known_until` are known; `group` rises by 1 at each group.

    Rows `reach` or more away are not seen; None: all are.
    """

    flows: Flows
    group: Int64s
    known_until: int
    reach: int | None

    @property
    def start(self) -> Int64s:
        """Return the start of each row."""
        return self.flows.start

    @cached_property
    def first(self) -> Int64s:
        """Return the place of the first row of the group of each row."""
        return np.asarray(np.searchsorted(self.group, self.group, side="left"))

    @cached_property
    def known_end(self) -> Int64s:
        """Return the place after the last known row of the group of each row."""
        known = np.concatenate(([0], np.cumsum(self.is_known)))
        last = np.searchsorted(self.group, self.group, side="right")
        return np.asarray(self.first + known[last] - known[self.first])

    @cached_property
    def is_known(self) -> Mask:
        """Return which rows are known."""
        found: Mask = self.start < self.known_until
        return found

    def near(self, place: Int64s, other: Int64s) -> Mask:
        """Return whether the row at each `other` place is within reach of the one at `place`."""
        if self.reach is None:
            return np.ones(len(place), np.bool_)
        found: Mask = np.abs(self.start[other] - self.start[place]) < self.reach
        return found

    def frame(self, frame: RowFrame, at: Int64s) -> tuple[Int64s, Int64s]:
        """Return the first and the last place of the frame of the rows `at`, all of whose rows are known."""
        start, first, end = self.start[at], self.first[at], self.known_end[at]
        if frame.rows:
            low = first if frame.preceding is None else np.maximum(first, at - frame.preceding)
            high = np.minimum(end - 1, at + frame.following)
        else:
            low = first if frame.preceding is None else self._lower(at, np.minimum(start, start - frame.preceding + 1))
            high = np.minimum(end, self._lower(at, np.maximum(start + 1, start + frame.following))) - 1
        if self.reach is not None:
            low = np.maximum(low, self._lower(at, start - self.reach + 1))
            high = np.minimum(high, self._lower(at, start + self.reach) - 1)
        return low, high

    def _lower(self, at: Int64s, bound: Int64s) -> Int64s:
        """Return the first place in the group of each row `at` whose start is not below `bound`; else its end."""
        if not len(self.start):
            return at
        base, span = int(self.start.min()), int(self.start.max() - self.start.min()) + 2
        group = self.group[at]
        if span * (int(self.group[-1]) + 1) < _WIDEST:
            keys = self.group * span + (self.start - base)
            return np.asarray(np.searchsorted(keys, group * span + np.clip(bound - base, 0, span - 1), side="left"))
        found = np.empty(len(at), np.int64)
        for each in np.unique(group):
            low, high = np.searchsorted(self.group, [each, each + 1])
            mine = group == each
            found[mine] = low + np.searchsorted(self.start[low:high], bound[mine], side="left")
        return found


def groups_in_order(rows: Flows, group_by: Sequence[str]) -> Int64s:
    """Return for rows by group a number that rises by 1 at each group."""
    codes = combine([encode(rows.columns[name]) for name in group_by], len(rows)).codes
    opens: npt.NDArray[np.int64] = np.zeros(len(rows), np.int64)
    opens[1:] = codes[1:] != codes[:-1]
    return np.cumsum(opens)
