"""From nodes that change events or their lifetimes to their operators."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.definition.graph import (
    ExtendNode,
    FilterNode,
    OrderEdgesNode,
    OutputNode,
    PointAtEndNode,
    ProjectNode,
    SetDurationNode,
    ShiftNode,
    ToIntervalsNode,
)
from streaming.reference.extend import Extend, Shorten
from streaming.reference.filter import Filter
from streaming.reference.flow import Operator
from streaming.reference.order_edges import OrderEdges
from streaming.reference.output import Output
from streaming.reference.output_times import output_times
from streaming.reference.per_event import PerEvent
from streaming.reference.plan import Plan, expression
from streaming.reference.point_at_end import PointAtEnd
from streaming.reference.project import Project
from streaming.reference.set_duration import SetDuration
from streaming.reference.shift import Shift
from streaming.reference.to_intervals import ToIntervals
from streaming.temporal.ticks import parse_duration


def _filter(node: FilterNode, plan: Plan) -> Operator:
    return PerEvent(Filter(node.id, expression(node.where, plan.schemas[node.input]), node.where))


def _project(node: ProjectNode, plan: Plan) -> Operator:
    before = plan.schemas[node.input]
    return PerEvent(Project(node.id, {column.name: expression(column.of, before) for column in node.columns}))


def _shift(node: ShiftNode, plan: Plan) -> Operator:
    del plan
    return PerEvent(Shift(node.id, parse_duration(node.by)))


def _set_duration(node: SetDurationNode, plan: Plan) -> Operator:
    if node.expression is not None:
        return PerEvent(SetDuration(node.id, expression(node.expression, plan.schemas[node.input])))
    if node.duration is None:
        raise TypeError(f"{node.id!r} says no duration, which check did not find")
    return PerEvent(SetDuration(node.id, parse_duration(node.duration)))


def _extend(node: ExtendNode, plan: Plan) -> Operator:
    del plan
    by = parse_duration(node.by)
    return Shorten(node.id, by) if by < 0 else PerEvent(Extend(node.id, by))


def _point_at_end(node: PointAtEndNode, plan: Plan) -> Operator:
    del plan
    return PointAtEnd(node.id)


def _to_intervals(node: ToIntervalsNode, plan: Plan) -> Operator:
    del plan
    return ToIntervals(node.id)


def _order_edges(node: OrderEdgesNode, plan: Plan) -> Operator:
    del node, plan
    return OrderEdges()


def _output(node: OutputNode, plan: Plan) -> Operator:
    del plan
    return Output(node.id, output_times(node.id, node.timestamp))


LIFETIMES: Final[Mapping[type[Any], Callable[[Any, Plan], Operator]]] = {
    FilterNode: _filter,
    ProjectNode: _project,
    ShiftNode: _shift,
    SetDurationNode: _set_duration,
    ExtendNode: _extend,
    PointAtEndNode: _point_at_end,
    ToIntervalsNode: _to_intervals,
    OrderEdgesNode: _order_edges,
    OutputNode: _output,
}
