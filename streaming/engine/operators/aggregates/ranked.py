"""Aggregates of values in order: distinct ones, percentiles, and lists."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.definition.expressions.failures import MOST_BYTES
from streaming.definition.payload.types import DecimalOf
from streaming.engine.columns.numbers import Numbers
from streaming.engine.operators.aggregates.pairs import Kernel, MemberPairs, lengths_of
from streaming.planning.columns import AggregateColumn
from streaming.wire.rows.arrived import Int64s

_CANCELLED: Final = 1e-3
"""Below this share of its neighbours, an interpolated value is computed exactly."""


def count_distinct(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """Return the number of different values in each slot."""
    del aggregate
    return pa.array(pairs.runs_of_slot)


def percentile_disc(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The value at rank `ceil(fraction * n)`, at least the first."""
    fraction = _fraction(aggregate)
    ranks = _each(pairs.counts, lambda n: max(1, math.ceil(fraction * n)))
    return _at(pairs, ranks - 1)


def percentile_cont(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """Return the value at `fraction * (n - 1)`, counted from 0, interpolated between its neighbours."""
    fraction = _fraction(aggregate)
    last = np.maximum(pairs.counts - 1, 0)
    below = _at(pairs, _each(last, lambda n: math.floor(fraction * n)))
    above = _at(pairs, _each(last, lambda n: math.ceil(fraction * n)))
    share = _each(last, lambda n: float(fraction * n % 1))
    if isinstance(aggregate.of_type, DecimalOf):
        return _exactly(below, above, [fraction * n % 1 for n in last.tolist()])
    low, high = (_doubles(side) for side in (below, above))
    found = low * (1 - share) + high * share
    found = np.where(low == high, low, found)  # otherwise 2.2 % of the way from 0.1 to 0.1 is not 0.1
    inexact = np.abs(found) < _CANCELLED * np.maximum(np.abs(low), np.abs(high))
    rows = np.flatnonzero(inexact & (low != high))
    if len(rows):
        taken = pa.array(rows)
        exact = _exactly(below.take(taken), above.take(taken), [fraction * n % 1 for n in last[rows].tolist()])
        found[rows] = exact.to_numpy(zero_copy_only=False)
    return pa.array(found, mask=pairs.counts == 0)


def collect(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """All values in order of start, those of one start in order of value."""
    del aggregate
    rows = pairs.row[pairs.in_time()]
    return _lists(pairs, pairs.counts, rows, lambda some: pairs.taken.values.take(pa.array(some)))


def collect_distinct(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The different values in order."""
    del aggregate
    return _lists(pairs, pairs.runs_of_slot, pairs.sorted[pairs.runs], pairs.restore)


def topk(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """Return the most frequent values, then the smaller; with those as frequent as the last of them."""
    length = np.diff(np.append(pairs.runs, len(pairs.row)))
    slot = pairs.slot_of_sorted[pairs.runs]
    most = int(length.max(initial=1))
    # few lengths differ, so the data are nearly sorted already
    order = np.argsort(slot * (most + 1) - length, kind="stable")
    return _ranked(aggregate, pairs, pairs.sorted[pairs.runs][order], length[order], pairs.runs_of_slot)


def mink(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The smallest values, with those equal to the last of them."""
    return _ranked(aggregate, pairs, pairs.sorted, pairs.sorted, pairs.counts)


def maxk(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The largest values, the largest first, with those equal to the last of them."""
    numbers = pairs.sorted[_turned(pairs.counts)]
    return _ranked(aggregate, pairs, numbers, numbers, pairs.counts)


def mink_unique(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The smallest different values."""
    return _first_k(aggregate, pairs, pairs.sorted[pairs.runs])


def maxk_unique(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The largest different values, the largest first."""
    return _first_k(aggregate, pairs, pairs.sorted[pairs.runs][_turned(pairs.runs_of_slot)])


def _fraction(aggregate: AggregateColumn) -> Fraction:
    if aggregate.fraction is None:
        raise TypeError(f"{aggregate.name!r} is a percentile without a fraction; check refuses it")
    return aggregate.fraction


def _k(aggregate: AggregateColumn) -> int:
    if aggregate.k is None:
        raise TypeError(f"{aggregate.name!r} is a list of the first k without k; check refuses it")
    return aggregate.k


def _each(numbers: Int64s, compute: Callable[[int], int | float]) -> Numbers:
    """Return `compute` of each number, once for equal ones.

    Fractions are exact and slow, and groups are often as large.
    """
    different, places = np.unique(numbers, return_inverse=True)
    return np.array([compute(number) for number in different.tolist()])[places]


def _at(pairs: MemberPairs, place: Int64s) -> pa.Array:
    """The value at `place` of each slot, counted from the smallest; null where there are no values."""
    filled = pairs.counts > 0
    if filled.all():
        return pairs.restore(pairs.sorted[pairs.offsets[:-1] + place])
    values = pairs.restore(pairs.sorted[(pairs.offsets[:-1] + place)[filled]])
    return values.take(pa.array(np.cumsum(filled) - 1, mask=~filled))


def _doubles(column: pa.Array) -> npt.NDArray[np.float64]:
    doubles: npt.NDArray[np.float64] = column.fill_null(0).to_numpy(zero_copy_only=False).astype(np.float64)
    return doubles


def _exactly(below: pa.Array, above: pa.Array, shares: list[Fraction]) -> pa.Array:
    """Return the values interpolated from `below` to `above`, rounded once; null where they are."""
    found = []
    for low, high, share in zip(below.to_pylist(), above.to_pylist(), shares, strict=True):
        found.append(None if low is None else float(Fraction(low) + (Fraction(high) - Fraction(low)) * share))
    return pa.array(found, pa.float64())


def _turned(counts: Int64s) -> Int64s:
    """Return the positions of entries grouped by slot, with each slot reversed."""
    after = np.cumsum(counts)
    return np.repeat(after + (after - counts) - 1, counts) - np.arange(int(after[-1]) if len(after) else 0)


def _places(counts: Int64s) -> Int64s:
    """Return the position of each entry within its slot."""
    after = np.cumsum(counts)
    return np.arange(int(after[-1]) if len(after) else 0) - np.repeat(after - counts, counts)


def _first_k(aggregate: AggregateColumn, pairs: MemberPairs, numbers: Numbers) -> pa.Array:
    k = _k(aggregate)
    counts = pairs.runs_of_slot
    return _lists(pairs, np.minimum(counts, k), numbers[_places(counts) < k], pairs.restore)


def _ranked(
    aggregate: AggregateColumn, pairs: MemberPairs, numbers: Numbers, ranks: Numbers, counts: Int64s
) -> pa.Array:
    """Return the first k of each slot, and the following ones with the rank of the k-th; `ranks` are in order."""
    k = _k(aggregate)
    place = _places(counts)
    slot = np.repeat(np.arange(len(counts)), counts)
    kth = np.minimum(np.cumsum(counts) - counts + k - 1, max(len(numbers) - 1, 0))
    kept = (place < k) | (ranks == ranks[kth[slot]])
    return _lists(pairs, np.bincount(slot[kept], minlength=len(counts)), numbers[kept], pairs.restore)


def _lists(pairs: MemberPairs, counts: Int64s, numbers: Numbers, restore: Callable[[Numbers], pa.Array]) -> pa.Array:
    """Return in each slot the list of `counts` values, given as `numbers` that `restore` converts to values.

    A list longer than MOST_BYTES is null, and its values are not copied.
    """
    long = _too_long(pairs, counts, numbers, restore)
    if long is not None:
        numbers = numbers[~np.repeat(long, counts)]
        counts = np.where(long, 0, counts)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    mask = None if long is None else np.append(long, False)
    return pa.ListArray.from_arrays(pa.array(offsets, mask=mask), restore(numbers))


def _too_long(
    pairs: MemberPairs, counts: Int64s, numbers: Numbers, restore: Callable[[Numbers], pa.Array]
) -> npt.NDArray[np.bool_] | None:
    """Return which slots have lists longer than MOST_BYTES; None if no slot has one."""
    largest = int(pairs.taken.lengths.max(initial=0))
    if largest * int(counts.max(initial=0)) <= MOST_BYTES:
        return None
    different, places = np.unique(numbers, return_inverse=True)
    total = np.zeros(len(counts), np.int64)
    np.add.at(total, np.repeat(np.arange(len(counts)), counts), lengths_of(restore(different))[places])
    long = total > MOST_BYTES
    return long if long.any() else None


KERNELS: Final[Mapping[str, Kernel]] = {
    "count_distinct": count_distinct,
    "approx_count_distinct": count_distinct,
    "percentile_disc": percentile_disc,
    "percentile_cont": percentile_cont,
    "approx_percentile": percentile_disc,
    "collect": collect,
    "collect_distinct": collect_distinct,
    "topk": topk,
    "maxk": maxk,
    "mink": mink,
    "maxk_unique": maxk_unique,
    "mink_unique": mink_unique,
}
