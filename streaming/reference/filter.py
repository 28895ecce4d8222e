"""filter: keeps the events for which `where` is true; null is not true. Lifetimes and CTIs pass as they are."""

from dataclasses import dataclass

from streaming.definition.expressions.tree import Expression
from streaming.reference.expressions import evaluate
from streaming.reference.flow import Flow, Witness
from streaming.temporal.ticks import Tick


@dataclass(frozen=True)
class FilterOperator:
    """One filter node. An edge end has the payload of its start, so it shares its fate."""

    node: str
    where: Expression
    text: str

    def one(self, flow: Flow, witness: Witness) -> Flow | None:
        """The flow, if `where` is true for its payload."""
        value = evaluate(self.where, flow.payload, lambda why: witness.failed(self.node, flow, "where", why))
        if value is True:
            return flow
        said = "null" if value is None else "false"
        witness.removed(self.node, flow, f"filter {self.node!r} removed it: {self.text} is {said}")
        return None

    def time(self, at: Tick) -> Tick:
        """Times pass as they are."""
        return at
