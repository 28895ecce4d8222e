"""Types of Kafka Connect, from the schema in a JSON message or from an Avro schema; and as types of a stream."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Type,
)

DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"
VARIABLE_DECIMAL: Final = "io.debezium.data.VariableScaleDecimal"
_MOMENTS: Final = frozenset(
    {
        "io.debezium.time.Date",
        "io.debezium.time.Timestamp",
        "io.debezium.time.MicroTimestamp",
        "io.debezium.time.NanoTimestamp",
        "io.debezium.time.ZonedTimestamp",
        "io.debezium.time.IsoDate",
        "io.debezium.time.IsoTimestamp",
        "org.apache.kafka.connect.data.Date",
        "org.apache.kafka.connect.data.Timestamp",
    }
)
_TIMES_OF_DAY: Final = frozenset(
    {
        "io.debezium.time.Time",
        "io.debezium.time.MicroTime",
        "io.debezium.time.NanoTime",
        "org.apache.kafka.connect.data.Time",
    }
)
_KINDS: Final[Mapping[str, Type]] = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), LONG),
    **dict.fromkeys(("float", "double"), DOUBLE),
    **dict.fromkeys(("string", "bytes"), STRING),
    "boolean": BOOLEAN,
}
_AVRO_KINDS: Final = {"int": "int32", "long": "int64"}
_AVRO_NAMES: Final = {
    "punctual-ms": "io.debezium.time.Timestamp",
    "punctual-us": "io.debezium.time.MicroTimestamp",
    "punctual-ns": "io.debezium.time.NanoTimestamp",
    "punctual-days": "io.debezium.time.Date",
    "punctual-decimal": DECIMAL,
}
"""The types that Avro's own logical types, as our reader names them, are in Kafka Connect."""


@dataclass(frozen=True, slots=True)
class ConnectType:
    """A type: its `kind` (int64, struct, ...), the `name` of its logical type, and what is inside of it."""

    kind: str
    name: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, "ConnectType"] = field(default_factory=dict)
    element: "ConnectType | None" = None


def type_of_json(schema: Mapping[str, Any]) -> ConnectType:
    """Return the type that a JSON message's own schema describes. Raises `LookupError`, `TypeError`."""
    inside = schema.get("items") or schema.get("values")
    return ConnectType(
        schema["type"],
        schema.get("name") or "",
        schema.get("parameters") or {},
        {each["field"]: type_of_json(each) for each in schema.get("fields") or ()},
        None if inside is None else type_of_json(inside),
    )


class AvroTypes:
    """The types of one Avro schema, in which a name is written out only once."""

    def __init__(self) -> None:
        self._named: dict[str, ConnectType] = {}

    def of(self, schema: Any) -> ConnectType:
        """Return the type of `schema`, as `avro_schema` returns it; a union of several types has the kind `union`."""
        if isinstance(schema, list):
            some = [each for each in schema if each != "null"]
            return self.of(some[0]) if len(some) == 1 else ConnectType("union")
        if isinstance(schema, str):
            return self._named.get(schema, ConnectType(_AVRO_KINDS.get(schema, schema)))
        found = self._written_out(schema)
        if "name" in schema:
            self._named[schema["name"]] = found
        return found

    def _written_out(self, schema: Mapping[str, Any]) -> ConnectType:
        of = schema["type"]
        inside = schema.get("items") or schema.get("values")
        kinds = {"record": "struct", "fixed": "bytes", "enum": "string", **_AVRO_KINDS}
        name = schema.get("connect.name") or _AVRO_NAMES.get(schema.get("logicalType", ""), "")
        parameters = {**schema.get("connect.parameters", {}), **_scaled(schema)}
        fields = {each["name"]: self.of(each["type"]) for each in schema.get("fields", ())}
        return ConnectType(kinds.get(of, of), name, parameters, fields, None if inside is None else self.of(inside))


def _scaled(schema: Mapping[str, Any]) -> dict[str, Any]:
    if schema.get("logicalType") != "punctual-decimal":
        return {}
    return {"scale": schema.get("scale", 0), "connect.decimal.precision": schema.get("precision", 0)}


def stream_type(of: ConnectType) -> Type | None:
    """Return the type of a stream for values of `of`; None if the values have to decide."""
    if of.name == DECIMAL:
        precision, scale = (int(of.parameters.get(key, 0)) for key in ("connect.decimal.precision", "scale"))
        return DecimalOf(precision, scale) if 0 < precision <= MAX_PRECISION and 0 <= scale <= precision else None
    if of.name in _MOMENTS:
        return TIMESTAMP
    if of.name in _TIMES_OF_DAY:
        return STRING
    if of.name in {"io.debezium.data.Json", VARIABLE_DECIMAL}:
        return None
    if of.kind == "array" and of.element is not None:
        element = stream_type(of.element)
        return None if element is None else Array(element)
    return _KINDS.get(of.kind)
