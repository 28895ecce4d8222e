"""Values in panes, pair by pair: for the aggregates that need all values of a pane at once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.expressions.failures import ELEMENT_BYTES
from streaming.engine.columns.numbers import Numbers
from streaming.engine.columns.ordering import SortKeys, ordered
from streaming.planning.columns import AggregateColumn
from streaming.wire.rows.arrived import Int64s

_WIDEST = 2**62


@dataclass(frozen=True)
class MemberValues:
    """The values of one expression and filter: null-free, with the lifetimes of their events and the member indices."""

    members: Int64s
    values: pa.Array
    start: Int64s
    end: Int64s

    @cached_property
    def lengths(self) -> Int64s:
        """Return the size of each value, in the bytes that MOST_BYTES limits."""
        return lengths_of(self.values)

    @cached_property
    def order(self) -> SortKeys:
        """The values as numbers of the same order."""
        return ordered(self.values)


@dataclass(frozen=True)
class MemberPairs:
    """Pair i is the value `taken.values[row[i]]` in the pane of the slot `slot[i]`, in `[0, slots)`.

    `start` and `end` are the bounds of the panes, one for each slot.
    """

    taken: MemberValues
    row: Int64s
    slot: Int64s
    slots: int
    start: Int64s
    end: Int64s

    @cached_property
    def counts(self) -> Int64s:
        """Return how many values each slot has."""
        return np.bincount(self.slot, minlength=self.slots)

    @cached_property
    def offsets(self) -> Int64s:
        """Return where the values of each slot start when pairs are in order of slots; one more entry than slots."""
        return np.concatenate(([0], np.cumsum(self.counts)))

    @cached_property
    def sorted(self) -> Numbers:
        """The values as numbers of the same order, by slot and then from the smallest."""
        numbers = self.taken.order.numbers[self.row]
        if not len(numbers) or numbers.dtype == np.float64:
            return numbers[by_slot(numbers, self.slot, self.slots)]
        low = int(numbers.min())
        width = int(numbers.max()) - low + 1
        if width * self.slots >= _WIDEST:
            return numbers[by_slot(numbers, self.slot, self.slots)]
        keys = np.sort(self.slot * width + (numbers - low))
        return keys + (low - np.repeat(np.arange(self.slots), self.counts) * width)

    @cached_property
    def slot_of_sorted(self) -> Int64s:
        """The slot of each entry of `sorted`."""
        return np.repeat(np.arange(self.slots), self.counts)

    @cached_property
    def runs(self) -> Int64s:
        """Return where in `sorted` another value starts, or another slot."""
        if not len(self.row):
            return np.empty(0, np.int64)
        changed = self.sorted[1:] != self.sorted[:-1]
        changed |= self.slot_of_sorted[1:] != self.slot_of_sorted[:-1]
        return np.concatenate(([0], np.flatnonzero(changed) + 1))

    @cached_property
    def runs_of_slot(self) -> Int64s:
        """Return how many different values each slot has."""
        return np.bincount(self.slot_of_sorted[self.runs], minlength=self.slots)

    @property
    def restore(self) -> Callable[[Numbers], pa.Array]:
        """Return the function from numbers back to values."""
        return self.taken.order.restore

    def in_time(self) -> Int64s:
        """The pairs by slot, then by start, those of one start by value."""
        start = self.taken.start[self.row]
        order = by_slot(start, self.slot, self.slots)
        same = start[order][1:] == start[order][:-1]
        same &= self.slot[order][1:] == self.slot[order][:-1]
        if not same.any():
            return order
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        ties = np.cumsum(np.append(False, ~same))[tied]
        ties = np.unique(ties, return_inverse=True)[1]
        pairs = order[tied]
        numbers = self.taken.order.numbers[self.row[pairs]]
        order[tied] = pairs[by_slot(numbers, ties, int(ties[-1]) + 1)]
        return order


def lengths_of(values: pa.Array) -> Int64s:
    """Return the size of each value: a text in UTF-8; lists and structs as the sum of their content.

    ELEMENT_BYTES for others.
    """
    found: Int64s = np.full(len(values), ELEMENT_BYTES)
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        found = pc.fill_null(pc.binary_length(values).cast(pa.int64()), ELEMENT_BYTES).to_numpy()
    elif pa.types.is_list(values.type):
        inner = np.concatenate(([0], np.cumsum(lengths_of(values.values))))
        offsets = values.offsets.to_numpy()
        found = np.where(values.is_null().to_numpy(zero_copy_only=False), found, np.diff(inner[offsets]))
    elif pa.types.is_struct(values.type):
        total = sum((lengths_of(each) for each in values.flatten()), np.zeros(len(values), np.int64))
        found = np.where(values.is_null().to_numpy(zero_copy_only=False), found, total)
    return found


def by_slot(numbers: Numbers, slot: Int64s, slots: int) -> Int64s:
    """The order of pairs by `slot`, then by `numbers`; slots are sorted by radix, 16 bits at a time."""
    order: Int64s = np.argsort(numbers)
    for shift in range(0, max(slots - 1, 0).bit_length(), 16):
        digit = ((slot[order] >> shift) & 0xFFFF).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
    return order


Kernel = Callable[[AggregateColumn, MemberPairs], pa.Array]
"""Values in panes to the result of each slot."""
