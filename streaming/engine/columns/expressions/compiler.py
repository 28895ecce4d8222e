"""Typed expressions as Polars expressions: three-valued logic, and null if an operation fails.

reference/expressions.py defines each node. Silent failures of columns are guarded: integers are computed in 128 bits
and null outside 64; a double that is not finite is null, and so is a division by zero; a remainder has the sign of its
left operand; decimals and the texts of numbers are evaluated value by value.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import polars as pl

from streaming.definition.expressions.like import like_regex
from streaming.definition.expressions.tree import (
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
from streaming.definition.payload.types import Boolean, DecimalOf, Double, Long, Null, String
from streaming.engine.columns.expressions import decimals
from streaming.engine.columns.expressions.by_value import by_value, polars_type
from streaming.engine.columns.expressions.calls import call, double_to_long, finite, long_or_null
from streaming.engine.columns.expressions.module_calls import module_call


def compile_expression(node: Expression) -> pl.Expr:
    """The column of a typed `node` over a frame that has its fields, and the column ROWS (by_value)."""
    compile_node: Callable[[Any], pl.Expr] = _NODES[type(node)]
    return compile_node(node)


def _literal(node: Literal) -> pl.Expr:
    return pl.lit(node.value, polars_type(node.type))


def _field(node: Field) -> pl.Expr:
    column = pl.col(node.path[0])
    for step in node.path[1:]:
        column = pl.when(column.is_not_null()).then(column.struct.field(step))
    return column


def _unary(node: Unary) -> pl.Expr:
    operand = compile_expression(node.operand)
    if node.operator == "not":
        return ~operand
    if isinstance(node.type, DecimalOf):
        return by_value(decimals.negated(node.type), [operand], node.type)
    return long_or_null(0 - operand.cast(pl.Int128)) if isinstance(node.type, Long) else -operand


def _binary(node: Binary) -> pl.Expr:
    left, right = compile_expression(node.left), compile_expression(node.right)
    if node.operator in _DIRECT:
        return _DIRECT[node.operator](left, right)
    if isinstance(node.type, DecimalOf):
        return by_value(decimals.arithmetic(node.operator, node.type), [left, right], node.type)
    return _longs(node.operator, left, right) if isinstance(node.type, Long) else _doubles(node.operator, left, right)


_DIRECT: Final[dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]]] = {
    "and": lambda left, right: left & right,
    "or": lambda left, right: left | right,
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "<=>": lambda left, right: left.eq_missing(right),
}


def _longs(operator: str, left: pl.Expr, right: pl.Expr) -> pl.Expr:
    left, right = left.cast(pl.Int128), right.cast(pl.Int128)
    if operator == "%":
        divisor = pl.when(right != 0).then(right.abs())
        remainder = left.abs() % divisor
        return long_or_null(pl.when(left < 0).then(0 - remainder).otherwise(remainder))
    computed = {"+": left + right, "-": left - right, "*": left * right}[operator]
    return long_or_null(computed)


def _doubles(operator: str, left: pl.Expr, right: pl.Expr) -> pl.Expr:
    if operator in ("/", "%"):
        right = pl.when(right != 0).then(right)
    if operator == "%":
        return finite(pl.map_batches([left, right], _fmod, return_dtype=pl.Float64))
    return finite({"+": left + right, "-": left - right, "*": left * right, "/": left / right}[operator])


def _fmod(sides: Sequence[pl.Series]) -> pl.Series:
    left, right = sides
    rows = max(len(left), len(right))
    left, right = (side if len(side) == rows else side.new_from_index(0, rows) for side in (left, right))
    remainder = pl.Series(np.fmod(left.fill_null(0.0).to_numpy(), right.fill_null(1.0).to_numpy()))
    present = left.is_not_null() & right.is_not_null()
    return remainder.to_frame("r").select(pl.when(present).then(pl.col("r"))).to_series()


def _call(node: Call) -> pl.Expr:
    arguments = [compile_expression(argument) for argument in node.arguments]
    return module_call(node, arguments) if node.function in MODULE_CALLS else call(node, arguments)


def _case(node: CaseWhen) -> pl.Expr:
    value = compile_expression(node.otherwise)
    for condition, branch in reversed(node.branches):
        value = pl.when(compile_expression(condition)).then(compile_expression(branch)).otherwise(value)
    return value


def _cast(node: Cast) -> pl.Expr:
    source, to = node.operand.type, node.to
    operand = compile_expression(node.operand)
    if source == to:
        return operand
    if isinstance(source, Null):
        return operand.cast(polars_type(to))
    conversion = decimals.CONVERSIONS.get((type(source), type(to)))
    if conversion is not None:
        return by_value(lambda value: conversion(value, to), [operand], to)
    if isinstance(source, Double) and isinstance(to, Long):
        return double_to_long(operand)
    if isinstance(to, Boolean):
        return operand != 0
    return operand.cast(pl.String) if isinstance(to, String) else operand.cast(polars_type(to))


_ITEMS_BY_ONE: Final = 8


def _in(node: In) -> pl.Expr:
    operand = compile_expression(node.operand)
    values = [item.value for item in node.items if isinstance(item, Literal)]
    if len(values) == len(node.items) > _ITEMS_BY_ONE and not isinstance(node.operand.type, DecimalOf):
        known = pl.Series([value for value in values if value is not None], dtype=polars_type(node.operand.type))
        found = operand.is_in(known.implode())
        unsure = operand.is_null() | (pl.lit(None in values) & ~found)
        return pl.when(~unsure).then(found)
    equal = (operand == compile_expression(item) for item in node.items)
    return functools.reduce(lambda one, other: one | other, equal)


def _between(node: BetweenTest) -> pl.Expr:
    operand = compile_expression(node.operand)
    return (operand >= compile_expression(node.low)) & (operand <= compile_expression(node.high))


_NODES: Final[dict[type, Callable[[Any], pl.Expr]]] = {
    Literal: _literal,
    Field: _field,
    Unary: _unary,
    Binary: _binary,
    Call: _call,
    CaseWhen: _case,
    Cast: _cast,
    In: _in,
    IsNull: lambda node: compile_expression(node.operand).is_null(),
    BetweenTest: _between,
    Like: lambda node: compile_expression(node.operand).str.contains(f"^{like_regex(node.pattern)}$"),
}
