"""Typing of a tree: every node gets its type, every implicit widening becomes a Cast, every fault is collected."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.expressions.casts import can_cast, cast_remedy
from streaming.definition.expressions.functions import find_function, unknown_function_remedy
from streaming.definition.expressions.like import PatternError, like_regex
from streaming.definition.expressions.problems import ExpressionFault
from streaming.definition.expressions.signatures import Argument, ConstantError, FunctionEntry
from streaming.definition.expressions.tree import (
    COMPARISON,
    LOGIC,
    MODULE_CALLS,
    WIDEN,
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
from streaming.definition.faults import FaultCode
from streaming.definition.payload.type_text import parse_type
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    STRING,
    DecimalOf,
    Double,
    Fields,
    Long,
    Null,
    Struct,
    Timestamp,
    Type,
    as_decimal,
    bounded_decimal,
    common_type,
    is_numeric,
    is_ordered,
    widens,
)


@dataclass(frozen=True, slots=True)
class TypedExpression:
    """A tree whose nodes all have their types; a literal null without another type to match is Null."""

    expression: Expression

    @property
    def type(self) -> Type:
        """The type of its values."""
        return self.expression.type


def typed(expression: Expression, fields: Fields) -> TypedExpression | tuple[ExpressionFault, ...]:
    """Type `expression` over a payload with `fields`, or return all its faults: unknown names, types that don't fit."""
    typing = _Typing(fields)
    node = typing.node(expression)
    return tuple(typing.faults) if node is None else TypedExpression(node)


class _Typing:
    """One pass over a tree. A node with a fault in it becomes None, and its parents report no further fault."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self.faults: list[ExpressionFault] = []

    def node(self, node: Expression) -> Expression | None:
        rule: Callable[[_Typing, Expression], Expression | None] = _RULES[type(node)]
        return rule(self, node)

    def nodes(self, nodes: Iterable[Expression]) -> tuple[Expression, ...] | None:
        found = [self.node(node) for node in nodes]
        whole = tuple(node for node in found if node is not None)
        return whole if len(whole) == len(found) else None

    def refuse(self, code: FaultCode, message: str, remedy: str, at: int) -> None:
        self.faults.append(ExpressionFault(code, message, remedy, at))

    def mismatch(self, message: str, remedy: str, at: int) -> None:
        self.refuse(FaultCode.TYPE_MISMATCH, message, remedy, at)

    def literal(self, node: Literal) -> Expression:
        if isinstance(node.value, bool):
            return replace(node, type=BOOLEAN)
        return replace(node, type=STRING) if isinstance(node.value, str) else node

    def field(self, node: Field) -> Expression | None:
        fields = self._fields
        # a path has at least one step; a struct of all fields would cost time for each expression
        of: Type = Struct(())
        for step, name in enumerate(node.path):
            step_type = fields.get(name)
            if step_type is None:
                near = difflib.get_close_matches(name, list(fields), n=1)
                path = ".".join(node.path[: step + 1])
                remedy = f"did you mean {near[0]}?" if near else f"the fields here are {_list_names(fields)}"
                self.refuse(FaultCode.UNKNOWN_FIELD, f"There is no field {path!r}", remedy, node.at)
                return None
            of = step_type
            fields = dict(of.fields) if isinstance(of, Struct) else {}
        return replace(node, type=of)

    def unary(self, node: Unary) -> Expression | None:
        operand = self.node(node.operand)
        if operand is None:
            return None
        if node.operator == "not":
            inner = self.widened(operand, BOOLEAN, "not takes a boolean")
            return None if inner is None else replace(node, operand=inner, type=BOOLEAN)
        if not is_numeric(operand.type):
            self.mismatch(f"A {operand.type} cannot be negated", "negate a number", node.at)
            return None
        inner = widen(operand, DOUBLE) if isinstance(operand.type, Null) else operand
        return replace(node, operand=inner, type=inner.type)

    def widened(self, node: Expression, to: Type, message: str) -> Expression | None:
        """Return `node` widened to `to`; else record a fault and return None."""
        if widens(node.type, to):
            return widen(node, to)
        remedy = f"compare it with something or cast it to {to}" if to == BOOLEAN else f"cast it to {to}"
        self.mismatch(f"{message}, not a {node.type}", remedy, node.at)
        return None

    def binary(self, node: Binary) -> Expression | None:
        left, right = self.node(node.left), self.node(node.right)
        if left is None or right is None:
            return None
        if node.operator in LOGIC:
            message = f"{node.operator} takes booleans"
            first, second = self.widened(left, BOOLEAN, message), self.widened(right, BOOLEAN, message)
            return None if first is None or second is None else replace(node, left=first, right=second, type=BOOLEAN)
        if node.operator in COMPARISON:
            pair = self.compared((left, right), node.at)
            return replace(node, left=pair[0], right=pair[1], type=BOOLEAN) if pair else None
        if not (is_numeric(left.type) and is_numeric(right.type)):
            message = f"'{node.operator}' does not work on {left.type} and {right.type}"
            self.mismatch(message, _arithmetic(left, right), node.at)
            return None
        return _computed(node, left, right)

    def compared(self, nodes: tuple[Expression, ...], at: int) -> tuple[Expression, ...] | None:
        """Return the `nodes` widened to one type that has an order; else record a fault and return None."""
        of: Type | None = nodes[0].type
        for node in nodes[1:]:
            wider = common_type(of, node.type) if of is not None else None
            if wider is None:
                self.mismatch(f"A {of} cannot be compared with a {node.type}", _comparison(nodes), at)
                return None
            of = wider
        if of is None or not is_ordered(of):
            self.mismatch(f"Values of type {of} cannot be compared", "compare their fields instead", at)
            return None
        return tuple(widen(node, of) for node in nodes)

    def widening(self, argument: Expression, to: Type) -> Expression | None:
        """Return an argument of WIDEN, widened to `to`."""
        operand = self.node(argument)
        if operand is None:
            return None
        if widens(operand.type, to):
            return widen(operand, to)
        remedy = f"cast it to {to}" if can_cast(operand.type, to) else f"use a {to}"
        self.mismatch(f"A {operand.type} can't be used as a {to} here", remedy, operand.at)
        return None

    def expanded(self, node: Call, of: Type) -> Expression | None:
        """Return a call that the expansion of functions wrote: of WIDEN, or of a module with its arguments widened."""
        if node.function == WIDEN:
            return self.widening(node.arguments[0], of)
        arguments = self.nodes(node.arguments)
        return None if arguments is None else replace(node, arguments=arguments, type=of)

    def call(self, node: Call) -> Expression | None:
        place = _TYPE_AT.get(node.function, len(node.arguments))
        if place < len(node.arguments) and isinstance(of := node.arguments[place], Literal):
            return self.expanded(node, parse_type(str(of.value)))
        arguments = self.nodes(node.arguments)
        function = find_function(node.function)
        if function is None:
            remedy = unknown_function_remedy(node.function)
            self.refuse(FaultCode.UNKNOWN_FUNCTION, f"There is no function {node.function[:40]!r}", remedy, node.at)
            return None
        if arguments is None or not self.counted(function, node):
            return None
        try:
            signature = function.rule(tuple(map(_argument, arguments)))
        except ConstantError as error:
            self.refuse(FaultCode.BAD_EXPRESSION, str(error), error.remedy, error.at)
            return None
        if signature is None:
            types = ", ".join(str(argument.type) for argument in arguments)
            message = f"{function.name} does not accept arguments of type ({types})"
            self.mismatch(message, f"write {function.signature}", node.at)
            return None
        widened = tuple(widen(argument, to) for argument, to in zip(arguments, signature.arguments, strict=True))
        return replace(node, function=function.name, arguments=widened, type=signature.result)

    def counted(self, function: FunctionEntry, node: Call) -> bool:
        count = len(node.arguments)
        if function.minimum <= count and (function.maximum is None or count <= function.maximum):
            return True
        code = FaultCode.MISSING_ARGUMENT if count < function.minimum else FaultCode.TYPE_MISMATCH
        message = f"{function.name} cannot be called with {counted(count, 'argument')}"
        self.refuse(code, message, f"write {function.signature}", node.at)
        return False

    def case(self, node: CaseWhen) -> Expression | None:
        conditions = self.nodes(condition for condition, _ in node.branches)
        values = self.nodes((*(value for _, value in node.branches), node.otherwise))
        if conditions is None or values is None:
            return None
        tests = [self.widened(condition, BOOLEAN, "when takes a boolean") for condition in conditions]
        of: Type | None = values[-1].type
        for value in values:
            of = common_type(of, value.type) if of is not None else None
        if of is None:
            types = ", ".join(str(value.type) for value in values)
            self.mismatch(f"The branches of case have no common type: {types}", "cast them to one type", node.at)
            return None
        branches = [(test, widen(value, of)) for test, value in zip(tests, values, strict=False) if test is not None]
        if len(branches) < len(tests):
            return None
        return replace(node, branches=tuple(branches), otherwise=widen(values[-1], of), type=of)

    def cast(self, node: Cast) -> Expression | None:
        operand = self.node(node.operand)
        if operand is None:
            return None
        if not can_cast(operand.type, node.to):
            message = f"A {operand.type} cannot be cast to {node.to}"
            self.mismatch(message, cast_remedy(operand.type, node.to), node.at)
            return None
        return replace(node, operand=operand, type=node.to)

    def in_list(self, node: In) -> Expression | None:
        if not node.items:
            self.refuse(FaultCode.BAD_EXPRESSION, "The list after in is empty", "write in (value, ...)", node.at)
            return None
        nodes = self.nodes((node.operand, *node.items))
        same = nodes and self.compared(nodes, node.at)
        return replace(node, operand=same[0], items=same[1:], type=BOOLEAN) if same else None

    def is_null(self, node: IsNull) -> Expression | None:
        operand = self.node(node.operand)
        return operand and replace(node, operand=operand, type=BOOLEAN)

    def between(self, node: BetweenTest) -> Expression | None:
        nodes = self.nodes((node.operand, node.low, node.high))
        same = nodes and self.compared(nodes, node.at)
        return replace(node, operand=same[0], low=same[1], high=same[2], type=BOOLEAN) if same else None

    def like(self, node: Like) -> Expression | None:
        operand = self.node(node.operand)
        text = None if operand is None else self.widened(operand, STRING, "like takes a string")
        try:
            like_regex(node.pattern)
        except PatternError as error:
            self.refuse(FaultCode.BAD_EXPRESSION, str(error), "write \\\\ for one backslash", node.at)
            return None
        return text and replace(node, operand=text, type=BOOLEAN)


_TYPE_AT: Final = {WIDEN: 1, **dict.fromkeys(MODULE_CALLS, 2)}
"""The place of the type, a literal, among the arguments of calls that the expansion of functions writes."""
_RULES: Final[dict[type, Callable[..., Expression | None]]] = {
    Literal: _Typing.literal,
    Field: _Typing.field,
    Unary: _Typing.unary,
    Binary: _Typing.binary,
    Call: _Typing.call,
    CaseWhen: _Typing.case,
    Cast: _Typing.cast,
    In: _Typing.in_list,
    IsNull: _Typing.is_null,
    BetweenTest: _Typing.between,
    Like: _Typing.like,
}


def widen(node: Expression, to: Type) -> Expression:
    """Return `node` if it is of type `to`, else a Cast of it to `to`."""
    if node.type == to:
        return node
    if isinstance(node, Literal) and node.value is None:
        return replace(node, type=to)
    return Cast(node, to, type=to, at=node.at)


def _argument(node: Expression) -> Argument:
    return Argument(node.type, node.at, node.value if isinstance(node, Literal) else None)


def _computed(node: Binary, left: Expression, right: Expression) -> Expression:
    """Type arithmetic over two numbers: doubles if one is double, decimals if one is decimal, else longs."""
    types = (left.type, right.type)
    if any(isinstance(of, DecimalOf) for of in types) and not any(isinstance(of, Double) for of in types):
        one, other = (as_decimal(of if not isinstance(of, Null) else LONG) for of in types)
        result: Type = _decimal_result(node.operator, one, other)
        return replace(node, left=widen(left, one), right=widen(right, other), type=result)
    whole = all(isinstance(of, Long | Null) for of in types) and LONG in types and node.operator != "/"
    of: Type = LONG if whole else DOUBLE
    return replace(node, left=widen(left, of), right=widen(right, of), type=of)


def _decimal_result(operator: str, one: DecimalOf, other: DecimalOf) -> DecimalOf:
    """Return Spark's result type: enough digits for an exact sum or product, at least 6 decimals for a quotient."""
    whole_one, whole_other = one.precision - one.scale, other.precision - other.scale
    scale = max(one.scale, other.scale)
    if operator == "*":
        return bounded_decimal(one.precision + other.precision + 1, one.scale + other.scale)
    if operator == "/":
        scale = max(6, one.scale + other.precision + 1)
        return bounded_decimal(whole_one + other.scale + scale, scale)
    if operator == "%":
        return bounded_decimal(max(min(whole_one, whole_other) + scale, 1), scale)
    return bounded_decimal(max(whole_one, whole_other) + scale + 1, scale)


def _arithmetic(left: Expression, right: Expression) -> str:
    if isinstance(left.type, Timestamp) or isinstance(right.type, Timestamp):
        return "compute with unix_micros(timestamp), a long"
    if STRING in (left.type, right.type):
        return "join strings with ||, or cast the string to a number"
    return "compute with numbers"


def _comparison(nodes: tuple[Expression, ...]) -> str:
    if any(isinstance(node.type, Timestamp) for node in nodes):
        return "write a moment as timestamp '2026-01-31T12:00:00Z'"
    return "cast one side to the type of the other"


def _list_names(fields: Fields) -> str:
    names = list(fields)
    if not names:
        return "none"
    return ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
