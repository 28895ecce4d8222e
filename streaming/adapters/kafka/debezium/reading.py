"""Messages of a topic as contents: key and value decoded as JSON or Avro, with the types of the row."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.formats.avro.reading import AvroReader
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
from streaming.adapters.formats.values import MOST_SHOWN, Unreadable
from streaming.adapters.kafka.debezium.connect_types import AvroTypes, ConnectType
from streaming.adapters.kafka.debezium.envelopes import Content, EnvelopeReader, ReadMessage, RefusedMessage, row_type
from streaming.adapters.kafka.formats.rows import Reading, SchemaValues
from streaming.adapters.kafka.formats.sources import RegistrySource
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.definition.payload.reading import read_object
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition

_WITH_SCHEMA: Final = {"schema", "payload"}


@dataclass(frozen=True, slots=True)
class _DecodedValue:
    """The decoded value of a message, and the type of its rows (None: no schema)."""

    payload: Mapping[str, Any] | None
    row: ConnectType | None


class MessageReader:
    """Reads messages by the format in the options; `schemas` decodes values in Avro."""

    def __init__(
        self, stream: StreamDefinition, options: KafkaOptions, reach: Reach, schemas: SchemaValues | None
    ) -> None:
        fields = {options.columns.get(name, name): of for name, of in parse_fields(stream.fields).items()}
        self._envelopes = EnvelopeReader(fields, options.unavailable)
        self._schemas = schemas
        registered = options.schema_from == "registry"
        self._keys = RegistrySource(options, reach, None, of_records=False) if registered else None
        self._known: dict[bytes, Reading] = {}
        self._rows: dict[int, tuple[AvroReader, ConnectType | None]] = {}

    def content(self, message: Any) -> Content:
        """Return the content of `message`. Raises `AdapterError` if a registry does not answer."""
        read = self.decoded(message)
        if isinstance(read, RefusedMessage):
            return read
        try:
            found = self._envelopes.content(read)
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
            found = RefusedMessage("The message is no valid Debezium envelope.")
        return (
            RefusedMessage(f"{found.why} {_original(message.value())}") if isinstance(found, RefusedMessage) else found
        )

    def decoded(self, message: Any) -> ReadMessage | RefusedMessage:
        """Return key and value of `message`, and the type of its rows. Raises `AdapterError`."""
        value = message.value()
        if value is not None and len(value) > MAX_RECORD_BYTES:
            return RefusedMessage(f"The message is longer than {MAX_RECORD_BYTES} bytes.")
        found: _DecodedValue | RefusedMessage = _DecodedValue(None, None)
        if value is not None:
            found = _json(value) if self._schemas is None else self._avro(self._schemas, value)
        if isinstance(found, RefusedMessage):
            return RefusedMessage(f"{found.why} {_original(value)}")
        return ReadMessage(self._key(message.key()), found.payload, found.row, dict(message.headers() or ()))

    def _avro(self, schemas: SchemaValues, value: bytes) -> "_DecodedValue | RefusedMessage":
        reader, at = schemas.reading(value, self._known)
        record = reader if isinstance(reader, Unreadable) else reader.read(value[at:])
        if isinstance(record, Unreadable) or not isinstance(reader, AvroReader):
            return RefusedMessage(record.why if isinstance(record, Unreadable) else "The message is not Avro.")
        if id(reader) not in self._rows:
            whole = AvroTypes().of((reader.reader or reader.writer).root)
            self._rows[id(reader)] = (reader, whole.fields.get("after"))
        return _DecodedValue(record, self._rows[id(reader)][1])

    def _key(self, key: bytes | None) -> Any:
        """The decoded key; one whose schema or format is not known is its text, or else its bytes in base64."""
        if key is None:
            return None
        if self._keys is not None:
            reader, at = self._keys.reader_of(key)
            found = reader if isinstance(reader, Unreadable) else reader.read(key[at:])
            return base64.b64encode(key).decode() if isinstance(found, Unreadable) else found
        if self._schemas is not None:
            return base64.b64encode(key).decode()
        found = read_object(key)
        if found is None:
            return _text(key)
        return found["payload"] if set(found) == _WITH_SCHEMA else found


def _json(value: bytes) -> _DecodedValue | RefusedMessage:
    found = read_object(value)
    if found is None:
        return RefusedMessage("The message is not a JSON object.")
    if set(found) != _WITH_SCHEMA:
        return _DecodedValue(found, None)
    payload = found["payload"]
    if payload is not None and not isinstance(payload, dict):
        return RefusedMessage("The payload of the message is not an object.")
    try:
        return _DecodedValue(payload, row_type(found["schema"]))
    except (LookupError, TypeError, AttributeError, RecursionError):
        return RefusedMessage("The schema of the message can't be read.")


def _text(key: bytes) -> str:
    try:
        return key.decode()
    except UnicodeDecodeError:
        return base64.b64encode(key).decode()


def _original(value: bytes | None) -> str:
    """The original text of a message, as much as is kept of one that is unreadable."""
    return (value or b"")[:MOST_SHOWN].decode(errors="replace")
