"""A graph without faults, and what its nodes hang on: schemas, settings, clocks, what late events may reach."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import Expression
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.graph import InputNode, QueryGraph, TopKNode, WindowNode, sources
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields
from streaming.definition.wiring import feeding
from streaming.temporal.settings import AdvanceTime, Late


@dataclass(frozen=True)
class CheckedGraph:
    """A graph in which `check` finds no error: the fields that leave each node, and the settings of each input node."""

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    schemas: Mapping[str, Fields]
    advance: Mapping[str, AdvanceTime]

    def settings(self, node: str) -> AdvanceTime:
        """Those of the input `node`; one that has none drops late events, and explicit CTIs alone move its time."""
        return self.advance.get(node, AdvanceTime())

    def inputs_of(self, node: str) -> list[InputNode]:
        """The inputs whose rows reach `node`."""
        near = feeding(self.graph, node)
        return [each for each in self.graph.nodes if isinstance(each, InputNode) and each.id in near]

    def one_clock(self, node: str) -> bool:
        """Whether all events of `node` were judged by one clock: one input with one lane and no substreams (T14)."""
        inputs = self.inputs_of(node)
        if len(inputs) != 1:
            return False
        lanes = self.streams[inputs[0].stream].lanes
        return (not lanes or len(lanes) == 1) and self.settings(inputs[0].id).over is None

    def keeps_late(self, node: str) -> bool:
        """Whether a late_kept event may reach `node`: windows and top_k let none through."""
        near = {node}
        by_id = {each.id: each for each in self.graph.nodes}
        pending = [node]
        for name in pending:
            found = [source for source in sources(by_id[name]) if source not in near]
            near.update(found)
            pending.extend(each for each in found if not isinstance(by_id[each], WindowNode | TopKNode))
        return any(self.advance[name].late is Late.KEEP for name in near if name in self.advance)


def expression(text: str, fields: Fields) -> Expression:
    """The typed tree of `text` over `fields`, in which `check` has found no fault."""
    found = typed(parse(text), fields)
    if not isinstance(found, TypedExpression):
        raise TypeError(f"{text!r} has faults that check did not find: {found}")
    return found.expression
