"""From single nodes of a graph to steps of the feed and to specs of kernels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from streaming.definition.expressions import Expression, Typed, parse, typed
from streaming.definition.graph import (
    Aggregate,
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    CountWindow,
    ExtendNode,
    FilterNode,
    InputNode,
    JoinNode,
    Node,
    OrderEdgesNode,
    OutputNode,
    PointAtEndNode,
    ProjectNode,
    QueryGraph,
    SemiJoinNode,
    SessionWindow,
    SetDurationNode,
    ShiftNode,
    SnapshotWindow,
    TimeIntervalWindow,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
    sources,
)
from streaming.definition.late_checks import default_grace
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields
from streaming.definition.window_checks import hopping_windows
from streaming.definition.wiring import feeding
from streaming.engine.aggregates import MERGEABLE
from streaming.engine.plan import (
    AggregateColumn,
    CountPanes,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    NotRunnable,
    OutputSpec,
    PaneKind,
    SessionPanes,
    SnapshotPanes,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.engine.step_specs import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import parse_duration
from streaming.wire.case import ONLY_LANE

Matching = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode


@dataclass(frozen=True)
class Compiled:
    """What is known of a definition without faults while it is compiled; `advance` is by input node id."""

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    schemas: Mapping[str, Fields]
    advance: Mapping[str, AdvanceTime]

    def typed(self, text: str, fields: Fields) -> Typed:
        """The typed expression `text` over `fields`."""
        result = typed(parse(text), fields)
        if not isinstance(result, Typed):
            raise NotRunnable("; ".join(f"{fault.message}; {fault.remedy}" for fault in result))
        return result

    def expression(self, text: str, fields: Fields) -> Expression:
        """The typed tree of `text` over `fields`."""
        return self.typed(text, fields).expression

    def inputs_of(self, node: str) -> list[InputNode]:
        """The inputs whose rows reach `node`."""
        near = feeding(self.graph, node)
        return [each for each in self.graph.nodes if isinstance(each, InputNode) and each.id in near]

    def one_clock(self, node: str) -> bool:
        """Whether all events of `node` were judged by one clock: one input with one lane and no substreams (T14)."""
        inputs = self.inputs_of(node)
        if len(inputs) != 1:
            return False
        settings = self.advance.get(inputs[0].id, AdvanceTime())
        return len(self.streams[inputs[0].stream].lanes or [ONLY_LANE]) == 1 and settings.over is None

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

    def folds(self, spec: WindowSpec, shape: Shape, steps: tuple[Step, ...]) -> bool:
        """Whether the feed folds rows of this shape for the window: whole lifetimes, fixed windows, what can be merged.

        Behind `set_duration` no edge is open.
        """
        whole = shape is not Shape.EDGE or any(isinstance(step, SetDurationStep) for step in steps)
        return whole and spec.fixed and all(each.function in MERGEABLE for each in spec.aggregates)


def is_step(node: Node) -> bool:
    """Whether `node` looks at one event at a time and remembers nothing."""
    if isinstance(node, ExtendNode):
        return parse_duration(node.by) >= 0
    return isinstance(node, FilterNode | ProjectNode | ShiftNode | SetDurationNode)


def step_of(node: Node, known: Compiled) -> Step:
    """The step that `node` is."""
    match node:
        case FilterNode():
            return FilterStep(node.id, known.expression(node.where, known.schemas[node.input]))
        case ProjectNode():
            before, types = known.schemas[node.input], known.schemas[node.id]
            columns = ((each.name, known.expression(each.of, before), types[each.name]) for each in node.columns)
            return ProjectStep(node.id, tuple(columns))
        case ShiftNode():
            return ShiftStep(node.id, parse_duration(node.by))
        case SetDurationNode():
            if node.expression is not None:
                return SetDurationStep(node.id, known.expression(node.expression, known.schemas[node.input]))
            return SetDurationStep(node.id, parse_duration(node.duration or 0))
        case ExtendNode():
            return ExtendStep(node.id, parse_duration(node.by))
        case _:
            raise TypeError(f"node {node.id!r} of kind {node.kind} is no step")


def spec_of(node: Node, known: Compiled) -> NodeSpec:
    """The spec of the kernel that `node` is."""
    return _SPECS[type(node)](node, known)


def _window(node: WindowNode, known: Compiled) -> WindowSpec:
    before, after = known.schemas[node.input], known.schemas[node.id]
    filled = node.empty_gap is not None and not isinstance(node.window, SessionWindow | SnapshotWindow | CountWindow)
    return WindowSpec(
        node=node.id,
        panes=_panes(node),
        grace=_grace(node, known),
        one_clock=known.one_clock(node.id),
        group_by=tuple(node.group_by),
        aggregates=tuple(_aggregate(each, before, after, known) for each in node.aggregates),
        fields=after,
        emit=node.emit,
        retract=node.retract,
        fill_gap=parse_duration(node.empty_gap) if filled and node.empty_gap is not None else None,
        fill_groups=_fill_groups(node, after) if filled else (),
    )


def _panes(node: WindowNode | TopKNode) -> PaneKind:
    match node.window:
        case SessionWindow(gap=gap, max=longest):
            return SessionPanes(parse_duration(gap), None if longest is None else parse_duration(longest))
        case SnapshotWindow():
            return SnapshotPanes()
        case CountWindow(n=n):
            return CountPanes(n)
        case _:
            return hopping_windows(node)


def _grace(node: WindowNode | TopKNode, known: Compiled) -> int:
    """What the node says, else the longest default among the inputs that reach it (T19)."""
    if isinstance(node.window, TimeIntervalWindow):
        return parse_duration(node.window.discard_age)
    if isinstance(node, WindowNode) and node.grace is not None:
        return parse_duration(node.grace)
    return default_grace(known.graph, known.advance, node.id)


def _fill_groups(node: WindowNode, fields: Fields) -> tuple[tuple[object, ...], ...]:
    grouped = {name: fields[name] for name in node.group_by}
    found = []
    for group in [{}] if node.empty_groups is None else node.empty_groups:
        values = read_payload(group, grouped)
        if isinstance(values, BadPayload):
            raise NotRunnable(f"{node.id!r} fills a group that cannot be: {values.message}")
        found.append(tuple(values[name] for name in node.group_by))
    return tuple(found)


def _aggregate(aggregate: Aggregate, before: Fields, after: Fields, known: Compiled) -> AggregateColumn:
    of = None if aggregate.of is None else known.expression(aggregate.of, before)
    return AggregateColumn(
        name=aggregate.name,
        function=aggregate.function,
        of=of,
        where=None if aggregate.filter is None else known.expression(aggregate.filter, before),
        of_type=None if of is None else of.type,
        type=after[aggregate.name],
        k=aggregate.k,
        fraction=None if aggregate.fraction is None else Fraction(str(aggregate.fraction)),
    )


def _top_k(node: TopKNode, known: Compiled) -> TopKSpec:
    by = known.expression(node.by, known.schemas[node.input])
    return TopKSpec(
        node=node.id,
        panes=_panes(node),
        grace=_grace(node, known),
        one_clock=known.one_clock(node.id),
        group_by=tuple(node.group_by),
        by=by,
        by_type=by.type,
        k=node.k,
        fields=known.schemas[node.id],
    )


def _match(node: Matching, known: Compiled) -> MatchSpec:
    """`where` sees the fields of the left, then those of the right that are no keys."""
    left, right = known.schemas[node.left], known.schemas[node.right]
    added = {name: of for name, of in right.items() if name not in node.keys}
    where = None if isinstance(node, AsofJoinNode) else node.where
    return MatchSpec(
        node=node.id,
        kind=node.kind,
        keys=tuple(node.keys),
        where=None if where is None else known.expression(where, {**left, **added}),
        outer=isinstance(node, JoinNode | AsofJoinNode) and node.type == "left_outer",
        left=left,
        right=right,
        added=tuple(added),
        fields=known.schemas[node.id],
        forgets=not known.keeps_late(node.id),
    )


def _clip(node: ClipNode, known: Compiled) -> MatchSpec:
    return MatchSpec(
        node=node.id,
        kind=node.kind,
        keys=tuple(node.keys),
        where=None,
        outer=False,
        left=known.schemas[node.input],
        right=known.schemas[node.by],
        added=(),
        fields=known.schemas[node.id],
        forgets=not known.keeps_late(node.id),
    )


def _union(node: UnionNode, known: Compiled) -> UnionSpec:
    return UnionSpec(node.id, known.schemas[node.id])


def _lifetime(node: PointAtEndNode | ToIntervalsNode | OrderEdgesNode, known: Compiled) -> LifetimeSpec:
    return LifetimeSpec(node.id, node.kind, known.schemas[node.id])


def _shorten(node: ExtendNode, known: Compiled) -> LifetimeSpec:
    return LifetimeSpec(node.id, "shorten", known.schemas[node.id], parse_duration(node.by))


def _output(node: OutputNode, known: Compiled) -> OutputSpec:
    return OutputSpec(node.id, known.schemas[node.id], node.timestamp)


_SPECS: Final[Mapping[type[Any], Callable[[Any, Compiled], NodeSpec]]] = {
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
