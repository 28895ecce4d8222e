"""Output timestamps: with which lifetime a row leaves the query (T22)."""

from dataclasses import dataclass, replace

from streaming.definition.graph import OutputTimestamp
from streaming.reference.flow import Flow, FlowOperator, Witness
from streaming.reference.per_event import PerEvent
from streaming.reference.point_at_end import PointAtEnd
from streaming.temporal.ticks import ONE_TICK, Tick


@dataclass(frozen=True)
class OwnLifetime:
    """The row's own lifetime."""

    def one(self, flow: Flow, witness: Witness) -> Flow:
        """The flow as it is."""
        del witness
        return flow

    def time(self, at: Tick) -> Tick:
        """Times pass as they are."""
        return at


@dataclass(frozen=True)
class LatestInput:
    """A point at the latest start among the events that made the row, but not before the row's own start."""

    node: str

    def one(self, flow: Flow, witness: Witness) -> Flow | None:
        """The point, of an edge when it opens: its end says nothing new."""
        if flow.closes:
            witness.removed(self.node, flow, f"{self.node!r} gives the latest start, and an edge end brings none")
            return None
        at = max(flow.stamp, flow.start)
        return replace(flow, start=at, end=Tick(at + ONE_TICK), opens=False)

    def time(self, at: Tick) -> Tick:
        """Times pass as they are: no point is before the start of its row."""
        return at


def output_times(node: str, timestamp: OutputTimestamp) -> FlowOperator:
    """The operator that gives rows the lifetime that `timestamp` names."""
    match timestamp:
        case "lifetime":
            return PerEvent(OwnLifetime())
        case "point_at_end":
            return PointAtEnd(node)
        case "latest_input":
            return PerEvent(LatestInput(node))
