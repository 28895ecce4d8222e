"""Schemas of results and of their keys, derived from their fields: registered if the options have no schema."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Array, Boolean, DecimalOf, Double, Long, Struct, Timestamp, Type

_MOMENT: Final = {"type": "long", "logicalType": "timestamp-micros"}
_STAMP: Final = "google.protobuf.Timestamp"


def avro_of(fields: Mapping[str, str]) -> str:
    """A record with `start`, `end`, the `payload` and the attributes of a row; every value may be null."""
    payload = _record("Payload", parse_fields(fields).items())
    attributes = [_maybe("key", "string"), _maybe("edge", "string"), _maybe("pane", _pane())]
    flags = [{"name": name, "type": "boolean", "default": False} for name in ("deleted", "incomplete")]
    times = [{"name": "start", "type": _MOMENT}, _maybe("end", _MOMENT)]
    whole = {
        "type": "record",
        "name": "Result",
        "fields": [*times, {"name": "payload", "type": payload}, *attributes, *flags],
    }
    return json.dumps(whole)


def avro_key_of(fields: Mapping[str, str]) -> str:
    """A record with the fields of a key, which may all be null."""
    return json.dumps(_record("Key", parse_fields(fields).items()))


def _pane() -> Any:
    columns = (("start", _MOMENT), ("timing", "string"), ("index", "long"), ("is_last", "boolean"))
    fields = [*({"name": name, "type": of} for name, of in columns), _maybe("end", _MOMENT)]
    return {"type": "record", "name": "Pane", "fields": fields}


def _maybe(name: str, of: Any) -> Mapping[str, Any]:
    return {"name": name, "type": ["null", of], "default": None}


def _record(name: str, fields: Any) -> Mapping[str, Any]:
    if not fields:
        raise AdapterError("The results have no fields, and Avro has no record without any. Write them as JSON.")
    return {
        "type": "record",
        "name": name,
        "fields": [_maybe(each, _avro(of, f"{name}_{each}")) for each, of in fields],
    }


def _avro(of: Type, name: str) -> Any:
    if isinstance(of, Array):
        return {"type": "array", "items": ["null", _avro(of.element, name)]}
    if isinstance(of, Struct):
        return _record(name, of.fields)
    if isinstance(of, DecimalOf):
        return {"type": "bytes", "logicalType": "decimal", "precision": of.precision, "scale": of.scale}
    if isinstance(of, Timestamp):
        return _MOMENT
    return _scalar(of, "long", "double", "boolean")


def _scalar(of: Type, whole: str, real: str, truth: str) -> str:
    found = whole if isinstance(of, Long) else real if isinstance(of, Double) else "string"
    return truth if isinstance(of, Boolean) else found


def protobuf_of(fields: Mapping[str, str]) -> str:
    """The text of a message with `start`, `end`, the `payload` and the attributes of a row."""
    payload = "\n".join(_messages("Payload", list(parse_fields(fields).items()), "  "))
    return f"""syntax = "proto3";
import "google/protobuf/timestamp.proto";
message Result {{
  {_STAMP} start = 1;
  {_STAMP} end = 2;
{payload}
  Payload payload = 3;
  optional string key = 4;
  optional string edge = 5;
  message Pane {{
    {_STAMP} start = 1;
    {_STAMP} end = 2;
    string timing = 3;
    int64 index = 4;
    bool is_last = 5;
  }}
  Pane pane = 6;
  bool deleted = 7;
  bool incomplete = 8;
}}
"""


def protobuf_key_of(fields: Mapping[str, str]) -> str:
    """The text of a message with the fields of a key."""
    lines = _messages("Key", list(parse_fields(fields).items()), "")
    return "\n".join(['syntax = "proto3";', 'import "google/protobuf/timestamp.proto";', *lines, ""])


def _messages(name: str, fields: Sequence[tuple[str, Type]], indent: str) -> list[str]:
    """The lines of one message; decimals are text, because Protobuf has no decimal type."""
    lines = [f"{indent}message {name} {{"]
    for number, (each, of) in enumerate(fields, 1):
        inner = of.element if isinstance(of, Array) else of
        if isinstance(inner, Array):
            raise AdapterError(
                f"The field '{each}' of the results is a list of lists, which Protobuf doesn't support. Remove it from "
                "the query, or write the results as JSON or Avro."
            )
        kind = _STAMP if isinstance(inner, Timestamp) else _scalar(inner, "int64", "double", "bool")
        if isinstance(inner, Struct):
            kind = f"Of_{each}"
            lines += _messages(kind, inner.fields, f"{indent}  ")
        whole = isinstance(inner, Timestamp | Struct)
        label = "repeated " if isinstance(of, Array) else "" if whole else "optional "
        lines.append(f"{indent}  {label}{kind} {each} = {number};")
    return [*lines, f"{indent}}}"]
