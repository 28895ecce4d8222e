"""Exact sums as columns of partials: head, tail and whole for doubles (T62), limbs for longs and decimals."""

import numpy as np
import pyarrow as pa

from streaming.definition.payload.types import Double, Type
from streaming.engine.columns.double_sums import DoubleSums, stored_sums, summed
from streaming.engine.columns.grouping import Grouping
from streaming.engine.columns.numbers import limb_count, normalised, sum_by_slot
from streaming.engine.columns.spans import SpanCells
from streaming.engine.columns.spans import sums as sums_of_cells
from streaming.wire.rows.arrived import Int64s

_OF_DOUBLES = (pa.float64(), pa.float64(), pa.binary())


def sum_types(of: Type) -> list[pa.DataType]:
    """The types of the columns of a sum of values of type `of`."""
    return list(_OF_DOUBLES) if isinstance(of, Double) else [pa.int64()] * limb_count(of)


def folded_sums(values: pa.Array, ids: Int64s, by: Grouping) -> list[pa.Array]:
    """The columns of the sum of null-free `values` for each used slot of `by`; `ids` are their slots."""
    if not pa.types.is_floating(values.type):
        return [pa.array(limb[by.used]) for limb in sum_by_slot(values, ids, by.slots)]
    return summed(values.to_numpy(), ids, by.slots, _most(by)).columns(by.used)


def merged_sums(columns: list[pa.Array], by: Grouping) -> list[pa.Array]:
    """The columns of the sum of the rows in each used slot of `by`."""
    if _of_doubles(columns):
        return stored_sums(*columns).merged(by.ids, by.slots, _most(by)).columns(by.used)
    totals = []
    for column in columns:
        total = np.zeros(by.slots, np.int64)
        np.add.at(total, by.ids, column.to_numpy())
        totals.append(total[by.used])
    return [pa.array(limb) for limb in normalised(totals)]


def spread_sums(columns: list[pa.Array], cells: SpanCells, at: Int64s) -> list[pa.Array]:
    """The columns of the sum of the rows that cover each of the cells `at`, which may repeat."""
    if _of_doubles(columns):
        return stored_sums(*columns).spread(cells).columns(at)
    limbs = normalised([sums_of_cells(cells, column.to_numpy()) for column in columns])
    return [pa.array(limb[at]) for limb in limbs]


def double_sums(columns: list[pa.Array]) -> DoubleSums | None:
    """Return the sums of doubles in `columns`; None for longs or decimals."""
    return stored_sums(*columns) if _of_doubles(columns) else None


def _of_doubles(columns: list[pa.Array]) -> bool:
    return bool(pa.types.is_floating(columns[0].type))


def _most(by: Grouping) -> int:
    """Return the largest number of rows of a slot."""
    return int(by.counts.max()) if len(by.counts) else 0
