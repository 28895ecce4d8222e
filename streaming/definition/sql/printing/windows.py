"""WINDOW BY and the clauses of windows."""

from itertools import takewhile

from streaming.definition.graph import WindowNode
from streaming.definition.names import DurationText
from streaming.definition.sql.grammar.clauses import EMIT, EMPTY, GAP, GRACE, RETRACT
from streaming.definition.sql.grammar.windows import WINDOWS
from streaming.definition.sql.printing.arguments import is_default, print_arguments
from streaming.definition.sql.printing.words import duration, literal, name
from streaming.definition.windows import WindowSpec


def window_by(spec: WindowSpec, grace: DurationText | None = None) -> str:
    """Return `WINDOW BY ...` with its grace."""
    form = next(each for each in WINDOWS if each.kind == spec.kind)
    leading = list(takewhile(lambda each: not is_default(spec, each.field), form.arguments))
    written = {each.field for each in leading}
    arguments = ",".join(print_arguments(spec, leading))
    options = print_arguments(spec, (each for each in form.options if each.field not in written))
    graced = f"{GRACE.words} {duration(grace)}" if grace is not None else ""
    return " ".join(filter(None, ("WINDOW BY", form.words, arguments, *options, graced)))


def when_rows_appear(node: WindowNode) -> str:
    """Return EMIT, RETRACT and EMPTY, without those at their default."""
    filled = [*print_arguments(node, [GAP])]
    if node.empty_groups is not None:
        filled.append(f"GROUPS ({', '.join(map(_group, node.empty_groups))})")
    empty = [f"EMPTY {EMPTY.chosen(node.empty)}"] if filled or node.empty != "skip" else []
    return " ".join((*print_arguments(node, (EMIT, RETRACT)), *empty, *filled))


def _group(group: dict[str, str | int | bool | None]) -> str:
    return "(" + ", ".join(f"{name(key)} => {literal(value)}" for key, value in group.items()) + ")"
