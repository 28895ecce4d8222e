"""The schema for keys or values of results: from the options, from the registry, or derived from the fields."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.avro.schemas import avro_schema
from streaming.adapters.formats.avro.writing import AvroWriter
from streaming.adapters.formats.protobuf.declarations import compiled
from streaming.adapters.formats.protobuf.writing import ProtobufWriter
from streaming.adapters.kafka.formats.framing import framed
from streaming.adapters.kafka.formats.registry import RegisteredSchema, SchemaRegistry


@dataclass(frozen=True)
class SchemaChoice:
    """The schema to write: `text`, otherwise the result of `made`; with `newest` that of the registry's `subject`.

    `message` names a Protobuf message. `whole`: an Avro schema must be of a record. `require` refuses unsuitable field
    names; it gets None for the schema of a single value.
    """

    format: Literal["avro", "protobuf"]
    subject: str
    text: str | None
    message: str | None
    newest: bool
    whole: bool
    made: Callable[[], str]
    require: Callable[[frozenset[str] | None], None]


class SchemaWriter:
    """Writes values with the schema of `choice`, which is resolved and registered on first use."""

    def __init__(self, choice: SchemaChoice, registry: SchemaRegistry | None) -> None:
        self._choice = choice
        self._registry = registry
        self._writer: AvroWriter | ProtobufWriter | None = None
        self._id: int | None = None

    def check(self) -> None:
        """Read the schema, and ask if it could be registered, leaving nothing behind. Raises `AdapterError`."""
        schema = self._schema()
        self._made(schema)
        if self._registry is not None and schema.id is None:
            self._registry.require_compatible(self._choice.subject, self._choice.format, schema.text)

    def ready(self) -> AvroWriter | ProtobufWriter:
        """Resolve and register the schema, and return the writer. Raises `AdapterError`."""
        if self._writer is None:
            schema = self._schema()
            writer = self._made(schema)
            if self._registry is not None:
                choice, known = self._choice, schema.id
                self._id = known or self._registry.register(choice.subject, choice.format, schema.text)
            self._writer = writer
        return self._writer

    def write(self, value: Any) -> bytes:
        """Encode `value`, with a registry preceded by its schema's id. Raises `AdapterError`, `MisfitValue`."""
        writer = self.ready()
        body = writer.write(value)
        if self._id is None:
            return body
        return framed(self._id, body, writer.indexes if isinstance(writer, ProtobufWriter) else None)

    def _schema(self) -> RegisteredSchema:
        """The schema to write, with its id if it has one already. Raises `AdapterError`."""
        choice = self._choice
        if self._registry is not None and choice.newest:
            found = self._registry.latest(choice.subject)
            if found.kind != choice.format or found.id is None:
                raise AdapterError(
                    f"The newest schema of '{choice.subject}' is of the kind {found.kind or 'unknown'}, not "
                    f"{choice.format}. Set the format to that, or send the output to another topic."
                )
            return found
        return RegisteredSchema(choice.format, choice.made() if choice.text is None else choice.text)

    def _made(self, schema: RegisteredSchema) -> AvroWriter | ProtobufWriter:
        if schema.kind == "avro":
            references = [text for _, text in schema.references]
            read = avro_schema(schema.text, references, of_record=self._choice.whole)
            fields = read.root.get("fields") if isinstance(read.root, dict) else None
            self._choice.require(None if fields is None else frozenset(each["name"] for each in fields))
            return AvroWriter(read)
        descriptor = compiled(schema.text, schema.references).message(self._choice.message)
        self._choice.require(frozenset(each.name for each in descriptor.fields))
        return ProtobufWriter(descriptor)
