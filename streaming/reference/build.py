"""From the typed nodes of a checked graph to their operators."""

from streaming.definition.graph import FilterNode, InputNode, Node, sources
from streaming.planning.checked import CheckedGraph
from streaming.planning.nodes import typed_node
from streaming.planning.plan import (
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.planning.steps import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.reference.anti_join import AntiJoin
from streaming.reference.asof_join import AsofJoin
from streaming.reference.clip import ClipRule
from streaming.reference.emission import RowEmission
from streaming.reference.empties import FilledWindows
from streaming.reference.extend import ExtendRule, ShorteningRule
from streaming.reference.filter import FilterOperator
from streaming.reference.fixed_windows import FixedWindows
from streaming.reference.flow import FlowOperator
from streaming.reference.group_panes import GroupedPanes
from streaming.reference.join import JoinOperator
from streaming.reference.left_outer import WithoutPartner
from streaming.reference.many_ports import ManyPorts
from streaming.reference.matching import PortMatching
from streaming.reference.order_edges import OrderEdges
from streaming.reference.output import OutputOperator
from streaming.reference.output_times import output_times
from streaming.reference.pane_rules import pane_rule
from streaming.reference.panes import PaneSet
from streaming.reference.parts import LeftParts
from streaming.reference.per_event import PerEvent
from streaming.reference.point_at_end import PointAtEnd
from streaming.reference.ports import RIGHT, Ports
from streaming.reference.project import ProjectOperator
from streaming.reference.semi_join import SemiJoin
from streaming.reference.set_duration import SetDuration
from streaming.reference.shift import ShiftOperator
from streaming.reference.to_intervals import ToIntervals
from streaming.reference.top_k import TopK
from streaming.reference.union import UnionOperator
from streaming.reference.window import AggregateRows, WindowOperator
from streaming.temporal.windows import HoppingWindows


def build(graph: CheckedGraph) -> dict[str, FlowOperator]:
    """An operator for each node but the inputs, by id, in the order of the graph."""
    nodes = (node for node in graph.graph.nodes if not isinstance(node, InputNode))
    return {node.id: _operator(typed_node(node, graph), node) for node in nodes}


def _operator(typed: Step | NodeSpec, node: Node) -> FlowOperator:
    match typed:
        case WindowSpec():
            rows = AggregateRows(typed.node, typed.group_by, typed.aggregates)
            return WindowOperator(typed.group_by, _panes(typed), RowEmission(typed.emit, typed.retract, rows))
        case TopKSpec():
            return TopK(typed.node, typed.group_by, typed.by, typed.k, _panes(typed))
        case MatchSpec():
            return _match(typed, *sources(node))
        case UnionSpec():
            return ManyPorts(Ports.of(len(sources(node))), [UnionOperator(list(typed.fields))])
        case LifetimeSpec() | OutputSpec():
            return _lifetime(typed)
        case _:
            return _step(typed, node)


def _step(step: Step, node: Node) -> FlowOperator:
    match step:
        case FilterStep() if isinstance(node, FilterNode):
            return PerEvent(FilterOperator(step.node, step.where, node.where))
        case ProjectStep():
            return PerEvent(ProjectOperator(step.node, {name: of for name, of, _ in step.columns}))
        case ShiftStep():
            return PerEvent(ShiftOperator(step.node, step.by))
        case SetDurationStep():
            return PerEvent(SetDuration(step.node, step.duration))
        case ExtendStep():
            return PerEvent(ExtendRule(step.node, step.by))
        case _:
            raise TypeError(f"{step} is what no node of a graph does")


def _lifetime(spec: LifetimeSpec | OutputSpec) -> FlowOperator:
    if isinstance(spec, OutputSpec):
        return OutputOperator(spec.node, output_times(spec.node, spec.timestamp))
    match spec.kind:
        case "shorten":
            return ShorteningRule(spec.node, spec.by)
        case "point_at_end":
            return PointAtEnd(spec.node)
        case "to_intervals":
            return ToIntervals(spec.node)
        case _:
            return OrderEdges()


def _match(spec: MatchSpec, left: str, right: str) -> FlowOperator:
    matching = PortMatching(spec.node, left, right, spec.keys, spec.added, spec.where)
    ports = Ports.of(2)
    match spec.kind:
        case "join" if spec.outer:
            alone = LeftParts(spec.node, matching, WithoutPartner(matching))
            return ManyPorts(ports, [JoinOperator(spec.node, matching, tells=(RIGHT,)), alone])
        case "join":
            return ManyPorts(ports, [JoinOperator(spec.node, matching)])
        case "asof_join":
            return ManyPorts(ports, [AsofJoin(spec.node, matching, spec.outer)])
        case "anti_join":
            return ManyPorts(ports, [LeftParts(spec.node, matching, AntiJoin(matching))])
        case "semi_join":
            return ManyPorts(ports, [LeftParts(spec.node, matching, SemiJoin(matching))])
        case _:
            return ManyPorts(ports, [LeftParts(spec.node, matching, ClipRule(matching))])


def _panes(spec: WindowSpec | TopKSpec) -> PaneSet:
    if not isinstance(spec.panes, HoppingWindows):
        return GroupedPanes(spec.node, pane_rule(spec.panes), spec.grace, spec.one_clock)
    panes = FixedWindows(spec.node, spec.panes, spec.grace)
    if isinstance(spec, WindowSpec) and spec.fill_gap is not None:
        return FilledWindows(panes, spec.fill_gap, spec.fill_groups)
    return panes
