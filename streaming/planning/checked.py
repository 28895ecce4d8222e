"""A graph without errors, and everything that its nodes depend on: schemas, settings, clocks, late events."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.checks.wiring import feeding
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import Expression
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.graph import (
    FilterNode,
    InputNode,
    ProjectNode,
    QueryGraph,
    ShiftNode,
    TopKNode,
    WindowNode,
    sources,
)
from streaming.definition.payload.types import Fields
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Late

_REFUSING: Final = (WindowNode, TopKNode, MatchRecognizeNode, AnalyticNode)
"""Nodes that decide about late_kept events and pass none on."""


@dataclass(frozen=True)
class CheckedGraph:
    """A graph without errors from `check`, the output fields of each node, and the settings of each input node."""

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    schemas: Mapping[str, Fields]
    advance: Mapping[str, AdvanceTime]

    def settings(self, node: str) -> AdvanceTime:
        """Return the settings of the input `node`; by default, late events are dropped, and CTIs must be explicit."""
        return self.advance.get(node, AdvanceTime())

    def inputs_of(self, node: str) -> list[InputNode]:
        """Return the inputs whose rows reach `node`."""
        near = feeding(self.graph, node)
        return [each for each in self.graph.nodes if isinstance(each, InputNode) and each.id in near]

    def one_clock(self, node: str) -> bool:
        """Return whether one clock applies to all events of `node`: one input with one lane and no substreams (T14)."""
        inputs = self.inputs_of(node)
        if len(inputs) != 1:
            return False
        lanes = self.streams[inputs[0].stream].lanes
        return (not lanes or len(lanes) == 1) and self.settings(inputs[0].id).over is None

    def is_table(self, node: str) -> bool:
        """Return whether the rows of `node` are versions of a table, perhaps after filters, projections and shifts."""
        by_id = {each.id: each for each in self.graph.nodes}
        found = by_id[node]
        while isinstance(found, FilterNode | ProjectNode | ShiftNode):
            found = by_id[found.input]
        return isinstance(found, InputNode) and self.streams[found.stream].shape is Shape.TABLE

    def keeps_late(self, node: str) -> bool:
        """Return whether a late_kept event may reach `node`; such events do not pass nodes that decide them."""
        near = {node}
        by_id = {each.id: each for each in self.graph.nodes}
        pending = [node]
        for name in pending:
            fresh = [source for source in sources(by_id[name]) if source not in near]
            near.update(fresh)
            pending.extend(each for each in fresh if not isinstance(by_id[each], _REFUSING))
        return any(self.advance[name].late is Late.KEEP for name in near if name in self.advance)


def expression(text: str, fields: Fields) -> Expression:
    """Return the typed tree of `text` over `fields`; `check` must have accepted it."""
    result = typed(parse(text), fields)
    if not isinstance(result, TypedExpression):
        raise TypeError(f"{text!r} has errors that check did not report: {result}")
    return result.expression
