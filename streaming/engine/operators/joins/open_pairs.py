"""Pairs of a join with an open edge: their rows leave as edges, and are looked up again when an end comes."""

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, WHOLE, Flags, Flows, Mask
from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.joins.side_turn import is_open
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_schema

_META = (
    ("@start", pa.int64()),
    ("@end", pa.int64()),
    ("@id", pa.string()),
    ("@late_at", pa.int64()),
    ("@stamp", pa.int64()),
)
_SIDE = (("@{}_end", pa.int64()), ("@{}_flag", pa.int8()), ("@{}_id", pa.string()))
SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class PairSide:
    """One of the two events of each pair: its end, its flag, and its id."""

    end: Int64s
    flag: Flags
    id: pa.Array

    @classmethod
    def of(cls, events: Flows, rows: Int64s) -> "PairSide":
        """The `rows` of `events`."""
        return cls(events.end[rows], events.flags[rows], events.ids.take(pa.array(rows)))

    def take(self, rows: Int64s) -> "PairSide":
        """The `rows` by index."""
        return PairSide(self.end[rows], self.flag[rows], self.id.take(pa.array(rows)))

    def closed(self, closes: Flows) -> "PairSide":
        """Return the side with the ends from `closes`."""
        found = pc.index_in(self.id, value_set=closes.ids)
        rows = np.flatnonzero(pc.is_valid(pc.if_else(pc.is_null(self.id), None, found)).to_numpy(zero_copy_only=False))
        if not len(rows):
            return self
        end, flag = self.end.copy(), self.flag.copy()
        end[rows] = closes.end[found.take(pa.array(rows)).to_numpy().astype(np.int64)]
        flag[rows] = WHOLE
        return replace(self, end=end, flag=flag)


@dataclass(frozen=True, slots=True)
class PairRows:
    """Pairs: their rows, all WHOLE as far as known, with an id if they have left as an edge, and both events."""

    rows: Flows
    left: PairSide
    right: PairSide

    def take(self, rows: Int64s) -> "PairRows":
        """The pairs by index."""
        return PairRows(self.rows.take(rows), self.left.take(rows), self.right.take(rows))

    def where(self, mask: Mask) -> "PairRows":
        """The pairs where `mask` is true."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def closed(self, left: Flows, right: Flows) -> "PairRows":
        """Return the pairs with the ends that edges of both sides got; pairs without a common lifetime are left out."""
        one, other = self.left.closed(left), self.right.closed(right)
        rows = replace(self.rows, end=np.minimum(one.end, other.end))
        return PairRows(rows, one, other).where(rows.end > rows.start)

    @property
    def open(self) -> Mask:
        """Return true for pairs in which the end of one event is not known."""
        return is_open(self.left.flag, len(self.rows)) | is_open(self.right.flag, len(self.rows))


@dataclass
class OpenPairs:
    """The pairs of a join on `state` that wait for the end of an edge, by key."""

    state: NodeState
    spec: MatchSpec
    _schema: pa.Schema = field(init=False)
    _stored: RowsByKey = field(init=False)

    def __post_init__(self) -> None:
        sides = [pa.field(name.format(side), of) for side in SIDES for name, of in _SIDE]
        self._schema = pa.schema([*(pa.field(*each) for each in _META), *sides, *arrow_schema(self.spec.fields)])
        self._stored = RowsByKey(self.state, "pairs", self.spec.keys, self._schema)

    def settle(self, left: Flows, right: Flows, out: int) -> list[Flows]:
        """Return the rows of waiting pairs that the CTI `out`, or the ends `left` and `right` of edges, release."""
        if not self._stored.rows:
            return []
        slots = [self._stored.due_slots(out)]
        for closes in (left, right):
            if len(closes):
                slots.append(self._stored.slots_of([closes.columns[key] for key in self.spec.keys], len(closes)))
        touched = distinct(np.concatenate(slots))
        if not len(touched):
            return []
        pairs = _of_table(self._stored.read(touched)).closed(left, right)
        rows, kept = self._leave(pairs, out)
        self._stored.rewrite(touched, _to_table(kept, self._schema), _due(kept))
        return rows

    def take(self, pairs: PairRows, out: int) -> list[Flows]:
        """Return the rows of new pairs that leave at once; pairs with an open event wait."""
        rows, kept = self._leave(pairs, out)
        if len(kept.rows):
            self._stored.append(_to_table(kept, self._schema), _due(kept))
        return rows

    def _leave(self, pairs: PairRows, out: int) -> tuple[list[Flows], PairRows]:
        """Return the rows that leave, including whole rows that may have to wait for `out`, and the unfinished pairs.

        A pair whose end is not decided leaves as an edge start once the CTI is after its start, because then it can no
        longer vanish. At infinity it keeps `[start, infinity)` (T4).
        """
        open_, end = pairs.open, pairs.rows.end
        started = pairs.rows.ids.is_valid().to_numpy(zero_copy_only=False)
        goes_on = open_ & (end > out)
        for_ever = open_ & ~goes_on & (end == INFINITY)
        opening = ~started & ((goes_on & (pairs.rows.start < out)) | for_ever)
        closing = started & ~goes_on & (end != INFINITY)
        whole = ~started & ~goes_on & ~for_ever
        ids = self._ids(pairs.rows.ids, opening)
        rows = replace(pairs.rows, id=ids)
        endless = (pairs.left.flag == ENDLESS) & (pairs.right.flag != OPEN)
        starts = replace(rows, end=np.full(len(rows), INFINITY), flag=np.where(endless, ENDLESS, OPEN).astype(np.int8))
        ends = replace(rows, flag=np.full(len(rows), CLOSE, np.int8), late_at=None)
        found = [starts.where(opening), ends.where(closing), replace(rows, id=None).where(whole)]
        return [each for each in found if len(each)], replace(pairs, rows=rows).where(goes_on)

    def _ids(self, ids: pa.Array, opening: Mask) -> pa.Array:
        """Return ids for edges that open: numbers that this node uses once."""
        rows = np.flatnonzero(opening)
        if not len(rows):
            return ids
        first = int(self.state.head.get("pairs", 0))
        self.state.head["pairs"] = first + len(rows)
        numbers = np.zeros(len(ids), np.int64)
        numbers[rows] = np.arange(first, first + len(rows))
        return pc.if_else(pa.array(opening), pc.cast(pa.array(numbers), pa.string()), ids)


def _due(pairs: PairRows) -> Int64s:
    started = pairs.rows.ids.is_valid().to_numpy(zero_copy_only=False)
    return np.where(started, pairs.rows.end, pairs.rows.start + 1)


def _to_table(pairs: PairRows, schema: pa.Schema) -> pa.Table:
    rows = pairs.rows
    arrays = [pa.array(rows.start), pa.array(rows.end), rows.ids, pa.array(rows.lates), pa.array(rows.stamps)]
    for side in (pairs.left, pairs.right):
        arrays += [pa.array(side.end), pa.array(side.flag), side.id]
    return pa.Table.from_arrays([*arrays, *(rows.columns[name] for name in schema.names[len(arrays) :])], schema=schema)


def _of_table(table: pa.Table) -> PairRows:
    left, right = (
        PairSide(
            table.column(f"@{side}_end").to_numpy(),
            table.column(f"@{side}_flag").to_numpy(),
            _whole(table, f"@{side}_id"),
        )
        for side in SIDES
    )
    others = [name.format(side) for side in SIDES for name, _ in _SIDE]
    return PairRows(Flows.of_table(table.drop_columns(others)), left, right)


def _whole(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def late_or_due(rows: Flows) -> Int64s:
    """Return the CTI at which each row may leave: its start, even if its edge has ended since.

    Late_kept rows do not wait.
    """
    return rows.start if rows.late_at is None else np.where(rows.late_at != NO_CTI, np.int64(NO_CTI), rows.start)
