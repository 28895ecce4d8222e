"""Result rows as JSON values: what people and programs read of a result."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from streaming.definition.types import Array, DecimalOf, Fields, Struct, Timestamp, Type
from streaming.temporal.ticks import INFINITY, Tick, format_instant


def result_rows(output: str, table: pa.Table, schema: Fields) -> list[dict[str, Any]]:
    """ResultRow values as JSON: lifetimes in ticks (infinity null), timestamps in the payload as ISO text."""
    starts, ends, *columns = (column.to_pylist() for column in table.columns)
    named = [_converted(column, of) for column, of in zip(columns, schema.values(), strict=True)]
    names = list(schema)
    payloads: Sequence[tuple[Any, ...]] = list(zip(*named, strict=True)) if named else [()] * len(starts)
    return [
        {
            "output": output,
            "start": start,
            "end": None if end == INFINITY else end,
            "payload": dict(zip(names, payload, strict=True)),
        }
        for start, end, payload in zip(starts, ends, payloads, strict=True)
    ]


def _converted(column: list[Any], of: Type) -> list[Any]:
    convert = _converter(of)
    return column if convert is None else [None if value is None else convert(value) for value in column]


def _converter(of: Type) -> Callable[[Any], Any] | None:
    """How a value becomes JSON; None when it already is."""
    match of:
        case Timestamp():
            return _instant
        case DecimalOf():
            return _decimal
        case Array(element):
            inner = _converter(element)
            return None if inner is None else lambda values: [None if v is None else inner(v) for v in values]
        case Struct(fields):
            inners = {name: _converter(each) for name, each in fields}
            return lambda value: {
                name: value[name] if inner is None or value[name] is None else inner(value[name])
                for name, inner in inners.items()
            }
        case _:
            return None


def _decimal(value: Decimal) -> str:
    return str(value)


def _instant(value: int) -> str | int:
    try:
        return format_instant(Tick(value))
    except OverflowError:
        return value
