"""project: replaces the payload by computed columns. Lifetimes and CTIs pass unchanged."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.expressions.tree import Expression
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.flow import Flow, TraceRecorder
from streaming.temporal.ticks import Tick


@dataclass(frozen=True)
class ProjectOperator:
    """One project node: `columns` by name, in order."""

    node: str
    columns: Mapping[str, Expression]

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow:
        """Return the flow with its new payload; a column that fails on it is null, and the witness records why (T5)."""
        return flow.with_payload({name: self._value(name, flow, witness) for name in self.columns})

    def _value(self, name: str, flow: Flow, witness: TraceRecorder) -> object:
        return evaluate(self.columns[name], flow.payload, lambda why: witness.failed(self.node, flow, name, why))

    def time(self, at: Tick) -> Tick:
        """Return the time unchanged."""
        return at
