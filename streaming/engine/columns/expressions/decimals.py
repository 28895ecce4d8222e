"""Decimals and conversions by value: exact, rounded half up once, null (`RowFailure`) if a result does not fit."""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any, Final

from streaming.definition.expressions.casts import LONG_TEXT, NUMBER_TEXT, TIMESTAMP_TEXT
from streaming.definition.payload.types import Boolean, DecimalOf, Double, Long, String, Timestamp, Type
from streaming.engine.columns.expressions.by_value import RowFailure
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant, tick_of

_WIDE: Final = Context(prec=1_000, rounding=ROUND_HALF_UP)
"""Exact for sums and products of 38 digits; a quotient keeps far more digits than any type."""


def fitted(value: Decimal, of: DecimalOf) -> Decimal:
    """`value` half up at the scale of `of`; `RowFailure` with more digits than it has."""
    rounded = _WIDE.quantize(value, Decimal((0, (1,), -of.scale)))
    if abs(int(rounded.scaleb(of.scale, context=_WIDE))) >= 10**of.precision:
        raise RowFailure
    return rounded or rounded.copy_abs()


def _quotient(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise RowFailure
    return _WIDE.divide(left, right)


def _remainder(left: Decimal, right: Decimal) -> Decimal:
    whole = _quotient(left, right).to_integral_value(ROUND_DOWN)
    return _WIDE.subtract(left, _WIDE.multiply(whole, right))


_EXACT: Final[dict[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "+": _WIDE.add,
    "-": _WIDE.subtract,
    "*": _WIDE.multiply,
    "/": _quotient,
    "%": _remainder,
}


def arithmetic(operator: str, of: DecimalOf) -> Callable[[Decimal, Decimal], Decimal]:
    """`left operator right` as a decimal of type `of`."""
    exact = _EXACT[operator]
    return lambda left, right: fitted(exact(left, right), of)


def negated(of: DecimalOf) -> Callable[[Decimal], Decimal]:
    """The value with the other sign."""
    return lambda value: fitted(value.copy_negate(), of)


def whole(name: str, of: DecimalOf) -> Callable[[Decimal], Decimal]:
    """`ceil` or `floor`."""
    rounding = ROUND_CEILING if name == "ceil" else ROUND_FLOOR
    return lambda value: fitted(value.to_integral_value(rounding), of)


def in_long(value: int) -> int:
    """`value`; `RowFailure` outside 64 bits."""
    if not -(2**63) <= value < 2**63:
        raise RowFailure
    return value


def _decimal(value: Any, to: Type) -> Decimal:
    if not isinstance(to, DecimalOf):
        raise TypeError(f"{to} is not a decimal type")
    return fitted(Decimal(repr(value)) if isinstance(value, float) else Decimal(value), to)


def _matching(pattern: str, text: str) -> str:
    if re.fullmatch(pattern, text) is None:
        raise RowFailure
    return text


def _double_of_text(text: str, to: Type) -> float:
    del to
    value = float(_matching(NUMBER_TEXT, text))
    if not math.isfinite(value):
        raise RowFailure
    return value


def _boolean_of_text(text: str, to: Type) -> bool:
    del to
    lowered = text.lower()
    if lowered not in ("true", "false"):
        raise RowFailure
    return lowered == "true"


def _tick_of_text(text: str, to: Type) -> int:
    del to
    try:
        moment = datetime.fromisoformat(_matching(TIMESTAMP_TEXT, text))
    except ValueError:
        raise RowFailure from None
    tick = tick_of(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    if not FIRST_TICK <= tick <= LAST_TICK:
        raise RowFailure
    return tick


CONVERSIONS: Final[dict[tuple[type, type], Callable[[Any, Type], Any]]] = {
    (Long, DecimalOf): _decimal,
    (Double, DecimalOf): _decimal,
    (DecimalOf, DecimalOf): _decimal,
    (DecimalOf, Long): lambda value, _: in_long(int(value)),
    (DecimalOf, Double): lambda value, _: float(value),
    (DecimalOf, String): lambda value, _: format(value, "f"),
    (String, Long): lambda value, _: in_long(int(_matching(LONG_TEXT, value))),
    (String, Double): _double_of_text,
    (String, DecimalOf): lambda value, to: _decimal(_matching(NUMBER_TEXT, value), to),
    (String, Boolean): _boolean_of_text,
    (String, Timestamp): _tick_of_text,
    (Timestamp, String): lambda value, _: format_instant(Tick(value)),
}
"""The conversions of definition/expressions/casts.py that columns cannot do exactly."""
