"""Compilation of a checked query graph into a typed plan, with the path of each input's rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from streaming.definition.checks.wiring import order
from streaming.definition.graph import InputNode, Node, OutputNode, QueryGraph, sources
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.planning.checked import CheckedGraph, expression
from streaming.planning.nodes import folds, is_step, spec_of, step_of
from streaming.planning.plan import (
    Branch,
    InputPlan,
    NodePlan,
    NotRunnable,
    QueryPlan,
    TopKSpec,
    WindowSpec,
    Wire,
    tells_complete,
)
from streaming.planning.stages import staged
from streaming.planning.steps import FilterStep, LookStep, ProjectStep, SetDurationStep, Step
from streaming.planning.validity import InvalidDefinition, checked_graph
from streaming.planning.watched import watch_longer, watches
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Late


def compile_binding(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTime],
    buckets: int,
    stages: int = 1,
) -> QueryPlan:
    """Return the plan of `graph` over `streams` (by stream name); `advance` are the settings in force by input node id.

    An input without settings drops late events, and only explicit CTIs advance its time. `buckets` is the preferred
    number: without a common key, one bucket is used, or two stages if `stages` is 2. Raises `NotRunnable` for
    definitions with errors.
    """
    try:
        checked = checked_graph(graph, streams, advance)
    except InvalidDefinition as error:
        raise NotRunnable(f"{error.faults[0].message} {error.faults[0].remedy}") from error
    return compile_checked(checked, buckets, stages)


def compile_checked(checked: CheckedGraph, buckets: int, stages: int = 1) -> QueryPlan:
    """Return the plan of a graph that is already checked; see `compile_binding`."""
    return staged(_Compiler(checked).plan(), buckets, stages)


@dataclass(frozen=True)
class _PlannedWay:
    """The path from a port back to an input or a stateful node, and the steps after that node."""

    source: Node
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class _Compiler:
    """`counting` are the nodes whose steps already count failures on one path."""

    checked: CheckedGraph
    counting: set[str] = field(default_factory=set)

    def plan(self) -> QueryPlan:
        by_id = {node.id: node for node in self.checked.graph.nodes}
        placed, _ = order(by_id)
        nodes: list[NodePlan] = []
        branches: dict[str, list[Branch]] = {}
        for node in (by_id[name] for name in placed):
            if not isinstance(node, InputNode) and not is_step(node):
                compiled, of_inputs = self._node(node, by_id)
                nodes.append(compiled)
                for input_id, branch in of_inputs:
                    branches.setdefault(input_id, []).append(branch)
        every = [node for node in by_id.values() if isinstance(node, InputNode)]
        inputs = {node.id: self._input(node, branches.get(node.id, [])) for node in every}
        plan = QueryPlan(
            inputs=inputs,
            nodes=tuple(nodes),
            outputs={node.id: self.checked.schemas[node.id] for node in by_id.values() if isinstance(node, OutputNode)},
            buckets=1,
            stamps=self._stamps,
            together=any(self._together(node) for node in every),
        )
        return self._watching(plan)

    @property
    def _stamps(self) -> bool:
        outputs = (node for node in self.checked.graph.nodes if isinstance(node, OutputNode))
        return any(node.timestamp == "latest_input" for node in outputs)

    def _node(self, node: Node, by_id: Mapping[str, Node]) -> tuple[NodePlan, list[tuple[str, Branch]]]:
        """Return the planned node, and the branches of inputs that end at it."""
        spec = spec_of(node, self.checked)
        ways = [self._way(by_id[source], by_id) for source in sources(node)]
        if isinstance(spec, WindowSpec) and not self._stamps:
            spec = replace(spec, folded=self._folds(spec, ways[0]))
        folded = isinstance(spec, WindowSpec) and spec.folded
        if isinstance(spec, WindowSpec | TopKSpec) and spec.operands and not folded:
            ways = [replace(ways[0], steps=(*ways[0].steps, LookStep(node.id, spec.operands)))]
        wires, of_inputs = [], []
        for port, (way, source) in enumerate(zip(ways, sources(node), strict=True)):
            fields = self.checked.schemas[source]
            if not isinstance(way.source, InputNode):
                wires.append(Wire(way.source.id, way.steps, fields))
                continue
            window = spec if isinstance(spec, WindowSpec) and folded else None
            branch = Branch(f"{node.id}#{port}", way.steps, self.checked.schemas[way.source.id], fields, window)
            wires.append(Wire(branch.id, (), fields))
            of_inputs.append((way.source.id, branch))
        return NodePlan(spec, tuple(wires)), of_inputs

    def _way(self, node: Node, by_id: Mapping[str, Node]) -> _PlannedWay:
        steps: list[Step] = []
        while is_step(node):
            step = step_of(node, self.checked)
            if isinstance(step, FilterStep | ProjectStep | SetDurationStep):
                step = replace(step, counted=node.id not in self.counting)
                self.counting.add(node.id)
            steps.insert(0, step)
            node = by_id[sources(node)[0]]
        return _PlannedWay(node, tuple(steps))

    def _folds(self, spec: WindowSpec, way: _PlannedWay) -> bool:
        if not isinstance(way.source, InputNode):
            return False
        return folds(spec, self.checked.streams[way.source.stream].shape, way.steps)

    def _input(self, node: InputNode, branches: list[Branch]) -> InputPlan:
        stream = self.checked.streams[node.stream]
        advance = self.checked.settings(node.id)
        fields = parse_fields(stream.fields)
        return InputPlan(
            node=node.id,
            stream=stream,
            fields=fields,
            advance=advance,
            lanes=tuple(stream.lanes) if stream.lanes else None,
            branches=tuple(branches),
            over=None if advance.over is None else expression(advance.over, fields),
        )

    def _together(self, node: InputNode) -> bool:
        advance = self.checked.settings(node.id)
        implicit = self.checked.streams[node.stream].rowtime is Rowtime.IMPLICIT
        table = self.checked.streams[node.stream].shape is Shape.TABLE
        history = self.checked.streams[node.stream].history is not None
        return (
            implicit or table or history or any((advance.import_from, advance.over)) or advance.idle_after is not None
        )

    def _watching(self, plan: QueryPlan) -> QueryPlan:
        """Set the fields about late_kept and long events, which windows after the shuffle may refuse."""
        inputs = {name: replace(each, watch_longer=watch_longer(plan, name)) for name, each in plan.inputs.items()}
        keeping = [name for name, each in plan.inputs.items() if each.advance.late is Late.KEEP]
        watched = any(watches(plan, name) for name in keeping)
        ordered = bool(keeping) and any(_by_one_clock(node) for node in plan.nodes)
        trailing = bool(keeping) and not ordered and any(tells_complete(node) for node in plan.nodes)
        return replace(plan, inputs=inputs, watched=watched, ordered=ordered, trailing=trailing)


def _by_one_clock(node: NodePlan) -> bool:
    spec = node.spec
    return isinstance(spec, WindowSpec | TopKSpec) and spec.one_clock and not spec.fixed
