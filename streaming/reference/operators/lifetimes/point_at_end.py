"""point_at_end: replaces every lifetime `[start, end)` by the point `[end, end + 1 tick)`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streaming.reference.flow import Flow, FreedFlows, TraceRecorder
from streaming.reference.operators.lifetimes.held_edges import WaitingEdges
from streaming.reference.operators.per_event import PerEvent
from streaming.temporal.ticks import INFINITY, LAST_TICK, ONE_TICK, Tick


@dataclass(frozen=True)
class EndPoint:
    """The rule for whole lifetimes."""

    node: str

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the point at the end; None for an event that never ends, or after whose end no point fits (T1)."""
        if flow.end > LAST_TICK:
            why = "it never ends" if flow.end == INFINITY else "it ends with the year 9999"
            witness.removed(self.node, flow, f"{why}, so {self.node!r} has no point for it")
            return None
        return flow.lasting(flow.end, Tick(flow.end + ONE_TICK))

    def time(self, at: Tick) -> Tick:
        """Return the time unchanged: an event that starts at or after a CTI ends after it."""
        return at


class PointAtEnd:
    """One point_at_end node. An edge waits for its end, which decides if its point is late; CTIs pass unchanged."""

    def __init__(self, node: str) -> None:
        self._edges = WaitingEdges(node)
        self._points = PerEvent(EndPoint(node))

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the point of the completed lifetime."""
        whole = self._edges.whole(flow, witness)
        return () if whole is None else self._points.take(port, replace(whole, late_at=flow.late_at), witness)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the CTI; at infinity also report edges that were never closed."""
        if cti == INFINITY:
            for flow in self._edges.never_closed():
                self._points.take(port, flow, witness)
        return FreedFlows((), cti, horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()
