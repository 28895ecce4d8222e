"""WINDOW BY, the clauses of windows, and aggregates."""

from itertools import takewhile

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.graph import Aggregate, WindowNode
from streaming.definition.names import DurationText
from streaming.definition.sql.grammar.clauses import EMIT, EMPTY, GAP, GRACE, RETRACT
from streaming.definition.sql.grammar.windows import WINDOWS
from streaming.definition.sql.printing.arguments import is_default, said
from streaming.definition.sql.printing.expressions import ExpressionPlace, expression
from streaming.definition.sql.printing.words import duration, literal, name
from streaming.definition.windows import WindowSpec


def window_by(spec: WindowSpec, grace: DurationText | None = None) -> str:
    """`WINDOW BY ...` with its grace."""
    form = next(each for each in WINDOWS if each.kind == spec.kind)
    said_first = list(takewhile(lambda each: not is_default(spec, each.field), form.arguments))
    told = {each.field for each in said_first}
    arguments = ",".join(said(spec, said_first))
    options = said(spec, (each for each in form.options if each.field not in told))
    graced = f"{GRACE.words} {duration(grace)}" if grace is not None else ""
    return " ".join(filter(None, ("WINDOW BY", form.words, arguments, *options, graced)))


def when_rows_appear(node: WindowNode) -> str:
    """EMIT, RETRACT and EMPTY, as far as they are not what is meant where nothing is said."""
    filled = [*said(node, [GAP])]
    if node.empty_groups is not None:
        filled.append(f"GROUPS ({', '.join(map(_group, node.empty_groups))})")
    empty = [f"EMPTY {EMPTY.chosen(node.empty)}"] if filled or node.empty != "skip" else []
    return " ".join((*said(node, (EMIT, RETRACT)), *empty, *filled))


def _group(group: dict[str, str | int | bool | None]) -> str:
    return "(" + ", ".join(f"{name(key)} => {literal(value)}" for key, value in group.items()) + ")"


def aggregate(call: Aggregate, qualifiers: frozenset[str]) -> str:
    """An aggregate without its name."""
    arguments = ["*" if call.function == "count" else ""]
    if call.of is not None:
        arguments = [expression(call.of, ExpressionPlace.ARGUMENT, qualifiers)]
    wanted = AGGREGATES[call.function].parameter
    if call.k is not None:
        arguments.append(str(call.k) if wanted == "k" and call.of is not None else f"K => {call.k}")
    if call.fraction is not None:
        said = repr(call.fraction)
        short = wanted == "fraction" and call.of is not None and call.k is None
        arguments.append(said if short else f"FRACTION => {said}")
    written = ", ".join(argument for argument in arguments if argument)
    filtered = f" FILTER (WHERE {expression(call.filter, ExpressionPlace.ARGUMENT, qualifiers)})" if call.filter else ""
    return f"{call.function.upper()}({written}){filtered}"
