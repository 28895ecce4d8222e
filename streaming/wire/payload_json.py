"""Payloads as JSON and back: the one spelling of a row's values in results, samples, files and transcripts.

A timestamp is ISO 8601 text (its tick where no calendar has it), a decimal text with all its digits, or a number where
a file is written for other tools.
"""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from streaming.definition.types import Array, DecimalOf, Fields, Struct, Timestamp, Type
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, Tick, format_instant, parse_instant


def payload_to_json(payload: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """A payload whose values JSON can hold: every field of `fields`, null where the payload has none."""
    return {name: _to_json(payload.get(name), of) for name, of in fields.items()}


def column_to_json(column: list[Any], of: Type) -> list[Any]:
    """The same for all values of a field; the column itself where its values are JSON as they are."""
    convert = _converter(of)
    return column if convert is None else [None if value is None else convert(value) for value in column]


def payload_text(payload: Mapping[str, Any], fields: Fields) -> str:
    """A payload as the text of a JSON object in which decimals are numbers with all their digits."""
    inside = (f"{json.dumps(name)}: {_text(payload.get(name), of)}" for name, of in fields.items())
    return f"{{{', '.join(inside)}}}"


def row_text(start: int, end: int, payload: Mapping[str, Any], fields: Fields, **said: Any) -> str:
    """A transcript row as JSON text: `said` first, then times in ticks (an open end is null) and the payload."""
    head = json.dumps({**said, "start": start, "end": None if end == INFINITY else end})
    return f'{head[:-1]}, "payload": {payload_text(payload, fields)}}}'


def payload_from_json(payload: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """The payload that `payload_to_json` gave this for, as the model holds it."""
    return {name: _from_json(payload[name], of) for name, of in fields.items()}


def _to_json(value: Any, of: Type) -> Any:
    convert = _converter(of)
    return value if value is None or convert is None else convert(value)


@lru_cache(maxsize=1_024)
def _converter(of: Type) -> Callable[[Any], Any] | None:
    """How a value becomes JSON; None when it already is."""
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
