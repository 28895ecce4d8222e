"""Numbers as the definition specifies them: 64-bit longs, finite doubles, exact decimals of at most 38 digits."""

import math
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from streaming.definition.counts import counted
from streaming.definition.expressions.failures import ELEMENT_BYTES, MOST_BYTES, FailureKind
from streaming.definition.payload.types import DecimalOf

EXACT = Context(prec=1_000, rounding=ROUND_HALF_UP)
"""Precise enough for exact sums and products; a quotient is rounded only when it enters its type."""
_LONG_MIN, _LONG_MAX = -(2**63), 2**63 - 1


class OperationFailure(ArithmeticError):
    """An operation failed on a row: its value is null, the message says why, and `kind` is the kind of failure (T5)."""

    def __init__(self, why: str, kind: FailureKind = "overflow") -> None:
        super().__init__(why)
        self.kind = kind


def in_long(value: int) -> int:
    """Return `value`; raises `OperationFailure` outside 64 bits."""
    if not _LONG_MIN <= value <= _LONG_MAX:
        raise OperationFailure(f"{value} does not fit 64 bits")
    return value


def in_double(value: float) -> float:
    """Return `value`; raises `OperationFailure` if it has overflowed: no payload contains infinity or NaN."""
    if not math.isfinite(value):
        raise OperationFailure("the result is not a finite double")
    return value


def in_decimal_type(value: Decimal, of: DecimalOf) -> Decimal:
    """Return `value` rounded half up to the scale of `of`; raises `OperationFailure` if it then has too many digits."""
    rounded = EXACT.quantize(value, Decimal(1).scaleb(-of.scale))
    if rounded.scaleb(of.scale, context=EXACT).copy_abs() >= 10**of.precision:
        raise OperationFailure(f"{value} does not fit {of}")
    return rounded if rounded else rounded.copy_abs()


def in_length(value: Any) -> Any:
    """Return `value`, a text or a list; raises `OperationFailure` if it is longer than MOST_BYTES."""
    length = bytes_of(value)
    if length > MOST_BYTES:
        raise OperationFailure(f"a value of {counted(length, 'byte')} is longer than {MOST_BYTES}", "too_long")
    return value


def bytes_of(value: Any) -> int:
    """Return the size of a value: a text in UTF-8; a list or struct as the sum of its content.

    ELEMENT_BYTES for all others.
    """
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, Mapping):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(bytes_of, value))
    return ELEMENT_BYTES
