"""Left events with an undecided piece, and the pieces that the CTI of the right decides."""

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from streaming.engine.columns.flows import ENDLESS, OPEN, WHOLE, Flows, Mask, concat_flows
from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.joins.matching import MatchRule
from streaming.engine.operators.joins.piece_rules import DecidedPieces, LeftEvents, decide
from streaming.engine.operators.joins.side_state import SideState
from streaming.engine.operators.joins.side_turn import JoinClock, SideTurn, ended, event_schema, is_open, to_table
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s

_MORE = ("@since", "@piece", "@seen")


@dataclass
class UndecidedLefts:
    """The lefts of `spec` on `state`; `rights` are those of earlier turns, with the ends that this turn gave them.

    A left waits until the CTI of the right, and if it is an open edge its own, has reached its end. It is processed
    when an event of its key comes, and when its first undecided piece can be decided. Rights that end before both CTIs
    may be removed, because a left stores the coverage of its unfinished piece.
    """

    state: NodeState
    spec: MatchSpec
    matching: MatchRule
    rights: SideState
    clock: JoinClock
    _schema: pa.Schema = field(init=False)
    _stored: RowsByKey = field(init=False)

    def __post_init__(self) -> None:
        more = [pa.field(name, pa.int64()) for name in _MORE]
        schema = event_schema(self.spec.left)
        self._schema = pa.schema([*schema, *more])
        self._stored = RowsByKey(self.state, "lefts", self.spec.keys, self._schema)

    def turn(self, left: SideTurn, right: SideTurn) -> tuple[Flows, int]:
        """Return the rows of the pieces that are decided now, and the upper bound of the CTI from undecided ones."""
        touched, lefts = self._touched(left, right)
        events = lefts.events
        rows = Flows.none(self.spec.fields)
        if len(events) or len(touched):
            slots = distinct(self._slots(events))
            rights = concat_flows([right.events, self.rights.of(slots)])
            found = decide(self.spec, self.matching, lefts, rights, self.clock)
            rows = self._rows(found)
            self._keep(touched, found)
        return rows, self._stored.least_mark()

    def _slots(self, flows: Flows) -> Int64s:
        return self._stored.slots_of([flows.columns[key] for key in self.spec.keys], len(flows))

    def _touched(self, left: SideTurn, right: SideTurn) -> tuple[Int64s, LeftEvents]:
        """Return the slots to process, and the lefts in them, including new ones."""
        new = _new(left.events)
        if not self._stored.rows:
            return np.empty(0, np.int64), new
        asked = [self._slots(each) for each in (left.closes, right.events, right.closes) if len(each)]
        slots = distinct(np.concatenate([self._stored.due_slots(self.clock.ctis[1]), *asked]))
        table = self._stored.read(slots)
        if not table.num_rows:
            return slots[:0], new
        more = [table.column(name).to_numpy() for name in _MORE]
        known = LeftEvents(Flows.of_table(table.drop_columns(list(_MORE))), *more)
        if len(left.closes):
            events, _ = ended(known.events, left.closes)
            known = replace(known, events=events).take(np.flatnonzero(events.end > events.start))
        return slots, _both(self._settled(known), new)

    def _settled(self, known: LeftEvents) -> LeftEvents:
        """Return the lefts, updated for passed CTIs at times when none of their rights is known any more."""
        low = self.clock.low_before
        if self.spec.kind == "semi_join":
            return known
        none = known.piece == INFINITY
        return replace(known, since=np.where(none, np.maximum(known.since, low), known.piece))

    def _rows(self, found: DecidedPieces) -> Flows:
        left, of = found.lefts.events, found.rows.of
        picked = left.take(of)
        opens = found.rows.end == INFINITY
        opens &= found.opens | is_open(picked.flag, len(picked))
        rows = Flows(found.rows.start, found.rows.end, picked.columns, late_at=picked.late_at, stamp=picked.stamps)
        if self.spec.outer:
            rows = replace(rows, columns=self.matching.alone(rows))
        else:
            rows = replace(rows, columns={name: rows.columns[name] for name in self.spec.fields})
        if found.stamps is not None:
            rows = replace(rows, stamp=np.maximum(rows.stamps, found.stamps))
        if not opens.any():
            return rows
        flags = np.where(picked.flags == ENDLESS, np.int8(ENDLESS), np.int8(OPEN))
        return replace(rows, flag=np.where(opens, flags, np.int8(WHOLE)), id=self._ids(opens))

    def _ids(self, opens: Mask) -> pa.Array:
        """Return ids for endless pieces, which leave at infinity as edges whose end never comes."""
        first = int(self.state.head.get("pieces", 0))
        numbers = first + np.cumsum(opens) - 1
        self.state.head["pieces"] = first + int(opens.sum())
        texts = [f"piece {number}" if open_ else None for number, open_ in zip(numbers, opens, strict=True)]
        return pa.array(texts, pa.string())

    def _keep(self, touched: Int64s, found: DecidedPieces) -> None:
        """Store the waiting lefts, marked by the CTI that may pass: the start of the first undecided piece.

        For late_kept lefts it is the CTI that they met.
        """
        at = np.flatnonzero(found.waits)
        lefts = found.lefts.take(at)
        table = to_table(lefts.events, event_schema(self.spec.left))
        for name, values in zip(_MORE, (lefts.since, lefts.piece, lefts.seen), strict=True):
            table = table.append_column(name, pa.array(values))
        marks = np.maximum(lefts.piece, lefts.events.lates)
        if len(touched):
            self._stored.rewrite(touched, table, found.due[at], marks)
        else:
            self._stored.append(table, found.due[at], marks)


def _new(events: Flows) -> LeftEvents:
    none = np.full(len(events), INFINITY)
    bare = Flows(events.start, events.end, events.columns, events.flag, events.id, events.late_at, events.stamp)
    return LeftEvents(bare, events.start, none, np.full(len(events), NO_CTI))


def _both(one: LeftEvents, other: LeftEvents) -> LeftEvents:
    if not len(other.events):
        return one
    pairs = ((one.since, other.since), (one.piece, other.piece), (one.seen, other.seen))
    return LeftEvents(concat_flows([one.events, other.events]), *(np.concatenate(pair) for pair in pairs))
