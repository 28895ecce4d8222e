"""Typing of single nodes of a checked graph: steps, which are stateless, and specs of stateful nodes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.analytic import AnalyticColumn, AnalyticNode
from streaming.definition.checks.late_events import grace_of
from streaming.definition.expressions.tree import Cast, Expression
from streaming.definition.graph import (
    Aggregate,
    AntiJoinNode,
    AsofJoinNode,
    ChopNode,
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
    StitchNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
)
from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.types import Fields, Type
from streaming.definition.rows import row_fields
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.windows import (
    FixedWindow,
)
from streaming.planning.checked import CheckedGraph, expression
from streaming.planning.columns import AggregateColumn, RowColumn, RowFrame, RowOrderBy
from streaming.planning.plan import (
    AnalyticSpec,
    ChopSpec,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    StitchSpec,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.planning.sequence_node import sequence_spec
from streaming.planning.steps import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.temporal.events import Shape
from streaming.temporal.ticks import parse_duration
from streaming.temporal.windows import HoppingWindows

Matching = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode


def typed_node(node: Node, graph: CheckedGraph) -> Step | NodeSpec:
    """Return the step or spec of `node`, which isn't an input."""
    return step_of(node, graph) if is_step(node) else spec_of(node, graph)


def folds(spec: WindowSpec, shape: Shape, steps: tuple[Step, ...]) -> bool:
    """Return whether the feed pre-aggregates rows of this shape for the window.

    That requires complete lifetimes, fixed windows, and aggregates that can be merged. After `set_duration`, no edge is
    open.
    """
    whole = shape not in (Shape.EDGE, Shape.TABLE) or any(isinstance(step, SetDurationStep) for step in steps)
    return whole and spec.fixed and all(AGGREGATES[each.function].partials is not None for each in spec.aggregates)


def is_step(node: Node) -> bool:
    """Return whether `node` is stateless and handles one event at a time."""
    if isinstance(node, ExtendNode):
        return parse_duration(node.by) >= 0
    return isinstance(node, FilterNode | ProjectNode | ShiftNode | SetDurationNode)


def step_of(node: Node, graph: CheckedGraph) -> Step:
    """Return the step for `node`."""
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
            raise TypeError(f"node {node.id!r} of kind {node.kind} is not a step")


def spec_of(node: Node, graph: CheckedGraph) -> NodeSpec:
    """Return the spec of `node`, which isn't a step."""
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
            raise TypeError(f"{node.id!r} has an invalid group in 'empty_groups' that check did not report: {values}")
        found.append(tuple(values[name] for name in node.group_by))
    return tuple(found)


def _aggregate(aggregate: Aggregate | AnalyticColumn, before: Fields, after: Fields) -> AggregateColumn:
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
    """Return the spec of a join; `where` reads the fields of the left, then those of the right that aren't keys."""
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
        versions=isinstance(node, AsofJoinNode) and graph.is_table(node.right),
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


def _chop(node: ChopNode, graph: CheckedGraph) -> ChopSpec:
    period, offset = parse_duration(node.period), parse_duration(node.offset)
    return ChopSpec(node.id, graph.schemas[node.id], HoppingWindows(period, period, offset))


def _stitch(node: StitchNode, graph: CheckedGraph) -> StitchSpec:
    return StitchSpec(node.id, graph.schemas[node.id])


def _analytic(node: AnalyticNode, graph: CheckedGraph) -> AnalyticSpec:
    before, after = graph.schemas[node.input], graph.schemas[node.id]
    visible = row_fields(before)
    order_by = ((expression(each.of, visible), each.descending) for each in node.order_by)
    return AnalyticSpec(
        node=node.id,
        before=before,
        group_by=tuple(node.group_by),
        order_by=tuple(RowOrderBy(of, of.type, descending) for of, descending in order_by),
        columns=tuple(_row_column(each, visible, after) for each in node.columns),
        fields=after,
        reach=None if node.reach is None else parse_duration(node.reach),
        grace=parse_duration(node.grace or 0),
    )


def _row_column(column: AnalyticColumn, before: Fields, after: Fields) -> RowColumn:
    frame = None
    if column.framed:
        frame = RowFrame(rows=False, preceding=None, following=0)
    if column.frame is not None:
        preceding, following = column.frame.preceding, column.frame.following
        frame = RowFrame(
            rows=column.frame.unit == "rows",
            preceding=None if preceding is None else parse_duration(preceding),
            following=parse_duration(following or 0),
        )
    value = _aggregate(column, before, after)
    if column.default is not None and value.of is not None:
        value = replace(value, of=_of_type(value.of, value.type), of_type=value.type)
    return RowColumn(
        value=value,
        frame=frame,
        offset=column.offset,
        default=None if column.default is None else _of_type(expression(column.default, before), after[column.name]),
        ignore_nulls=column.ignore_nulls,
        least=column.least,
        target=column.target or 0.0,
        drift=column.drift,
        threshold=column.threshold or 0.0,
    )


def _of_type(value: Expression, of: Type) -> Expression:
    return value if value.type == of else Cast(value, of, type=of)


def _output(node: OutputNode, graph: CheckedGraph) -> OutputSpec:
    return OutputSpec(node.id, graph.schemas[node.id], node.timestamp)


_SPECS: Final[Mapping[type[Any], Callable[[Any, CheckedGraph], NodeSpec]]] = {
    WindowNode: _window,
    TopKNode: _top_k,
    MatchRecognizeNode: sequence_spec,
    AnalyticNode: _analytic,
    JoinNode: _match,
    AntiJoinNode: _match,
    SemiJoinNode: _match,
    AsofJoinNode: _match,
    ClipNode: _clip,
    UnionNode: _union,
    PointAtEndNode: _lifetime,
    ToIntervalsNode: _lifetime,
    OrderEdgesNode: _lifetime,
    ChopNode: _chop,
    StitchNode: _stitch,
    ExtendNode: _shorten,
    OutputNode: _output,
}
