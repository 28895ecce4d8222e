"""set_duration: `[start, start + duration)` for every event. Only starts are read, so edge ends disappear."""

from dataclasses import dataclass, replace
from typing import Any

from streaming.definition.counts import counted
from streaming.definition.expressions.tree import Expression
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.flow import Flow, TraceRecorder
from streaming.reference.operators.lifetimes.held_edges import later
from streaming.temporal.ticks import Tick, Ticks


@dataclass(frozen=True)
class SetDuration:
    """One set_duration node: `duration` is constant, or computed from the payload of each event."""

    node: str
    duration: Ticks | Expression

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the event with its new lifetime at once, edge starts too.

        Remove it if that is zero, negative or null.
        """
        if flow.closes:
            why = f"set_duration {self.node!r} reads starts only: edge ends disappear"
            witness.removed(self.node, flow, why)
            return None
        length = self._length(flow, witness)
        if length is None or length <= 0:
            duration_text = "null" if length is None else counted(length, "tick")
            witness.removed(self.node, flow, f"set_duration {self.node!r} removed it: its duration is {duration_text}")
            return None
        return replace(flow, end=later(flow.start, length), opens=False)

    def time(self, at: Tick) -> Tick:
        """Return the time unchanged."""
        return at

    def _length(self, flow: Flow, witness: TraceRecorder) -> Any:
        if isinstance(self.duration, int):
            return self.duration
        return evaluate(self.duration, flow.payload, lambda why: witness.failed(self.node, flow, "expression", why))
