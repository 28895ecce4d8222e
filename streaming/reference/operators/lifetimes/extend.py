"""extend: moves the end of every lifetime; an event that is then empty is removed."""

from collections.abc import Sequence
from dataclasses import dataclass

from streaming.reference.flow import Flow, FreedFlows, TraceRecorder
from streaming.reference.operators.lifetimes.held_edges import later
from streaming.reference.operators.lifetimes.to_intervals import ToIntervals
from streaming.reference.operators.per_event import PerEvent
from streaming.temporal.ticks import Tick, Ticks


@dataclass(frozen=True)
class ExtendRule:
    """The rule of an extend node. Edge starts pass unchanged, because the end of an open edge moves when it comes."""

    node: str
    by: Ticks

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the flow with its end moved by `by`; one that retracts an edge still does."""
        if flow.vanishes:
            return flow
        end = later(flow.end, self.by)
        if end <= flow.start:
            witness.removed(self.node, flow, f"extend {self.node!r} left nothing of its lifetime")
            return None
        return flow.lasting(flow.start, end)

    def time(self, at: Tick) -> Tick:
        """Return the time unchanged."""
        return at


class ShorteningRule:
    """An extend node with a negative `by`. An open edge may have no lifetime left, so it waits for its end."""

    def __init__(self, node: str, by: Ticks) -> None:
        self._intervals = ToIntervals(node)
        self._ends = PerEvent(ExtendRule(node, by))

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the completed lifetime with its end moved."""
        return self._moved(self._intervals.take(port, flow, witness), witness)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the CTI, at most the oldest open start; at infinity open edges leave as `[start, infinity)`."""
        advanced = self._intervals.advance(port, cti, horizon, witness)
        return FreedFlows(self._moved(advanced.flows, witness), advanced.cti, advanced.horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()

    def _moved(self, flows: Sequence[Flow], witness: TraceRecorder) -> list[Flow]:
        return [moved for flow in flows for moved in self._ends.take(0, flow, witness)]
