"""Output timestamps: the lifetime with which a row leaves the query (T22)."""

from dataclasses import dataclass, replace

from streaming.definition.graph import OutputTimestamp
from streaming.reference.flow import Flow, FlowOperator, TraceRecorder
from streaming.reference.operators.lifetimes.point_at_end import PointAtEnd
from streaming.reference.operators.per_event import PerEvent
from streaming.temporal.ticks import ONE_TICK, Tick


@dataclass(frozen=True)
class OwnLifetime:
    """The row's own lifetime."""

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow:
        """Return the flow unchanged."""
        del witness
        return flow

    def time(self, at: Tick) -> Tick:
        """Return the time unchanged."""
        return at


@dataclass(frozen=True)
class LatestInput:
    """A point at the latest start among the events that made the row, but not before the row's own start."""

    node: str

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the point, for an edge when it opens: its end adds nothing."""
        if flow.closes:
            witness.removed(self.node, flow, f"{self.node!r} emits the latest start, which an edge end does not change")
            return None
        at = max(flow.stamp, flow.start)
        return replace(flow, start=at, end=Tick(at + ONE_TICK), opens=False)

    def time(self, at: Tick) -> Tick:
        """Return the time unchanged: no point is before the start of its row."""
        return at


def output_times(node: str, timestamp: OutputTimestamp) -> FlowOperator:
    """Return the operator that sets the lifetime of rows as `timestamp` specifies."""
    match timestamp:
        case "lifetime":
            return PerEvent(OwnLifetime())
        case "point_at_end":
            return PointAtEnd(node)
        case "latest_input":
            return PerEvent(LatestInput(node))
