"""Which operations may fail on a row, and how: such a row has null there, and the failure is counted (T5).

A failure is a null that an operation gives though none of its operands is null: `overflow` (a long outside 64 bits, a
double that is not finite, a decimal with too many digits), `division_by_zero`, `cast` (a conversion that casts.py calls
null), `argument` (one that the function does not take: the root of -1, part 0, a moment outside the years 1 to 9999)
and `too_long` (a text or list of more than MOST_BYTES). A null that comes of a null is none; one that `coalesce`
replaces is one, and so is one in an `and` or a `case` as far as they are evaluated, from the left.
"""

from typing import Final, Literal, get_args

from streaming.definition.expressions.tree import (
    ARITHMETIC,
    BetweenTest,
    Binary,
    Call,
    CaseWhen,
    Cast,
    Expression,
    Field,
    In,
    IsNull,
    Like,
    Unary,
    children,
)
from streaming.definition.expressions.tree import Literal as Constant
from streaming.definition.types import Boolean, DecimalOf, Double, Long, Null, String, Type

FailureKind = Literal["overflow", "division_by_zero", "cast", "argument", "too_long"]
FAILURE_KINDS: Final[tuple[FailureKind, ...]] = get_args(FailureKind)

MOST_BYTES: Final = 1 << 20
"""The largest length of a value that a query makes: of a text in bytes of UTF-8, of a list the sum of its elements,
of which each that is no text counts ELEMENT_BYTES. What is received may be longer, and passes."""
ELEMENT_BYTES: Final = 8

_OF_FUNCTION: Final[dict[str, FailureKind]] = {
    "abs": "overflow",
    "ceil": "overflow",
    "floor": "overflow",
    "exp": "overflow",
    "pow": "overflow",
    "sqrt": "argument",
    "ln": "argument",
    "split_part": "argument",
    "date_trunc": "argument",
    "timestamp_micros": "argument",
    "concat": "too_long",
    "replace": "too_long",
    "upper": "too_long",
    "lower": "too_long",
}
"""How a function fails. Of `pow` a base that has no such power is an `argument`."""
_TAKES_NULLS: Final = frozenset({"coalesce", "greatest", "least", "nullif", "if"})
_SURE: Final[dict[type, tuple[type, ...]]] = {
    Long: (Double, String, Boolean),
    Double: (Boolean,),
    DecimalOf: (Double, String),
    Boolean: (Long, String),
    Null: (Long, Double, DecimalOf, String, Boolean),
}
"""Conversions that never fail."""


def kind_of(node: Expression) -> FailureKind | None:
    """How the operation of `node` itself may fail, its operands left aside; None where it cannot.

    A division says `division_by_zero`, though one of doubles or decimals may overflow too.
    """
    match node:
        case Unary(operator="-"):
            return None if isinstance(node.type, Double) else "overflow"
        case Binary():
            if node.operator not in ARITHMETIC:
                return None
            return "division_by_zero" if node.operator in ("/", "%") else "overflow"
        case Call():
            return _OF_FUNCTION.get(node.function)
        case Cast():
            return None if _is_sure(node.operand.type, node.to) else "cast"
    return None


def _is_sure(source: Type, to: Type) -> bool:
    return source == to or isinstance(source, Null) or type(to) in _SURE.get(type(source), ())


def may_fail(node: Expression) -> bool:
    """Whether some operation of `node` may fail."""
    pending = [node]
    for part in pending:
        if kind_of(part) is not None:
            return True
        pending.extend(children(part))
    return False


def is_strict(node: Expression) -> bool:
    """Whether the operation of `node` gives null, but for failures, exactly where one of its operands is null."""
    match node:
        case Field():
            return len(node.path) == 1
        case Constant():
            return node.value is not None
        case Binary():
            return node.operator not in ("and", "or", "<=>")
        case Call():
            return node.function not in _TAKES_NULLS
        case CaseWhen() | In() | IsNull() | BetweenTest():
            return False
        case Unary() | Cast() | Like():
            return True
