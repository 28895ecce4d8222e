"""From the typed nodes of a checked graph to their operators."""

from streaming.definition.graph import FilterNode, InputNode, Node, sources
from streaming.planning.checked import CheckedGraph
from streaming.planning.nodes import typed_node
from streaming.planning.plan import (
    CountPanes,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    SessionPanes,
    SnapshotPanes,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.planning.steps import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.reference.anti_join import AntiJoin
from streaming.reference.asof_join import AsofJoin
from streaming.reference.clip import Clip
from streaming.reference.count import Count
from streaming.reference.emission import Emission
from streaming.reference.empties import FilledWindows
from streaming.reference.extend import Extend, Shorten
from streaming.reference.filter import Filter
from streaming.reference.fixed_windows import FixedWindows
from streaming.reference.flow import Operator
from streaming.reference.group_panes import GroupPanes
from streaming.reference.join import Join
from streaming.reference.left_outer import WithoutPartner
from streaming.reference.many_ports import ManyPorts
from streaming.reference.matching import Matching
from streaming.reference.order_edges import OrderEdges
from streaming.reference.output import Output
from streaming.reference.output_times import output_times
from streaming.reference.panes import Panes
from streaming.reference.parts import Parts
from streaming.reference.per_event import PerEvent
from streaming.reference.point_at_end import PointAtEnd
from streaming.reference.ports import RIGHT, Ports
from streaming.reference.project import Project
from streaming.reference.semi_join import SemiJoin
from streaming.reference.session import Session
from streaming.reference.set_duration import SetDuration
from streaming.reference.shift import Shift
from streaming.reference.snapshot import Snapshot
from streaming.reference.to_intervals import ToIntervals
from streaming.reference.top_k import TopK
from streaming.reference.union import Union
from streaming.reference.window import AggregateRows, Window


def build(graph: CheckedGraph) -> dict[str, Operator]:
    """An operator for each node but the inputs, by id, in the order of the graph."""
    nodes = (node for node in graph.graph.nodes if not isinstance(node, InputNode))
    return {node.id: _operator(typed_node(node, graph), node) for node in nodes}


def _operator(typed: Step | NodeSpec, node: Node) -> Operator:
    match typed:
        case WindowSpec():
            rows = AggregateRows(typed.node, typed.group_by, typed.aggregates)
            return Window(typed.group_by, _panes(typed), Emission(typed.emit, typed.retract, rows))
        case TopKSpec():
            return TopK(typed.node, typed.group_by, typed.by, typed.k, _panes(typed))
        case MatchSpec():
            return _match(typed, *sources(node))
        case UnionSpec():
            return ManyPorts(Ports.of(len(sources(node))), [Union(list(typed.fields))])
        case LifetimeSpec() | OutputSpec():
            return _lifetime(typed)
        case _:
            return _step(typed, node)


def _step(step: Step, node: Node) -> Operator:
    match step:
        case FilterStep() if isinstance(node, FilterNode):
            return PerEvent(Filter(step.node, step.where, node.where))
        case ProjectStep():
            return PerEvent(Project(step.node, {name: of for name, of, _ in step.columns}))
        case ShiftStep():
            return PerEvent(Shift(step.node, step.by))
        case SetDurationStep():
            return PerEvent(SetDuration(step.node, step.duration))
        case ExtendStep():
            return PerEvent(Extend(step.node, step.by))
        case _:
            raise TypeError(f"{step} is what no node of a graph does")


def _lifetime(spec: LifetimeSpec | OutputSpec) -> Operator:
    if isinstance(spec, OutputSpec):
        return Output(spec.node, output_times(spec.node, spec.timestamp))
    match spec.kind:
        case "shorten":
            return Shorten(spec.node, spec.by)
        case "point_at_end":
            return PointAtEnd(spec.node)
        case "to_intervals":
            return ToIntervals(spec.node)
        case _:
            return OrderEdges()


def _match(spec: MatchSpec, left: str, right: str) -> Operator:
    matching = Matching(spec.node, left, right, spec.keys, spec.added, spec.where)
    ports = Ports.of(2)
    match spec.kind:
        case "join" if spec.outer:
            alone = Parts(spec.node, matching, WithoutPartner(matching))
            return ManyPorts(ports, [Join(spec.node, matching, tells=(RIGHT,)), alone])
        case "join":
            return ManyPorts(ports, [Join(spec.node, matching)])
        case "asof_join":
            return ManyPorts(ports, [AsofJoin(spec.node, matching, spec.outer)])
        case "anti_join":
            return ManyPorts(ports, [Parts(spec.node, matching, AntiJoin(matching))])
        case "semi_join":
            return ManyPorts(ports, [Parts(spec.node, matching, SemiJoin(matching))])
        case _:
            return ManyPorts(ports, [Parts(spec.node, matching, Clip(matching))])


def _panes(spec: WindowSpec | TopKSpec) -> Panes:
    match spec.panes:
        case SessionPanes(gap=gap, max=longest):
            return GroupPanes(spec.node, Session(gap, longest), spec.grace, spec.one_clock)
        case SnapshotPanes():
            return GroupPanes(spec.node, Snapshot(), spec.grace, spec.one_clock)
        case CountPanes(n=n):
            return GroupPanes(spec.node, Count(n), spec.grace, spec.one_clock)
        case windows:
            panes = FixedWindows(spec.node, windows, spec.grace)
    if isinstance(spec, WindowSpec) and spec.fill_gap is not None:
        return FilledWindows(panes, spec.fill_gap, spec.fill_groups)
    return panes
