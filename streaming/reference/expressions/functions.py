"""The functions of the registry (`definition/expressions/functions.py`), one entry each, over plain values."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Final

from streaming.definition.expressions.failures import FailureKind
from streaming.functions.failures import FunctionFailure
from streaming.functions.registry import SHARED
from streaming.reference.expressions.calendar import CALENDAR
from streaming.reference.expressions.numbers import OperationFailure, in_length, in_long
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK

Meaning = Callable[..., Any]


def call(function: str, values: Sequence[Any]) -> Any:
    """Return `function` of typed `values`; null if one is null, except for functions that choose among nulls.

    Raises `OperationFailure` if the registry says null, or if a double result would not be finite.
    """
    if function in CHOOSING:
        return CHOOSING[function](*values)
    if any(value is None for value in values):
        return None
    try:
        return FUNCTIONS[function](*values)
    except FunctionFailure as failure:
        raise OperationFailure(str(failure), failure.kind) from None


def _absolute(value: Any) -> Any:
    if isinstance(value, int):
        return in_long(abs(value))
    return value.copy_abs() if isinstance(value, Decimal) else abs(value)


def _whole(rounding: str, of_double: Callable[[float], int]) -> Meaning:
    def whole(value: Any) -> Any:
        if isinstance(value, Decimal):
            return value.to_integral_value(rounding)
        return in_long(of_double(value))

    return whole


def _round(value: Any, digits: int = 0) -> Any:
    if isinstance(value, int):
        return value
    scaled = abs(value) * 10.0**digits
    return value if scaled >= 2.0**52 else math.copysign(math.floor(scaled + 0.5) / 10.0**digits, value)


def _real(compute: Callable[..., float], name: str) -> Meaning:
    """Wrap a function of `math`, which raises instead of returning infinity or NaN for finite doubles."""

    def real(*values: float) -> float:
        try:
            return compute(*values)
        except (ValueError, OverflowError) as error:
            kind: FailureKind = "argument" if isinstance(error, ValueError) else "overflow"
            raise OperationFailure(f"{name} of {', '.join(map(str, values))} is not a finite double", kind) from None

    return real


def _substring(text: str, start: int, length: int | None = None) -> str:
    begin = len(text) + start if start < 0 else max(start - 1, 0)
    end = len(text) if length is None else begin + max(length, 0)
    return text[max(begin, 0) : max(end, 0)]


def _split_part(text: str, delimiter: str, number: int) -> str:
    if number == 0:
        raise OperationFailure("split_part has no part 0", "argument")
    parts = text.split(delimiter) if delimiter else [text]
    index = number - 1 if number > 0 else len(parts) + number
    return parts[index] if 0 <= index < len(parts) else ""


def _moment(ticks: int) -> int:
    if not FIRST_TICK <= ticks <= LAST_TICK:
        raise OperationFailure(f"{ticks} microseconds are outside the years 1 to 9999", "argument")
    return ticks


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _extreme(choose: Callable[[list[Any]], Any]) -> Meaning:
    def extreme(*values: Any) -> Any:
        present = [value for value in values if value is not None]
        return choose(present) if present else None

    return extreme


CHOOSING: Final[Mapping[str, Meaning]] = {
    "coalesce": _first,
    "greatest": _extreme(max),
    "least": _extreme(min),
    "nullif": lambda value, other: None if value == other else value,
}
"""The functions that treat null like any other argument; `if` is evaluated where its condition is."""

FUNCTIONS: Final[Mapping[str, Meaning]] = {
    "abs": _absolute,
    "ceil": _whole(ROUND_CEILING, math.ceil),
    "floor": _whole(ROUND_FLOOR, math.floor),
    "round": _round,
    "sqrt": _real(math.sqrt, "sqrt"),
    "pow": _real(math.pow, "pow"),
    "ln": _real(math.log, "ln"),
    "exp": _real(math.exp, "exp"),
    "upper": lambda text: in_length(text.upper()),
    "lower": lambda text: in_length(text.lower()),
    "trim": lambda text: text.strip(" "),
    "length": len,
    "substring": _substring,
    "concat": lambda *texts: in_length("".join(texts)),
    "replace": lambda text, search, by: in_length(text.replace(search, by) if search else text),
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": lambda text, part: part in text,
    "split_part": _split_part,
    "unix_micros": lambda ticks: ticks,
    "timestamp_micros": _moment,
    "size": len,
    **CALENDAR,
    **SHARED,
}
