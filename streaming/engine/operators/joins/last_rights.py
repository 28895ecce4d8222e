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
from streaming.engine.operators.joins.side_turn import event_schema, to_table
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrived import Int64s


@dataclass
class LastRights:
    """Rights on `state`, by key; `low` is the smaller CTI of both sides.

    Of those that started before `low` all but the latest of each key can be taken no more: they go as their tables are
    put together, unless late_kept lefts may come.
    """

    state: NodeState
    spec: MatchSpec
    matching: MatchRule
    low: int
    _schema: pa.Schema = field(init=False)
    _stored: RowsByKey = field(init=False)

    def __post_init__(self) -> None:
        self._schema = event_schema(self.spec.right)
        tidy = self._needed if self.spec.forgets else None
        self._stored = RowsByKey(self.state, "right", self.spec.keys, self._schema, tidy)

    def take_back(self, closes: Flows) -> None:
        """Forget edges that vanished; where others end does not matter."""
        vanished = closes.where(closes.end <= closes.start)
        if len(vanished) and self._stored.rows:
            slots = self._slots(vanished)
            rights = Flows.of_table(self._stored.read(slots))
            gone = pc.is_in(rights.ids, value_set=vanished.ids.drop_null()).to_numpy(zero_copy_only=False)
            rights = rights.where(~gone)
            self._stored.rewrite(slots, to_table(rights, self._schema), np.full(len(rights), INFINITY))

    def of(self, lefts: Flows, new: Flows) -> tuple[Flows, Int64s]:
        """Rights, and for each of `lefts` the row of its own among them, -1 where it has none; `new` ones came now."""
        rights = new
        if len(lefts) and self._stored.rows:
            rights = concat_flows([new, Flows.of_table(self._stored.read(self._slots(lefts)))])
        code, codes = self.matching.codes(lefts, rights)
        found = np.full(len(lefts), -1)
        if not len(lefts) or not len(rights):
            return rights, found
        place, places = composites(code, lefts.start, codes, rights.start)
        order = _by_rank(places, self._payload(rights))
        # the last right at or before the start of the left; of equal starts that with the greatest payload, which
        # `_by_rank` puts last, so that the order of arrival decides nothing
        at = np.searchsorted(places[order], place, side="right") - 1
        row = order[np.maximum(at, 0)]
        taken = (at >= 0) & (code >= 0) & (codes[row] == code)  # before the first of its key stands another key
        found[taken] = row[taken]
        return rights, found

    def add(self, new: Flows) -> None:
        """Remember the rights that came."""
        table = to_table(new, self._schema)
        if self.spec.forgets and len(new):
            table = table.take(pa.array(np.flatnonzero(self._needed(table))))
        self._stored.append(table, np.full(table.num_rows, INFINITY))

    def _slots(self, flows: Flows) -> Int64s:
        return self._stored.slots_of([flows.columns[key] for key in self.spec.keys], len(flows))

    def _payload(self, rights: Flows) -> list[pa.Array]:
        return [rights.columns[name] for name in self.spec.right]

    def _needed(self, table: pa.Table) -> Mask:
        """Which rights are not followed by one of their key, or by a greater one at their start, before `low`."""
        rights = Flows.of_table(table.select(self._schema.names))
        (codes,) = self.matching.codes(rights)
        _, places = composites(codes[:0], rights.start[:0], codes, rights.start)
        order = _by_rank(places, self._payload(rights))
        next_, this = order[1:], order[:-1]
        needed = np.ones(len(rights), np.bool_)
        needed[this] = (codes[next_] != codes[this]) | (rights.start[next_] >= self.low)
        return needed


def _by_rank(places: Int64s, payload: Sequence[pa.Array]) -> Int64s:
    """The rows by place, those of one place by their payload: field by field, nulls first."""
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
    """Whether a value is there, and then its rank."""
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    ranks = np.zeros(len(column), np.int64)
    if valid.any():
        numbers = ordered(unsigned_zeros(column.drop_null())).numbers
        ranks[valid] = np.unique(numbers, return_inverse=True)[1]
    return valid.astype(np.int64), ranks
