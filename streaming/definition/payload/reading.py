"""Strict reading of one payload by its schema: values that don't fit make it malformed and are never coerced (T5)."""

import json
import math
import re
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final

from streaming.definition.payload.types import (
    Array,
    Boolean,
    DecimalOf,
    Double,
    Fields,
    Long,
    String,
    Struct,
    Timestamp,
    Type,
)
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, TimeTextError, parse_instant

_LONG_MIN: Final = -(2**63)
_LONG_MAX: Final = 2**63 - 1
_EXACT: Final = Context(prec=40)
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
"""A number in JSON's syntax."""


@dataclass(frozen=True, slots=True)
class BadPayload:
    """A payload that doesn't fit: reason bad_payload. `field` is a path such as `a.b[2]`, empty for the whole."""

    field: str
    message: str


class _Unfit(Exception):
    """Raised inside this module where a value does not fit; its path grows from the inside out."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.path = ""


class WrittenNumber(float):
    """A JSON number with a point or an exponent, and its digits as `written`: a float has only 17 of them."""

    written: str

    def __new__(cls, text: str) -> "WrittenNumber":
        """Read `text`, a JSON number."""
        number = super().__new__(cls, text)
        number.written = text
        return number


def read_object(written: str | bytes) -> dict[str, Any] | None:
    """Return the JSON object of a row, None for anything else; its numbers store their digits, for decimals."""
    try:
        text = written if isinstance(written, str) else written.decode()
        value = json.loads(text, parse_float=WrittenNumber)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_payload(obj: object, fields: Fields) -> dict[str, Any] | BadPayload:
    """Read `obj`, a decoded JSON object, as a payload with exactly the `fields`, in their order.

    The values have the types of the temporal model: long int, double float, decimal `Decimal` at its scale, a
    timestamp as int ticks (written as ticks or as ISO 8601 text), array list, struct dict. A missing field is null,
    an extra one is ignored. A decimal may be a number or, as in results, a text: most readers of
    JSON keep only 17 digits of a number. The first value of a wrong type gives `BadPayload`. So does any other number
    in a string, a fraction for a long, NaN, infinity, a value outside int64, a decimal with too many digits, or text
    that is not Unicode.
    """
    try:
        return _struct(obj, fields)
    except _Unfit as error:
        return BadPayload(error.path.removeprefix("."), str(error))


def _struct(obj: object, fields: Fields) -> dict[str, Any]:
    if not isinstance(obj, dict):
        raise _Unfit(f"expected an object with fields, found {_abbreviate(obj)}")
    return {name: _at(f".{name}", obj.get(name), of) for name, of in fields.items()}


def _at(step: str, value: object, of: Type) -> Any:
    try:
        return _value(value, of)
    except _Unfit as error:
        error.path = step + error.path
        raise


def _value(value: object, of: Type) -> Any:
    if value is None:
        return None
    if isinstance(of, Array):
        if not isinstance(value, list):
            raise _wrong(value, of)
        return [_at(f"[{index}]", item, of.element) for index, item in enumerate(value)]
    if isinstance(of, Struct):
        return _struct(value, dict(of.fields))
    return _scalar(value, of)


def _scalar(value: object, of: Type) -> Any:
    if isinstance(of, Boolean):
        if isinstance(value, bool):
            return value
    elif isinstance(of, String):
        if isinstance(value, str):
            return _text(value)
    elif isinstance(of, Timestamp):
        return _timestamp(value)
    elif isinstance(value, bool):
        raise _wrong(value, of)
    elif isinstance(of, Long):
        return _long(value)
    elif isinstance(of, Double):
        return _double(value)
    elif isinstance(of, DecimalOf):
        return _decimal(value, of)
    raise _wrong(value, of)


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _Unfit("the text is not valid Unicode: it contains half of a surrogate pair") from None
    return value


def _timestamp(value: object) -> int:
    numeric_text = isinstance(value, str) and value.strip().lstrip("+-").isdecimal()
    if isinstance(value, bool) or not isinstance(value, int | str) or numeric_text:
        raise _Unfit(f"expected a timestamp (ticks or ISO 8601 text), found {_abbreviate(value)}")
    try:
        tick = parse_instant(value)
    except TimeTextError as error:
        raise _Unfit(str(error)) from None
    if not FIRST_TICK <= tick <= LAST_TICK:
        raise _Unfit(f"{_abbreviate(value)} is outside the years 1 to 9999")
    return tick


def _long(value: object) -> int:
    if not isinstance(value, int):
        raise _Unfit(f"expected a whole number, found {_abbreviate(value)}")
    if not _LONG_MIN <= value <= _LONG_MAX:
        raise _Unfit(f"{_abbreviate(value)} does not fit 64 bits")
    return value


def _double(value: object) -> float:
    if not isinstance(value, int | float | Decimal):
        raise _Unfit(f"expected a number, found {_abbreviate(value)}")
    try:
        number = math.nan if isinstance(value, Decimal) and value.is_snan() else float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _Unfit(f"{_abbreviate(value)} is not a finite double")
    return number


def _decimal(value: object, of: DecimalOf) -> Decimal:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = WrittenNumber(value)
    if not isinstance(value, int | float | Decimal):
        raise _Unfit(f"expected a number, found {_abbreviate(value)}")
    number = _exactly(value)
    if not number.is_finite():
        raise _Unfit(f"{_abbreviate(value)} is not a finite number")
    _, digits, exponent = number.as_tuple()
    unscaled = "".join(map(str, digits)).rstrip("0")
    lowest = int(exponent) + len(digits) - len(unscaled)
    if unscaled and (lowest < -of.scale or len(unscaled) + lowest + of.scale > of.precision):
        raise _Unfit(f"{_abbreviate(value)} does not fit {of}")
    return number.quantize(Decimal(1).scaleb(-of.scale), context=_EXACT) if unscaled else _zero(of)


def _exactly(value: int | float | Decimal) -> Decimal:
    if not isinstance(value, float):
        return Decimal(value)
    try:
        return Decimal(value.written if isinstance(value, WrittenNumber) else repr(value))
    except InvalidOperation:  # an exponent that is too large for any decimal
        raise _Unfit(f"{_abbreviate(value)} is not a finite number") from None


def _zero(of: DecimalOf) -> Decimal:
    return Decimal(0).scaleb(-of.scale)


def _wrong(value: object, of: Type) -> _Unfit:
    return _Unfit(f"expected {of}, found {_abbreviate(value)}")


def _abbreviate(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an int with more digits than Python prints
        text = "a number with thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."
