"""output: the lifetime with which rows leave the query (T22), and the report that they have left."""

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
    """An output node. Ids and flags of its rows stay, their sources are reported as taken. CTIs pass unchanged.

    A row is reported as taken once it leaves, except rows that retract an edge or a row.
    """

    spec: OutputSpec

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Set the lifetime of rows as the output's timestamp specifies."""
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
    """Return a point at the latest start of the row's origins, but not before its own start.

    For an edge when it opens.
    """
    if flows.flag is not None:
        flows = flows.where(flows.flag != CLOSE)
        opened = (flows.flags == OPEN) | (flows.flags == ENDLESS)
        if opened.any():
            flag = np.where(opened, np.int8(WHOLE), flows.flags)
            ids = pc.if_else(pa.array(opened), pa.scalar(None, pa.string()), flows.ids)
            flows = replace(flows, flag=flag, id=ids)
    at = np.maximum(flows.stamps, flows.start)
    return flows.lasting(at, at + 1)
