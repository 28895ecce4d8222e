"""Analytic functions with their OVER clause."""

from collections.abc import Iterator

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.analytic import ROW_FUNCTIONS, AnalyticColumn, AnalyticNode, Frame
from streaming.definition.sql.printing.aggregates import aggregate
from streaming.definition.sql.printing.expressions import ExpressionPlace, expression
from streaming.definition.sql.printing.words import duration, name, names


def over_items(node: AnalyticNode, qualifiers: frozenset[str]) -> Iterator[str]:
    """Yield the columns of `node` as items of a SELECT."""
    for column in node.columns:
        nulls = " IGNORE NULLS" if column.ignore_nulls else ""
        over = " ".join(_over(node, column, qualifiers))
        yield f"{_call(column, qualifiers)}{nulls} OVER ({over}) AS {name(column.name)}"


def _call(column: AnalyticColumn, qualifiers: frozenset[str]) -> str:
    if column.function in AGGREGATES:
        return aggregate(column, qualifiers)
    arguments = [] if column.of is None else [expression(column.of, ExpressionPlace.ARGUMENT, qualifiers)]
    return f"{column.function.upper()}({', '.join((*arguments, *_parameters(column, qualifiers)))})"


def _parameters(column: AnalyticColumn, qualifiers: frozenset[str]) -> list[str]:
    """Return the arguments after the value, without those at the end that are at their default."""
    fields = AnalyticColumn.model_fields
    found, needed = list[str](), 0
    for parameter in ROW_FUNCTIONS[column.function].parameters:
        if parameter == "ignore_nulls":
            continue
        value = getattr(column, parameter)
        if parameter == "default" and value is not None:
            found.append(expression(value, ExpressionPlace.ARGUMENT, qualifiers))
        else:
            found.append("NULL" if value is None else repr(value))
        if value != fields[parameter].default or parameter == "threshold":
            needed = len(found)
    return found[:needed]


def _over(node: AnalyticNode, column: AnalyticColumn, qualifiers: frozenset[str]) -> Iterator[str]:
    if node.group_by:
        yield f"PARTITION BY {names(node.group_by)}"
    order = [
        f"{expression(by.of, ExpressionPlace.OVER, qualifiers)}{' DESC' if by.descending else ''}"
        for by in node.order_by
    ]
    yield f"ORDER BY {', '.join(('EVENTTIME', *order))}"
    if column.frame is not None:
        yield _frame(column.frame)
    if node.reach is not None:
        yield f"REACH {duration(node.reach)}"
    if node.grace is not None:
        yield f"GRACE BY {duration(node.grace)}"


def _frame(frame: Frame) -> str:
    unit = frame.unit.upper()
    preceding = "CURRENT ROW" if frame.preceding == 0 else f"{_bound(frame.preceding)} PRECEDING"
    if frame.following == 0 and frame.preceding != 0 and isinstance(frame.following, int):
        return f"{unit} {preceding}"
    following = "CURRENT ROW" if frame.following == 0 else f"{_bound(frame.following)} FOLLOWING"
    return f"{unit} BETWEEN {preceding} AND {following}"


def _bound(bound: int | str | None) -> str:
    return "UNBOUNDED" if bound is None else duration(bound)
