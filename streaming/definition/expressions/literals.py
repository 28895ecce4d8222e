"""Constants in the text of an expression."""

import math
import re
from decimal import Context, Decimal
from typing import Final

from streaming.definition.expressions.problems import bad_expression
from streaming.definition.expressions.tree import Literal
from streaming.definition.payload.types import DOUBLE, LONG, MAX_PRECISION, TIMESTAMP, DecimalOf
from streaming.temporal.ticks import LAST_TICK, TimeTextError, parse_instant

_EXACT: Final = Context(prec=MAX_PRECISION)
_NUMBER: Final = re.compile(r"(-?)([0-9]+)?(\.[0-9]*)?([eE][+-]?[0-9]+)?(L|D|BD)?", re.ASCII | re.IGNORECASE)


def number_literal(text: str, at: int) -> Literal:
    """Read a number: `10` and `10L` are longs, `1.5`, `1e3` and `1D` doubles, `1.50BD` a decimal(3,2).

    Spark reads `1.5` as a decimal; here a fraction is a double unless it ends in BD. Raises `ExpressionError`.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or match.group(2) is None or len(text) > 400:
        raise _bad_number(text, at)
    suffix = (match.group(5) or "").upper()
    body = text[: len(text) - len(suffix)]
    whole = match.group(3) is None and match.group(4) is None
    if suffix == "BD":
        return _decimal(body, at)
    if whole and suffix in ("", "L"):
        if not -(2**63) <= int(body) < 2**63:
            raise bad_expression(f"{text[:40]} does not fit a 64-bit long", f"write {body[:20]}.0 for a double", at)
        return Literal(int(body), LONG, at)
    value = float(body)
    if suffix == "L" or not math.isfinite(value):
        raise _bad_number(text, at)
    return Literal(value, DOUBLE, at)


def _decimal(body: str, at: int) -> Literal:
    value = Decimal(body)
    _, digits, exponent = value.as_tuple()
    scale = max(-int(exponent), 0)
    precision = max(len(digits) + max(int(exponent), 0), scale, 1)
    if precision > MAX_PRECISION:
        raise bad_expression(f"{body[:40]}BD has more than {MAX_PRECISION} digits", "write fewer digits", at)
    return Literal(value.quantize(Decimal(1).scaleb(-scale), context=_EXACT), DecimalOf(precision, scale), at)


def timestamp_literal(text: str, at: int) -> Literal:
    """Read the moment in `timestamp 'text'`: ISO 8601, UTC without a zone. Raises `ExpressionError`."""
    try:
        tick = parse_instant(text)
    except TimeTextError as error:
        raise bad_expression(str(error), "write timestamp '2026-01-31T12:00:00Z'", at) from None
    if tick > LAST_TICK:
        raise bad_expression(f"{text!r} is after the year 9999", "write an earlier timestamp", at)
    return Literal(tick, TIMESTAMP, at)


def _bad_number(text: str, at: int) -> Exception:
    return bad_expression(f"{text[:40]!r} is not a number", "write for example 10, 1.5, 1e3 or 1.50BD", at)
