"""Calls of aggregates."""

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.analytic import AnalyticColumn
from streaming.definition.graph import Aggregate
from streaming.definition.sql.printing.expressions import ExpressionPlace, expression


def aggregate(call: Aggregate | AnalyticColumn, qualifiers: frozenset[str]) -> str:
    """Return an aggregate without its name."""
    arguments = ["*" if call.function == "count" else ""]
    if call.of is not None:
        arguments = [expression(call.of, ExpressionPlace.ARGUMENT, qualifiers)]
    wanted = AGGREGATES[call.function].parameter
    if call.k is not None:
        arguments.append(str(call.k) if wanted == "k" and call.of is not None else f"K => {call.k}")
    if call.fraction is not None:
        fraction = repr(call.fraction)
        short = wanted == "fraction" and call.of is not None and call.k is None
        arguments.append(fraction if short else f"FRACTION => {fraction}")
    written = ", ".join(argument for argument in arguments if argument)
    filtered = f" FILTER (WHERE {expression(call.filter, ExpressionPlace.ARGUMENT, qualifiers)})" if call.filter else ""
    return f"{call.function.upper()}({written}){filtered}"
