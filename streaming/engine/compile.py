"""From a checked query graph to a plan: where each input's rows go, typed, and what the engine cannot do."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.carried import not_carried
from streaming.definition.check import check
from streaming.definition.expressions import Expression, Typed, parse, typed
from streaming.definition.graph import (
    Aggregate,
    FilterNode,
    HoppingWindow,
    InputNode,
    Node,
    OutputNode,
    ProjectNode,
    QueryGraph,
    TumblingWindow,
    WindowNode,
)
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields, parse_fields
from streaming.engine.plan import (
    AggregateColumn,
    Branch,
    FilterStep,
    InputPlan,
    NotRunnable,
    Plan,
    ProjectStep,
    Step,
    WindowStage,
)
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import parse_duration
from streaming.temporal.windows import HoppingWindows


def compile_binding(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTime], buckets: int
) -> Plan:
    """The plan of `graph` over `streams` (by stream name); `advance` holds the settings that count, by input node id.

    An input without settings drops late events, and explicit CTIs alone move its time. `buckets` is a wish: chained
    windows need one bucket. Raises `NotRunnable` for definitions with faults, and for all that `not_carried` names.
    """
    checked = check(graph, streams)
    refusing = checked.errors or not_carried(graph, streams, advance)
    if refusing:
        raise NotRunnable(f"{refusing[0].message} {refusing[0].remedy}")
    compiler = _Compiler(graph, streams, checked.schemas)
    inputs = {node.id: compiler.input(node, advance) for node in graph.nodes if isinstance(node, InputNode)}
    chained = any(
        branch.window is not None and any(deeper.window is not None for deeper in branch.window.branches)
        for plan in inputs.values()
        for branch in plan.branches
    )
    return Plan(
        inputs=inputs,
        outputs={node.id: checked.schemas[node.id] for node in graph.nodes if isinstance(node, OutputNode)},
        output_input={output: plan.node for plan in inputs.values() for output in _outputs(plan.branches)},
        buckets=1 if chained else buckets,
    )


def _outputs(branches: tuple[Branch, ...]) -> list[str]:
    found = []
    for branch in branches:
        if branch.output is not None:
            found.append(branch.output)
        elif branch.window is not None:
            found.extend(_outputs(branch.window.branches))
    return found


@dataclass(frozen=True)
class _Compiler:
    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    schemas: Mapping[str, Fields]

    def input(self, node: InputNode, advance: Mapping[str, AdvanceTime]) -> InputPlan:
        stream = self.streams[node.stream]
        return InputPlan(
            node=node.id,
            shape=stream.shape,
            fields=parse_fields(stream.fields),
            advance=advance.get(node.id, AdvanceTime()),
            lanes=tuple(stream.lanes) if stream.lanes else None,
            branches=self.branches(node.id, (), self.schemas[node.id]),
        )

    def branches(self, source: str, steps: tuple[Step, ...], entering: Fields) -> tuple[Branch, ...]:
        """The branches that begin behind `source`, after `steps` that began with the schema `entering`."""
        found: list[Branch] = []
        for node in self.graph.nodes:
            if getattr(node, "input", None) != source:
                continue
            if isinstance(node, FilterNode | ProjectNode):
                found.extend(self.branches(node.id, (*steps, self.step(node, self.schemas[source])), entering))
            else:
                found.append(self.branch(node, steps, entering, self.schemas[source]))
        return tuple(found)

    def step(self, node: FilterNode | ProjectNode, fields: Fields) -> Step:
        if isinstance(node, FilterNode):
            return FilterStep(node.id, self.expression(node.where, fields))
        types = self.schemas[node.id]
        columns = ((column.name, self.expression(column.of, fields), types[column.name]) for column in node.columns)
        return ProjectStep(node.id, tuple(columns))

    def branch(self, node: Node, steps: tuple[Step, ...], entering: Fields, fields: Fields) -> Branch:
        if isinstance(node, OutputNode):
            return Branch(node.id, steps, entering, fields, output=node.id)
        if isinstance(node, WindowNode):
            return Branch(node.id, steps, entering, fields, window=self.window(node, fields))
        raise TypeError(f"node {node.id!r} of kind {node.kind} is not carried, and was not refused")

    def window(self, node: WindowNode, fields: Fields) -> WindowStage:
        schema = self.schemas[node.id]
        return WindowStage(
            node=node.id,
            windows=_windows(node),
            group_by=tuple(node.group_by),
            aggregates=tuple(self.aggregate(each, fields, schema) for each in node.aggregates),
            fields=schema,
            branches=self.branches(node.id, (), schema),
        )

    def aggregate(self, aggregate: Aggregate, fields: Fields, schema: Fields) -> AggregateColumn:
        of = None if aggregate.of is None else self.expression(aggregate.of, fields)
        return AggregateColumn(
            name=aggregate.name,
            function=aggregate.function,
            of=of,
            where=None if aggregate.filter is None else self.expression(aggregate.filter, fields),
            of_type=None if of is None else of.type,
            type=schema[aggregate.name],
        )

    def expression(self, text: str, fields: Fields) -> Expression:
        result = typed(parse(text), fields)
        if not isinstance(result, Typed):
            raise NotRunnable("; ".join(f"{fault.message}; {fault.remedy}" for fault in result))
        return result.expression


def _windows(node: WindowNode) -> HoppingWindows:
    match node.window:
        case TumblingWindow(size=size, offset=offset):
            return HoppingWindows(parse_duration(size), parse_duration(size), parse_duration(offset))
        case HoppingWindow(size=size, hop=hop, offset=offset):
            return HoppingWindows(parse_duration(size), parse_duration(hop), parse_duration(offset))
        case other:
            raise TypeError(f"windows of kind {other.kind} are not carried, and were not refused")
