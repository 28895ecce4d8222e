"""The edges of a node that waits for their ends, and the lifetimes that starts and ends form together."""

from dataclasses import dataclass, field, replace

from streaming.reference.flow import VANISHED, Flow, FlowId, TraceRecorder
from streaming.temporal.ticks import INFINITY, LAST_TICK, Tick
from streaming.temporal.value_order import sort_key


def later(at: Tick, by: int) -> Tick:
    """Move the end `at` by `by`, at most to the last tick that an end may have (T1); INFINITY stays."""
    return INFINITY if at == INFINITY else Tick(min(at + by, LAST_TICK + 1))


@dataclass
class WaitingEdges:
    """The edges of `node` whose ends have not arrived, by id."""

    node: str
    held: dict[FlowId, Flow] = field(default_factory=dict)

    def whole(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the complete lifetime of `flow`; None while its edge is open, and for an edge that vanished."""
        if flow.opens:
            self.held[flow.id] = flow
            return None
        if not flow.closes:
            return flow
        opened = self.held.pop(flow.id)
        if not flow.vanishes:
            return opened.closed_by(flow)
        witness.removed(self.node, opened, VANISHED)
        witness.removed(self.node, flow, VANISHED)
        return None

    @property
    def oldest(self) -> Tick:
        """Return the earliest start of a waiting edge (of a late_kept one the CTI that it met).

        INFINITY if none waits.
        """
        return min((flow.held_to(flow.start) for flow in self.held.values()), default=INFINITY)

    def never_closed(self) -> list[Flow]:
        """At infinity, remove and return all waiting edges in order, still open.

        An edge that is open at infinity is not an interval without an end: windows over it stop at the horizon (T4).
        """
        flows = sorted(self.held.values(), key=lambda flow: (flow.start, sort_key(flow.payload)))
        self.held.clear()
        return [replace(flow, never_closes=True) for flow in flows]
