"""The open edges on the left of an as-of join: before their row has left, or while their row waits for its end."""

from dataclasses import dataclass, field, replace

import numpy as np

from streaming.engine.columns.flows import CLOSE, OPEN, Flows, concat_flows
from streaming.engine.columns.ranks import distinct
from streaming.engine.operators.joins.side_turn import ended, event_schema, to_table
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True, slots=True)
class LeftEdges:
    """`whole` are edges that ended before their row left, `starting` those whose row leaves open.

    Both have the payload of the left; `ends` are the ends of rows that have left.
    """

    whole: Flows
    starting: Flows
    ends: Flows


@dataclass
class OpenLefts:
    """The edges on `state`, by key."""

    state: NodeState
    spec: MatchSpec
    _waiting: RowsByKey = field(init=False)
    _left: RowsByKey = field(init=False)

    def __post_init__(self) -> None:
        self._waiting = RowsByKey(self.state, "edges", self.spec.keys, event_schema(self.spec.left))
        self._left = RowsByKey(self.state, "opened", self.spec.keys, event_schema(self.spec.fields))

    def turn(self, edges: Flows, closes: Flows, out: int) -> LeftEdges:
        """Process new `edges`, waiting ones and the `closes` of rows that have left; a row leaves before `out`."""
        ends = self._ended(closes)
        slots, waiting = self._touched(closes, out)
        waiting, _ = ended(waiting, closes)
        waiting = waiting.where(waiting.end > waiting.start)
        closed = (waiting.flags != OPEN) & (waiting.end != INFINITY)
        every = concat_flows([waiting.where(~closed), edges])
        starts = every.start < out
        rest = every.where(~starts)
        if len(slots):
            self._waiting.rewrite(slots, to_table(rest, event_schema(self.spec.left)), rest.start + 1)
        else:
            self._waiting.append(to_table(rest, event_schema(self.spec.left)), rest.start + 1)
        return LeftEdges(waiting.where(closed), every.where(starts), ends)

    def left(self, rows: Flows) -> None:
        """Store the rows of edges that leave now, for their ends."""
        table = to_table(rows.where(rows.flags == OPEN), event_schema(self.spec.fields))
        self._left.append(table, np.full(table.num_rows, INFINITY))

    def _touched(self, closes: Flows, out: int) -> tuple[Int64s, Flows]:
        if not self._waiting.rows:
            return np.empty(0, np.int64), Flows.none(self.spec.left)
        slots = distinct(np.concatenate([self._waiting.due_slots(out), self._slots(closes)]))
        return slots, Flows.of_table(self._waiting.read(slots))

    def _ended(self, closes: Flows) -> Flows:
        if not len(closes) or not self._left.rows:
            return Flows.none(self.spec.fields)
        slots = self._slots(closes)
        rows, found = ended(Flows.of_table(self._left.read(slots)), closes)
        if not found.any():
            return Flows.none(self.spec.fields)
        over = rows.flags != OPEN
        still = rows.where(~over)
        self._left.rewrite(slots, to_table(still, event_schema(self.spec.fields)), np.full(len(still), INFINITY))
        ends = rows.where(over)
        return replace(ends, flag=np.full(len(ends), CLOSE, np.int8))

    def _slots(self, flows: Flows) -> Int64s:
        return self._waiting.slots_of([flows.columns[key] for key in self.spec.keys], len(flows))


def bare(flows: Flows) -> Flows:
    """Return the rows as whole lifetimes, without ids and sources."""
    return Flows(flows.start, flows.end, flows.columns, None, None, flows.late_at, flows.stamp)
