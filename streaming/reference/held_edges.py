"""The edges of a node that waits for their ends, and the whole lifetimes that starts and ends make together."""

from dataclasses import dataclass, field, replace

from streaming.reference.flow import VANISHED, Flow, FlowId, Witness
from streaming.reference.value_order import sort_key
from streaming.temporal.ticks import INFINITY, LAST_TICK, Tick


def later(at: Tick, by: int) -> Tick:
    """The end `at` moved by `by`: not beyond the last tick that an end may have (T1); INFINITY stays."""
    return INFINITY if at == INFINITY else Tick(min(at + by, LAST_TICK + 1))


@dataclass
class WaitingEdges:
    """The edges of `node` whose ends have not come, by id."""

    node: str
    held: dict[FlowId, Flow] = field(default_factory=dict)

    def whole(self, flow: Flow, witness: Witness) -> Flow | None:
        """The lifetime that `flow` is or completes; None while its edge is open, and for an edge that vanished."""
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
        """The earliest start of an edge that is held, of a late_kept one the CTI that it met; INFINITY for none."""
        return min((flow.held_to(flow.start) for flow in self.held.values()), default=INFINITY)

    def never_closed(self) -> list[Flow]:
        """At infinity: all that is still held, in order, open as it is; nothing is held any more.

        An edge that is open at infinity is no interval without an end: windows over it stop at the horizon (T4).
        """
        flows = sorted(self.held.values(), key=lambda flow: (flow.start, sort_key(flow.payload)))
        self.held.clear()
        return [replace(flow, never_closes=True) for flow in flows]
