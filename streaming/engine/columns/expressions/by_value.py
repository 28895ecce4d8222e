"""Evaluation value by value in Python, inside a Polars expression, where columns are not exact.

Used for decimals, the texts of numbers, and the functions that all executors share. Slow compared with columns (about a
microsecond a value), and never used for the arithmetic of longs and doubles, or for comparisons.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import polars as pl

from streaming.definition.payload.types import (
    Array,
    Boolean,
    DecimalOf,
    Double,
    Long,
    Null,
    String,
    Struct,
    Timestamp,
    Type,
)
from streaming.functions.failures import FunctionFailure

ROWS: Final = "@rows"
"""A column that every frame has, so that a kernel knows the number of rows when all arguments are constants."""
_SCALARS: Final[dict[type, pl.DataType]] = {
    Long: pl.Int64(),
    Timestamp: pl.Int64(),
    Double: pl.Float64(),
    String: pl.String(),
    Boolean: pl.Boolean(),
    Null: pl.Null(),
}


class RowFailure(ArithmeticError):
    """The operation fails on this row: null (T5)."""


def polars_type(of: Type) -> pl.DataType:
    """The Polars type of a payload value; a timestamp is its tick."""
    if isinstance(of, DecimalOf):
        return pl.Decimal(of.precision, of.scale)
    if isinstance(of, Array):
        return pl.List(polars_type(of.element))
    if isinstance(of, Struct):
        return pl.Struct({name: polars_type(inner) for name, inner in of.fields})
    return _SCALARS[type(of)]


def by_value(function: Callable[..., Any], arguments: Sequence[pl.Expr], of: Type) -> pl.Expr:
    """Return `function` of each row's values; null if one is null, and if it raises a failure."""
    kind = polars_type(of)

    def kernel(series: Sequence[pl.Series]) -> pl.Series:
        rows = len(series[0])
        columns = [each.to_list() if len(each) == rows else each.to_list() * rows for each in series[1:]]
        return pl.Series([_guarded(function, values) for values in zip(*columns, strict=True)], dtype=kind)

    return pl.map_batches([pl.col(ROWS), *arguments], kernel, return_dtype=kind)


def _guarded(function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    if None in values:
        return None
    try:
        return function(*values)
    except (RowFailure, FunctionFailure):
        return None
