"""Builds operators from the typed nodes of a checked graph."""

from streaming.definition.graph import FilterNode, InputNode, Node, sources
from streaming.definition.windows import FixedPanes
from streaming.planning.checked import CheckedGraph
from streaming.planning.nodes import typed_node
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
from streaming.planning.sequences import SequenceSpec
from streaming.planning.steps import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.reference.analytic.operator import Analytic
from streaming.reference.flow import FlowOperator
from streaming.reference.operators.filter import FilterOperator
from streaming.reference.operators.joins.anti_join import AntiJoin
from streaming.reference.operators.joins.asof_join import AsofJoin
from streaming.reference.operators.joins.clip import ClipRule
from streaming.reference.operators.joins.join import JoinOperator
from streaming.reference.operators.joins.left_outer import WithoutPartner
from streaming.reference.operators.joins.matching import PortMatching
from streaming.reference.operators.joins.parts import LeftParts
from streaming.reference.operators.joins.semi_join import SemiJoin
from streaming.reference.operators.lifetimes.chop import Chop
from streaming.reference.operators.lifetimes.extend import ExtendRule, ShorteningRule
from streaming.reference.operators.lifetimes.order_edges import OrderEdges
from streaming.reference.operators.lifetimes.point_at_end import PointAtEnd
from streaming.reference.operators.lifetimes.set_duration import SetDuration
from streaming.reference.operators.lifetimes.shift import ShiftOperator
from streaming.reference.operators.lifetimes.stitch import Stitch
from streaming.reference.operators.lifetimes.to_intervals import ToIntervals
from streaming.reference.operators.many_ports import ManyPorts
from streaming.reference.operators.output_times import output_times
from streaming.reference.operators.per_event import PerEvent
from streaming.reference.operators.ports import RIGHT, Ports
from streaming.reference.operators.project import ProjectOperator
from streaming.reference.operators.union import UnionOperator
from streaming.reference.output import OutputOperator
from streaming.reference.sequences.sequence import SequenceOperator
from streaming.reference.windows.emission import RowEmission
from streaming.reference.windows.empties import FilledWindows
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.group_panes import GroupedPanes
from streaming.reference.windows.pane_rules import pane_rule
from streaming.reference.windows.panes import PaneSet
from streaming.reference.windows.top_k import TopK
from streaming.reference.windows.window import AggregateRows, WindowOperator


def build(graph: CheckedGraph) -> dict[str, FlowOperator]:
    """Return an operator for each node but the inputs, by id, in the order of the graph."""
    nodes = (node for node in graph.graph.nodes if not isinstance(node, InputNode))
    return {node.id: _operator(typed_node(node, graph), node) for node in nodes}


def _operator(typed: Step | NodeSpec, node: Node) -> FlowOperator:
    match typed:
        case WindowSpec():
            rows = AggregateRows(typed.node, typed.group_by, typed.aggregates)
            return WindowOperator(typed.group_by, _panes(typed), RowEmission(typed.emit, typed.retract, rows))
        case TopKSpec() | SequenceSpec():
            return _choosing(typed)
        case MatchSpec() | UnionSpec():
            return _several(typed, *sources(node))
        case AnalyticSpec():
            return Analytic(typed)
        case LifetimeSpec() | ChopSpec() | StitchSpec() | OutputSpec():
            return _lifetime(typed)
        case _:
            return _step(typed, node)


def _choosing(spec: TopKSpec | SequenceSpec) -> FlowOperator:
    if isinstance(spec, SequenceSpec):
        return SequenceOperator(spec)
    return TopK(spec.node, spec.group_by, spec.by, spec.k, _panes(spec))


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
            raise TypeError(f"{step} is not an operation of a graph node")


def _lifetime(spec: LifetimeSpec | ChopSpec | StitchSpec | OutputSpec) -> FlowOperator:
    match spec:
        case OutputSpec():
            return OutputOperator(spec.node, output_times(spec.node, spec.timestamp))
        case ChopSpec():
            return Chop(spec.node, spec.pieces)
        case StitchSpec():
            return Stitch(spec.node, tuple(spec.fields))
        case LifetimeSpec(kind="shorten"):
            return ShorteningRule(spec.node, spec.by)
        case LifetimeSpec(kind="order_edges"):
            return OrderEdges()
        case LifetimeSpec():
            return PointAtEnd(spec.node) if spec.kind == "point_at_end" else ToIntervals(spec.node)


def _several(spec: MatchSpec | UnionSpec, *read: str) -> FlowOperator:
    if isinstance(spec, UnionSpec):
        return ManyPorts(Ports.of(len(read)), [UnionOperator(list(spec.fields))])
    left, right = read
    return _match(spec, left, right)


def _match(spec: MatchSpec, left: str, right: str) -> FlowOperator:
    matching = PortMatching(spec.node, left, right, spec.keys, spec.added, spec.where)
    ports = Ports.of(2)
    match spec.kind:
        case "join" if spec.outer:
            alone = LeftParts(spec.node, matching, WithoutPartner(matching))
            return ManyPorts(ports, [JoinOperator(spec.node, matching, reports=(RIGHT,)), alone])
        case "join":
            return ManyPorts(ports, [JoinOperator(spec.node, matching)])
        case "asof_join":
            return ManyPorts(ports, [AsofJoin(spec.node, matching, spec.outer, spec.versions)])
        case "anti_join":
            return ManyPorts(ports, [LeftParts(spec.node, matching, AntiJoin(matching))])
        case "semi_join":
            return ManyPorts(ports, [LeftParts(spec.node, matching, SemiJoin(matching))])
        case _:
            return ManyPorts(ports, [LeftParts(spec.node, matching, ClipRule(matching))])


def _panes(spec: WindowSpec | TopKSpec) -> PaneSet:
    if not isinstance(spec.panes, FixedPanes):
        return GroupedPanes(spec.node, pane_rule(spec.panes), spec.grace, spec.one_clock)
    panes = FixedWindows(spec.node, spec.panes, spec.grace)
    if isinstance(spec, WindowSpec) and spec.fill_gap is not None:
        return FilledWindows(panes, spec.fill_gap, spec.fill_groups)
    return panes
