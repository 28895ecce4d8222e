"""Rows as JSON lines in the form of transcript rows: what a run writes, another can read."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from streaming.definition.types import Array, Fields, Struct, Timestamp, Type
from streaming.temporal.ticks import INFINITY, Tick, format_instant


def row_json(output: str | None, start: int, end: int, payload: Mapping[str, Any], fields: Fields) -> str:
    """One row: times in ticks (an open end is null), the payload by its schema, and the output where it is said."""
    named = "" if output is None else f'"output": {json.dumps(output)}, '
    shown_end = "null" if end == INFINITY else str(end)
    return f'{{{named}"start": {start}, "end": {shown_end}, "payload": {payload_json(payload, fields)}}}'


def payload_json(payload: Mapping[str, Any], fields: Fields) -> str:
    """A payload as a JSON object: decimals as numbers with all their digits, timestamps as ISO 8601 text."""
    inside = (f"{json.dumps(name)}: {_value(payload.get(name), of)}" for name, of in fields.items())
    return f"{{{', '.join(inside)}}}"


def _value(value: Any, of: Type) -> str:
    if value is None:
        return "null"
    if isinstance(of, Timestamp):
        return json.dumps(format_instant(Tick(value)))
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(of, Array):
        return f"[{', '.join(_value(item, of.element) for item in value)}]"
    if isinstance(of, Struct):
        return payload_json(value, dict(of.fields))
    return json.dumps(value, ensure_ascii=False)
