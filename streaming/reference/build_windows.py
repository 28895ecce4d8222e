"""From window nodes to their operators."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from streaming.definition.graph import Aggregate, HoppingWindow, TumblingWindow, WindowNode
from streaming.definition.types import Fields
from streaming.reference.aggregates import AggregateColumn
from streaming.reference.flow import Operator
from streaming.reference.plan import Plan, expression
from streaming.reference.window import Window
from streaming.temporal.ticks import parse_duration
from streaming.temporal.windows import HoppingWindows


def _window(node: WindowNode, plan: Plan) -> Operator:
    before, after = plan.schemas[node.input], plan.schemas[node.id]
    columns = [column(aggregate, before, after) for aggregate in node.aggregates]
    if not isinstance(node.window, TumblingWindow | HoppingWindow):
        raise NotImplementedError
    return Window(node.id, hopping_windows(node.window), node.group_by, columns)


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


def hopping_windows(window: TumblingWindow | HoppingWindow) -> HoppingWindows:
    """The windows of a definition; tumbling ones hop by their size."""
    size = parse_duration(window.size)
    hop = parse_duration(window.hop) if isinstance(window, HoppingWindow) else size
    return HoppingWindows(size, hop, parse_duration(window.offset))


WINDOWS: Final[Mapping[type[Any], Callable[[Any, Plan], Operator]]] = {WindowNode: _window}
