"""Avro schemas: parsed from text, checked against limits, and extended with our logical types."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError

MOST_DEPTH: Final = 64
MOST_FIELDS: Final = 5_000
_PRIMITIVE: Final = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
BYTES: Final = "punctual-base64"
_LOGICAL: Final[Mapping[tuple[str, str], str]] = {
    ("long", "timestamp-millis"): "punctual-ms",
    ("long", "timestamp-micros"): "punctual-us",
    ("long", "timestamp-nanos"): "punctual-ns",
    ("long", "local-timestamp-millis"): "punctual-ms",
    ("long", "local-timestamp-micros"): "punctual-us",
    ("long", "local-timestamp-nanos"): "punctual-ns",
    ("int", "date"): "punctual-days",
    ("bytes", "decimal"): "punctual-decimal",
    ("fixed", "decimal"): "punctual-decimal",
    ("fixed", "uuid"): "punctual-uuid",
}
"""Maps Avro types to the logical type whose function converts their values (`avro`)."""


@dataclass(frozen=True)
class AvroSchema:
    """A schema whose root is `root`, with all names written out and our logical types in place of Avro's.

    `recursive`: a record may contain itself. `names` are the names of all fields.
    """

    root: Any
    recursive: bool
    names: frozenset[str]


def avro_schema(text: str, references: Sequence[str] = (), *, of_record: bool = True) -> AvroSchema:
    """Parse a schema from JSON text; `references` are schemas of the names that it uses. Raises `AdapterError`."""
    from fastavro.schema import SchemaParseException, UnknownType, parse_schema

    named: dict[str, Any] = {}
    try:
        for each in references:
            parse_schema(_json(each), named)
        parsed = parse_schema(_json(text), named)
        bounded = _Bounded(named)
        root = bounded.walked(parsed, 0)
        parse_schema(root)
    except UnknownType as error:
        raise AdapterError(f"The Avro schema uses the type '{error.name}', which it does not define. Add it.") from None
    except RecursionError:
        raise AdapterError("The Avro schema is nested too deeply. Use a flatter one.") from None
    except (SchemaParseException, ValueError, TypeError, LookupError, AttributeError) as error:
        raise AdapterError(f"The Avro schema can't be read: {_shortened(error)}. Correct it.") from None
    if of_record and not (isinstance(root, dict) and root["type"] == "record"):
        raise AdapterError(
            "The Avro schema doesn't describe a record, so it has no fields. Use the schema of a record."
        )
    return AvroSchema(root, bounded.recursive, frozenset(bounded.names))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise AdapterError(
            "The Avro schema isn't JSON. Example: "
            '{"type": "record", "name": "Car", "fields": [{"name": "speed", "type": "double"}]}.'
        ) from None


def _shortened(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."


class _Bounded:
    """Copies a schema that fastavro has parsed (names are qualified), within limits."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named
        self._open: set[str] = set()
        self._done: set[str] = set()
        self._fields = 0
        self.recursive = False
        self.names: set[str] = set()

    def walked(self, schema: Any, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise AdapterError(f"The Avro schema has more than {MOST_DEPTH} levels. Use a flatter one.")
        if isinstance(schema, list):
            return [each if each == "null" else self.walked(each, depth + 1) for each in schema]
        if isinstance(schema, str):
            return self._of_name(schema, depth)
        of = schema["type"]
        return self.walked(of, depth + 1) if isinstance(of, list | dict) else self._written_out(schema, of, depth)

    def _written_out(self, schema: Mapping[str, Any], of: str, depth: int) -> Any:
        if of in {"record", "error"}:
            return self._record(schema, depth)
        inside = {"array": "items", "map": "values"}.get(of)
        if inside is not None:
            return {"type": of, inside: self.walked(schema[inside], depth + 1)}
        if of in {"fixed", "enum"}:
            return self._flat(schema)
        return self._primitive(schema, of) if of in _PRIMITIVE else self._of_name(of, depth)

    def _of_name(self, name: str, depth: int) -> Any:
        if name in _PRIMITIVE:
            return self._primitive({}, name)
        if name in self._open:
            self.recursive = True
            return name
        return name if name in self._done else self.walked(self._named[name], depth)

    def _record(self, schema: Mapping[str, Any], depth: int) -> Any:
        name = schema["name"]
        self._open.add(name)
        fields = []
        for each in schema["fields"]:
            self._fields += 1
            if self._fields > MOST_FIELDS:
                raise AdapterError(f"The Avro schema has more than {MOST_FIELDS} fields. Use a smaller one.")
            self.names.add(each["name"])
            attributes = {key: each[key] for key in ("name", "default", "aliases") if key in each}
            fields.append({**attributes, "type": self.walked(each["type"], depth + 1)})
        if not fields:
            raise AdapterError(f"The Avro record '{name}' has no fields, so it takes no bytes. Remove it.")
        self._open.discard(name)
        self._done.add(name)
        aliases = {"aliases": schema["aliases"]} if "aliases" in schema else {}
        return {"type": "record", "name": name, **aliases, **_connect(schema), "fields": fields}

    def _flat(self, schema: Mapping[str, Any]) -> Any:
        name = schema["name"]
        self._done.add(name)
        kept = {key: value for key, value in schema.items() if not key.startswith("__") and key != "doc"}
        if schema["type"] == "enum":
            return kept
        if not 0 < schema["size"] <= 1 << 20:
            raise AdapterError(f"The Avro type '{name}' has the size {schema['size']}. Use a size from 1 to 1048576.")
        return {**kept, "logicalType": _LOGICAL.get(("fixed", schema.get("logicalType", "")), BYTES)}

    def _primitive(self, schema: Mapping[str, Any], of: str) -> Any:
        if of == "null":
            raise AdapterError(
                "The Avro schema has a value that can only be null, which takes no bytes. Use a union, for example "
                '["null", "string"], or remove it.'
            )
        ours = _LOGICAL.get((of, schema.get("logicalType", "")), BYTES if of == "bytes" else "")
        connect = _connect(schema)
        if not ours:
            return {"type": of, **connect} if connect else of
        kept = {key: schema[key] for key in ("precision", "scale") if key in schema}
        return {"type": of, "logicalType": ours, **kept, **connect}


def _connect(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The type that Kafka Connect's Avro converter notes in a schema; it has no effect on reading."""
    return {key: schema[key] for key in ("connect.name", "connect.parameters") if key in schema}
