"""Mean and deviation in a form that merges without loss: for variances and standard deviations.

A sum of squares loses all digits if values are close together and far from zero. So values are measured from a *pivot*,
one of the values: the differences are as exact as doubles can be, whatever the type. Deviations are merged by the
pairwise rule of Chan, Golub and LeVeque (1983). Equal values have the deviation 0.0, exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.numbers import limbs
from streaming.engine.columns.spans import SpanCells
from streaming.wire.rows.arrived import Int64s

Doubles = npt.NDArray[np.float64]
_LARGE: Final = 1e130
"""Between this and its inverse, squares of differences stay within the doubles."""
_LIMB: Final = 2.0**32


@dataclass(frozen=True, slots=True)
class Moments:
    """In each row, `count` (not 0) values: their pivot, half of mean - pivot, and their population deviation.

    `pivot` is a sum of doubles that is exact (`parts_of`), so differences of pivots are. Half the offset and the
    deviation are within the doubles whenever the values are.
    """

    count: Int64s
    pivot: Sequence[Doubles]
    half_offset: Doubles
    deviation: Doubles

    def take(self, rows: Int64s) -> "Moments":
        """The `rows` by index."""
        pivot = [part[rows] for part in self.pivot]
        return Moments(self.count[rows], pivot, self.half_offset[rows], self.deviation[rows])


def parts_of(column: pa.Array) -> list[Doubles]:
    """A null-free column of numbers as doubles whose sum is the value: a decimal without its point."""
    if pa.types.is_floating(column.type):
        return [column.to_numpy()]
    parts = limbs(column)
    return [parts[place].astype(np.float64) * _LIMB**place for place in reversed(range(len(parts)))]


def single(column: pa.Array) -> Moments:
    """Return the moments of each value of a null-free column alone."""
    nothing = np.zeros(len(column))
    return Moments(np.ones(len(column), np.int64), parts_of(column), nothing, nothing)


def pivot_rows(ids: Int64s, slots: int) -> Int64s:
    """Return the first row of each slot, whose pivot is that of the slot; 0 for a slot without rows."""
    rows = np.zeros(slots, np.int64)
    rows[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)
    return rows


def merged(moments: Moments, ids: Int64s, slots: int) -> Moments:
    """Merge the rows of each slot; a slot without rows has the count 0 and no meaning."""
    count = np.zeros(slots, np.int64)
    np.add.at(count, ids, moments.count)
    if not len(ids):
        return Moments(count, [np.zeros(slots) for _ in moments.pivot], np.zeros(slots), np.zeros(slots))
    rows = pivot_rows(ids, slots)
    total = np.maximum(count, 1).astype(np.float64)
    weight = moments.count.astype(np.float64)
    exponent = _exponents(moments, ids, slots)
    pivot = [part[rows] for part in moments.pivot]
    distance = np.zeros(len(ids))
    for part, of_slot in zip(moments.pivot, pivot, strict=True):
        distance += _scaled(part, exponent, ids) - _scaled(of_slot, exponent, None)[ids]
    # not before the parts: next to the high part of a small negative number, the offset would lose its digits
    distance += 2.0 * _scaled(moments.half_offset, exponent, ids)
    mean = _sums(weight * distance, ids, slots) / total
    distance -= mean[ids]
    rest = _sums(weight * distance, ids, slots) / total
    inner = _scaled(moments.deviation, exponent, ids)
    squares = _sums(weight * (distance * distance + inner * inner), ids, slots) / total
    deviation = np.sqrt(np.maximum(squares - rest * rest, 0.0))
    half = (mean + rest) / 2
    if exponent is not None:
        half, deviation = np.ldexp(half, exponent), np.ldexp(deviation, exponent)
    return Moments(count, pivot, half, deviation)


def spread(cells: SpanCells, moments: Moments) -> Moments:
    """Return the moments of all rows that cover each cell, by a tree as in spans.spread.

    Count 0 for uncovered cells.
    """
    low, high = cells.first_cell.copy(), cells.last_cell.copy()
    levels: list[Moments] = []
    length = cells.cells
    while len(low) or not levels:
        odd = (low & 1).astype(np.bool_)
        left = low + odd
        even = (left <= high) & ~(high & 1).astype(np.bool_)
        chosen = np.concatenate((np.flatnonzero(odd), np.flatnonzero(even)))
        levels.append(merged(moments.take(chosen), np.concatenate((low[odd], high[even])), length))
        right = high - even
        more = np.flatnonzero(left <= right)
        low, high, moments = left[more] >> 1, right[more] >> 1, moments.take(more)
        length = (length + 1) >> 1
    below = levels.pop()
    for level in reversed(levels):
        below = _both(level, below.take(np.arange(len(level.count)) >> 1))
    return below


def _both(one: Moments, other: Moments) -> Moments:
    """Concatenate the two, row by row."""
    slots = len(one.count)
    whole = Moments(
        np.concatenate((one.count, other.count)),
        [np.concatenate(parts) for parts in zip(one.pivot, other.pivot, strict=True)],
        np.concatenate((one.half_offset, other.half_offset)),
        np.concatenate((one.deviation, other.deviation)),
    )
    filled = np.flatnonzero(whole.count)
    return merged(whole.take(filled), filled % slots, slots)


def _exponents(moments: Moments, ids: Int64s, slots: int) -> npt.NDArray[np.int32] | None:
    """Return the power of two that scales each slot, for doubles of extreme size; None if no slot needs one."""
    if len(moments.pivot) > 1:
        return None
    # merged values may be small compared with a pivot of 0: their offset and deviation count too
    size = np.maximum(np.maximum(np.abs(moments.pivot[0]), np.abs(moments.half_offset)), moments.deviation)
    if size.max() < _LARGE and size.min(where=size > 0, initial=1.0) > 1 / _LARGE:
        return None
    largest = np.zeros(slots)
    np.maximum.at(largest, ids, size)
    return np.frexp(largest)[1]


def _scaled(values: Doubles, exponent: npt.NDArray[np.int32] | None, ids: Int64s | None) -> Doubles:
    if exponent is None:
        return values
    return np.ldexp(values, -(exponent if ids is None else exponent[ids]))


def _sums(values: Doubles, ids: Int64s, slots: int) -> Doubles:
    total = np.zeros(slots)
    np.add.at(total, ids, values)
    return total
