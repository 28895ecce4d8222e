"""to_intervals: pairs the start and the end of each edge into one interval, which comes out when it is closed."""

from collections.abc import Sequence

from streaming.reference.flow import Flow, FreedFlows, Witness
from streaming.reference.held_edges import WaitingEdges
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick


class ToIntervals:
    """One to_intervals node.

    An interval is late_kept if its start was: while its edge is open no CTI passes the start, or the CTI that a late
    start met, so a late end comes in time for every window behind that takes the edge.
    """

    def __init__(self, node: str) -> None:
        self._edges = WaitingEdges(node)
        self._out = NO_CTI

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """Whole lifetimes pass at once; an edge is held until its end makes it whole."""
        del port
        whole = self._edges.whole(flow, witness)
        return () if whole is None else (whole,)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """Held to the oldest open start; at infinity open edges come out as `[start, infinity)`."""
        del port, witness
        flows = self._edges.never_closed() if cti == INFINITY else []
        self._out = max(self._out, min(cti, self._edges.oldest))
        return FreedFlows(flows, self._out, horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()
