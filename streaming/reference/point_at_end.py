"""point_at_end: replaces every lifetime `[start, end)` by the point `[end, end + 1 tick)`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streaming.reference.flow import Flow, FreedFlows, Witness
from streaming.reference.held_edges import WaitingEdges
from streaming.reference.per_event import PerEvent
from streaming.temporal.ticks import INFINITY, LAST_TICK, ONE_TICK, Tick


@dataclass(frozen=True)
class EndPoint:
    """The rule for whole lifetimes."""

    node: str

    def one(self, flow: Flow, witness: Witness) -> Flow | None:
        """The point at the end; none for what never ends, nor for an end after which no point fits (T1)."""
        if flow.end > LAST_TICK:
            why = "it never ends" if flow.end == INFINITY else "it ends with the year 9999"
            witness.removed(self.node, flow, f"{why}, so {self.node!r} has no point for it")
            return None
        return flow.lasting(flow.end, Tick(flow.end + ONE_TICK))

    def time(self, at: Tick) -> Tick:
        """Times pass as they are: an event that starts from a CTI on ends after it."""
        return at


class PointAtEnd:
    """One point_at_end node. An edge waits for its end, which tells whether its point is late; CTIs pass it by."""

    def __init__(self, node: str) -> None:
        self._edges = WaitingEdges(node)
        self._points = PerEvent(EndPoint(node))

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """The point of the lifetime that the flow is or completes."""
        whole = self._edges.whole(flow, witness)
        return () if whole is None else self._points.take(port, replace(whole, late_at=flow.late_at), witness)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """Only says at infinity that edges were never closed."""
        if cti == INFINITY:
            for flow in self._edges.never_closed():
                self._points.take(port, flow, witness)
        return FreedFlows((), cti, horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()
