"""The rights of an as-of join that are, or may become, the latest of their key before some left event."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import Flows, Mask, concat_flows
from streaming.engine.columns.ordering import ordered, unsigned_zeros
from streaming.engine.columns.ranks import order_of
from streaming.engine.operators.joins.matching import MatchRule
from streaming.engine.operators.joins.overlaps import composites
from streaming.engine.operators.joins.side_turn import SideTurn, ended, event_schema, to_table
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s


@dataclass
class LastRights:
    """Rights on `state`, by key; `low` is the smaller CTI of both sides.

    Among rights that started before `low`, only the latest of each key can still be used. The others are dropped when
    their tables are merged, unless late_kept lefts may come. Of versions (`spec.versions`) all that have not ended
    before `low` can still be used: a left takes the latest of those that hold at its start (T48).
    """

    state: NodeState
    spec: MatchSpec
    matching: MatchRule
    low: int
    _schema: pa.Schema = field(init=False)
    _stored: RowsByKey = field(init=False)

    def __post_init__(self) -> None:
        self._schema = event_schema(self.spec.right)
        compact = self._needed if self.spec.forgets else None
        self._stored = RowsByKey(self.state, "right", self.spec.keys, self._schema, compact)

    def remove_vanished(self, closes: Flows) -> None:
        """Remove edges that vanished; the ends of others do not matter."""
        vanished = closes.where(closes.end <= closes.start)
        if len(vanished) and self._stored.rows:
            slots = self._slots(vanished)
            rights = Flows.of_table(self._stored.read(slots))
            gone = pc.is_in(rights.ids, value_set=vanished.ids.drop_null()).to_numpy(zero_copy_only=False)
            rights = rights.where(~gone)
            self._stored.rewrite(slots, to_table(rights, self._schema), np.full(len(rights), INFINITY))

    def close(self, closes: Flows) -> None:
        """Set the ends of stored versions."""
        if not len(closes) or not self._stored.rows:
            return
        slots = self._slots(closes)
        rights, found = ended(Flows.of_table(self._stored.read(slots)), closes)
        if found.any():
            kept = to_table(rights, self._schema)
            if self.spec.forgets:
                kept = kept.take(pa.array(np.flatnonzero(self._needed(kept))))
            self._stored.rewrite(slots, kept, np.full(kept.num_rows, INFINITY))

    def of(self, lefts: Flows, new: SideTurn) -> tuple[Flows, Int64s]:
        """Return rights, and for each of `lefts` the row of its own among them, -1 if it has none.

        `new` ones came now, with the ends of stored ones.
        """
        rights = new.events
        if len(lefts) and self._stored.rows:
            known = Flows.of_table(self._stored.read(self._slots(lefts)))
            if self.spec.versions and len(new.closes):
                known, _ = ended(known, new.closes)
            rights = concat_flows([rights, known])
        code, codes = self.matching.codes(lefts, rights)
        found = np.full(len(lefts), -1)
        if not len(lefts) or not len(rights):
            return rights, found
        place, places = composites(code, lefts.start, codes, rights.start)
        order = _by_rank(places, self._payload(rights))
        # the last right at or before the start of the left; `_by_rank` puts the greatest payload of equal starts last,
        # so the order of arrival has no effect
        at = np.searchsorted(places[order], place, side="right") - 1
        if self.spec.versions:
            at = _holding(at, order, codes, rights, LeftPlaces(code, lefts.start))
        row = order[np.maximum(at, 0)]
        taken = (at >= 0) & (code >= 0) & (codes[row] == code)  # before the first row of its key is another key
        found[taken] = row[taken]
        return rights, found

    def add(self, new: Flows) -> None:
        """Store new rights."""
        table = to_table(new, self._schema)
        if self.spec.forgets and len(new):
            table = table.take(pa.array(np.flatnonzero(self._needed(table))))
        self._stored.append(table, np.full(table.num_rows, INFINITY))

    def _slots(self, flows: Flows) -> Int64s:
        return self._stored.slots_of([flows.columns[key] for key in self.spec.keys], len(flows))

    def _payload(self, rights: Flows) -> list[pa.Array]:
        return [rights.columns[name] for name in self.spec.right]

    def _needed(self, table: pa.Table) -> Mask:
        """Return which rights are not followed, before `low`, by one of their key or a greater one at their start."""
        rights = Flows.of_table(table.select(self._schema.names))
        if self.spec.versions:
            return rights.end > self.low
        (codes,) = self.matching.codes(rights)
        _, places = composites(codes[:0], rights.start[:0], codes, rights.start)
        order = _by_rank(places, self._payload(rights))
        next_, this = order[1:], order[:-1]
        needed = np.ones(len(rights), np.bool_)
        needed[this] = (codes[next_] != codes[this]) | (rights.start[next_] >= self.low)
        return needed


@dataclass(frozen=True, slots=True)
class LeftPlaces:
    """The code and the start of each left."""

    code: Int64s
    start: Int64s


def _holding(at: Int64s, order: Int64s, codes: Int64s, rights: Flows, lefts: LeftPlaces) -> Int64s:
    """Return the place in `order` of the last right up to `at` that holds at the start of its left, -1 for none."""
    at = at.copy()
    open_ = np.flatnonzero(at >= 0)
    while len(open_):
        rows = order[at[open_]]
        other = codes[rows] != lefts.code[open_]
        at[open_[other]] = -1
        over = ~other & (rights.end[rows] <= lefts.start[open_])
        open_ = open_[over]
        at[open_] -= 1
        open_ = open_[at[open_] >= 0]
    return at


def _by_rank(places: Int64s, payload: Sequence[pa.Array]) -> Int64s:
    """Return the rows by place, those of one place by their payload: field by field, nulls first."""
    order = order_of(places, int(places.max(initial=0)) + 1)
    same = places[order[1:]] == places[order[:-1]]
    if not same.any():
        return order
    tied = np.flatnonzero(np.concatenate([same, [False]]) | np.concatenate([[False], same]))
    rows = order[tied]
    keys = [key for column in payload for key in _ranks(column.take(pa.array(rows)))]
    order[tied] = rows[np.lexsort([*reversed(keys), places[rows]])]
    return order


def _ranks(column: pa.Array) -> tuple[Int64s, Int64s]:
    """Return where a value is not null, and its rank."""
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    ranks = np.zeros(len(column), np.int64)
    if valid.any():
        numbers = ordered(unsigned_zeros(column.drop_null())).numbers
        ranks[valid] = np.unique(numbers, return_inverse=True)[1]
    return valid.astype(np.int64), ranks
