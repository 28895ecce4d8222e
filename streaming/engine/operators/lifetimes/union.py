"""union: the events of all ports, released in order of start, edge ends in order of end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, OPEN, Flows, concat_flows
from streaming.engine.columns.steps import vanishing
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.lifetimes.waiting import WaitingEvents
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import UnionSpec
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True)
class UnionKernel:
    """A union node: its CTI is the minimum over its ports, and later events wait. It refuses nothing.

    Late_kept events do not wait, except an edge end, late or retracting its edge, which follows its start.
    """

    spec: UnionSpec

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Release all events that start up to and including the new CTI."""
        waiting = WaitingEvents(state)
        before = waiting.time
        out = max(before, min(port.cti for port in ports))
        arrived = concat_flows([self._of_port(number, port.flows) for number, port in enumerate(ports)])
        flows = waiting.turn(arrived, _due(arrived, waiting, out), out, turn.report)
        return NodeOutput(flows, _ctis(ports, before, out), max(port.horizon for port in ports))

    def _of_port(self, number: int, flows: Flows) -> Flows:
        """Return the events with the fields in this node's order, and ids that no other port has."""
        ids = flows.id
        if ids is not None:
            ids = pc.binary_join_element_wise(pa.scalar(str(number)), ids, "|")
        return replace(flows, columns={name: flows.columns[name] for name in self.spec.fields}, id=ids)


def _ctis(ports: Sequence[PortInput], before: int, out: int) -> tuple[int, ...]:
    """Return each CTI between `before` and `out` if only one port moved.

    Otherwise the last, as the order is not known.
    """
    moved = [port for port in ports if port.ctis]
    if len(moved) > 1:
        return (out,) if out > before else ()
    held = min((port.cti for port in ports if not port.ctis), default=out)
    return tuple(sorted({min(cti, held) for port in moved for cti in port.ctis if min(cti, held) > before}))


def _due(arrived: Flows, waiting: WaitingEvents, out: int) -> Int64s:
    """Return the CTI at which each event may pass, NO_CTI for those that pass at once."""
    late = None if arrived.late_at is None else arrived.late_at != NO_CTI
    if arrived.flag is None:
        return arrived.start if late is None else np.where(late, np.int64(NO_CTI), arrived.start)
    closes = arrived.flag == CLOSE
    due = np.where(closes, arrived.end, arrived.start)
    at_once = vanishing(arrived.flag, arrived.start, arrived.end)
    if late is not None:
        at_once |= late
    due[at_once] = NO_CTI
    following = np.flatnonzero(at_once & closes & (arrived.start > out))
    if len(following):
        opened = np.flatnonzero((arrived.flag == OPEN) & ~at_once)
        waits = set(arrived.ids.take(pa.array(opened)).to_pylist())
        for row, edge in zip(following.tolist(), arrived.ids.take(pa.array(following)).to_pylist(), strict=True):
            start = int(arrived.start[row])
            due[row] = start if edge in waits or waiting.holds(edge, start) else NO_CTI
    return due
