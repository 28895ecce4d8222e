"""The rows of an analytic node between turns: those that wait, and those that rows to come still see (T46)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, OPEN, Flows, Mask, concat_flows
from streaming.engine.operators.analytic.placed_rows import PlacedRows
from streaming.engine.operators.analytic.running import UNNUMBERED, CumulativeSums
from streaming.engine.operators.analytic.values import CUSUMS, RowValues
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.columns import RowColumn
from streaming.planning.plan import AnalyticSpec
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_schema

_EVENT: Final = {"@start": pa.int64(), "@end": pa.int64(), "@flag": pa.int8(), "@id": pa.string(), "@stamp": pa.int64()}
_PROGRESS: Final = {"@ended": pa.int64(), "@end_stamp": pa.int64(), "@left": pa.bool_(), "@number": pa.int64()}
NOT_ENDED: Final = NO_CTI


@dataclass(frozen=True)
class KeptRows:
    """Rows with their progress: the end of an edge if it has come, if they have left, and running values."""

    flows: Flows
    ended: Int64s
    end_stamp: Int64s
    left: Mask
    number: Int64s
    summed: tuple[RowColumn, ...]
    sums: tuple[CumulativeSums, ...]

    @property
    def visible(self) -> Flows:
        """Return the rows with the fields that expressions see."""
        return replace(self.flows, columns={**self.flows.columns, "_start": pa.array(self.flows.start)})

    def take(self, rows: Int64s) -> "KeptRows":
        """Return the `rows`, by place."""
        sums = tuple(replace(each, high=each.high[rows], low=each.low[rows]) for each in self.sums)
        parts = (self.ended[rows], self.end_stamp[rows], self.left[rows], self.number[rows])
        return KeptRows(self.flows.take(rows), *parts, self.summed, sums)

    def joined(self, other: "KeptRows") -> "KeptRows":
        """Return these rows, then those of `other`."""
        sums = tuple(
            CumulativeSums(one.column, np.concatenate([one.high, new.high]), np.concatenate([one.low, new.low]))
            for one, new in zip(self.sums, other.sums, strict=True)
        )
        return KeptRows(
            concat_flows([self.flows, other.flows]),
            np.concatenate([self.ended, other.ended]),
            np.concatenate([self.end_stamp, other.end_stamp]),
            np.concatenate([self.left, other.left]),
            np.concatenate([self.number, other.number]),
            self.summed,
            sums,
        )

    def ends(self, leaving: Int64s, released: Flows) -> Flows:
        """Return the ends of the rows `leaving` that are edges whose ends have come; they follow their starts."""
        over = self.ended[leaving] != NOT_ENDED
        part = released.where(over)
        places = leaving[over]
        closed = replace(part, end=self.ended[places], stamp=self.end_stamp[places])
        return replace(closed, flag=np.full(len(part), CLOSE, np.int8))


@dataclass
class KeptRowState:
    """The state of the node: `rows` and, for their ends, the edges that have left, both by group.

    `held` is the start of the oldest row that waits, after `write`.
    """

    spec: AnalyticSpec
    state: NodeState
    held: int = INFINITY
    _rows: RowsByKey = field(init=False)
    _open: RowsByKey = field(init=False)
    _slots: Int64s = field(init=False)

    def __post_init__(self) -> None:
        payload = {each.name: each.type for each in arrow_schema(self.spec.before)}
        result = {each.name: each.type for each in arrow_schema(self.spec.fields)}
        sums = {name: pa.float64() for column in self._summed for name in _sum_names(column)}
        schema = pa.schema({**_EVENT, **_PROGRESS, **sums, **payload})
        self._rows = RowsByKey(self.state, "rows", self.spec.group_by, schema)
        self._open = RowsByKey(self.state, "opened", self.spec.group_by, pa.schema({**_EVENT, **result}))

    @property
    def _summed(self) -> tuple[RowColumn, ...]:
        return tuple(column for column in self.spec.columns if column.function in CUSUMS)

    def read(self, fresh: Flows, closes: Flows, cti: int) -> KeptRows:
        """Return the rows of all groups that the turn may change: those of `fresh` and `closes`, and those due."""
        touched = [self._slots_of(fresh), self._slots_of(closes), self._rows.due_slots(cti)]
        self._slots = np.unique(np.concatenate(touched))
        stored = self._of_table(self._rows.read(self._slots))
        rows = stored.joined(self._of_flows(fresh))
        return _with_ends(rows, closes)

    def ended(self, closes: Flows) -> Flows:
        """Return the ends among `closes` of edges whose rows left in an earlier turn, with their columns."""
        if not len(closes) or not self._open.rows:
            return Flows.of_table(self._open.schema.empty_table())
        slots = np.unique(self._slots_of(closes))
        table = self._open.read(slots)
        flows = Flows.of_table(table)
        at = pc.index_in(flows.ids, value_set=closes.ids)
        over = at.is_valid().to_numpy(zero_copy_only=False)
        left = table.filter(pa.array(~over))
        self._open.rewrite(slots, left, np.full(len(left), INFINITY))
        by = at.drop_null().to_numpy().astype(np.int64)
        part = flows.where(over) if over.any() else flows.take(np.empty(0, np.int64))
        return replace(part, end=closes.end[by], stamp=closes.stamps[by], flag=np.full(len(by), CLOSE, np.int8))

    def opened(self, released: Flows) -> None:
        """Store the edges that leave open, for their ends."""
        rows = released.where(released.flags == OPEN) if released.flag is not None else released.take(_none())
        if len(rows):
            table = _event_table(rows, self._open.schema)
            self._open.append(table, np.full(len(rows), INFINITY))

    def write(self, pool: KeptRows, rows: PlacedRows, values: RowValues, left: Mask, cti: int) -> None:
        """Replace the rows of the turn by those that wait, or that rows to come still see."""
        waits = ~left
        keep = waits | self._seen(rows, values, waits)
        if cti == INFINITY:
            keep = np.zeros(len(waits), np.bool_)
        kept = replace(pool, left=left).take(np.flatnonzero(keep))
        waiting = waits[keep]
        mark = np.where(waiting, kept.flows.start, INFINITY)
        self._rows.rewrite(self._slots, self._table(kept), self._due(kept.flows.start, waiting, rows.known_until), mark)
        self.held = self._rows.least_mark()

    def _seen(self, rows: PlacedRows, values: RowValues, waits: Mask) -> Mask:
        """Return the rows that waiting rows and rows to come may still see."""
        place = np.arange(len(waits))
        group_end = np.searchsorted(rows.group, rows.group, side="right")
        first_waiting = np.where(waits, place, len(waits))
        oldest = np.minimum.accumulate(first_waiting[::-1])[::-1]
        oldest = np.minimum(oldest, group_end)  # the first place of the group at or after the row that waits
        begin = np.full(len(waits) + 1, INFINITY)
        begin[:-1] = rows.start
        from_ = np.minimum(rows.known_until, np.where(oldest < group_end, begin[oldest], INFINITY))
        seen = np.zeros(len(waits), np.bool_)
        for column in self.spec.columns:
            seen |= self._seen_by(column, values, place, oldest, from_ - rows.start)
        if rows.reach is not None:
            seen &= from_ - rows.start < rows.reach
        return seen

    def _seen_by(self, column: RowColumn, values: RowValues, place: Int64s, oldest: Int64s, distance: Int64s) -> Mask:
        frame = column.frame
        everything = np.ones(len(place), np.bool_)
        if frame is not None:
            if frame.preceding is None:
                return everything
            found: Mask = oldest - place <= frame.preceding if frame.rows else distance < frame.preceding
            return found
        if column.function == "lag" and column.ignore_nulls:
            _, before = values.not_null(column)
            valid = before[place + 1] > before[place]
            seen: Mask = valid & (before[oldest] - before[place] <= column.offset)
            return seen
        back = column.offset if column.function == "lag" else 0 if column.function == "lead" else 1
        near: Mask = oldest - place <= back
        return near

    def _due(self, start: Int64s, waiting: Mask, known_until: int) -> Int64s:
        """Return the CTI at which each row must be processed next.

        It is when the row becomes known, when its frames ahead in time are over, or when nothing more is within reach.
        Rows ahead may decide it in between: they are processed when they become known.
        """
        reach, needed = self.spec.reach, start + 1
        forgotten = np.full(len(start), INFINITY) if reach is None else start + reach
        for column in self.spec.columns:
            ahead = column.ticks_ahead if reach is None else min(column.ticks_ahead, reach)
            needed = np.maximum(needed, start + ahead)
        if any(column.rows_ahead for column in self.spec.columns):
            needed = np.where(needed > known_until, needed, forgotten)
        needed = np.where(start < known_until, needed, start + 1)
        due = np.where(waiting, needed, forgotten)
        return np.where(due == INFINITY, INFINITY, due + self.spec.grace)

    def _slots_of(self, flows: Flows) -> Int64s:
        return self._rows.slots_of([flows.columns[name] for name in self.spec.group_by], len(flows))

    def _of_flows(self, fresh: Flows) -> KeptRows:
        count = len(fresh)
        nothing = np.full(count, np.nan)
        flows = replace(
            Flows.of_table(_event_table(fresh, pa.schema({**_EVENT, **_payload(fresh)}))), late_at=None, source=None
        )
        sums = tuple(CumulativeSums(column, nothing.copy(), nothing.copy()) for column in self._summed)
        ended = np.full(count, NOT_ENDED)
        return KeptRows(
            flows, ended, ended.copy(), np.zeros(count, np.bool_), np.full(count, UNNUMBERED), self._summed, sums
        )

    def _of_table(self, table: pa.Table) -> KeptRows:
        sums = tuple(
            CumulativeSums(column, *(table.column(name).to_numpy().copy() for name in _sum_names(column)))
            for column in self._summed
        )
        ended, end_stamp, left, number = (table.column(name).to_numpy().copy() for name in _PROGRESS)
        flows = Flows.of_table(table.select([*_EVENT, *self.spec.before]))
        return KeptRows(flows, ended, end_stamp, left, number, self._summed, sums)

    def _table(self, kept: KeptRows) -> pa.Table:
        table = _event_table(kept.flows, pa.schema({**_EVENT, **_payload(kept.flows)}))
        progress = (kept.ended, kept.end_stamp, kept.left, kept.number)
        for name, values in zip(_PROGRESS, progress, strict=True):
            table = table.append_column(name, pa.array(values))
        for each in kept.sums:
            for name, sums in zip(_sum_names(each.column), (each.high, each.low), strict=True):
                table = table.append_column(name, pa.array(sums))
        return table.select(self._rows.schema.names)


def _with_ends(rows: KeptRows, closes: Flows) -> KeptRows:
    """Record the ends of edges among `closes`; those of rows that have left are not here."""
    if not len(closes):
        return rows
    at = pc.index_in(rows.flows.ids, value_set=closes.ids)
    over = at.is_valid().to_numpy(zero_copy_only=False)
    by = pc.fill_null(at, 0).to_numpy().astype(np.int64)
    ended = np.where(over, closes.end[by], rows.ended)
    return replace(rows, ended=ended, end_stamp=np.where(over, closes.stamps[by], rows.end_stamp))


def _event_table(flows: Flows, schema: pa.Schema) -> pa.Table:
    columns = (flows.start, flows.end, flows.flags, flows.ids, flows.stamps)
    named = dict(zip(_EVENT, map(_array, columns), strict=True))
    return pa.table({**named, **flows.columns}).select(schema.names).cast(schema)


def _array(values: pa.Array | npt.NDArray[np.int64]) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values)


def _payload(flows: Flows) -> dict[str, pa.DataType]:
    return {name: column.type for name, column in flows.columns.items()}


def _sum_names(column: RowColumn) -> Sequence[str]:
    return (f"@high {column.name}", f"@low {column.name}")


def _none() -> Int64s:
    return np.empty(0, np.int64)
