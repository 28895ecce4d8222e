"""Events that no row contains so far, until one does or it is final that none will."""

from collections.abc import Callable
from dataclasses import dataclass, field

from streaming.reference.flow import Flow, FlowId, TraceRecorder


@dataclass
class UnusedFlows:
    """The flows of one port of `node` that are in no row, by event, each with the event as it is now known."""

    node: str
    events: dict[FlowId, tuple[Flow, list[Flow]]] = field(default_factory=dict)

    def keep(self, event: Flow, flow: Flow) -> None:
        """Add `flow`, which begins or ends `event`."""
        _, flows = self.events.get(event.id, (event, []))
        self.events[event.id] = (event, [*flows, flow])

    def use(self, event: FlowId) -> None:
        """Remove the event, because a row contains it."""
        self.events.pop(event, None)

    def report(self, final: Callable[[Flow], bool], why: str, witness: TraceRecorder) -> None:
        """Report `removed` for the events for which it is `final` that no row will contain them."""
        for event, flows in list(self.events.values()):
            if final(event):
                del self.events[event.id]
                for flow in flows:
                    began = not flows[0].closes
                    witness.removed(self.node, flow, why if began else self._end_only())

    def _end_only(self) -> str:
        return f"it ended an event, but {self.node!r} had no row of that event left to end"
