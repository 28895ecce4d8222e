"""The columns of analytic functions, and when their rows are decided (T45 to T47)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.windows import SnapshotPanes
from streaming.engine.columns.flows import Mask
from streaming.engine.operators.aggregates.pane_aggregator import PaneAggregator
from streaming.engine.operators.analytic.placed_rows import PlacedRows
from streaming.planning.columns import RowColumn, RowFrame
from streaming.planning.plan import AnalyticSpec, WindowSpec
from streaming.temporal.ticks import INFINITY, NO_TICKS
from streaming.wire.rows.arrived import Int64s

CUSUMS: Final = ("cusum_high", "cusum_low", "cusum_alarm")
_MAD_SCALE: Final = Fraction(14826, 10000)


@dataclass
class RowValues:
    """The values of the columns of `spec` on `rows`; expressions are computed once, on all rows.

    `failed` holds, by column, which of the rows asked for have no value because it does not fit its type.
    """

    spec: AnalyticSpec
    rows: PlacedRows
    failed: dict[str, Mask]

    def __post_init__(self) -> None:
        self._of: dict[str, pa.Array] = {}

    def of(self, column: RowColumn) -> pa.Array:
        """Return `of` on all rows."""
        if column.name not in self._of:
            value = column.value
            if value.of is None or value.of_type is None:
                raise TypeError(f"{column.name!r} has no value")
            self._of[column.name] = self.rows.flows.rows.values(value.of, value.of_type)
        return self._of[column.name]

    def not_null(self, column: RowColumn) -> tuple[Int64s, Int64s]:
        """Return the places of rows whose value is not null, and how many of them are before each place."""
        valid = self.of(column).is_valid().to_numpy(zero_copy_only=False)
        return np.flatnonzero(valid), np.concatenate(([0], np.cumsum(valid)))

    def decided(self) -> Mask:
        """Return which known rows no further row can change (T46)."""
        found = self.rows.is_known.copy()
        for column in self.spec.columns:
            if column.rows_ahead or column.ticks_ahead:
                found &= self._decided(column)
        return found

    def _decided(self, column: RowColumn) -> Mask:
        rows, at = self.rows, self.rows.known_until
        everything = np.ones(len(rows.start), np.bool_)
        if at == INFINITY:
            return everything
        place = np.arange(len(rows.start))
        last = np.maximum(rows.known_end - 1, 0)
        over = np.zeros(len(place), np.bool_) if rows.reach is None else at >= rows.start + rows.reach
        beyond = ~rows.near(place, last) & (last > place)
        there, _ = self.ahead(column, place)
        enough = there if column.rows_ahead else everything
        found: Mask = over | ((at >= rows.start + column.ticks_ahead) & (beyond | enough))
        return found

    def ahead(self, column: RowColumn, place: Int64s) -> tuple[Mask, Int64s]:
        """Return whether the last row ahead that `column` needs is known and near, and its place."""
        rows = self.rows
        if column.function == "lead" and column.ignore_nulls:
            valid, before = self.not_null(column)
            index = before[place + 1] + column.rows_ahead - 1
            there = index < len(valid)
            other = valid[np.where(there, index, 0)] if len(valid) else np.zeros(len(place), np.int64)
        else:
            other = place + column.rows_ahead
            there = np.ones(len(place), np.bool_)
        there = there & (other < rows.known_end[place])
        other = np.where(there, other, place)
        return there & rows.near(place, other), other

    def column(self, column: RowColumn, at: Int64s) -> pa.Array:
        """Return the values of a column that is no aggregate on the rows `at`."""
        return _RULES[column.function](self, column, at)

    def aggregates(self, at: Int64s) -> dict[str, pa.Array]:
        """Return the values of all aggregates on the rows `at`; those of one frame are computed together."""
        by_frame: dict[RowFrame, list[RowColumn]] = {}
        for column in self.spec.columns:
            if column.function in AGGREGATES and column.frame is not None:
                by_frame.setdefault(column.frame, []).append(column)
        found: dict[str, pa.Array] = {}
        for frame, columns in by_frame.items():
            found |= self._aggregated(frame, columns, at)
        return found

    def _aggregated(self, frame: RowFrame, columns: list[RowColumn], at: Int64s) -> dict[str, pa.Array]:
        """Return aggregates over frames: frame j is a pane with the number j, and rows are in a range of panes."""
        low, high = self.rows.frame(frame, at)
        place = np.arange(int(low.min(initial=0)), int(high.max(initial=-1)) + 1)
        first = np.searchsorted(high, place, side="left")
        last = np.searchsorted(low, place, side="right") - 1
        inside = first <= last
        members = replace(self.rows.flows.take(place[inside]), flag=None, id=None)
        window = WindowSpec(
            node=self.spec.node,
            panes=SnapshotPanes(),
            grace=NO_TICKS,
            one_clock=True,
            group_by=(),
            aggregates=tuple(column.value for column in columns),
            fields={column.name: column.value.type for column in columns},
        )
        bounds = (self.rows.start[at], self.rows.start[at] + 1)
        result = PaneAggregator(window).rows(
            members, first[inside], last[inside], lambda number: (bounds[0][number], bounds[1][number])
        )
        self.failed.update(result.failed)
        return dict(zip(window.fields, result.columns, strict=True))

    def taken(self, column: RowColumn, there: Mask, place: Int64s) -> pa.Array:
        """Return the value of `column` at each `place` that is `there`, else null."""
        return self.of(column).take(pa.array(np.where(there, place, 0), mask=~there))


def _offset(values: RowValues, column: RowColumn, at: Int64s) -> pa.Array:
    if column.function == "lead":
        there, place = values.ahead(column, at)
    else:
        there, place = _behind(values, column, at)
    if column.offset == 0:
        there, place = np.ones(len(at), np.bool_), at
    found = values.taken(column, there, place)
    if column.default is None or there.all():
        return found
    rows = values.rows.flows.take(at).rows
    return pc.if_else(pa.array(there), found, rows.values(column.default, column.value.type))


def _behind(values: RowValues, column: RowColumn, at: Int64s) -> tuple[Mask, Int64s]:
    rows = values.rows
    if column.ignore_nulls:
        valid, before = values.not_null(column)
        index = before[at] - column.offset
        there = index >= 0
        place = valid[np.where(there, index, 0)] if len(valid) else np.zeros(len(at), np.int64)
    else:
        place = at - column.offset
        there = np.ones(len(at), np.bool_)
    there = there & (place >= rows.first[at])
    place = np.where(there, place, at)
    return there & rows.near(at, place), place


def _at_place(values: RowValues, column: RowColumn, at: Int64s) -> pa.Array:
    low, high = values.rows.frame(_frame(column), at)
    valid, before = values.not_null(column) if column.ignore_nulls else (None, None)
    if valid is None or before is None:
        place = high if column.function == "last_value" else low + (column.offset - 1)
        return values.taken(column, place <= high, np.minimum(place, high))
    first, end = before[low], before[high + 1]
    index = end - 1 if column.function == "last_value" else first + (column.offset - 1)
    there = (index >= first) & (index < end)
    return values.taken(column, there, valid[np.where(there, index, 0)] if len(valid) else at)


def _frame(column: RowColumn) -> RowFrame:
    if column.frame is None:
        raise TypeError(f"{column.name!r} has no frame")
    return column.frame


def _robust_z(values: RowValues, column: RowColumn, at: Int64s) -> pa.Array:
    """Return how far values are from the median of the others of their frames, exact and rounded once (T47)."""
    low, high = values.rows.frame(_frame(column), at)
    of = [None if value is None else Fraction(value) for value in values.of(column).to_pylist()]
    found: list[float | None] = []
    failed = np.zeros(len(at), np.bool_)
    for number, (place, first, last) in enumerate(zip(at.tolist(), low.tolist(), high.tolist(), strict=True)):
        others = [value for value in (*of[first:place], *of[place + 1 : last + 1]) if value is not None]
        own = of[place]
        try:
            found.append(None if own is None or len(others) < max(column.least, 1) else _distance(own, others))
        except OverflowError:
            found.append(None)
            failed[number] = True
    if failed.any():
        values.failed[column.name] = failed
    return pa.array(found, pa.float64())


def _distance(own: Fraction, others: list[Fraction]) -> float | None:
    median = _median(others)
    deviation = _median([abs(value - median) for value in others])
    if not deviation:
        return 0.0 if own == median else None
    return float((own - median) / (_MAD_SCALE * deviation))


def _median(values: list[Fraction]) -> Fraction:
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


_RULES: Final[Mapping[str, Callable[[RowValues, RowColumn, Int64s], Any]]] = {
    **dict.fromkeys(("lag", "lead"), _offset),
    **dict.fromkeys(("first_value", "last_value", "nth_value"), _at_place),
    "robust_z": _robust_z,
}
