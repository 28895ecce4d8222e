"""Operations that may fail on a row: the result is then null, and the failure is counted (T5).

A failure is a null result of an operation none of whose operands is null: `overflow` (a long outside 64 bits, a
double that is not finite, a decimal with too many digits), `division_by_zero`, `cast` (a conversion that gives null
by casts.py), `argument` (a value that the function does not take: the root of -1, part 0, a moment outside the years
1 to 9999), `too_long` (a text or list of more than MOST_BYTES) and `function_failed` (a function in WebAssembly that
trapped, used up its fuel or memory, or returned a value that its type does not have; T61). A null that results from a
null operand does not count. A null that `coalesce` replaces counts, and so does one in an `and` or a `case` as far as
they are evaluated, from the left.

Two kinds are failures of a sequence, not of an expression: `skip_target` (AFTER MATCH named a variable without rows, or
the first row of the match; T33) and `pattern_too_complex` (one attempt tried too many conditions; T37).
"""

from typing import Final, Literal, get_args

from streaming.definition.expressions.tree import (
    ARITHMETIC,
    MODULE_CALL_WITH_NULLS,
    MODULE_CALLS,
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
from streaming.definition.payload.types import Boolean, DecimalOf, Double, Long, Null, String, Type
from streaming.functions import failures

FailureKind = Literal[
    "overflow",
    "division_by_zero",
    "cast",
    "argument",
    "too_long",
    "function_failed",
    "skip_target",
    "pattern_too_complex",
]
FAILURE_KINDS: Final[tuple[FailureKind, ...]] = get_args(FailureKind)

MOST_BYTES: Final = failures.MOST_BYTES
"""The largest size of a value that a query computes: of a text in bytes of UTF-8, of a list the sum of its elements.
An element that isn't a text counts ELEMENT_BYTES. Received values may be longer."""
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
    **dict.fromkeys(("repeat", "lpad", "rpad", "split", "levenshtein"), "too_long"),
    **dict.fromkeys(("regexp_like", "regexp_extract", "regexp_replace", "regexp_count"), "too_long"),
    **dict.fromkeys(("sinh", "cosh", "degrees"), "overflow"),
    **dict.fromkeys(("asin", "acos", "log2", "log10"), "argument"),
    **dict.fromkeys(("json_value", "json_query", "json_exists"), "argument"),
    **dict.fromkeys(("extract", "at_timezone", "date_format"), "argument"),
    **dict.fromkeys(("st_distance", "st_within", "h3_cell"), "argument"),
    **dict.fromkeys(MODULE_CALLS, "function_failed"),
}
"""The failure of each function. For `pow`, a base without such a power is an `argument`."""
_TAKES_NULLS: Final = frozenset({"coalesce", "greatest", "least", "nullif", "if", MODULE_CALL_WITH_NULLS})
_SURE: Final[dict[type, tuple[type, ...]]] = {
    Long: (Double, String, Boolean),
    Double: (Boolean,),
    DecimalOf: (Double, String),
    Boolean: (Long, String),
    Null: (Long, Double, DecimalOf, String, Boolean),
}
"""Conversions that never fail."""


def kind_of(node: Expression) -> FailureKind | None:
    """Return how the operation of `node` itself may fail, ignoring its operands; None if it cannot.

    A division is `division_by_zero`, although a division of doubles or decimals may overflow too.
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


def is_null_if_failed(node: Expression) -> bool:
    """Return whether the operation of `node` takes nulls, and is null exactly if it fails."""
    return isinstance(node, Call) and node.function == MODULE_CALL_WITH_NULLS


def may_fail(node: Expression) -> bool:
    """Return whether some operation of `node` may fail."""
    pending = [node]
    for part in pending:
        if kind_of(part) is not None:
            return True
        pending.extend(children(part))
    return False


def is_strict(node: Expression) -> bool:
    """Return whether, apart from failures, the operation of `node` is null exactly if one of its operands is null.

    The functions of `MAYBE_NULL` may also be null where nothing failed.
    """
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
