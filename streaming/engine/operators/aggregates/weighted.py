"""Sums and means whose weights are times: that an event lives within the pane, or its place in the order of starts."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.definition.payload.types import DecimalOf
from streaming.engine.columns.double_sums import DoubleSums, weighted
from streaming.engine.columns.folding.moments import parts_of
from streaming.engine.columns.folding.results import decimals_of, nullable_doubles
from streaming.engine.columns.numbers import integers, limbs
from streaming.engine.operators.aggregates.pairs import Kernel, MemberPairs
from streaming.planning.columns import AggregateColumn
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s


def time_weighted_sum(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """Return the sum of values times ticks; null if one has an infinite weight."""
    weight, endless = _weights(pairs)
    if isinstance(aggregate.of_type, DecimalOf):
        divisors = np.where(endless, 0, np.minimum(pairs.counts, 1)).tolist()
        return decimals_of(aggregate.of_type, aggregate.type, _exact(pairs, weight), divisors)
    return nullable_doubles(_doubles(pairs, weight).rounded(), endless | (pairs.counts == 0))


def time_weighted_avg(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """Return that sum divided by the sum of the ticks."""
    weight, endless = _weights(pairs)
    total = np.zeros(pairs.slots, np.int64)
    np.add.at(total, pairs.slot, weight)
    if isinstance(aggregate.of_type, DecimalOf):
        return decimals_of(
            aggregate.of_type, aggregate.type, _exact(pairs, weight), np.where(endless, 0, total).tolist()
        )
    return nullable_doubles(_doubles(pairs, weight).means(np.maximum(total, 1)), endless | (pairs.counts == 0))


def ewma(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """Return the moving average of each slot, step by step in order of start and value, as the reference does."""
    if aggregate.fraction is None:
        raise TypeError(f"{aggregate.name!r} is an ewma without a fraction; check refuses it")
    fraction = float(aggregate.fraction)
    column = pairs.taken.values.to_numpy(zero_copy_only=False).astype(np.float64)
    values = column[pairs.row[pairs.in_time()]] + 0.0  # without the sign of zero
    found = np.zeros(pairs.slots)
    for slot in np.flatnonzero(pairs.counts).tolist():
        first, *others = values[pairs.offsets[slot] : pairs.offsets[slot + 1]].tolist()
        average = first
        for value in others:
            average += fraction * (value - average)
        found[slot] = average
    return nullable_doubles(found, ~np.isfinite(found) | (pairs.counts == 0))


def _weights(pairs: MemberPairs) -> tuple[Int64s, np.typing.NDArray[np.bool_]]:
    """Return the weight in ticks of each pair, and the slots with an endless one (its weight is then returned as 1)."""
    start = np.maximum(pairs.taken.start[pairs.row], pairs.start[pairs.slot])
    end = np.minimum(pairs.taken.end[pairs.row], pairs.end[pairs.slot])
    never = end == INFINITY
    endless = np.bincount(pairs.slot[never], minlength=pairs.slots) > 0
    return np.where(never, 1, end - np.where(never, 0, start)), endless


def _doubles(pairs: MemberPairs, weight: Int64s) -> DoubleSums:
    """The weighted sum of doubles or longs, for each slot."""
    parts = parts_of(pairs.taken.values)
    values = np.concatenate([part[pairs.row] for part in parts])
    most = len(parts) * int(pairs.counts.max(initial=0))
    return weighted(values, np.tile(weight, len(parts)), np.tile(pairs.slot, len(parts)), pairs.slots, most)


def _exact(pairs: MemberPairs, weight: Int64s) -> list[int]:
    """The weighted sum of decimals without their points, for each slot."""
    values = integers(limbs(pairs.taken.values))
    totals = [0] * pairs.slots
    for row, slot, ticks in zip(pairs.row.tolist(), pairs.slot.tolist(), weight.tolist(), strict=True):
        totals[slot] += values[row] * ticks
    return totals


KERNELS: Final[Mapping[str, Kernel]] = {
    "ewma": ewma,
    "time_weighted_sum": time_weighted_sum,
    "time_weighted_avg": time_weighted_avg,
}
