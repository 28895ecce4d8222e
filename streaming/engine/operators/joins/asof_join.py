"""as-of join: each left event with the latest matching right event that does not start after it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streaming.engine.columns.flows import Flows, concat_flows
from streaming.engine.operators.joins.last_rights import LastRights
from streaming.engine.operators.joins.matching import MatchKernel
from streaming.engine.operators.joins.opened_lefts import OpenLefts, bare
from streaming.engine.operators.joins.side_state import LEFT, RIGHT
from streaming.engine.operators.joins.side_turn import JoinClock, SideTurn, is_open
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.lifetimes.waiting import WaitingEvents
from streaming.engine.state.node_state import NodeState
from streaming.temporal.ticks import INFINITY, NO_CTI


@dataclass(frozen=True)
class AsofKernel(MatchKernel):
    """An as-of join node. Its CTI is the minimum over both ports.

    A left waits until the CTI reaches its start and that of the right is after it, an open edge until both are after
    it. Then its row leaves, and the edge's end follows when it comes. Among rights that start together the one with the
    greatest payload is used. A left without a right is in no row; `outer` gives it nulls. Of the versions of a table,
    only those that hold at the start of the left are rights (T48).
    """

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Return the rows of all lefts that may leave, and the ends of rows that have left."""
        clock = JoinClock.of(state, ports)
        out = clock.out(INFINITY)
        lefts = ports[LEFT].flows if self.spec.outer else self.matching.keyed(ports[LEFT].flows)
        keyed = self.matching.keyed(ports[RIGHT].flows)
        turn.report.took(lefts.source)
        turn.report.took(keyed.source)
        left, right = SideTurn.of(lefts), SideTurn.of(keyed)
        rights = LastRights(state, self.spec, self.matching, clock.low)
        rights.remove_vanished(right.closes)
        opened = OpenLefts(state, self.spec)
        opens = is_open(left.events.flag, len(left.events))
        events = replace(left.events, source=None)
        edges = opened.turn(events.where(opens), left.closes, out)
        arrived = concat_flows([bare(events.where(~opens)), bare(edges.whole)])
        in_time, late = _late(state, arrived, clock.ctis[RIGHT])
        time = min(clock.ctis[RIGHT] - 1, out) if clock.ctis[RIGHT] != NO_CTI else NO_CTI
        leaving = WaitingEvents(state).turn(in_time, in_time.start, time, turn.report)
        rows = self._rows(concat_flows([leaving, late]), edges.starting, right, rights)
        if self.spec.versions:
            rights.close(right.closes)
        rights.add(right.events)
        opened.left(rows)
        clock.remember(state, out)
        horizon = max(port.horizon for port in ports)
        return NodeOutput(concat_flows([rows, edges.ends]), clock.passed(ports, out), horizon)

    def _rows(self, leaving: Flows, starting: Flows, new: SideTurn, known: LastRights) -> Flows:
        """Return the rows of whole lefts and of edges that leave open, if they have a right."""
        lefts = concat_flows([leaving, starting])
        rights, row = known.of(lefts, new)
        if not self.spec.outer and (row < 0).any():
            lefts, row = lefts.where(row >= 0), row[row >= 0]
        none = row < 0
        at = pa.array(np.where(none, 0, row), mask=none)
        added = {name: rights.columns[name].take(at) for name in self.spec.added}
        stamp = lefts.stamps
        if len(rights):
            stamp = np.where(none, stamp, np.maximum(stamp, rights.stamps[np.where(none, 0, row)]))
        late_at = None if lefts.late_at is None or (lefts.late_at == NO_CTI).all() else lefts.late_at
        return replace(lefts, columns={**lefts.columns, **added}, stamp=stamp, late_at=late_at)


def _late(state: NodeState, arrived: Flows, right_cti: int) -> tuple[Flows, Flows]:
    """Split lefts into those in time, and late_kept ones that start before the CTI of the right and do not wait."""
    late = np.zeros(len(arrived), np.bool_) if arrived.late_at is None else arrived.late_at != NO_CTI
    waited = bool(state.head.get("late"))
    if not waited and not late.any():
        return arrived, arrived.take(np.empty(0, np.int64))
    every = [arrived.where(late), *([Flows.of_table(state.get("late"))] if waited else [])]
    rows = concat_flows(every)
    leaves = rows.start < right_cti
    state.head["late"] = bool((~leaves).any())
    state.put("late", rows.where(~leaves).to_table())
    return arrived.where(~late), rows.where(leaves)
