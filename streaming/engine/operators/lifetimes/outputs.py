"""output: the lifetime with which rows leave the query (T22), and that they have left."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, ENDLESS, GONE, OPEN, WHOLE, Flows
from streaming.engine.columns.steps import vanishing
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.lifetimes.edges import points_at_end
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import OutputSpec


@dataclass(frozen=True)
class OutputKernel:
    """An output node. What it releases is what leaves: ids and flags stay, sources are taken. CTIs pass as they are.

    A row is taken once it leaves, but for what takes an edge or a row back.
    """

    spec: OutputSpec

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Give the rows the lifetime that the output's timestamp names."""
        (port,) = ports
        released = NodeOutput(port.flows, port.ctis, port.horizon)
        if self.spec.timestamp == "latest_input":
            released = replace(released, flows=_latest_input(port.flows))
        elif self.spec.timestamp == "point_at_end":
            released = points_at_end(port, state, turn)
        flows = released.flows
        if flows.source is None:
            return released
        flags = flows.flags
        given = ~vanishing(flags, flows.start, flows.end) & (flags != GONE)
        turn.report.took(flows.source.take(pa.array(np.flatnonzero(given))))
        return replace(released, flows=replace(flows, source=None))


def _latest_input(flows: Flows) -> Flows:
    """A point at the latest start of what made the row, but not before its own; of an edge when it opens."""
    if flows.flag is not None:
        flows = flows.where(flows.flag != CLOSE)
        opened = (flows.flags == OPEN) | (flows.flags == ENDLESS)
        if opened.any():
            flag = np.where(opened, np.int8(WHOLE), flows.flags)
            ids = pc.if_else(pa.array(opened), pa.scalar(None, pa.string()), flows.ids)
            flows = replace(flows, flag=flag, id=ids)
    at = np.maximum(flows.stamps, flows.start)
    return flows.lasting(at, at + 1)
