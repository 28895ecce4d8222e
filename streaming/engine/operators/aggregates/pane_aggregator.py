"""The rows of panes: every aggregate over the members of each pane."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.windows import FixedPanes
from streaming.engine.columns import spans
from streaming.engine.columns.flows import Flows
from streaming.engine.columns.folding.measures import Measure, fold_measure, measures_of
from streaming.engine.columns.folding.results import Mask, failed_in, finished, spread_measure
from streaming.engine.columns.grouping import encode
from streaming.engine.columns.ordering import unsigned_zeros
from streaming.engine.operators.aggregates import ranked, weighted
from streaming.engine.operators.aggregates.extents import Bounds, extents
from streaming.engine.operators.aggregates.layout import PaneLayout
from streaming.engine.operators.aggregates.pairs import Kernel, MemberPairs, MemberValues
from streaming.engine.operators.aggregates.pane_rows import PaneRows
from streaming.planning.columns import AggregateColumn
from streaming.planning.plan import WindowSpec
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type

_PAIRS_AT_ONCE: Final = 1 << 22
_BY_PAIRS: Final[Mapping[str, Kernel]] = {**ranked.KERNELS, **weighted.KERNELS}
"""Aggregates that need all values of a pane at once. All others merge, and never build pairs of member and pane."""


@dataclass(frozen=True)
class PaneAggregator:
    """The aggregates of one window over the members of its panes. A function of the set of members.

    `pairs_at_once` limits the memory of aggregates that need all values of a pane at once: panes are processed in parts
    with so many pairs of member and pane, at least one pane at a time.
    """

    spec: WindowSpec
    pairs_at_once: int = _PAIRS_AT_ONCE

    def rows(self, members: Flows, first: Int64s, last: Int64s, bounds: Bounds) -> PaneRows:
        """Return a row for each pane that has a member, rising by number.

        Member i is in the panes `first[i]..last[i]`, inclusive and never empty. Numbers rise with time; with fixed
        windows a number and a group identify a pane, with all others a number alone. `bounds` gives start and end of
        panes by number. `extent` is 0 with `emit: final`, because no row is ever replaced.
        """
        if not len(members):
            none = np.empty(0, np.int64)
            return PaneRows(none, [pa.array([], arrow_type(of)) for of in self.spec.fields.values()], none, none, none)
        shared = self.spec.group_by if isinstance(self.spec.panes, FixedPanes) else ()
        layout = PaneLayout.of(first, last, [encode(members.columns[name]) for name in shared])
        working = _AggregationPass(self, members, layout, bounds)
        number, extent = layout.number, np.zeros(layout.rows, np.int64)
        if self.spec.emit != "final":
            extent = extents(members, first, bounds, layout)
        columns, failed = [*working.group_values(), *working.aggregates()], working.failed
        stamp, count = working.stamps(), working.counts
        if (number[1:] < number[:-1]).any():  # by group first, if groups share panes
            order = np.argsort(number, kind="stable")
            at = pa.array(order)
            number, stamp, count, extent = number[order], stamp[order], count[order], extent[order]
            columns = [column.take(at) for column in columns]
            failed = {name: mask[order] for name, mask in failed.items()}
        return PaneRows(number, columns, stamp, count, extent, failed)


@dataclass(frozen=True)
class _AggregationPass:
    """One call of `PaneAggregator.rows`; `failed` is filled by `aggregates`."""

    aggregator: PaneAggregator
    members: Flows
    layout: PaneLayout
    bounds: Bounds
    failed: dict[str, Mask] = field(default_factory=dict)

    def group_values(self) -> list[pa.Array]:
        holder = pa.array(self.layout.holder)
        columns = self.members.columns
        return [unsigned_zeros(columns[name].take(holder)) for name in self.aggregator.spec.group_by]

    @cached_property
    def counts(self) -> Int64s:
        """Return how many members each row has."""
        layout = self.layout
        if layout.cells is None:
            return layout.same.counts
        return spans.sums(layout.cells, layout.same.counts)[layout.at]

    def stamps(self) -> Int64s:
        """The largest stamp of the members of each row."""
        layout = self.layout
        largest = np.full(layout.same.slots, NO_CTI)
        np.maximum.at(largest, layout.same.ids, self.members.stamps)
        largest = largest[layout.same.used]
        if layout.cells is None:
            return largest
        found: Int64s = spans.spread(layout.cells, np.maximum, largest, NO_CTI)[layout.at]
        return found

    def aggregates(self) -> list[pa.Array]:
        every = self.aggregator.spec.aggregates
        found = self.merged([each for each in every if AGGREGATES[each.function].partials is not None])
        found |= self.by_pairs([each for each in every if AGGREGATES[each.function].partials is None])
        kinds = self.aggregator.spec.fields
        return [_of_type(found[each.name], arrow_type(kinds[each.name])) for each in every]

    def merged(self, aggregates: list[AggregateColumn]) -> dict[str, pa.Array]:
        """Return the mergeable aggregates: folded for equal spans, then spread over the panes."""
        measures, places = measures_of(aggregates)
        layout = self.layout
        columns: dict[str, pa.Array] = {}
        for measure in measures:
            values, chosen = self.values(measure), self.chosen(measure)
            columns |= fold_measure(measure, values, self.members.start, chosen, layout.same)
        states = pa.table(columns)
        if layout.cells is not None:
            spread: dict[str, pa.Array] = {}
            for measure in measures:
                spread |= spread_measure(measure, states, layout.cells, layout.at)
            states = pa.table(spread)
        found = {}
        for each, place in zip(aggregates, places, strict=True):
            found[each.name] = finished(each, measures[place], states)
            self.failed.update(failed_in(each, found[each.name], measures[place], states))
        return found

    def by_pairs(self, aggregates: list[AggregateColumn]) -> dict[str, pa.Array]:
        """Return the aggregates that need all values of a pane, a range of panes at a time."""
        if not aggregates:
            return {}
        taken: list[tuple[AggregateColumn, MemberValues]] = []
        for each in aggregates:
            # p50, p95 and p99 of one field sort its values once.
            known = (other for one, other in taken if (one.of, one.where) == (each.of, each.where))
            taken.append((each, next(known, None) or self.taken(each)))
        start, end = self.bounds(self.layout.number)
        parts: dict[str, list[pa.Array]] = {each.name: [] for each in aggregates}
        for low, high in self.layout.pieces(self.counts, self.aggregator.pairs_at_once):
            made: dict[int, MemberPairs] = {}
            for each, values in taken:
                if id(values) not in made:
                    row, slot = self.layout.pairs(values.members, low, high)
                    made[id(values)] = MemberPairs(values, row, slot - low, high - low, start[low:high], end[low:high])
                pairs = made[id(values)]
                parts[each.name].append(_BY_PAIRS[each.function](each, pairs))
                self._note_failed(each.name, parts[each.name][-1], pairs, low)
        return {name: pa.concat_arrays(found) if len(found) > 1 else found[0] for name, found in parts.items()}

    def _note_failed(self, name: str, result: pa.Array, pairs: MemberPairs, low: int) -> None:
        """Record failures: a null aggregate of values means that a list is too long or a weighted sum does not fit."""
        if result.null_count:
            null = result.is_null().to_numpy(zero_copy_only=False) & (pairs.counts > 0)
            if null.any():
                whole = self.failed.setdefault(name, np.zeros(self.layout.rows, np.bool_))
                whole[low : low + pairs.slots] = null

    def taken(self, aggregate: AggregateColumn) -> MemberValues:
        """Return the values of the members that the aggregate takes."""
        values, chosen = self.values(aggregate), self.chosen(aggregate)
        if values is None:
            raise TypeError(f"{aggregate.name!r} needs values; check refuses it otherwise")
        if chosen is not None or values.null_count:
            valid = values.is_valid().to_numpy(zero_copy_only=False)
            chosen = np.flatnonzero(valid) if chosen is None else chosen[valid[chosen]]
            values = values.take(pa.array(chosen))
        else:
            chosen = np.arange(len(values))
        return MemberValues(chosen, unsigned_zeros(values), self.members.start[chosen], self.members.end[chosen])

    def values(self, one: AggregateColumn | Measure) -> pa.Array | None:
        if one.of is None or one.of_type is None:
            return None
        return self.members.rows.values(one.of, one.of_type)

    def chosen(self, one: AggregateColumn | Measure) -> Int64s | None:
        return None if one.where is None else np.flatnonzero(self.members.rows.truth(one.where))


def _of_type(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return the column with the field name of the schema for lists; every other type is right already."""
    return column if column.type == kind else column.cast(kind)
