"""From events to partials: one row for each (first window, last window, group), and partials merged likewise."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from streaming.definition.windows import FixedPanes
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.folding.measures import (
    Measure,
    column_of,
    fold_measure,
    measure_fields,
    measures_of,
    merge_measure,
)
from streaming.engine.columns.grouping import Codes, combine, encode, encode_integers, group
from streaming.engine.columns.masks import rows_where
from streaming.engine.columns.numbers import Numbers
from streaming.engine.columns.rows import Rows
from streaming.engine.columns.window_indices import WindowIndices, window_indices
from streaming.planning.plan import WindowSpec
from streaming.planning.steps import Operand
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type

FIRST, LAST, COUNT = "first", "last", "n"
"""Columns of every partial: window indices (inclusive) and the number of events; then `g<i>` and the measures'."""


@dataclass(frozen=True)
class Fold:
    """The folding of rows for one window node, and the merging of partials. Deterministic: same rows, same bytes.

    The aggregates `apart` have separate columns: they know fewer rows of the open windows than others (`widening.py`).
    """

    spec: WindowSpec
    apart: frozenset[str] = frozenset()

    @cached_property
    def panes(self) -> WindowIndices:
        """Return the windows, in columns. Raises TypeError for windows that are not fixed, which are never folded."""
        if not isinstance(self.spec.panes, FixedPanes):
            raise TypeError(f"{self.spec.node!r} has {self.spec.panes}, whose rows cannot be folded")
        return window_indices(self.spec.panes)

    @cached_property
    def _measured(self) -> tuple[list[Measure], list[int]]:
        return measures_of(self.spec.aggregates, self.apart)

    @property
    def measures(self) -> list[Measure]:
        """The distinct measures of the window's aggregates."""
        return self._measured[0]

    @property
    def places(self) -> list[int]:
        """The index of the measure of each aggregate."""
        return self._measured[1]

    @cached_property
    def operands(self) -> Sequence[Operand]:
        """The aggregates whose operands may fail."""
        return self.spec.operands

    @cached_property
    def keys(self) -> list[str]:
        """The columns of the group in a partial."""
        return [f"g{index}" for index in range(len(self.spec.group_by))]

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema of partials."""
        fields = [pa.field(name, pa.int64()) for name in (FIRST, LAST, COUNT)]
        kinds = (arrow_type(self.spec.fields[name]) for name in self.spec.group_by)
        fields += [pa.field(key, kind) for key, kind in zip(self.keys, kinds, strict=True)]
        return pa.schema([*fields, *(field for measure in self.measures for field in measure_fields(measure))])

    def rows(self, rows: Rows, first: Int64s, last: Int64s, listener: FailureListener | None = None) -> pa.Table:
        """Return the partials of `rows`, each in the windows `first..last` (none empty).

        `listener` receives failures.
        """
        if not len(rows):
            return self.schema.empty_table()
        # once for all measures: encoding and grouping the keys is more than a third of a row's cost in the feed
        by = group(combine([*_span_codes(first, last), *(rows.codes(name) for name in self.spec.group_by)], len(rows)))
        columns = {FIRST: first[by.first_row], LAST: last[by.first_row], COUNT: by.counts}
        one_of_each = pa.array(by.first_row)
        for key, name in zip(self.keys, self.spec.group_by, strict=True):
            picked = one_of_each if rows.picked is None else pa.array(rows.picked[by.first_row])
            columns[key] = rows.columns[name].take(picked)
        for measure in self.measures:
            own_listener = listener and listener.named(*self._sharing(measure))
            chosen = None if measure.where is None else rows_where(rows.truth(measure.where, own_listener))
            if own_listener is not None and chosen is not None:
                own_listener = replace(own_listener, counts=partial(np.isin, test_elements=rows.sources()[chosen]))
            values = _values(measure, rows, own_listener)
            columns |= fold_measure(measure, values, rows.start, chosen, by)
        return self._table(columns)

    def _sharing(self, measure: Measure) -> list[str]:
        """The aggregates that share `measure`."""
        places = zip(self.spec.aggregates, self.places, strict=True)
        return [each.name for each, place in places if place == measure.index]

    def join(self, tables: Sequence[pa.Table]) -> pa.Table:
        """Return all partials of `tables` in one table, unmerged."""
        filled = [table for table in tables if table.num_rows]
        if not filled:
            return self.schema.empty_table()
        return filled[0] if len(filled) == 1 else pa.concat_tables(filled).combine_chunks()

    def merge(self, table: pa.Table) -> pa.Table:
        """Merge the partials of equal windows and group, ordered by windows."""
        if not table.num_rows:
            return table
        first, last = column_of(table, FIRST).to_numpy(), column_of(table, LAST).to_numpy()
        by = group(combine([*_span_codes(first, last), *self.group_codes(table)], table.num_rows))
        # ordered by windows, so that closed windows, and each remaining piece, are slices instead of copies
        by = by.ordered(np.lexsort((last[by.first_row], first[by.first_row])))
        counts = np.zeros(by.slots, np.int64)
        np.add.at(counts, by.ids, column_of(table, COUNT).to_numpy())
        columns: dict[str, pa.Array] = {
            FIRST: pa.array(first[by.first_row]),
            LAST: pa.array(last[by.first_row]),
            COUNT: pa.array(counts[by.used]),
        }
        one_of_each = pa.array(by.first_row)
        columns |= {key: column_of(table, key).take(one_of_each) for key in self.keys}
        for measure in self.measures:
            columns |= merge_measure(measure, table, by)
        return self._table(columns)

    def _table(self, columns: Mapping[str, pa.Array | Numbers]) -> pa.Table:
        """Return `columns` as partials.

        Their types are those of the schema, which pyarrow would otherwise check one by one.
        """
        return pa.table({name: columns[name] for name in self.schema.names})

    def group_codes(self, partials: pa.Table) -> Iterable[Codes]:
        """The group of each partial as codes, one `Codes` for each group field."""
        return [encode(column_of(partials, key)) for key in self.keys]


def _values(measure: Measure, rows: Rows, listener: FailureListener | None) -> pa.Array | None:
    if measure.of is None or measure.of_type is None:
        return None
    return rows.values(measure.of, measure.of_type, listener)


def _span_codes(first: Int64s, last: Int64s) -> list[Codes]:
    """Return windows as codes: for most chunks the span is the same for all rows and costs nothing."""
    if first is last:
        return [encode_integers(first)]
    return [encode_integers(first), encode_integers(last - first)]
