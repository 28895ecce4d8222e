"""From single nodes of a checked graph to typed ones: steps, which remember nothing, and specs of what remembers."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.graph import (
    Aggregate,
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    ExtendNode,
    FilterNode,
    JoinNode,
    Node,
    OrderEdgesNode,
    OutputNode,
    PointAtEndNode,
    ProjectNode,
    SemiJoinNode,
    SetDurationNode,
    ShiftNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
)
from streaming.definition.late_checks import grace_of
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.types import Fields
from streaming.definition.windows import (
    FixedWindow,
)
from streaming.planning.checked import CheckedGraph, expression
from streaming.planning.plan import (
    AggregateColumn,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.planning.steps import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.temporal.events import Shape
from streaming.temporal.ticks import parse_duration

Matching = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode


def typed_node(node: Node, graph: CheckedGraph) -> Step | NodeSpec:
    """What `node`, which is no input, does: a step or a spec."""
    return step_of(node, graph) if is_step(node) else spec_of(node, graph)


def folds(spec: WindowSpec, shape: Shape, steps: tuple[Step, ...]) -> bool:
    """Whether the feed folds rows of this shape for the window: whole lifetimes, fixed windows, what can be merged.

    Behind `set_duration` no edge is open.
    """
    whole = shape is not Shape.EDGE or any(isinstance(step, SetDurationStep) for step in steps)
    return whole and spec.fixed and all(AGGREGATES[each.function].partials is not None for each in spec.aggregates)


def is_step(node: Node) -> bool:
    """Whether `node` looks at one event at a time and remembers nothing."""
    if isinstance(node, ExtendNode):
        return parse_duration(node.by) >= 0
    return isinstance(node, FilterNode | ProjectNode | ShiftNode | SetDurationNode)


def step_of(node: Node, graph: CheckedGraph) -> Step:
    """The step that `node` is."""
    match node:
        case FilterNode():
            return FilterStep(node.id, expression(node.where, graph.schemas[node.input]))
        case ProjectNode():
            before, types = graph.schemas[node.input], graph.schemas[node.id]
            columns = ((each.name, expression(each.of, before), types[each.name]) for each in node.columns)
            return ProjectStep(node.id, tuple(columns))
        case ShiftNode():
            return ShiftStep(node.id, parse_duration(node.by))
        case SetDurationNode():
            if node.expression is not None:
                return SetDurationStep(node.id, expression(node.expression, graph.schemas[node.input]))
            return SetDurationStep(node.id, parse_duration(node.duration or 0))
        case ExtendNode():
            return ExtendStep(node.id, parse_duration(node.by))
        case _:
            raise TypeError(f"node {node.id!r} of kind {node.kind} is no step")


def spec_of(node: Node, graph: CheckedGraph) -> NodeSpec:
    """The spec of what `node`, which is no step, remembers and gives."""
    return _SPECS[type(node)](node, graph)


def _window(node: WindowNode, graph: CheckedGraph) -> WindowSpec:
    before, after = graph.schemas[node.input], graph.schemas[node.id]
    filled = node.empty_gap is not None and isinstance(node.window, FixedWindow)
    return WindowSpec(
        node=node.id,
        panes=node.window.panes(),
        grace=grace_of(node, graph.graph, graph.advance),
        one_clock=graph.one_clock(node.id),
        group_by=tuple(node.group_by),
        aggregates=tuple(_aggregate(each, before, after) for each in node.aggregates),
        fields=after,
        emit=node.emit,
        retract=node.retract,
        fill_gap=parse_duration(node.empty_gap) if filled and node.empty_gap is not None else None,
        fill_groups=_fill_groups(node, after) if filled else (),
    )


def _fill_groups(node: WindowNode, fields: Fields) -> tuple[tuple[object, ...], ...]:
    grouped = {name: fields[name] for name in node.group_by}
    found = []
    for group in [{}] if node.empty_groups is None else node.empty_groups:
        values = read_payload(group, grouped)
        if isinstance(values, BadPayload):
            raise TypeError(f"{node.id!r} fills a group that cannot be, which check did not find: {values}")
        found.append(tuple(values[name] for name in node.group_by))
    return tuple(found)


def _aggregate(aggregate: Aggregate, before: Fields, after: Fields) -> AggregateColumn:
    of = None if aggregate.of is None else expression(aggregate.of, before)
    return AggregateColumn(
        name=aggregate.name,
        function=aggregate.function,
        of=of,
        where=None if aggregate.filter is None else expression(aggregate.filter, before),
        of_type=None if of is None else of.type,
        type=after[aggregate.name],
        k=aggregate.k,
        fraction=None if aggregate.fraction is None else Fraction(str(aggregate.fraction)),
    )


def _top_k(node: TopKNode, graph: CheckedGraph) -> TopKSpec:
    by = expression(node.by, graph.schemas[node.input])
    return TopKSpec(
        node=node.id,
        panes=node.window.panes(),
        grace=grace_of(node, graph.graph, graph.advance),
        one_clock=graph.one_clock(node.id),
        group_by=tuple(node.group_by),
        by=by,
        by_type=by.type,
        k=node.k,
        fields=graph.schemas[node.id],
    )


def _match(node: Matching, graph: CheckedGraph) -> MatchSpec:
    """`where` sees the fields of the left, then those of the right that are no keys."""
    left, right = graph.schemas[node.left], graph.schemas[node.right]
    added = {name: of for name, of in right.items() if name not in node.keys}
    where = None if isinstance(node, AsofJoinNode) else node.where
    return MatchSpec(
        node=node.id,
        kind=node.kind,
        keys=tuple(node.keys),
        where=None if where is None else expression(where, {**left, **added}),
        outer=isinstance(node, JoinNode | AsofJoinNode) and node.type == "left_outer",
        left=left,
        right=right,
        added=tuple(added),
        fields=graph.schemas[node.id],
        forgets=not graph.keeps_late(node.id),
    )


def _clip(node: ClipNode, graph: CheckedGraph) -> MatchSpec:
    return MatchSpec(
        node=node.id,
        kind=node.kind,
        keys=tuple(node.keys),
        where=None,
        outer=False,
        left=graph.schemas[node.input],
        right=graph.schemas[node.by],
        added=(),
        fields=graph.schemas[node.id],
        forgets=not graph.keeps_late(node.id),
    )


def _union(node: UnionNode, graph: CheckedGraph) -> UnionSpec:
    return UnionSpec(node.id, graph.schemas[node.id])


def _lifetime(node: PointAtEndNode | ToIntervalsNode | OrderEdgesNode, graph: CheckedGraph) -> LifetimeSpec:
    return LifetimeSpec(node.id, node.kind, graph.schemas[node.id])


def _shorten(node: ExtendNode, graph: CheckedGraph) -> LifetimeSpec:
    return LifetimeSpec(node.id, "shorten", graph.schemas[node.id], parse_duration(node.by))


def _output(node: OutputNode, graph: CheckedGraph) -> OutputSpec:
    return OutputSpec(node.id, graph.schemas[node.id], node.timestamp)


_SPECS: Final[Mapping[type[Any], Callable[[Any, CheckedGraph], NodeSpec]]] = {
    WindowNode: _window,
    TopKNode: _top_k,
    JoinNode: _match,
    AntiJoinNode: _match,
    SemiJoinNode: _match,
    AsofJoinNode: _match,
    ClipNode: _clip,
    UnionNode: _union,
    PointAtEndNode: _lifetime,
    ToIntervalsNode: _lifetime,
    OrderEdgesNode: _lifetime,
    ExtendNode: _shorten,
    OutputNode: _output,
}
