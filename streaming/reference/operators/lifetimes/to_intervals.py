"""to_intervals: pairs the start and the end of each edge into one interval, which leaves when it is closed."""

from collections.abc import Sequence

from streaming.reference.flow import Flow, FreedFlows, TraceRecorder
from streaming.reference.operators.lifetimes.held_edges import WaitingEdges
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick


class ToIntervals:
    """One to_intervals node.

    An interval is late_kept if its start was. While its edge is open, no CTI passes the start, or the CTI that a late
    start met. So a late end is in time for every later window that takes the edge.
    """

    def __init__(self, node: str) -> None:
        self._edges = WaitingEdges(node)
        self._out = NO_CTI

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return whole lifetimes at once; an edge waits until its end completes it."""
        del port
        whole = self._edges.whole(flow, witness)
        return () if whole is None else (whole,)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the CTI, at most the oldest open start; at infinity open edges leave as `[start, infinity)`."""
        del port, witness
        flows = self._edges.never_closed() if cti == INFINITY else []
        self._out = max(self._out, min(cti, self._edges.oldest))
        return FreedFlows(flows, self._out, horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()
