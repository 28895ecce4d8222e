"""Typing rules: from the arguments of a call to the types that they are widened to and the type of the result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    NULL,
    STRING,
    Array,
    DecimalOf,
    Null,
    Type,
    bounded_decimal,
    common_type,
    is_numeric,
    is_ordered,
    widens,
)
from streaming.functions.failures import InvalidConstant


@dataclass(frozen=True, slots=True)
class Argument:
    """The type of an argument, its place in the text, and its value if it is a literal, else null."""

    type: Type
    at: int
    constant: int | float | Decimal | str | bool | None


Arguments = tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """The types to which the `arguments` of one call are widened, and the type of its `result`."""

    arguments: tuple[Type, ...]
    result: Type


Rule = Callable[[Arguments], Signature | None]
"""None: these arguments do not fit. Raises `ConstantError` for a constant that does not."""

MAX_ROUND_DIGITS = 15


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """One function: `minimum` to `maximum` arguments (None: any number), typed by `rule`."""

    name: str
    signature: str
    help: str
    rule: Rule
    minimum: int
    maximum: int | None


def entry(signature: str, text: str, rule: Rule, minimum: int = 1, maximum: int | None = -1) -> FunctionEntry:
    """Return an entry, named by the first word of `signature`; without `maximum`, `minimum` arguments exactly."""
    name = signature.partition("(")[0]
    return FunctionEntry(name, signature, text, rule, minimum, minimum if maximum == -1 else maximum)


class ConstantError(ValueError):
    """An argument that must be a constant, or a constant that the function does not take."""

    def __init__(self, message: str, remedy: str, at: int) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.at = at


def taking(*wanted: Type, result: Type) -> Rule:
    """Return the rule for arguments of fixed types; a call may leave out the last ones."""

    def rule(arguments: Arguments) -> Signature | None:
        if not all(widens(argument.type, to) for argument, to in zip(arguments, wanted, strict=False)):
            return None
        return Signature(wanted[: len(arguments)], result)

    return rule


def texts(arguments: Arguments) -> Signature | None:
    """Accept any number of strings; the result is a string."""
    if not all(widens(argument.type, STRING) for argument in arguments):
        return None
    return Signature((STRING,) * len(arguments), STRING)


def of_any_number(arguments: Arguments) -> Signature | None:
    """Accept a number; the result has its type."""
    of = arguments[0].type
    if not is_numeric(of):
        return None
    of = DOUBLE if isinstance(of, Null) else of
    return Signature((of,), of)


def to_whole_number(arguments: Arguments) -> Signature | None:
    """Accept a number; the result is a long, for a decimal(p,s) a decimal(p-s+1,0)."""
    of = arguments[0].type
    if not is_numeric(of):
        return None
    if isinstance(of, DecimalOf):
        return Signature((of,), bounded_decimal(of.precision - of.scale + 1, 0))
    return Signature((DOUBLE if isinstance(of, Null) else of,), LONG)


def rounded(arguments: Arguments) -> Signature | None:
    """Accept a long or double, then the number of digits: a whole literal from 0 to 15."""
    if isinstance(arguments[0].type, DecimalOf) or not is_numeric(arguments[0].type):
        return None
    of = DOUBLE if arguments[0].type == NULL else arguments[0].type
    if len(arguments) == 1:
        return Signature((of,), of)
    digits = arguments[1]
    if not (digits.type == LONG and isinstance(digits.constant, int)):
        return None
    return Signature((of, LONG), of) if 0 <= digits.constant <= MAX_ROUND_DIGITS else None


def _common(types: list[Type]) -> Type | None:
    common: Type | None = NULL
    for of in types:
        common = common_type(common, of) if common is not None else None
    return common


def of_common_type(arguments: Arguments) -> Signature | None:
    """Accept arguments that widen to one type; the result has that type."""
    of = _common([argument.type for argument in arguments])
    return Signature((of,) * len(arguments), of) if of is not None else None


def of_common_order(arguments: Arguments) -> Signature | None:
    """Accept arguments as `of_common_type` does, if their common type has an order."""
    signature = of_common_type(arguments)
    return signature if signature is not None and is_ordered(signature.result) else None


def condition_first(arguments: Arguments) -> Signature | None:
    """Accept a boolean, then arguments of a common type."""
    rest = of_common_type(arguments[1:])
    if rest is None or not widens(arguments[0].type, BOOLEAN):
        return None
    return Signature((BOOLEAN, *rest.arguments), rest.result)


def with_constants(check: Callable[..., None], places: Sequence[int], *wanted: Type, result: Type) -> Rule:
    """Return the rule of `taking` for a call whose arguments at `places` are literals that pass `check`.

    `check` raises `InvalidConstant`; the rule raises `ConstantError`.
    """
    taken = taking(*wanted, result=result)

    def rule(arguments: Arguments) -> Signature | None:
        signature = taken(arguments)
        if signature is not None:
            checked(check, [arguments[place] for place in places if place < len(arguments)])
        return signature

    return rule


def checked(check: Callable[..., None], arguments: Sequence[Argument]) -> None:
    """Raise `ConstantError` if not all `arguments` are literals, or their values do not pass `check`."""
    values = []
    for argument in arguments:
        if argument.constant is None:
            raise ConstantError("This argument must be a constant", "write a literal here, not a field", argument.at)
        values.append(argument.constant)
    try:
        check(*values)
    except InvalidConstant as error:
        raise ConstantError(str(error), error.remedy, arguments[error.place].at) from None


def of_array(arguments: Arguments) -> Signature | None:
    """Accept an array; the result is a long."""
    of = arguments[0].type
    return Signature((of,), LONG) if isinstance(of, Array) else None
