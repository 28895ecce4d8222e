"""From nodes that look at one event at a time to their operators."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.definition.graph import FilterNode, ProjectNode
from streaming.reference.filter import Filter
from streaming.reference.flow import Operator
from streaming.reference.per_event import PerEvent
from streaming.reference.plan import Plan, expression
from streaming.reference.project import Project


def _filter(node: FilterNode, plan: Plan) -> Operator:
    return PerEvent(Filter(node.id, expression(node.where, plan.schemas[node.input]), node.where))


def _project(node: ProjectNode, plan: Plan) -> Operator:
    before = plan.schemas[node.input]
    return PerEvent(Project(node.id, {column.name: expression(column.of, before) for column in node.columns}))


PER_EVENT: Final[Mapping[type[Any], Callable[[Any, Plan], Operator]]] = {
    FilterNode: _filter,
    ProjectNode: _project,
}
