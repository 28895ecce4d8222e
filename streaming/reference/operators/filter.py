"""filter: keeps the events for which `where` is true; null is not true. Lifetimes and CTIs pass unchanged."""

from dataclasses import dataclass

from streaming.definition.expressions.tree import Expression
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.flow import Flow, TraceRecorder
from streaming.temporal.ticks import Tick


@dataclass(frozen=True)
class FilterOperator:
    """One filter node. An edge end has the payload of its start, so both pass or neither does."""

    node: str
    where: Expression
    text: str

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the flow if `where` is true for its payload."""
        value = evaluate(self.where, flow.payload, lambda why: witness.failed(self.node, flow, "where", why))
        if value is True:
            return flow
        value_text = "null" if value is None else "false"
        witness.removed(self.node, flow, f"filter {self.node!r} removed it: {self.text} is {value_text}")
        return None

    def time(self, at: Tick) -> Tick:
        """Return the time unchanged."""
        return at
