"""order_edges: releases the starts and ends of edges in order of time, up to and including the CTI.

The first query of the two-query recipe: the second reads them in order and drops nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from streaming.reference.flow import Flow, FreedFlows, TraceRecorder
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.temporal.value_order import sort_key


@dataclass
class OrderEdges:
    """One order_edges node; other events are ordered by their start."""

    cti: Tick = NO_CTI
    held: list[Flow] = field(default_factory=list)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the flow at once if it is not after the CTI; late_kept flows too."""
        del port, witness
        if _sync(flow) <= self.cti:
            return (flow,)
        self.held.append(flow)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return everything up to and including `cti`, in order."""
        del port, witness
        due = sorted((flow for flow in self.held if _sync(flow) <= cti), key=_place)
        self.held = [flow for flow in self.held if _sync(flow) > cti]
        self.cti = cti
        return FreedFlows(due, cti, horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()


def _sync(flow: Flow) -> Tick:
    return flow.end if flow.closes else flow.start


def _place(flow: Flow) -> tuple[Any, ...]:
    """Sort by time, then by start, so that ends precede starts of the same tick: their edges no longer live then (T2).

    The vanishing of an edge follows its start, so that a node that reads starts only sees each (law 7).
    """
    return (_sync(flow), flow.vanishes, flow.start, flow.end, sort_key(flow.payload))
