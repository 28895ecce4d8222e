"""order_edges: releases the starts and ends of edges in order of time, up to and including the CTI.

The first query of the two-query recipe: the second reads them in order and drops nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from streaming.reference.flow import Flow, FreedFlows, Witness
from streaming.reference.value_order import sort_key
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass
class OrderEdges:
    """One order_edges node; what is no edge is ordered by its start."""

    cti: Tick = NO_CTI
    held: list[Flow] = field(default_factory=list)

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """What is not after the CTI passes at once, late_kept flows too."""
        del port, witness
        if _sync(flow) <= self.cti:
            return (flow,)
        self.held.append(flow)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """Everything up to and including `cti`, in order."""
        del port, witness
        due = sorted((flow for flow in self.held if _sync(flow) <= cti), key=_place)
        self.held = [flow for flow in self.held if _sync(flow) > cti]
        self.cti = cti
        return FreedFlows(due, cti, horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()


def _sync(flow: Flow) -> Tick:
    return flow.end if flow.closes else flow.start


def _place(flow: Flow) -> tuple[Any, ...]:
    """By time, then by start: so ends are before starts of the same tick, at which their edges live no more (T2).

    The vanishing of an edge follows its start, so that what reads starts alone sees each (law 7).
    """
    return (_sync(flow), flow.vanishes, flow.start, flow.end, sort_key(flow.payload))
