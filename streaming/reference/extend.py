"""extend: moves the end of every lifetime; what is then empty is removed."""

from collections.abc import Sequence
from dataclasses import dataclass

from streaming.reference.flow import Flow, FreedFlows, Witness
from streaming.reference.held_edges import later
from streaming.reference.per_event import PerEvent
from streaming.reference.to_intervals import ToIntervals
from streaming.temporal.ticks import Tick, Ticks


@dataclass(frozen=True)
class ExtendRule:
    """The rule of an extend node. Edge starts pass as they are, for the end of an open edge moves when it comes."""

    node: str
    by: Ticks

    def one(self, flow: Flow, witness: Witness) -> Flow | None:
        """The flow with its end moved by `by`; one that takes an edge back does so still."""
        if flow.vanishes:
            return flow
        end = later(flow.end, self.by)
        if end <= flow.start:
            witness.removed(self.node, flow, f"extend {self.node!r} left nothing of its lifetime")
            return None
        return flow.lasting(flow.start, end)

    def time(self, at: Tick) -> Tick:
        """Times pass as they are."""
        return at


class ShorteningRule:
    """An extend node with a negative `by`: an open edge may have no lifetime left, so it waits for its end."""

    def __init__(self, node: str, by: Ticks) -> None:
        self._intervals = ToIntervals(node)
        self._ends = PerEvent(ExtendRule(node, by))

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """The lifetime that the flow is or completes, with its end moved."""
        return self._moved(self._intervals.take(port, flow, witness), witness)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """Held to the oldest open start; at infinity open edges come out as `[start, infinity)`."""
        advanced = self._intervals.advance(port, cti, horizon, witness)
        return FreedFlows(self._moved(advanced.flows, witness), advanced.cti, advanced.horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()

    def _moved(self, flows: Sequence[Flow], witness: Witness) -> list[Flow]:
        return [moved for flow in flows for moved in self._ends.take(0, flow, witness)]
