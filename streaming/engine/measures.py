"""What a window keeps of its rows so that partials can be merged: counts, exact sums, extremes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.expressions import Expression
from streaming.definition.types import Type
from streaming.engine.grouping import Grouping
from streaming.engine.numbers import Numbers, limb_count, normalised, sum_by_slot
from streaming.engine.plan import AggregateColumn
from streaming.wire.arrived import Int64s
from streaming.wire.arrow_types import arrow_type

_NEEDS: Final = {"count": (), "sum": ("sum",), "avg": ("sum",), "min": ("min",), "max": ("max",)}


@dataclass(frozen=True, slots=True)
class Measure:
    """One distinct (`of`, `where`) of a window's aggregates; several aggregates share it.

    Its columns in a partial: `c<index>`, how many values there are (nulls do not count); `s<index>_<limb>` with `sum`;
    `min<index>`, `max<index>`. `of` None stands for every row.
    """

    index: int
    of: Expression | None
    where: Expression | None
    of_type: Type | None
    needs: tuple[str, ...]

    @property
    def count(self) -> str:
        """The name of the column of counts."""
        return f"c{self.index}"

    @property
    def sums(self) -> list[str]:
        """The names of the columns of sums."""
        limbs = limb_count(self.of_type) if self.of_type and "sum" in self.needs else 0
        return [f"s{self.index}_{limb}" for limb in range(limbs)]

    @property
    def extremes(self) -> list[tuple[str, str]]:
        """(`min` or `max`, name of its column)."""
        return [(need, f"{need}{self.index}") for need in ("min", "max") if need in self.needs]


def measures_of(aggregates: Iterable[AggregateColumn]) -> tuple[list[Measure], list[int]]:
    """The distinct measures of `aggregates`, and for each aggregate the index of its measure."""
    measures: list[Measure] = []
    places = []
    for column in aggregates:
        found = next((m for m in measures if (m.of, m.where) == (column.of, column.where)), None)
        needs = _NEEDS[column.function]
        if found is None:
            found = Measure(len(measures), column.of, column.where, column.of_type, needs)
            measures.append(found)
        else:
            found = Measure(found.index, found.of, found.where, found.of_type, (*found.needs, *needs))
            measures[found.index] = found
        places.append(found.index)
    return measures, places


@dataclass(frozen=True, slots=True)
class Ordered:
    """A null-free column as numbers of the same order, and the way back."""

    numbers: Numbers
    restore: Callable[[Numbers], pa.Array]


def ordered(column: pa.Array) -> Ordered:
    """Numbers that compare as the values do: longs and doubles themselves, else ranks (text by code point)."""
    kind = column.type
    if pa.types.is_int64(kind) or pa.types.is_float64(kind):
        return Ordered(column.to_numpy(), lambda numbers: pa.array(numbers, kind))
    if pa.types.is_boolean(kind):
        numbers = column.cast(pa.int8()).to_numpy().astype(np.int64)
        return Ordered(numbers, lambda back: pa.array(back.astype(np.bool_)))
    encoded = pc.dictionary_encode(column)
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    values = encoded.dictionary.take(pa.array(order))
    return Ordered(rank[encoded.indices.to_numpy()], lambda back: values.take(pa.array(back)))


OPERATIONS: Final = {"min": np.minimum, "max": np.maximum}


def identity_of(need: str, numbers: Numbers) -> int | float:
    """What changes no minimum (maximum) of `numbers`."""
    if numbers.dtype == np.float64:
        return np.inf if need == "min" else -np.inf
    return 2**63 - 1 if need == "min" else -(2**63)


def extreme_by_slot(need: str, column: pa.Array, ids: Int64s, slots: int) -> tuple[Numbers, Ordered]:
    """The smallest (largest) of a null-free column for each slot; meaningless where a slot has no value."""
    values = ordered(column)
    best = np.full(slots, identity_of(need, values.numbers), values.numbers.dtype)
    OPERATIONS[need].at(best, ids, values.numbers)
    return best, values


def restored(best: Numbers, present: npt.NDArray[np.bool_], values: Ordered, kind: pa.DataType) -> pa.Array:
    """The column of extremes, null where `present` is false."""
    if present.all():
        return values.restore(best)
    found = values.restore(best[present])
    places = np.cumsum(present) - 1
    return found.take(pa.array(places, mask=~present)) if len(found) else pa.nulls(len(present), kind)


def fold_measure(measure: Measure, values: pa.Array | None, rows: Int64s | None, by: Grouping) -> dict[str, pa.Array]:
    """The partial's columns of `measure` for each used slot of `by`.

    `values` are the measure's values (None: every row counts), `rows` the rows where its `where` is true (None: all).
    """
    ids = by.ids if rows is None else by.ids[rows]
    if values is not None and rows is not None:
        values = values.take(pa.array(rows))
    if values is not None and values.null_count:
        valid = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
        ids, values, rows = ids[valid], values.drop_null(), valid
    count = by.counts if rows is None else np.bincount(ids, minlength=by.slots)[by.used]
    columns = {measure.count: pa.array(count)}
    if values is None:
        return columns
    if measure.sums:
        for name, total in zip(measure.sums, sum_by_slot(values, ids, by.slots), strict=True):
            columns[name] = pa.array(total[by.used])
    for need, name in measure.extremes:
        best, order = extreme_by_slot(need, values, ids, by.slots)
        columns[name] = restored(best[by.used], count > 0, order, values.type)
    return columns


def merge_measure(measure: Measure, partials: pa.Table, by: Grouping) -> dict[str, pa.Array]:
    """The columns of `measure` when rows of `partials` in the same slot become one."""
    count = _added(column_of(partials, measure.count).to_numpy(), by)
    columns = {measure.count: pa.array(count)}
    totals = [_added(column_of(partials, name).to_numpy(), by) for name in measure.sums]
    if len(totals) > 1:
        totals = normalised(totals)
    columns |= {name: pa.array(total) for name, total in zip(measure.sums, totals, strict=True)}
    for need, name in measure.extremes:
        column = column_of(partials, name)
        valid = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        best, order = extreme_by_slot(need, column.drop_null(), by.ids[valid], by.slots)
        columns[name] = restored(best[by.used], count > 0, order, column.type)
    return columns


def _added(numbers: Numbers, by: Grouping) -> Numbers:
    total = np.zeros(by.slots, numbers.dtype)
    np.add.at(total, by.ids, numbers)
    return total[by.used]


def column_of(table: pa.Table, name: str) -> pa.Array:
    """One column as one array."""
    column = table.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def measure_fields(measure: Measure) -> list[pa.Field]:
    """The Arrow fields of the measure's columns."""
    fields = [pa.field(measure.count, pa.int64())]
    if measure.of_type is not None:
        kind = arrow_type(measure.of_type)
        number = pa.float64() if kind == pa.float64() else pa.int64()
        fields += [pa.field(name, number) for name in measure.sums]
        fields += [pa.field(name, kind) for _, name in measure.extremes]
    return fields
