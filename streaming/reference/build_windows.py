"""From window and top_k nodes to their operators: which panes a definition means, and with which grace."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from streaming.definition.graph import (
    Aggregate,
    CountWindow,
    SessionWindow,
    SnapshotWindow,
    TimeIntervalWindow,
    TopKNode,
    WindowNode,
)
from streaming.definition.late_checks import default_grace
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.types import Fields
from streaming.definition.window_checks import hopping_windows
from streaming.reference.aggregates import AggregateColumn
from streaming.reference.count import Count
from streaming.reference.emission import Emission
from streaming.reference.empties import FilledWindows
from streaming.reference.fixed_windows import FixedWindows
from streaming.reference.flow import Operator
from streaming.reference.group_panes import GroupPanes
from streaming.reference.panes import Key, Panes
from streaming.reference.plan import Plan, expression
from streaming.reference.session import Session
from streaming.reference.snapshot import Snapshot
from streaming.reference.top_k import TopK
from streaming.reference.window import AggregateRows, Window
from streaming.temporal.ticks import Ticks, parse_duration


def _window(node: WindowNode, plan: Plan) -> Operator:
    before, after = plan.schemas[node.input], plan.schemas[node.id]
    columns = [column(aggregate, before, after) for aggregate in node.aggregates]
    panes = _panes(node, plan)
    if node.empty_gap is not None and isinstance(panes, FixedWindows):
        panes = FilledWindows(panes, parse_duration(node.empty_gap), _empty_groups(node, after))
    rows = AggregateRows(node.id, node.group_by, columns)
    return Window(node.group_by, panes, Emission(node.emit, node.retract, rows))


def _top_k(node: TopKNode, plan: Plan) -> Operator:
    by = expression(node.by, plan.schemas[node.input])
    return TopK(node.id, node.group_by, by, node.k, _panes(node, plan))


def _panes(node: WindowNode | TopKNode, plan: Plan) -> Panes:
    grace, one_clock = _grace(node, plan), plan.one_clock(node.id)
    match node.window:
        case SessionWindow(gap=gap, max=longest):
            rule = Session(parse_duration(gap), None if longest is None else parse_duration(longest))
            return GroupPanes(node.id, rule, grace, one_clock)
        case SnapshotWindow():
            return GroupPanes(node.id, Snapshot(), grace, one_clock)
        case CountWindow(n=n):
            return GroupPanes(node.id, Count(n), grace, one_clock)
        case _:
            return FixedWindows(node.id, hopping_windows(node), grace)


def _grace(node: WindowNode | TopKNode, plan: Plan) -> Ticks:
    """What the node says, else the longest default among the inputs that reach it (T19)."""
    if isinstance(node.window, TimeIntervalWindow):
        return parse_duration(node.window.discard_age)
    if isinstance(node, WindowNode) and node.grace is not None:
        return parse_duration(node.grace)
    return default_grace(plan.graph, plan.advance, node.id)


def _empty_groups(node: WindowNode, fields: Fields) -> list[Key]:
    """The groups that are filled, in the types of their fields; the one of all events where nothing is grouped."""
    grouped = {name: fields[name] for name in node.group_by}
    found = []
    for group in [{}] if node.empty_groups is None else node.empty_groups:
        payload = read_payload(group, grouped)
        if isinstance(payload, BadPayload):
            raise TypeError(f"{node.id!r} fills a group that cannot be, which check did not find: {payload}")
        found.append(tuple(payload[name] for name in node.group_by))
    return found


def column(aggregate: Aggregate, before: Fields, after: Fields) -> AggregateColumn:
    """The result column of `aggregate`, over payloads with the fields `before`."""
    return AggregateColumn(
        name=aggregate.name,
        function=aggregate.function,
        of=None if aggregate.of is None else expression(aggregate.of, before),
        where=None if aggregate.filter is None else expression(aggregate.filter, before),
        type=after[aggregate.name],
        k=aggregate.k,
        fraction=None if aggregate.fraction is None else Fraction(str(aggregate.fraction)),
    )


WINDOWS: Final[Mapping[type[Any], Callable[[Any, Plan], Operator]]] = {WindowNode: _window, TopKNode: _top_k}
