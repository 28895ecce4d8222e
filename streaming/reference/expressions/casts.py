"""Conversions, one function for each pair in the table of `streaming/definition/expressions/casts.py`."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from streaming.definition.expressions.casts import LONG_TEXT, NUMBER_TEXT, TIMESTAMP_TEXT
from streaming.definition.payload.types import Boolean, DecimalOf, Double, Long, String, Timestamp, Type
from streaming.reference.expressions.numbers import OperationFailure, in_decimal_type, in_double, in_long
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant, tick_of


def cast(value: Any, source: Type, to: Type) -> Any:
    """Convert `value`, which is not null and of type `source`, to `to`.

    Raises `OperationFailure` if the result is null.
    """
    if source == to:
        return value
    try:
        return CASTS[type(source), type(to)](value, to)
    except OperationFailure as failure:
        raise OperationFailure(str(failure), "cast") from None


def _exact_decimal(value: Any, to: DecimalOf) -> Decimal:
    """Return an exact decimal; for a double, its shortest text that reads back as the same double."""
    return in_decimal_type(Decimal(repr(value)) if isinstance(value, float) else Decimal(value), to)


def _matching(pattern: str, text: str, to: Type) -> str:
    if re.fullmatch(pattern, text) is None:
        raise OperationFailure(f"{text[:40]!r} is not the text of a {to}")
    return text


def _text_to_boolean(value: str, to: Type) -> bool:
    lowered = value.lower()
    if lowered not in ("true", "false"):
        raise OperationFailure(f"{value[:40]!r} is not the text of a {to}")
    return lowered == "true"


def _text_to_timestamp(value: str, to: Type) -> int:
    try:
        moment = datetime.fromisoformat(_matching(TIMESTAMP_TEXT, value, to))
    except ValueError:
        raise OperationFailure(f"{value!r} is not a date and time") from None
    tick = tick_of(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    if not FIRST_TICK <= tick <= LAST_TICK:
        raise OperationFailure(f"{value!r} is outside the years 1 to 9999")
    return tick


_Conversion = Callable[[Any, Any], Any]
CASTS: Final[Mapping[tuple[type, type], _Conversion]] = {
    (Long, Double): lambda value, _: float(value),
    (Long, DecimalOf): _exact_decimal,
    (Long, String): lambda value, _: str(value),
    (Long, Boolean): lambda value, _: value != 0,
    (Double, Long): lambda value, _: in_long(int(value)),
    (Double, DecimalOf): _exact_decimal,
    (Double, Boolean): lambda value, _: value != 0,
    (DecimalOf, Long): lambda value, _: in_long(int(value)),
    (DecimalOf, Double): lambda value, _: float(value),
    (DecimalOf, DecimalOf): _exact_decimal,
    (DecimalOf, String): lambda value, _: format(value, "f"),
    (Boolean, Long): lambda value, _: int(value),
    (Boolean, String): lambda value, _: "true" if value else "false",
    (String, Long): lambda value, to: in_long(int(_matching(LONG_TEXT, value, to))),
    (String, Double): lambda value, to: in_double(float(_matching(NUMBER_TEXT, value, to))),
    (String, DecimalOf): lambda value, to: _exact_decimal(_matching(NUMBER_TEXT, value, to), to),
    (String, Boolean): _text_to_boolean,
    (String, Timestamp): _text_to_timestamp,
    (Timestamp, String): lambda value, _: format_instant(Tick(value)),
}
