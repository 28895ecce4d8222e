"""What builders of operators know: the checked graph, its schemas, and the settings of its inputs."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.expressions import Expression, Typed, parse, typed
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields
from streaming.definition.wiring import feeding
from streaming.temporal.settings import AdvanceTime
from streaming.wire.case import ONLY_LANE


@dataclass(frozen=True)
class Plan:
    """A graph without errors: the fields that leave each node, and the advance-time settings of each input node."""

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    schemas: Mapping[str, Fields]
    advance: Mapping[str, AdvanceTime]

    def one_clock(self, node: str) -> bool:
        """Whether all events of `node` were judged by one clock: one input with one lane and no substreams (T14)."""
        near = feeding(self.graph, node)
        inputs = [each for each in self.graph.nodes if isinstance(each, InputNode) and each.id in near]
        if len(inputs) != 1:
            return False
        settings = self.advance.get(inputs[0].id, AdvanceTime())
        return len(self.streams[inputs[0].stream].lanes or [ONLY_LANE]) == 1 and settings.over is None


def expression(text: str, fields: Fields) -> Expression:
    """The typed tree of `text`, in which `check` has found no fault."""
    found = typed(parse(text), fields)
    if not isinstance(found, Typed):
        raise TypeError(f"{text!r} has faults that check did not find: {found}")
    return found.expression
