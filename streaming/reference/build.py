"""From a graph that has no faults to its operators."""

from collections.abc import Mapping

from streaming.definition.check import check
from streaming.definition.expressions import Expression, Typed, parse, typed
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import (
    Aggregate,
    FilterNode,
    HoppingWindow,
    Node,
    OutputNode,
    ProjectNode,
    QueryGraph,
    TumblingWindow,
    WindowNode,
)
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields
from streaming.reference.aggregates import AggregateColumn
from streaming.reference.filter import Filter
from streaming.reference.flow import Operator
from streaming.reference.output import Output
from streaming.reference.project import Project
from streaming.reference.window import Window
from streaming.temporal.ticks import parse_duration
from streaming.temporal.windows import HoppingWindows


class Refused(ValueError):
    """The definition has faults, all of them in `faults`; mend those before running it."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{fault.node}: {fault.message} {fault.remedy}" for fault in faults))
        self.faults = faults


def build(graph: QueryGraph, streams: Mapping[str, StreamDefinition]) -> dict[str, Operator]:
    """An operator for each node but the inputs, by id. Raises `Refused` when `check` finds an error."""
    checked = check(graph, streams)
    errors = tuple(fault for fault in checked.faults if fault.severity is Severity.ERROR)
    if errors:
        raise Refused(errors)
    built = ((node.id, _operator(node, checked.schemas)) for node in graph.nodes)
    return {node: operator for node, operator in built if operator is not None}


def _operator(node: Node, schemas: Mapping[str, Fields]) -> Operator | None:
    if isinstance(node, FilterNode):
        return Filter(node.id, expression(node.where, schemas[node.input]), node.where)
    if isinstance(node, ProjectNode):
        before = schemas[node.input]
        return Project(node.id, {column.name: expression(column.of, before) for column in node.columns})
    if isinstance(node, WindowNode):
        columns = [_column(aggregate, schemas[node.input], schemas[node.id]) for aggregate in node.aggregates]
        return Window(node.id, hopping_windows(node.window), node.group_by, columns)
    if isinstance(node, OutputNode):
        return Output(node.id)
    return None


def _column(aggregate: Aggregate, before: Fields, after: Fields) -> AggregateColumn:
    return AggregateColumn(
        name=aggregate.name,
        function=aggregate.function,
        of=None if aggregate.of is None else expression(aggregate.of, before),
        where=None if aggregate.filter is None else expression(aggregate.filter, before),
        type=after[aggregate.name],
    )


def expression(text: str, fields: Fields) -> Expression:
    """The typed tree of `text`, in which `check` has found no fault."""
    found = typed(parse(text), fields)
    if not isinstance(found, Typed):
        raise TypeError(f"{text!r} has faults that check did not find: {found}")
    return found.expression


def hopping_windows(window: TumblingWindow | HoppingWindow) -> HoppingWindows:
    """The windows of a definition; tumbling ones hop by their size."""
    size = parse_duration(window.size)
    hop = parse_duration(window.hop) if isinstance(window, HoppingWindow) else size
    return HoppingWindows(size, hop, parse_duration(window.offset))
