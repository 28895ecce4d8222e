"""Sums and means in which each value weighs as long as its event lives within the pane."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.definition.types import DecimalOf
from streaming.engine.columns.folding.results import decimals_of
from streaming.engine.columns.numbers import integers, limbs
from streaming.engine.operators.aggregates.pairs import Kernel, MemberPairs
from streaming.planning.plan import AggregateColumn
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrived import Int64s


def time_weighted_sum(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The sum of values times ticks; null where one weighs infinitely long."""
    weight, endless = _weights(pairs)
    if isinstance(aggregate.of_type, DecimalOf):
        divisors = np.where(endless, 0, np.minimum(pairs.counts, 1)).tolist()
        return decimals_of(aggregate.of_type, aggregate.type, _exact(pairs, weight), divisors)
    return _doubles(pairs, weight.astype(np.float64), endless)


def time_weighted_avg(aggregate: AggregateColumn, pairs: MemberPairs) -> pa.Array:
    """The same by the sum of the ticks."""
    weight, endless = _weights(pairs)
    total = np.zeros(pairs.slots, np.int64)
    np.add.at(total, pairs.slot, weight)
    if isinstance(aggregate.of_type, DecimalOf):
        return decimals_of(
            aggregate.of_type, aggregate.type, _exact(pairs, weight), np.where(endless, 0, total).tolist()
        )
    return _doubles(pairs, weight / total[pairs.slot], endless)


def _weights(pairs: MemberPairs) -> tuple[Int64s, np.typing.NDArray[np.bool_]]:
    """The ticks that each pair weighs, and in which slots one never ends (its weight is then given as 1)."""
    start = np.maximum(pairs.taken.start[pairs.row], pairs.start[pairs.slot])
    end = np.minimum(pairs.taken.end[pairs.row], pairs.end[pairs.slot])
    never = end == INFINITY
    endless = np.bincount(pairs.slot[never], minlength=pairs.slots) > 0
    return np.where(never, 1, end - np.where(never, 0, start)), endless


def _doubles(
    pairs: MemberPairs, weight: np.typing.NDArray[np.float64], endless: np.typing.NDArray[np.bool_]
) -> pa.Array:
    values = pairs.taken.values.to_numpy().astype(np.float64)[pairs.row]
    total = np.zeros(pairs.slots)
    with np.errstate(over="ignore", invalid="ignore"):
        np.add.at(total, pairs.slot, values * weight)
    return pa.array(total, mask=endless | (pairs.counts == 0) | ~np.isfinite(total))


def _exact(pairs: MemberPairs, weight: Int64s) -> list[int]:
    """The weighted sum of decimals without their points, for each slot."""
    values = integers(limbs(pairs.taken.values))
    totals = [0] * pairs.slots
    for row, slot, ticks in zip(pairs.row.tolist(), pairs.slot.tolist(), weight.tolist(), strict=True):
        totals[slot] += values[row] * ticks
    return totals


KERNELS: Final[Mapping[str, Kernel]] = {
    "time_weighted_sum": time_weighted_sum,
    "time_weighted_avg": time_weighted_avg,
}
