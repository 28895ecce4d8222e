"""Exact sums of doubles in columns, rounded once at the end (T62).

Values are cut into *slices*: x rounded to a multiple of a power of two, the unit, by adding and subtracting a large
constant. The unit is such that all sums of a slice fit the 53 bits of a double, so they are exact in any order. The
remainder goes into the next slice, about 40 bits lower, until nothing is left: two or three slices for ordinary data.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.masks import rows_where
from streaming.engine.columns.spans import SpanCells
from streaming.engine.columns.spans import sums as sums_of_cells
from streaming.wire.rows.arrived import Int64s

Doubles = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_LOWEST: Final = -1074
"""Every double is a multiple of 2**-1074."""
_ONE: Final = 1 << -_LOWEST
"""1.0 in units of 2**-1074."""
_DIGITS: Final = 53
_ORDINARY: Final = 2.0**900
"""Fewer than 2**63 values below this have sums without overflow."""
_SMALLEST_DIVIDED: Final = 2.0**-900
_MOST_DIVISOR: Final = 2**53
_BLOCK: Final = 1 << 14
"""Rows that are cut at a time. Their slices then stay in the processor's cache: twice as fast as a million."""
_FEW: Final = 24
"""At most so many values are added one by one, in about 10 us; slices take 40 us for any small number."""
_SPLITTER: Final = 2.0**27 + 1
_HIGH_BITS: Final = -(1 << 27)
_PIECE: Final = 21
"""Bits of a weight that are multiplied at once: with 27 of a value the product is exact."""
_NEAR: Final = 2.0**-20


@dataclass(frozen=True, slots=True)
class DoubleSums:
    """Exact totals, one in each row: `head + tail`, where `head` is the double nearest to the total.

    Rows in `whole` have 0.0 in both, and their total there, in units of 2**-1074: it takes more than two doubles, or is
    too large to be added without overflow. The form of a total depends on its value alone.
    """

    head: Doubles
    tail: Doubles
    whole: Mapping[int, int]

    def columns(self, rows: Int64s) -> list[pa.Array]:
        """Head, tail and `whole` of `rows`, which may repeat; `whole` as bytes, null in ordinary rows."""
        texts = pa.nulls(len(rows), pa.binary())
        if self.whole:
            found = {row: _bytes_of(total) for row, total in self.whole.items()}
            texts = pa.array([found.get(row) for row in rows.tolist()], pa.binary())
        return [pa.array(self.head[rows]), pa.array(self.tail[rows]), texts]

    def rounded(self) -> Doubles:
        """Return the nearest double of each total, halves to even; infinite above the largest double."""
        if not self.whole:
            return self.head
        found = self.head.copy()
        for row, total in self.whole.items():
            found[row] = _quotient(total, 1)
        return found

    def means(self, divisors: Int64s) -> Doubles:
        """Return the nearest double of each total divided by its divisor, which is above 0.

        Infinite above the largest double.
        """
        found, sure = _quotients(self.head, self.tail, divisors)
        sure[list(self.whole)] = False
        for row in rows_where(~sure).tolist():
            total = self.whole.get(row)
            if total is None:
                total = _integer(float(self.head[row])) + _integer(float(self.tail[row]))
            found[row] = _quotient(total, int(divisors[row]))
        return found

    def merged(self, ids: Int64s, slots: int, most: int) -> "DoubleSums":
        """The sum of the rows in each slot; no slot has more than `most` rows."""
        values, rows = self._parts()
        whole = ((int(ids[row]), total) for row, total in self.whole.items())
        return _plus(summed(values, ids[rows], slots, 2 * most), whole)

    def spread(self, cells: SpanCells) -> "DoubleSums":
        """The sum of the rows that cover each cell: by differences, which are exact."""
        values, rows = self._parts()
        below = cells.of(rows)
        parts = _slices(values, _largest(values), len(values))
        found = _joined([sums_of_cells(below, part) for part in parts], cells.cells)
        if not self.whole:
            return found
        rows = np.array(sorted(self.whole))
        totals = sums_of_cells(cells.of(rows), np.array([self.whole[row] for row in rows.tolist()], object))
        return _plus(found, ((int(cell), totals[cell]) for cell in np.flatnonzero(totals)))

    def _parts(self) -> tuple[Doubles, Int64s]:
        """Return doubles whose sums are those of all rows but `whole`, and the row of each."""
        low = rows_where(self.tail)
        every = np.arange(len(self.head))
        if not len(low):
            return self.head, every
        return np.concatenate((self.head, self.tail[low])), np.concatenate((every, low))


def stored_sums(head: pa.Array, tail: pa.Array, whole: pa.Array) -> DoubleSums:
    """The totals in the columns of `DoubleSums.columns`."""
    kept: dict[int, int] = {}
    if whole.null_count < len(whole):
        texts = enumerate(whole.to_pylist())
        kept = {row: int.from_bytes(text, "little", signed=True) for row, text in texts if text is not None}
    return DoubleSums(head.to_numpy(), tail.to_numpy(), kept)


def summed(values: Doubles, ids: Int64s, slots: int, most: int) -> DoubleSums:
    """The sum of the finite `values` in each slot; no slot has more than `most` of them."""
    size = _largest(values)
    if size >= _ORDINARY:
        ordinary = np.abs(values) < _ORDINARY
        large = rows_where(~ordinary)
        totals = zip(ids[large].tolist(), map(_integer, values[large].tolist()), strict=True)
        return _plus(summed(values[ordinary], ids[ordinary], slots, most), totals)
    if len(values) <= _FEW:
        return _one_by_one(values, ids, slots)
    parts: list[Doubles] = []
    for low in range(0, len(values), _BLOCK):
        slots_of_block = ids[low : low + _BLOCK]
        for place, part in enumerate(_slices(values[low : low + _BLOCK], size, most)):
            if place == len(parts):
                parts.append(np.zeros(slots))
            np.add.at(parts[place], slots_of_block, part)
    return _joined(parts, slots)


def weighted(values: Doubles, weights: Int64s, ids: Int64s, slots: int, most: int) -> DoubleSums:
    """The sum in each slot of finite `values`, each by its weight, which is above 0; `most` as in `summed`."""
    if _largest(values) >= _ORDINARY / 2.0**63:
        ordinary = np.abs(values) < _ORDINARY / 2.0**63
        large = rows_where(~ordinary)
        found = weighted(values[ordinary], weights[ordinary], ids[ordinary], slots, most)
        rows = zip(ids[large].tolist(), values[large].tolist(), weights[large].tolist(), strict=True)
        return _plus(found, ((slot, _integer(value) * weight) for slot, value, weight in rows))
    high = (values.view(np.int64) & _HIGH_BITS).view(np.float64)
    products = []
    for shift in range(0, 63, _PIECE):
        piece = ((weights >> shift) & ((1 << _PIECE) - 1)).astype(np.float64) * 2.0**shift
        if piece.any():
            products += [high * piece, (values - high) * piece]
    return summed(np.concatenate([values[:0], *products]), np.tile(ids, len(products)), slots, most * len(products))


def _slices(values: Doubles, size: float, most: int) -> Iterator[Doubles]:
    """Yield columns whose sum is `values`, to be used one at a time: any sum of `most` rows of one of them is exact.

    No value is above `size`, which is below `_ORDINARY` and determines, with `most`, where the slices are cut.
    """
    bits = max(2, most.bit_length())
    exponent = math.frexp(size)[1]
    part, rest = np.empty_like(values), np.empty_like(values)
    source, more = values, size > 0
    while more:
        # no remainder is above 2**exponent, so sums are at most 2**53 units
        unit = exponent + bits - _DIGITS
        constant = 1.5 * 2.0 ** (max(unit, _LOWEST) + _DIGITS - 1)
        np.add(source, constant, out=part)
        np.subtract(part, constant, out=part)
        yield part
        np.subtract(source, part, out=rest)
        source, more = rest, bool(rest.any())
        exponent = unit - 1


def _largest(values: Doubles) -> float:
    return max(float(values.max()), -float(values.min())) if len(values) else 0.0


def _joined(parts: Sequence[Doubles], rows: int) -> DoubleSums:
    """Return the totals of rows whose parts are in `parts`, the largest part first."""
    if not parts:
        return DoubleSums(np.zeros(rows), np.zeros(rows), {})
    left = list(parts)
    for first in range(min(2, len(left) - 1)):
        for place in range(len(left) - 2, first - 1, -1):
            left[place], left[place + 1] = _two_sum(left[place], left[place + 1])
    head, tail = _two_sum(left[0], left[1]) if len(left) > 1 else (left[0], np.zeros(rows))
    unsure = np.abs(head) >= _ORDINARY
    for part in left[2:]:
        unsure |= part != 0
    whole: dict[int, int] = {}
    for row in rows_where(unsure).tolist():
        head[row], tail[row], total = _split(sum(_integer(float(part[row])) for part in parts))
        whole |= {} if total is None else {row: total}
    return DoubleSums(head, tail, whole)


def _two_sum(one: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
    """The rounded sum, and the exact one minus it (Knuth)."""
    total = one + other
    virtual = total - one
    return total, (one - (total - virtual)) + (other - virtual)


def _one_by_one(values: Doubles, ids: Int64s, slots: int) -> DoubleSums:
    head, tail = np.zeros(slots), np.zeros(slots)
    whole: dict[int, int] = {}
    by_slot: dict[int, list[float]] = {}
    for slot, value in zip(ids.tolist(), values.tolist(), strict=True):
        by_slot.setdefault(slot, []).append(value)
    for slot, terms in by_slot.items():
        # fsum is exact and rounds once; it fails only on the way to an overflow
        first = math.fsum(terms)
        rest = math.fsum([*terms, -first]) if len(terms) > 1 else 0.0
        if abs(first) < _ORDINARY and (not rest or not math.fsum([*terms, -first, -rest])):
            head[slot], tail[slot] = first, rest
        else:
            head[slot], tail[slot], total = _split(sum(map(_integer, terms)))
            whole |= {} if total is None else {slot: total}
    return DoubleSums(head, tail, whole)


def _plus(sums: DoubleSums, more: Iterable[tuple[int, int]]) -> DoubleSums:
    """`sums` with `more` added to some rows: (row, integer in units of 2**-1074)."""
    totals: dict[int, int] = {}
    for row, total in more:
        totals[row] = totals.get(row, 0) + total
    if not totals:
        return sums
    head, tail, whole = sums.head.copy(), sums.tail.copy(), dict(sums.whole)
    for row, total in totals.items():
        known = _integer(float(head[row])) + _integer(float(tail[row])) + whole.pop(row, 0)
        head[row], tail[row], left = _split(known + total)
        whole |= {} if left is None else {row: left}
    return DoubleSums(head, tail, whole)


def _split(total: int) -> tuple[float, float, int | None]:
    """Head, tail and `whole` of a total in units of 2**-1074."""
    head = _quotient(total, 1)
    if abs(head) < _ORDINARY:
        rest = total - _integer(head)
        tail = _quotient(rest, 1)
        if _integer(tail) == rest:
            return head, tail, None
    return 0.0, 0.0, total


def _integer(value: float) -> int:
    """A double in units of 2**-1074."""
    numerator, denominator = value.as_integer_ratio()
    return numerator * (_ONE // denominator)


def _quotient(total: int, divisor: int) -> float:
    """Divide a total in units of 2**-1074 by a divisor, rounded once; infinite above the largest double."""
    try:
        return total / (divisor << -_LOWEST)
    except OverflowError:
        return math.inf


def _quotients(head: Doubles, tail: Doubles, divisors: Int64s) -> tuple[Doubles, Mask]:
    """Divide `head + tail` by each divisor; also return where the result is surely the nearest double.

    The first quotient is corrected by its exact remainder. The sum is right unless it is too near the middle between
    two doubles to decide, which is rare. A power of two only changes the exponent.
    """
    by = divisors.astype(np.float64)
    first = head / by
    product, error = _two_product(first, by)
    correction = (((head - product) - error) + tail) / by
    found = first + correction
    rest = np.abs(correction - (found - first))
    half = np.spacing(np.abs(found)) / 2
    clear = (np.abs(rest - half) > _NEAR * half) & (np.abs(rest - half / 2) > _NEAR * half)
    clear |= (divisors & (divisors - 1)) == 0
    clear &= (np.abs(head) >= _SMALLEST_DIVIDED) & (divisors < _MOST_DIVISOR)
    return found, clear | (head == 0)


def _two_product(one: Doubles, other: Doubles) -> tuple[Doubles, Doubles]:
    """The rounded product, and the exact one minus it (Dekker)."""
    product = one * other
    high, far = one * _SPLITTER, other * _SPLITTER
    high, far = high - (high - one), far - (far - other)
    low, near = one - high, other - far
    return product, ((high * far - product) + high * near + low * far) + low * near


def _bytes_of(total: int) -> bytes:
    return total.to_bytes(total.bit_length() // 8 + 1, "little", signed=True)
