"""The mergeable state of a window over its rows: counts, exact sums, extremes, moments, firsts."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.definition.aggregate_functions import AGGREGATES, Partial
from streaming.definition.expressions.tree import Expression
from streaming.definition.payload.types import Type
from streaming.engine.columns.folding import moments, picks
from streaming.engine.columns.folding.sums import folded_sums, merged_sums, sum_types
from streaming.engine.columns.grouping import Grouping
from streaming.engine.columns.masks import rows_where
from streaming.engine.columns.numbers import Numbers
from streaming.engine.columns.ordering import OPERATIONS, SortKeys, identity_of, ordered, unsigned_zeros
from streaming.planning.columns import AggregateColumn
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type


@dataclass(frozen=True, slots=True)
class Measure:
    """One distinct (`of`, `where`) of a window's aggregates; several aggregates share it.

    Its columns in a partial: `c<index>`, the number of values (nulls do not count); `s<index>_<place>` with `sum`
    (sums.py); `min<index>`, `max<index>`; `pivot<index>`, `offset<index>`, `spread<index>` with `moments` (moments.py);
    `first<index>` and `last<index>`, with `_at` the starts of their events. `of` None means every row. `apart`: it has
    not seen all rows that another measure of the same expression has (`widening.py`).
    """

    index: int
    of: Expression | None
    where: Expression | None
    of_type: Type | None
    needs: tuple[Partial, ...]
    apart: bool = False

    @property
    def count(self) -> str:
        """The name of the column of counts."""
        return f"c{self.index}"

    @property
    def sums(self) -> list[str]:
        """The names of the columns of sums."""
        types = sum_types(self.of_type) if self.of_type and "sum" in self.needs else []
        return [f"s{self.index}_{place}" for place in range(len(types))]

    @property
    def extremes(self) -> list[tuple[str, str]]:
        """(`min` or `max`, name of its column)."""
        return [(need, f"{need}{self.index}") for need in ("min", "max") if need in self.needs]

    @property
    def moments(self) -> tuple[str, str, str] | None:
        """The names of the columns of pivots, halves of offsets, and deviations."""
        kept = "moments" in self.needs
        return (f"pivot{self.index}", f"offset{self.index}", f"spread{self.index}") if kept else None

    @property
    def picks(self) -> list[tuple[str, str, str]]:
        """(`first` or `last`, name of its column, name of the column of starts)."""
        names = ((need, f"{need}{self.index}") for need in ("first", "last") if need in self.needs)
        return [(need, name, f"{name}_at") for need, name in names]


def measures_of(aggregates: Iterable[AggregateColumn], apart: Collection[str] = ()) -> tuple[list[Measure], list[int]]:
    """Return the distinct measures of `aggregates`, and for each aggregate the index of its measure.

    Aggregates in `apart` share no measure with the others.
    """
    measures: list[Measure] = []
    places = []
    for column in aggregates:
        needs = AGGREGATES[column.function].partials
        if needs is None:
            raise TypeError(f"{column.name!r} needs every value")
        taken = (column.of, column.where, column.name in apart)
        found = next((m for m in measures if (m.of, m.where, m.apart) == taken), None)
        if found is None:
            found = Measure(len(measures), column.of, column.where, column.of_type, needs, column.name in apart)
            measures.append(found)
        else:
            found = replace(found, needs=(*found.needs, *needs))
            measures[found.index] = found
        places.append(found.index)
    return measures, places


def extreme_by_slot(need: str, column: pa.Array, ids: Int64s, slots: int) -> tuple[Numbers, SortKeys]:
    """Return the smallest (largest) of a null-free column for each slot; meaningless if a slot has no value."""
    values = ordered(column)
    best = np.full(slots, identity_of(need, values.numbers), values.numbers.dtype)
    OPERATIONS[need].at(best, ids, values.numbers)
    return best, values


def restored(best: Numbers, present: npt.NDArray[np.bool_], values: SortKeys, kind: pa.DataType) -> pa.Array:
    """The column of extremes, null where `present` is false."""
    if present.all():
        return values.restore(best)
    found = values.restore(best[present])
    places = np.cumsum(present) - 1
    return found.take(pa.array(places, mask=~present)) if len(found) else pa.nulls(len(present), kind)


def fold_measure(
    measure: Measure, values: pa.Array | None, start: Int64s, rows: Int64s | None, by: Grouping
) -> dict[str, pa.Array]:
    """The partial's columns of `measure` for each used slot of `by`.

    `values` are the measure's values (None: every row counts), `start` the starts of all rows, `rows` the rows where
    its `where` is true (None: all).
    """
    if values is not None and values.null_count:
        valid = values.is_valid().to_numpy(zero_copy_only=False)
        rows = rows_where(valid) if rows is None else rows[valid[rows]]
    ids = by.ids if rows is None else by.ids[rows]
    if values is not None and rows is not None:
        values, start = values.take(pa.array(rows)), start[rows]
    count = by.counts if rows is None else np.bincount(ids, minlength=by.slots)[by.used]
    columns = {measure.count: pa.array(count)}
    if values is None:
        return columns
    if measure.sums:
        columns |= zip(measure.sums, folded_sums(values, ids, by), strict=True)
    if set(measure.needs) <= {"sum"}:
        return columns
    values = unsigned_zeros(values)
    for need, name in measure.extremes:
        best, order = extreme_by_slot(need, values, ids, by.slots)
        columns[name] = restored(best[by.used], count > 0, order, values.type)
    if measure.moments is not None:
        found = moments.merged(moments.single(values), ids, by.slots)
        columns |= _moments(measure.moments, found, values, moments.pivot_rows(ids, by.slots), by)
    for need, name, at in measure.picks:
        chosen = picks.picked(need, start, values, ids, by.slots)
        columns |= _picked(chosen[by.used], values, start, (name, at))
    return columns


def merge_measure(measure: Measure, partials: pa.Table, by: Grouping) -> dict[str, pa.Array]:
    """Merge the columns of `measure` over the rows of `partials` in the same slot."""
    count = _added(column_of(partials, measure.count).to_numpy(), by)
    columns = {measure.count: pa.array(count)}
    if measure.sums:
        sums = merged_sums([column_of(partials, name) for name in measure.sums], by)
        columns |= zip(measure.sums, sums, strict=True)
    for need, name in measure.extremes:
        column = column_of(partials, name)
        valid = rows_where(column.is_valid().to_numpy(zero_copy_only=False))
        best, order = extreme_by_slot(need, column.drop_null(), by.ids[valid], by.slots)
        columns[name] = restored(best[by.used], count > 0, order, column.type)
    if measure.moments is not None:
        rows, pivots, stored = stored_moments(measure, measure.moments, partials)
        ids = by.ids[rows]
        found = moments.merged(stored, ids, by.slots)
        columns |= _moments(measure.moments, found, pivots, moments.pivot_rows(ids, by.slots), by)
    for need, name, at in measure.picks:
        rows, values, start = stored_picks(name, at, partials)
        columns |= _picked(
            picks.picked(need, start, values, by.ids[rows], by.slots)[by.used], values, start, (name, at)
        )
    return columns


def _added(numbers: Numbers, by: Grouping) -> Numbers:
    total = np.zeros(by.slots, numbers.dtype)
    np.add.at(total, by.ids, numbers)
    return total[by.used]


def _moments(
    names: tuple[str, str, str], found: moments.Moments, pivots: pa.Array, rows: Int64s, by: Grouping
) -> dict[str, pa.Array]:
    present = found.count[by.used] > 0
    pivot, offset, deviation = names
    return {
        pivot: pivots.take(pa.array(rows[by.used], mask=~present)),
        offset: pa.array(found.half_offset[by.used]),
        deviation: pa.array(found.deviation[by.used]),
    }


def _picked(rows: Int64s, values: pa.Array, start: Int64s, names: tuple[str, str]) -> dict[str, pa.Array]:
    at = pa.array(rows, mask=rows < 0)
    return {names[0]: values.take(at), names[1]: pa.array(start).take(at)}


def stored_moments(
    measure: Measure, names: tuple[str, str, str], partials: pa.Table
) -> tuple[Int64s, pa.Array, moments.Moments]:
    """The rows of `partials` that have values, and their pivots and moments."""
    count = column_of(partials, measure.count).to_numpy()
    rows = rows_where(count)
    pivots = column_of(partials, names[0]).drop_null()
    offset, deviation = (column_of(partials, name).to_numpy()[rows] for name in names[1:])
    return rows, pivots, moments.Moments(count[rows], moments.parts_of(pivots), offset, deviation)


def stored_picks(name: str, at: str, partials: pa.Table) -> tuple[Int64s, pa.Array, Int64s]:
    """The rows of `partials` that have values, with the values picked and their starts."""
    start = column_of(partials, at)
    rows = rows_where(start.is_valid().to_numpy(zero_copy_only=False))
    return rows, column_of(partials, name).take(pa.array(rows)), start.drop_null().to_numpy()


def column_of(table: pa.Table, name: str) -> pa.Array:
    """One column as one array."""
    column = table.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def measure_fields(measure: Measure) -> list[pa.Field]:
    """The Arrow fields of the measure's columns."""
    fields = [pa.field(measure.count, pa.int64())]
    if measure.of_type is not None:
        kind = arrow_type(measure.of_type)
        fields += map(pa.field, measure.sums, sum_types(measure.of_type))
        fields += [pa.field(name, kind) for _, name in measure.extremes]
        if measure.moments is not None:
            pivot, *others = measure.moments
            fields += [pa.field(pivot, kind), *(pa.field(name, pa.float64()) for name in others)]
        for _, name, at in measure.picks:
            fields += [pa.field(name, kind), pa.field(at, pa.int64())]
    return fields
