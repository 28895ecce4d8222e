"""Nodes that wait for the ends of edges: to_intervals, point_at_end, order_edges, and a negative extend."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from streaming.engine.columns.flows import CLOSE, Flows, concat_flows
from streaming.engine.columns.steps import settled, shortened
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.lifetimes.held_edges import EdgesAwaitingEnds, EdgeTurn, held_to, whole
from streaming.engine.operators.lifetimes.waiting import WaitingEvents
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import LifetimeSpec
from streaming.temporal.ticks import INFINITY, LAST_TICK, NO_CTI
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True)
class LifetimeKernel:
    """A node of one of the kinds that `LifetimeSpec` names."""

    spec: LifetimeSpec

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Release the lifetimes that have become whole; order_edges: the edges up to the CTI."""
        (port,) = ports
        match self.spec.kind:
            case "point_at_end":
                return points_at_end(port, state, turn)
            case "order_edges":
                return _in_order(port, state, turn)
            case "to_intervals":
                return _intervals(port, state, turn)
            case "shorten":
                released = _intervals(port, state, turn)
                return replace(released, flows=shortened(released.flows, self.spec.by))
        raise ValueError(f"no lifetimes of the kind {self.spec.kind!r}")


def points_at_end(port: PortInput, state: NodeState, turn: TurnContext) -> NodeOutput:
    """Return a point at the end of each lifetime; none for an endless one, nor after the last tick (T1). CTIs pass.

    The point of an edge is late_kept iff its end was, and waits for it.
    """
    if port.flows.flag is None and not state.head:
        return NodeOutput(_points(port.flows), port.ctis, port.horizon)
    edges = EdgesAwaitingEnds(state)
    paired = edges.turn(port.flows)
    if port.cti == INFINITY:
        edges.never_closed()
    edges.save(turn.report)
    of_edges = replace(paired, opened=replace(paired.opened, late_at=paired.closing.late_at)).lasting
    return NodeOutput(_points(concat_flows([whole(port.flows), of_edges])), port.ctis, port.horizon)


def _points(flows: Flows) -> Flows:
    kept = settled(flows, flows.end <= LAST_TICK)
    return kept.lasting(kept.end, kept.end + 1)


def _in_order(port: PortInput, state: NodeState, turn: TurnContext) -> NodeOutput:
    """Return starts and ends up to and including the CTI, even if late_kept; CTIs pass."""
    flows = port.flows
    due = flows.start if flows.flag is None else np.where(flows.flag == CLOSE, flows.end, flows.start)
    return NodeOutput(WaitingEvents(state).turn(flows, due, port.cti, turn.report), port.ctis, port.horizon)


def _intervals(port: PortInput, state: NodeState, turn: TurnContext) -> NodeOutput:
    """Return whole lifetimes at once, and edges when they end; at infinity open edges leave unchanged."""
    before = int(state.head.get("out", NO_CTI))
    edges = EdgesAwaitingEnds(state)
    paired = edges.turn(port.flows)
    parts = [whole(port.flows), paired.lasting]
    endless = edges.never_closed() if port.cti == INFINITY else None
    edges.save(turn.report)
    if endless is not None:
        parts.append(endless)
    ctis = _held_ctis(np.array(port.ctis, np.int64), before, paired)
    if ctis:
        state.head["out"] = ctis[-1]
    return NodeOutput(concat_flows(parts), ctis, port.horizon)


def _held_ctis(ctis: Int64s, before: int, paired: EdgeTurn) -> tuple[int, ...]:
    """Return the output CTIs: each at most the oldest edge that was open when it came.

    An end that is not before a CTI may have come before or after it. If that matters, such a CTI is left out, except
    the last, which counts as coming after all ends of the turn.
    """
    if not len(ctis):
        return ()
    finite = ctis != INFINITY
    still = np.where(finite, paired.oldest, INFINITY)
    late = paired.closing.lates
    closed_by = np.where(late == NO_CTI, paired.closing.end, late)
    perhaps = np.where(finite, _upto(closed_by, held_to(paired.opened), ctis), INFINITY)
    out = np.minimum(ctis, still)
    certain = np.minimum(out, perhaps) == out
    certain[-1] = True
    rising = np.unique(np.maximum.accumulate(out[certain]))
    return tuple(rising[rising > before].tolist())


def _upto(closed: Int64s, held: Int64s, ctis: Int64s) -> Int64s:
    """Return for each CTI the least of `held` whose edge may have been open then; INFINITY without such an edge."""
    order = np.argsort(closed, kind="stable")
    least = np.concatenate([np.minimum.accumulate(held[order][::-1])[::-1], [INFINITY]])
    return np.asarray(least[np.searchsorted(closed[order], ctis, side="left")])
