"""The expression tree: eleven kinds of frozen nodes.

`parse` leaves every `type` at NULL; `typed` returns a new tree in which every `type` is set, the operands of a node
have the types that its docstring names, and a widening is a `Cast` node. `at` is the offset in the text and does not
take part in equality. "Null on failure": an operation that fails on a row gives null.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from streaming.definition.payload.types import NULL, Type

WIDEN: Final = "__widen"
"""The function that macros are expanded with: its first argument, widened to the type in its second (T59)."""
MODULE_CALL: Final = "__module"
"""The function that calls of a module's function are expanded with (T60): the module's hash, the export, the type of
the result and the fuel as literals, then the arguments."""
MODULE_CALL_WITH_NULLS: Final = "__module_with_nulls"
"""The same for a function that takes nulls."""
MODULE_CALLS: Final = (MODULE_CALL, MODULE_CALL_WITH_NULLS)
Value = int | float | Decimal | str | bool | None


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: long int, double float, decimal Decimal, string, boolean, timestamp int ticks, or null."""

    value: Value
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the payload, or with a longer `path` a field inside structs; a field of a null struct is null."""

    path: tuple[str, ...]
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`-` on a number, null when the smallest long is negated; `not` on a boolean, null of null."""

    operator: str
    operand: "Expression"
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """`+ - * / % = != < <= > >= <=> and or`.

    Arithmetic: both operands are long, double, or decimals (each with its own precision); `/` has doubles or decimals.
    Null if an operand is null; null on failure: a long outside 64 bits, a double that is not finite, a decimal with
    more digits than `type`, division or remainder by zero. Decimals are exact, then rounded half up to the scale of
    `type`. `%` has the sign of the left operand. Comparison: both operands have one type; strings by code point,
    false before true; null if an operand is null, but `<=>` is true for two nulls and false for one. `and` and `or`
    are three-valued.
    """

    operator: str
    left: "Expression"
    right: "Expression"
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the registry by its own name (not an alias), in lower case; or one of MODULE_CALLS."""

    function: str
    arguments: tuple["Expression", ...]
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class CaseWhen:
    """The value of the first (condition, value) whose condition is true, else `otherwise`; all of one type.

    A failure in a branch that is not taken has no effect.
    """

    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression"
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion to `to` as `casts.py` defines it; null on failure."""

    operand: "Expression"
    to: Type
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class In:
    """True if `operand` equals an item; else null if it or an item is null; else false. All of one type."""

    operand: "Expression"
    items: tuple["Expression", ...]
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class IsNull:
    """A test for null; `operand` has any type, and the result is never null."""

    operand: "Expression"
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class BetweenTest:
    """`low <= operand and operand <= high`, three-valued; all of one type."""

    operand: "Expression"
    low: "Expression"
    high: "Expression"
    type: Type = NULL
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Like:
    """A test that `pattern` (see `like.py`) matches the whole string `operand`."""

    operand: "Expression"
    pattern: str
    type: Type = NULL
    at: int = field(default=0, compare=False)


Expression = Literal | Field | Unary | Binary | Call | CaseWhen | Cast | In | IsNull | BetweenTest | Like

ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%"})
COMPARISON: Final = frozenset({"=", "!=", "<", "<=", ">", ">=", "<=>"})
LOGIC: Final = frozenset({"and", "or"})


def children(node: Expression) -> tuple[Expression, ...]:
    """Return the direct operands of `node`, in order."""
    found: tuple[Expression, ...] = ()
    match node:
        case Unary() | Cast() | IsNull() | Like():
            found = (node.operand,)
        case Binary():
            found = (node.left, node.right)
        case Call():
            found = node.arguments
        case CaseWhen():
            found = (*(part for branch in node.branches for part in branch), node.otherwise)
        case In():
            found = (node.operand, *node.items)
        case BetweenTest():
            found = (node.operand, node.low, node.high)
    return found


def with_children(node: Expression, operands: Sequence[Expression]) -> Expression:
    """Return `node` with `operands` instead of its `children`; both have the same number."""
    found = node
    match node:
        case Unary() | Cast() | IsNull() | Like():
            found = replace(node, operand=operands[0])
        case Binary():
            found = replace(node, left=operands[0], right=operands[1])
        case Call():
            found = replace(node, arguments=tuple(operands))
        case CaseWhen():
            pairs = tuple(zip(operands[:-1:2], operands[1::2], strict=True))
            found = replace(node, branches=pairs, otherwise=operands[-1])
        case In():
            found = replace(node, operand=operands[0], items=tuple(operands[1:]))
        case BetweenTest():
            found = replace(node, operand=operands[0], low=operands[1], high=operands[2])
    return found


def depth(node: Expression) -> int:
    """Return the depth of `node`; a field or literal has 1. Not recursive, so it works on trees of any depth."""
    deepest, level = 0, [node]
    while level:
        deepest += 1
        level = [child for parent in level for child in children(parent)]
    return deepest


def fields_used(node: Expression) -> frozenset[str]:
    """Return the payload fields that `node` reads (the first step of each path)."""
    used, pending = set(), [node]
    while pending:
        part = pending.pop()
        if isinstance(part, Field):
            used.add(part.path[0])
        pending.extend(children(part))
    return frozenset(used)
