"""Rows of results as values with a schema: that of the options, of the registry, or one made of the fields."""

from collections.abc import Mapping
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.formats.avro_schemas import avro_schema
from streaming.adapters.kafka.formats.avro_writing import AvroWriter
from streaming.adapters.kafka.formats.framing import framed
from streaming.adapters.kafka.formats.proto_text import compiled
from streaming.adapters.kafka.formats.protobuf_writing import ProtobufWriter
from streaming.adapters.kafka.formats.registry import RegisteredSchema, SchemaRegistry
from streaming.adapters.kafka.formats.values import MisfitValue
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.schemas import avro_of, protobuf_of
from streaming.adapters.network.fetching import Reach
from streaming.adapters.times import KnownTick
from streaming.definition.types import Array, Fields, Struct, Timestamp, Type, parse_fields
from streaming.temporal.ticks import INFINITY
from streaming.wire.payload_json import payload_from_json

_TIMES: Final = ("start", "end")
_SAID: Final = ("key", "edge", "deleted", "incomplete")


class ResultValues:
    """Writes rows with `fields`; the schema is found, and registered, with the first row."""

    def __init__(self, options: KafkaOutputOptions, fields: Mapping[str, str], reach: Reach) -> None:
        self._options = options
        self._texts = fields
        self._fields = parse_fields(fields)
        self._registry = SchemaRegistry(options, reach) if options.schema_from == "registry" else None
        self._writer: AvroWriter | ProtobufWriter | None = None
        self._names: frozenset[str] = frozenset()
        self._id: int | None = None

    def check(self) -> None:
        """Read the schema, and ask whether it could be registered, leaving nothing behind. Raises `AdapterError`."""
        schema = self._schema()
        self._made(schema)
        if self._registry is not None and schema.id is None:
            self._registry.require_compatible(self._options.subject, self._options.format, schema.text)

    def written(self, row: Mapping[str, Any]) -> bytes:
        """The value of a row. Raises `AdapterError`, also for one that the schema does not fit."""
        writer = self.ready()
        try:
            body = writer.write(self._record(row))
        except MisfitValue as error:
            raise AdapterError(
                f"A row of the results does not fit the schema: {error}. Change the schema or the query."
            ) from None
        if self._id is None:
            return body
        return framed(self._id, body, writer.indexes if isinstance(writer, ProtobufWriter) else None)

    def ready(self) -> "AvroWriter | ProtobufWriter":
        """What writes the rows, once the schema is known and registered. Raises `AdapterError`."""
        if self._writer is None:
            schema = self._schema()
            writer = self._made(schema)
            if self._registry is not None:
                options = self._options
                known = schema.id
                self._id = known or self._registry.register(options.subject, options.format, schema.text)
            self._writer = writer
        return self._writer

    def _schema(self) -> RegisteredSchema:
        """The schema to write; with its id where that is known. Raises `AdapterError`."""
        options = self._options
        if self._registry is not None and options.registered == "latest":
            found = self._registry.latest(options.subject)
            if found.kind != options.format or found.id is None:
                raise AdapterError(
                    f"The newest schema of '{options.subject}' is of the kind {found.kind or 'unknown'}, not "
                    f"{options.format}. Set the format to that, or let the output go to another topic."
                )
            return found
        text = options.schema_text
        if text is None:
            text = avro_of(self._texts) if options.format == "avro" else protobuf_of(self._texts)
        return RegisteredSchema(options.format, text)

    def _made(self, schema: RegisteredSchema) -> "AvroWriter | ProtobufWriter":
        if schema.kind == "avro":
            read = avro_schema(schema.text, [text for _, text in schema.references])
            self._require(frozenset(each["name"] for each in read.root["fields"]))
            return AvroWriter(read)
        name = self._options.message
        if name is None and self._options.schema_text is None and self._options.registered == "register":
            name = "Result"
        descriptor = compiled(schema.text, schema.references).message(name)
        self._require(frozenset(each.name for each in descriptor.fields))
        return ProtobufWriter(descriptor)

    def _require(self, names: frozenset[str]) -> None:
        """Refuse a schema that has no field of the results: all would be lost."""
        known = {*self._fields, "payload", *_TIMES, *_SAID, "pane"}
        if not names & known:
            raise AdapterError(
                f"The schema has none of the fields of the results ({', '.join(self._fields)}, start, end, payload). "
                "Name them there as they are called here."
            )
        self._names = names

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """What a schema may name of a row: times and words beside `payload`, or beside the fields themselves."""
        read = payload_from_json({name: row["payload"].get(name) for name in self._fields}, self._fields)
        payload = _moments_in(read, self._fields)
        said: dict[str, Any] = {name: _moment(row.get(name)) for name in _TIMES}
        said |= {name: row.get(name) for name in _SAID}
        said |= {"deleted": bool(row.get("deleted")), "incomplete": bool(row.get("incomplete"))}
        pane = row.get("pane")
        said["pane"] = None if pane is None else {**pane, **{name: _moment(pane.get(name)) for name in _TIMES}}
        if "payload" in self._names and "payload" not in self._fields:
            return {**said, "payload": payload}
        return {**said, **payload}


def _moment(tick: int | None) -> KnownTick | None:
    return None if tick is None or tick == INFINITY else KnownTick(tick)


def _moments_in(payload: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    return {name: _with_moments(payload.get(name), of) for name, of in fields.items()}


def _with_moments(value: Any, of: Type) -> Any:
    """The value, in which moments are known as such."""
    if value is None:
        return None
    if isinstance(of, Timestamp):
        return KnownTick(value)
    if isinstance(of, Array):
        return [_with_moments(each, of.element) for each in value]
    return _moments_in(value, dict(of.fields)) if isinstance(of, Struct) else value
