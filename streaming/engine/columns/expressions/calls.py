"""The functions of the expression language over columns; definition/expressions/functions.py defines them."""

import functools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from streaming.definition.expressions.failures import MOST_BYTES
from streaming.definition.expressions.tree import Call, Literal
from streaming.definition.payload.types import LONG, STRING, DecimalOf, Long
from streaming.engine.columns.expressions import decimals
from streaming.engine.columns.expressions.by_value import RowFailure, by_value, polars_type
from streaming.functions import truncation
from streaming.functions.registry import SHARED
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK

Arguments = Sequence[pl.Expr]
Doubles = npt.NDArray[np.float64]
ArrayFunction = Callable[[Doubles], Doubles]
_NO_FRACTION: Final = 2.0**52
_UNITS: Final = {
    "year": "1y",
    "quarter": "1q",
    "month": "1mo",
    "week": "1w",
    "day": "1d",
    "hour": "1h",
    "minute": "1m",
    "second": "1s",
}


def call(node: Call, arguments: Arguments) -> pl.Expr:
    """The column of `node`, whose arguments are the columns `arguments`."""
    return CALLS[node.function](node, arguments)


def finite(value: pl.Expr) -> pl.Expr:
    """Null where a double has overflowed or is not a number."""
    return pl.when(value.is_finite()).then(value)


def long_or_null(value: pl.Expr) -> pl.Expr:
    """A wider integer, or a whole double, as a long; null outside 64 bits."""
    return value.cast(pl.Int64, strict=False)


def _abs(node: Call, arguments: Arguments) -> pl.Expr:
    if isinstance(node.type, DecimalOf):
        return by_value(Decimal.copy_abs, arguments, node.type)
    if isinstance(node.type, Long):
        return long_or_null(arguments[0].cast(pl.Int128).abs())
    return arguments[0].abs()


def _whole(node: Call, arguments: Arguments) -> pl.Expr:
    if isinstance(node.type, DecimalOf):
        return by_value(decimals.whole(node.function, node.type), arguments, node.type)
    if isinstance(node.arguments[0].type, Long):
        return arguments[0]
    return double_to_long(arguments[0].ceil() if node.function == "ceil" else arguments[0].floor())


def double_to_long(value: pl.Expr) -> pl.Expr:
    """Towards zero; null outside 64 bits (the float bound 2**63 itself is outside)."""
    return pl.when((value >= -(2.0**63)) & (value < 2.0**63)).then(value.cast(pl.Int64, strict=False))


def _round(node: Call, arguments: Arguments) -> pl.Expr:
    value = arguments[0]
    if isinstance(node.type, Long):
        return value
    digits = node.arguments[1] if len(node.arguments) > 1 else Literal(0)
    if not (isinstance(digits, Literal) and isinstance(digits.value, int)):
        raise TypeError("round's digits are a whole literal")
    factor = 10.0**digits.value
    scaled = value.abs() * factor
    rounded = (scaled + 0.5).floor() / factor
    signed = pl.when(value < 0).then(-rounded).otherwise(rounded)
    return pl.when(scaled >= _NO_FRACTION).then(value).otherwise(signed)


def _by_array(function: ArrayFunction, domain: Callable[[pl.Expr], pl.Expr] | None = None) -> Callable[..., pl.Expr]:
    """A double function; null outside its `domain` and where its result is not finite."""

    def compute(node: Call, arguments: Arguments) -> pl.Expr:
        del node
        value = arguments[0] if domain is None else pl.when(domain(arguments[0])).then(arguments[0])
        return finite(value.map_batches(functools.partial(_quietly, function), return_dtype=pl.Float64))

    return compute


def _by_math(function: Callable[[float], float]) -> ArrayFunction:
    """Wrap a function of `math` over an array: numpy's own functions differ from it in the last digit."""

    def compute(values: Doubles) -> Doubles:
        return np.fromiter(map(_finite_or_infinite, values.tolist()), np.float64, len(values))

    def _finite_or_infinite(value: float) -> float:
        try:
            return function(value)
        except OverflowError:
            return math.inf

    return compute


def _quietly(function: ArrayFunction, series: pl.Series) -> pl.Series:
    with np.errstate(all="ignore"):
        values = function(series.fill_null(1.0).to_numpy())
    return pl.select(pl.when(pl.lit(series.is_not_null())).then(pl.lit(pl.Series(values)))).to_series()


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        raise RowFailure from None


def _extreme(node: Call, arguments: Arguments) -> pl.Expr:
    best = arguments[0]
    for each in arguments[1:]:
        better = each > best if node.function == "greatest" else each < best
        best = pl.when(best.is_null() | better).then(each).otherwise(best)
    return best


def substring(text: str, start: int, length: int | None = None) -> str:
    """The code points from `start` (from 1, negative from the end) for `length`."""
    begin = start - 1 if start > 0 else 0 if start == 0 else len(text) + start
    end = len(text) if length is None else begin + length
    return text[max(begin, 0) : max(end, 0)] if end > begin else ""


def split_part(text: str, delimiter: str, number: int) -> str:
    """Return the `number`-th part, negative from the end; '' outside the parts."""
    if number == 0:
        raise RowFailure
    parts = text.split(delimiter) if delimiter else [text]
    index = number - 1 if number > 0 else len(parts) + number
    return parts[index] if 0 <= index < len(parts) else ""


def _replace(text: str, search: str, replacement: str) -> str:
    """Replace, but fail before making a text longer than MOST_BYTES."""
    if not search:
        return in_length(text)
    growth = len(replacement.encode()) - len(search.encode())
    length = len(text.encode())
    if growth > 0 and length + growth * (length // len(search.encode())) > MOST_BYTES:
        length += growth * text.count(search)
        if length > MOST_BYTES:
            raise RowFailure
    return in_length(text.replace(search, replacement))


def in_length(text: str) -> str:
    """Return `text`; raises `RowFailure` if it is longer than MOST_BYTES."""
    if len(text) > MOST_BYTES or (4 * len(text) > MOST_BYTES and len(text.encode()) > MOST_BYTES):
        raise RowFailure
    return text


def _concat(_: Call, arguments: Arguments) -> pl.Expr:
    return pl.map_batches(list(arguments), _joined, return_dtype=pl.String)


def _joined(parts: Sequence[pl.Series]) -> pl.Series:
    """Join the texts of each row; a text longer than MOST_BYTES is null, and is never made."""
    rows = max(map(len, parts))
    columns = [each if len(each) == rows else each.new_from_index(0, rows) for each in parts]
    frame = pl.DataFrame([each.alias(str(number)) for number, each in enumerate(columns)])
    if frame.estimated_size() <= MOST_BYTES:  # all rows together, so each of them
        return frame.select(pl.concat_str(pl.all(), ignore_nulls=False)).to_series()
    lengths = frame.select(pl.all().str.len_bytes().cast(pl.Int64))
    if lengths.max().sum_horizontal().item() > MOST_BYTES:
        frame = frame.with_columns(pl.when(lengths.sum_horizontal() <= MOST_BYTES).then(pl.col("0")).alias("0"))
    return frame.select(pl.concat_str(pl.all(), ignore_nulls=False)).to_series()


def _moment(ticks: pl.Expr) -> pl.Expr:
    return ticks.cast(pl.Datetime("us"))


def _part(name: str) -> Callable[[Call, Arguments], pl.Expr]:
    return lambda _, arguments: getattr(_moment(arguments[0]).dt, name)().cast(pl.Int64)


def _date_trunc(node: Call, arguments: Arguments) -> pl.Expr:
    unit = node.arguments[0]
    if not (isinstance(unit, Literal) and isinstance(unit.value, str)):
        raise TypeError("date_trunc's unit is a literal")
    if len(arguments) > 2:
        return by_value(truncation.date_trunc, arguments, node.type)
    begun = _moment(arguments[1]).dt.truncate(_UNITS[unit.value]).cast(pl.Int64)
    return pl.when(begun >= FIRST_TICK).then(begun)


def _timestamp_micros(node: Call, arguments: Arguments) -> pl.Expr:
    del node
    return pl.when(arguments[0].is_between(FIRST_TICK, LAST_TICK)).then(arguments[0])


def _null_if(node: Call, arguments: Arguments) -> pl.Expr:
    equal = (arguments[0] == arguments[1]).fill_null(value=False)
    return pl.when(equal).then(pl.lit(None, polars_type(node.type))).otherwise(arguments[0])


def _upper_or_lower(node: Call, arguments: Arguments) -> pl.Expr:
    convert = str.upper if node.function == "upper" else str.lower
    return by_value(lambda text: in_length(convert(text)), arguments, STRING)


def _shared(node: Call, arguments: Arguments) -> pl.Expr:
    return by_value(SHARED[node.function], arguments, node.type)


CALLS: Final[dict[str, Callable[[Call, Arguments], pl.Expr]]] = {
    **dict.fromkeys(SHARED, _shared),
    "pi": lambda node, _: pl.lit(SHARED["pi"](), polars_type(node.type)),
    "abs": _abs,
    "ceil": _whole,
    "floor": _whole,
    "round": _round,
    "sqrt": _by_array(np.sqrt, lambda value: value >= 0),
    "ln": _by_array(_by_math(math.log), lambda value: value > 0),
    "exp": _by_array(_by_math(math.exp)),
    "pow": lambda node, arguments: by_value(_power, arguments, node.type),
    "greatest": _extreme,
    "least": _extreme,
    "coalesce": lambda _, arguments: pl.coalesce(arguments),
    "nullif": _null_if,
    "if": lambda _, arguments: pl.when(arguments[0]).then(arguments[1]).otherwise(arguments[2]),
    "upper": _upper_or_lower,
    "lower": _upper_or_lower,
    "trim": lambda _, arguments: arguments[0].str.strip_chars(" "),
    "length": lambda _, arguments: arguments[0].str.len_chars().cast(pl.Int64),
    "substring": lambda _, arguments: by_value(substring, arguments, STRING),
    "concat": _concat,
    "replace": lambda _, arguments: by_value(_replace, arguments, STRING),
    "starts_with": lambda _, arguments: arguments[0].str.starts_with(arguments[1]),
    "ends_with": lambda _, arguments: arguments[0].str.ends_with(arguments[1]),
    "contains": lambda _, arguments: arguments[0].str.contains(arguments[1], literal=True),
    "split_part": lambda _, arguments: by_value(split_part, arguments, STRING),
    "year": _part("year"),
    "month": _part("month"),
    "day": _part("day"),
    "dayofweek": lambda _, arguments: _moment(arguments[0]).dt.weekday().cast(pl.Int64) % 7 + 1,
    "hour": _part("hour"),
    "minute": _part("minute"),
    "second": _part("second"),
    "date_trunc": _date_trunc,
    "unix_micros": lambda _, arguments: arguments[0],
    "timestamp_micros": _timestamp_micros,
    "size": lambda _, arguments: arguments[0].list.len().cast(polars_type(LONG)),
}
