"""What builders of operators know: the checked graph, its schemas, and the settings of its inputs."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.expressions import Expression, Typed, parse, typed
from streaming.definition.graph import QueryGraph
from streaming.definition.types import Fields
from streaming.temporal.settings import AdvanceTime


@dataclass(frozen=True)
class Plan:
    """A graph without errors: the fields that leave each node, and the advance-time settings of each input node."""

    graph: QueryGraph
    schemas: Mapping[str, Fields]
    advance: Mapping[str, AdvanceTime]


def expression(text: str, fields: Fields) -> Expression:
    """The typed tree of `text`, in which `check` has found no fault."""
    found = typed(parse(text), fields)
    if not isinstance(found, Typed):
        raise TypeError(f"{text!r} has faults that check did not find: {found}")
    return found.expression
