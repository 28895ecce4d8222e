"""Payloads as JSON and back: the only format of a row's values in results, samples, files and transcripts.

A timestamp is ISO 8601 text, or its tick outside the years of the calendar. A decimal is text with all its digits, or a
number in files for other tools.
"""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from streaming.definition.payload.types import Array, DecimalOf, Fields, Struct, Timestamp, Type
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, Tick, format_instant, parse_instant


def payload_to_json(payload: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """Return a payload with values that JSON can hold: every field of `fields`, null where the payload lacks it."""
    return {name: _to_json(payload.get(name), of) for name, of in fields.items()}


def column_to_json(column: list[Any], of: Type) -> list[Any]:
    """Convert all values of a field likewise; return the column itself where its values already are JSON."""
    convert = _converter(of)
    return column if convert is None else [None if value is None else convert(value) for value in column]


def payload_text(payload: Mapping[str, Any], fields: Fields) -> str:
    """Return a payload as the text of a JSON object in which decimals are numbers with all their digits."""
    inside = (f"{json.dumps(name)}: {_text(payload.get(name), of)}" for name, of in fields.items())
    return f"{{{', '.join(inside)}}}"


def row_text(start: int, end: int, payload: Mapping[str, Any], fields: Fields, **first: Any) -> str:
    """Return a transcript row as JSON text: keys `first`, then times in ticks (null: open end), then the payload."""
    head = json.dumps({**first, "start": start, "end": None if end == INFINITY else end})
    return f'{head[:-1]}, "payload": {payload_text(payload, fields)}}}'


def payload_from_json(payload: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """Return the payload that `payload_to_json` converted to `payload`, in the model's form."""
    return {name: _from_json(payload[name], of) for name, of in fields.items()}


def _to_json(value: Any, of: Type) -> Any:
    convert = _converter(of)
    return value if value is None or convert is None else convert(value)


@lru_cache(maxsize=1_024)
def _converter(of: Type) -> Callable[[Any], Any] | None:
    """Return the conversion of a value to JSON; None for types whose values already are JSON."""
    match of:
        case Timestamp():
            return _instant
        case DecimalOf():
            return str
        case Array(element):
            inner = _converter(element)
            return None if inner is None else lambda values: [None if v is None else inner(v) for v in values]
        case Struct(fields):
            inners = {name: _converter(each) for name, each in fields}
            return lambda value: {
                name: inner(value[name]) if inner is not None and value.get(name) is not None else value.get(name)
                for name, inner in inners.items()
            }
        case _:
            return None


def _text(value: Any, of: Type) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if value is not None and isinstance(of, Array):
        return f"[{', '.join(_text(item, of.element) for item in value)}]"
    if value is not None and isinstance(of, Struct):
        return payload_text(value, dict(of.fields))
    return json.dumps(_to_json(value, of), ensure_ascii=False)


def _instant(value: int) -> str | int:
    return format_instant(Tick(value)) if FIRST_TICK <= value <= LAST_TICK else value


def _from_json(value: Any, of: Type) -> Any:
    if value is None:
        return None
    match of:
        case Timestamp():
            return parse_instant(value) if isinstance(value, str) else value
        case DecimalOf():
            return Decimal(value)
        case Array(element):
            return [_from_json(each, element) for each in value]
        case Struct(fields):
            return payload_from_json(value, dict(fields))
        case _:
            return value
