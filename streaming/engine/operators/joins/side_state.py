"""The events of one side of a join that the other side may still match."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from streaming.engine.columns.flows import CLOSE, Flows
from streaming.engine.operators.joins.side_turn import ended, event_schema, to_table
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s

LEFT, RIGHT = 0, 1


@dataclass
class SideState:
    """Events that came in at `port` with their lifetimes as far as they are known, by key.

    An event is removed once it ends at or before the earliest possible start of future events; if late_kept events may
    come (`spec.forgets` is false), no event is removed.
    """

    state: NodeState
    spec: MatchSpec
    port: int
    _schema: pa.Schema = field(init=False)
    _rows: RowsByKey = field(init=False)

    def __post_init__(self) -> None:
        self._schema = event_schema((self.spec.left, self.spec.right)[self.port])
        self._rows = RowsByKey(self.state, ("left", "right")[self.port], self.spec.keys, self._schema)

    def slots(self, flows: Flows) -> Int64s:
        """The slots of the keys of `flows`."""
        return self._rows.slots_of([flows.columns[key] for key in self.spec.keys], len(flows))

    def close(self, closes: Flows) -> None:
        """Set the ends of known edges; remove those that vanish."""
        if not len(closes) or not self._rows.rows:
            return
        slots = self.slots(closes)
        events, found = ended(Flows.of_table(self._rows.read(slots)), closes)
        if found.any():
            events = events.where(events.end > events.start)
            self._rows.rewrite(slots, to_table(events, self._schema), self._due(events))

    def of(self, slots: Int64s) -> Flows:
        """Return the events in `slots`, and perhaps some that nothing can match any more."""
        if not len(slots) or not self._rows.rows:
            return Flows.none((self.spec.left, self.spec.right)[self.port])
        return Flows.of_table(self._rows.read(slots))

    def add(self, events: Flows, until: int) -> None:
        """Store the events that an event starting at `until` or later may match, and remove the others."""
        due = self._due(events)
        forgets = self.spec.forgets
        kept = due > until if forgets else np.ones(len(events), np.bool_)
        if kept.any():
            self._rows.append(to_table(events.where(kept), self._schema), due[kept])
        if forgets and self._rows.rows:
            self._rows.forget(until)

    def _due(self, events: Flows) -> Int64s:
        """Return when events may be removed. A clip only uses starts after the start of a left event."""
        if self.spec.kind != "clip" or self.port == LEFT:
            return events.end
        edge = 0 if events.flag is None else (events.flag != CLOSE) & (events.flag != 0)
        return np.minimum(events.start + edge, INFINITY)
