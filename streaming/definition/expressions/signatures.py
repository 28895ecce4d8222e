"""Rules from the arguments of a call to the types that they are widened to and the type of the result."""

from collections.abc import Callable
from dataclasses import dataclass

from streaming.definition.expressions.casts import widens
from streaming.definition.expressions.tree import Expression, Literal
from streaming.definition.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Null,
    String,
    Type,
    bounded_decimal,
    common_type,
    is_numeric,
    is_ordered,
)

Arguments = tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """What the `arguments` of one call are widened to, and the type of its `result`."""

    arguments: tuple[Type, ...]
    result: Type


Rule = Callable[[Arguments], Signature | None]
"""None: these arguments do not fit."""

DATE_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
MAX_ROUND_DIGITS = 15


def taking(*wanted: Type, result: Type) -> Rule:
    """Arguments of fixed types, of which a call may leave out the last ones."""

    def rule(arguments: Arguments) -> Signature | None:
        if not all(widens(given.type, to) for given, to in zip(arguments, wanted, strict=False)):
            return None
        return Signature(wanted[: len(arguments)], result)

    return rule


def texts(arguments: Arguments) -> Signature | None:
    """Any number of strings; the result is a string."""
    if not all(widens(given.type, STRING) for given in arguments):
        return None
    return Signature((STRING,) * len(arguments), STRING)


def of_any_number(arguments: Arguments) -> Signature | None:
    """A number, whose type the result keeps."""
    of = arguments[0].type
    if not is_numeric(of):
        return None
    of = DOUBLE if isinstance(of, Null) else of
    return Signature((of,), of)


def to_whole_number(arguments: Arguments) -> Signature | None:
    """A number; the result is a long, of a decimal(p,s) a decimal(p-s+1,0)."""
    of = arguments[0].type
    if not is_numeric(of):
        return None
    if isinstance(of, DecimalOf):
        return Signature((of,), bounded_decimal(of.precision - of.scale + 1, 0))
    return Signature((DOUBLE if isinstance(of, Null) else of,), LONG)


def rounded(arguments: Arguments) -> Signature | None:
    """A long or double, then how many digits: a whole literal from 0 to 15."""
    if isinstance(arguments[0].type, DecimalOf) or not is_numeric(arguments[0].type):
        return None
    of = DOUBLE if arguments[0].type == NULL else arguments[0].type
    if len(arguments) == 1:
        return Signature((of,), of)
    digits = arguments[1]
    if not (isinstance(digits, Literal) and digits.type == LONG and isinstance(digits.value, int)):
        return None
    return Signature((of, LONG), of) if 0 <= digits.value <= MAX_ROUND_DIGITS else None


def _common(types: list[Type]) -> Type | None:
    found: Type | None = NULL
    for of in types:
        found = common_type(found, of) if found is not None else None
    return found


def of_common_type(arguments: Arguments) -> Signature | None:
    """Arguments that widen to one type, which is the result's."""
    of = _common([argument.type for argument in arguments])
    return Signature((of,) * len(arguments), of) if of is not None else None


def of_common_order(arguments: Arguments) -> Signature | None:
    """As `of_common_type`, of a type that has an order."""
    signature = of_common_type(arguments)
    return signature if signature is not None and is_ordered(signature.result) else None


def condition_first(arguments: Arguments) -> Signature | None:
    """A boolean, then arguments of a common type."""
    rest = of_common_type(arguments[1:])
    if rest is None or not widens(arguments[0].type, BOOLEAN):
        return None
    return Signature((BOOLEAN, *rest.arguments), rest.result)


def truncated(arguments: Arguments) -> Signature | None:
    """A literal unit, then a timestamp."""
    unit = arguments[0]
    if not (isinstance(unit, Literal) and isinstance(unit.type, String) and unit.value in DATE_UNITS):
        return None
    return Signature((unit.type, TIMESTAMP), TIMESTAMP) if widens(arguments[1].type, TIMESTAMP) else None


def of_array(arguments: Arguments) -> Signature | None:
    """An array; the result is a long."""
    of = arguments[0].type
    return Signature((of,), LONG) if isinstance(of, Array) else None
