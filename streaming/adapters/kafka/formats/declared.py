"""Field types declared by a schema; if a stream has no equivalent type, the values decide."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from streaming.adapters.formats.avro.reading import AvroReader
from streaming.adapters.formats.avro.schemas import AvroSchema
from streaming.adapters.formats.protobuf.reading import ProtobufReader
from streaming.adapters.kafka.formats.sources import SchemaReader
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Struct,
    Type,
)
from streaming.definition.plain_names import NAME_PATTERN

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

MOST_DEPTH: Final = 10
UNSIGNED: Final = DecimalOf(20, 0)
"""A type that holds every unsigned number of 64 bits."""
_AVRO: Final[Mapping[str, Type]] = {
    "boolean": BOOLEAN,
    "int": LONG,
    "long": LONG,
    "float": DOUBLE,
    "double": DOUBLE,
    "string": STRING,
    "bytes": STRING,
    "fixed": STRING,
    "enum": STRING,
}
_KNOWN: Final[Mapping[str, Type]] = {
    "Timestamp": TIMESTAMP,
    "Duration": LONG,
    "DoubleValue": DOUBLE,
    "FloatValue": DOUBLE,
    "Int64Value": LONG,
    "UInt64Value": UNSIGNED,
    "Int32Value": LONG,
    "UInt32Value": LONG,
    "BoolValue": BOOLEAN,
    "StringValue": STRING,
    "BytesValue": STRING,
}


def declared_types(reader: SchemaReader) -> dict[str, str | None]:
    """Return each field of the schema with its type in a stream's notation; None where the values decide."""
    if isinstance(reader, AvroReader):
        found = _AvroTypes(reader.reader or reader.writer).fields()
    else:
        assert isinstance(reader, ProtobufReader)  # nosec B101 # only narrows the type for the type checker
        found = _of_fields(reader.descriptor, 0)
    return {name: None if of is None else str(of) for name, of in found.items()}


class _AvroTypes:
    """Types of one schema, whose records are defined once and then referred to by name."""

    def __init__(self, schema: AvroSchema) -> None:
        self._root = schema.root
        self._named: dict[str, Any] = {}

    def fields(self) -> dict[str, Type | None]:
        return {each["name"]: self._type(each["type"], 0) for each in self._root["fields"]}

    def _type(self, of: Any, depth: int) -> Type | None:
        if depth > MOST_DEPTH:
            return None
        if isinstance(of, list):
            some = [each for each in of if each != "null"]
            return self._type(some[0], depth) if len(some) == 1 else None
        if isinstance(of, str):
            return _AVRO[of] if of in _AVRO else self._type(self._named.get(of, []), depth + 1)
        if "name" in of:
            self._named[of["name"]] = of
        if of["type"] == "record":
            return _struct({each["name"]: self._type(each["type"], depth + 1) for each in of["fields"]})
        return _array(self._type(of["items"], depth + 1)) if of["type"] == "array" else _logical(of)


def _logical(of: Mapping[str, Any]) -> Type | None:
    if of.get("logicalType") == "punctual-decimal":
        precision, scale = int(of.get("precision", 0)), int(of.get("scale", 0))
        return DecimalOf(precision, scale) if 0 < precision <= MAX_PRECISION and scale <= precision else None
    moments = {"punctual-ms", "punctual-us", "punctual-ns", "punctual-days"}
    return TIMESTAMP if of.get("logicalType") in moments else _AVRO.get(of["type"])


def _of_fields(of: "Descriptor", depth: int) -> dict[str, Type | None]:
    return {field.name: _of_field(field, depth) for field in of.fields}


def _of_field(field: "FieldDescriptor", depth: int) -> Type | None:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return None
    single = _single(field, depth)
    return _array(single) if field.is_repeated else single


def _single(field: "FieldDescriptor", depth: int) -> Type | None:
    if field.message_type is not None:
        package, _, name = field.message_type.full_name.rpartition(".")
        if package == "google.protobuf":
            return _KNOWN.get(name)
        return _struct(_of_fields(field.message_type, depth + 1)) if depth < MOST_DEPTH else None
    if field.type in {field.TYPE_UINT64, field.TYPE_FIXED64}:
        return UNSIGNED
    if field.type in {field.TYPE_STRING, field.TYPE_BYTES, field.TYPE_ENUM}:
        return STRING
    if field.type == field.TYPE_BOOL:
        return BOOLEAN
    return DOUBLE if field.type in {field.TYPE_DOUBLE, field.TYPE_FLOAT} else LONG


def _array(of: Type | None) -> Type | None:
    return None if of is None else Array(of)


def _struct(fields: Mapping[str, Type | None]) -> Type | None:
    """A struct of the fields that have a type and a valid name; None if there is no such field."""
    known = tuple((name, of) for name, of in fields.items() if of is not None and re.fullmatch(NAME_PATTERN, name))
    return Struct(known) if known else None
