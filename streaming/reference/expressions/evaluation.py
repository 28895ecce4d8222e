"""Evaluation of an expression on one row: three-valued logic, and null if an operation fails (T5)."""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal
from typing import Any, Final

from streaming.definition.expressions.failures import FailureKind
from streaming.definition.expressions.like import like_regex
from streaming.definition.expressions.tree import (
    ARITHMETIC,
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
    Literal,
    Unary,
)
from streaming.definition.payload.types import DecimalOf, Type
from streaming.reference.expressions.casts import cast
from streaming.reference.expressions.functions import call
from streaming.reference.expressions.numbers import EXACT, OperationFailure, in_decimal_type, in_double, in_long
from streaming.temporal.events import Payload
from streaming.wasm.function import LITERALS, FunctionFailed, WasmFunction, function_of

Failed = Callable[[OperationFailure], None]
"""Receives the reason why an operation returned null."""


def evaluate(expression: Expression, payload: Payload, failed: Failed) -> Any:
    """Return the value of a typed `expression` for `payload`, which has all fields of its schema.

    An operation that fails is null, and `failed` receives the reason, once for each kind of failure; nothing is raised.
    """
    return _Evaluation(payload, failed).value(expression)


class _Evaluation:
    """One expression on one row."""

    def __init__(self, payload: Payload, failed: Failed) -> None:
        self._payload = payload
        self._failed = failed
        self._told: set[FailureKind] = set()

    def value(self, node: Expression) -> Any:
        return _MEANING[type(node)](self, node)

    def guarded(self, compute: Callable[[], Any]) -> Any:
        try:
            return compute()
        except OperationFailure as failure:
            if failure.kind not in self._told:
                self._told.add(failure.kind)
                self._failed(failure)
            return None

    def literal(self, node: Literal) -> Any:
        return node.value

    def field(self, node: Field) -> Any:
        value: Any = self._payload
        for step in node.path:
            if value is None:
                return None
            value = value[step]
        return value

    def unary(self, node: Unary) -> Any:
        value = self.value(node.operand)
        if value is None:
            return None
        if node.operator == "not":
            return not value
        negative = value.copy_negate() if isinstance(value, Decimal) else -value
        return self.guarded(lambda: in_type(negative, node.type))

    def binary(self, node: Binary) -> Any:
        if node.operator in ("and", "or"):
            return self.logic(node)
        left, right = self.value(node.left), self.value(node.right)
        if node.operator == "<=>":
            return bool(left == right)
        if left is None or right is None:
            return None
        if node.operator in ARITHMETIC:
            return self.guarded(lambda: in_type(_ARITHMETIC[node.operator](left, right), node.type))
        return _COMPARISON[node.operator](left, right)

    def logic(self, node: Binary) -> bool | None:
        """Return false for `and` if a side is false, true for `or` if a side is true, whatever the other is."""
        decisive = node.operator == "or"
        left: bool | None = self.value(node.left)
        if left is decisive:
            return decisive
        right: bool | None = self.value(node.right)
        if right is decisive:
            return decisive
        return None if left is None or right is None else not decisive

    def call(self, node: Call) -> Any:
        if node.function == "if":
            condition, then, otherwise = node.arguments
            return self.value(then if self.value(condition) is True else otherwise)
        values = [self.value(argument) for argument in node.arguments]
        if node.function in MODULE_CALLS:
            return self.guarded(lambda: call_module(function_of(node), values[LITERALS:]))
        return self.guarded(lambda: call(node.function, values))

    def case(self, node: CaseWhen) -> Any:
        for condition, value in node.branches:
            if self.value(condition) is True:
                return self.value(value)
        return self.value(node.otherwise)

    def cast(self, node: Cast) -> Any:
        value = self.value(node.operand)
        return None if value is None else self.guarded(lambda: cast(value, node.operand.type, node.to))

    def in_list(self, node: In) -> bool | None:
        value = self.value(node.operand)
        items = [self.value(item) for item in node.items]
        if value is None:
            return None
        if any(item == value for item in items if item is not None):
            return True
        return None if None in items else False

    def is_null(self, node: IsNull) -> bool:
        return self.value(node.operand) is None

    def between(self, node: BetweenTest) -> bool | None:
        value, low, high = (self.value(part) for part in (node.operand, node.low, node.high))
        above = None if value is None or low is None else bool(low <= value)
        below = None if value is None or high is None else bool(value <= high)
        if above is False or below is False:
            return False
        return None if above is None or below is None else True

    def like(self, node: Like) -> bool | None:
        value = self.value(node.operand)
        return None if value is None else re.fullmatch(like_regex(node.pattern), value) is not None


def call_module(function: WasmFunction, values: Sequence[Any]) -> Any:
    """Return the result of a function in WebAssembly (T60); raises `OperationFailure` if the call fails (T61)."""
    if None in values and not function.null_arguments:
        return None
    from streaming.wasm.calls import caller_of  # wasmtime is large, and most processes call no functions

    try:
        return caller_of(function).call(values)
    except FunctionFailed as failure:
        raise OperationFailure(f"{function.export} failed: {failure}", "function_failed") from None


def in_type(value: Any, of: Type) -> Any:
    """Convert the result of arithmetic to its type: a long or double that fits, a decimal at its scale.

    Raises `OperationFailure` if it does not fit.
    """
    if isinstance(of, DecimalOf):
        return in_decimal_type(value, of)
    return in_double(value) if isinstance(value, float) else in_long(value)


def _divided(left: Any, right: Any) -> Any:
    if right == 0:
        raise OperationFailure("division by zero", "division_by_zero")
    return EXACT.divide(left, right) if isinstance(left, Decimal) else left / right


def _remainder(left: Any, right: Any) -> Any:
    """Return the remainder with the sign of the left operand."""
    if right == 0:
        raise OperationFailure("remainder of a division by zero", "division_by_zero")
    if isinstance(left, Decimal):
        quotient = EXACT.divide(left, right).to_integral_value(ROUND_DOWN)
        return EXACT.subtract(left, EXACT.multiply(quotient, right))
    if isinstance(left, float):
        return math.fmod(left, right)
    return abs(left) % abs(right) * (1 if left >= 0 else -1)


def _decimal_or(exact: Callable[[Decimal, Decimal], Decimal], plain: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda left, right: exact(left, right) if isinstance(left, Decimal) else plain(left, right)


_ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": _decimal_or(EXACT.add, operator.add),
    "-": _decimal_or(EXACT.subtract, operator.sub),
    "*": _decimal_or(EXACT.multiply, operator.mul),
    "/": _divided,
    "%": _remainder,
}
_COMPARISON: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MEANING: Final[Mapping[type, Callable[[_Evaluation, Any], Any]]] = {
    Literal: _Evaluation.literal,
    Field: _Evaluation.field,
    Unary: _Evaluation.unary,
    Binary: _Evaluation.binary,
    Call: _Evaluation.call,
    CaseWhen: _Evaluation.case,
    Cast: _Evaluation.cast,
    In: _Evaluation.in_list,
    IsNull: _Evaluation.is_null,
    BetweenTest: _Evaluation.between,
    Like: _Evaluation.like,
}
