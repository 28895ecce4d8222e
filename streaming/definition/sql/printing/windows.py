"""WINDOW BY, the clauses of windows, and aggregates."""

from collections.abc import Iterator

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.graph import (
    Aggregate,
    CountWindow,
    HoppingWindow,
    SessionWindow,
    SnapshotWindow,
    TimeIntervalWindow,
    TumblingWindow,
    WindowNode,
    WindowSpec,
)
from streaming.definition.names import DurationText
from streaming.definition.sql.printing.expressions import Where, expression
from streaming.definition.sql.printing.words import duration, literal, name


def window_by(spec: WindowSpec, grace: DurationText | None = None) -> str:
    """`WINDOW BY ...` with its grace."""
    return f"WINDOW BY {_window(spec)}" + (f" GRACE BY {duration(grace)}" if grace is not None else "")


def _window(spec: WindowSpec) -> str:
    match spec:
        case HoppingWindow():
            return f"HOP {duration(spec.size)},{duration(spec.hop)}{_align(spec.offset)}"
        case TumblingWindow():
            return f"TUMBLE {duration(spec.size)}{_align(spec.offset)}"
        case SessionWindow():
            return f"SESSION {duration(spec.gap)}" + (f" MAX {duration(spec.max)}" if spec.max is not None else "")
        case SnapshotWindow():
            return "SNAPSHOT"
        case CountWindow():
            return f"COUNT {spec.n}"
        case TimeIntervalWindow():
            return _time_interval(spec)


def _time_interval(spec: TimeIntervalWindow) -> str:
    text = f"TIMEINTERVAL {duration(spec.duration)}"
    aligned = _align(spec.offset)
    if spec.period is not None:
        text += f",{duration(spec.period)}" + (f",{duration(spec.offset)}" if aligned else "")
    discard = "" if _is_zero(spec.discard_age) else f" DISCARD {duration(spec.discard_age)}"
    return text + discard + (aligned if spec.period is None else "")


def _align(offset: DurationText) -> str:
    return "" if _is_zero(offset) else f" ALIGN {duration(offset)}"


def _is_zero(value: DurationText) -> bool:
    """Whether `value` is what is meant where nothing is said; a zero in another form, such as 0s, is written."""
    return isinstance(value, int) and value == 0


def when_rows_appear(node: WindowNode) -> str:
    """EMIT, RETRACT and EMPTY, as far as they are not what is meant where nothing is said."""
    return " ".join(_when_rows_appear(node))


def _when_rows_appear(node: WindowNode) -> Iterator[str]:
    if node.emit != "final":
        yield f"EMIT {node.emit.replace('_', ' ').upper()}"
    if node.retract:
        yield "RETRACT"
    if node.empty == "skip" and node.empty_gap is None and node.empty_groups is None:
        return
    yield f"EMPTY {node.empty.upper()}"
    if node.empty_gap is not None:
        yield f"GAP {duration(node.empty_gap)}"
    if node.empty_groups is not None:
        yield f"GROUPS ({', '.join(map(_group, node.empty_groups))})"


def _group(group: dict[str, str | int | bool | None]) -> str:
    return "(" + ", ".join(f"{name(key)} => {literal(value)}" for key, value in group.items()) + ")"


def aggregate(call: Aggregate, qualifiers: frozenset[str]) -> str:
    """An aggregate without its name."""
    arguments = ["*" if call.function == "count" else ""]
    if call.of is not None:
        arguments = [expression(call.of, Where.ARGUMENT, qualifiers)]
    wanted = AGGREGATES[call.function].parameter
    if call.k is not None:
        arguments.append(str(call.k) if wanted == "k" and call.of is not None else f"K => {call.k}")
    if call.fraction is not None:
        said = repr(call.fraction)
        short = wanted == "fraction" and call.of is not None and call.k is None
        arguments.append(said if short else f"FRACTION => {said}")
    written = ", ".join(argument for argument in arguments if argument)
    filtered = f" FILTER (WHERE {expression(call.filter, Where.ARGUMENT, qualifiers)})" if call.filter else ""
    return f"{call.function.upper()}({written}){filtered}"
