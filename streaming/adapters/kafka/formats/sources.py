"""Selection of the schema for a message: the one in the options, or the one whose id the message begins with."""

import hashlib
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.avro.reading import AvroReader
from streaming.adapters.formats.avro.schemas import AvroSchema, avro_schema
from streaming.adapters.formats.protobuf.declarations import compiled
from streaming.adapters.formats.protobuf.reading import ProtobufReader
from streaming.adapters.formats.values import Unreadable
from streaming.adapters.kafka.formats.framing import HEADER_BYTES, NotFramed, message_indexes, schema_id
from streaming.adapters.kafka.formats.registry import NotRegistered, RegisteredSchema, SchemaRegistry
from streaming.adapters.kafka.schema_options import KafkaSchemaOptions
from streaming.adapters.network.fetching import Reach

SchemaReader = AvroReader | ProtobufReader
MOST_KEPT: Final = 1_000
"""The most registry schemas kept in a process."""
UNKNOWN_FOR_S: Final = 30.0
"""The time in seconds before an id that the registry does not have is requested again."""


def text_reader(options: KafkaSchemaOptions) -> SchemaReader:
    """Return the reader for the schema text in the options. Raises `AdapterError`."""
    text = options.schema_text or ""
    if options.format == "avro":
        return AvroReader(avro_schema(text))
    return ProtobufReader(compiled(text).message(options.message))


@dataclass
class _CachedSchema:
    """The cache entry of one id: readers by message indexes, () for Avro; or the time since when it is unknown."""

    schema: RegisteredSchema | None = None
    unknown_since: float = 0.0
    readers: dict[tuple[int, ...], "SchemaReader | Unreadable"] = field(default_factory=dict)


_cache: OrderedDict[tuple[int, str, int], _CachedSchema] = OrderedDict()
_lock = threading.Lock()


class RegistrySource:
    """Readers by the ids that messages begin with; the meaning of an id never changes, so it is requested once.

    `reader` is the schema in the options to which Avro is resolved. `of_records`: only values with fields are read.
    """

    def __init__(self, options: KafkaSchemaOptions, reach: Reach, kind: str | None, *, of_records: bool = True) -> None:
        self._registry = SchemaRegistry(options, reach)
        self._clock = reach.clock
        self._kind = kind
        self._of_records = of_records
        self._options = options
        self._resolved: AvroSchema | None = None
        password = options.registry_password
        identity = (
            options.registry,
            options.registry_user,
            password and password.get_secret_value(),
            kind,
            of_records,
            options.schema_text,
            options.registry_certificate_authority,
        )
        self._key = hashlib.sha256(repr(identity).encode()).hexdigest()

    def reader_of(self, value: bytes) -> "tuple[SchemaReader | Unreadable, int]":
        """Return the reader of `value`, and the start of its body. Raises `AdapterError` if the registry does not
        answer.
        """
        try:
            known = self._cached(schema_id(value))
            if known.schema is None:
                return Unreadable(f"The registry does not have the schema {schema_id(value)} of the message."), 0
            indexes, at = message_indexes(value) if known.schema.kind == "protobuf" else ((), HEADER_BYTES)
        except NotFramed as error:
            return Unreadable(str(error)), 0
        if indexes not in known.readers:
            known.readers[indexes] = self._made(known.schema, indexes)
        return known.readers[indexes], at

    def check(self) -> None:
        """Request the newest schema of the subject and read it. Raises `AdapterError`."""
        self.newest()

    def newest(self) -> SchemaReader:
        """Return the reader for messages with the newest schema of the subject. Raises `AdapterError`."""
        schema = self._registry.latest(self._options.subject)
        indexes: tuple[int, ...] = (0,) if schema.kind == "protobuf" else ()
        found = self._made(schema, indexes)
        if isinstance(found, Unreadable):
            raise AdapterError(f"The newest schema of '{self._options.subject}' can't be used: {found.why}")
        return found

    def _cached(self, number: int) -> _CachedSchema:
        key = (os.getpid(), self._key, number)
        with _lock:
            known = _cache.get(key)
            if known is not None:
                _cache.move_to_end(key)
        again = known is not None and known.schema is None and self._clock() - known.unknown_since > UNKNOWN_FOR_S
        if known is not None and not again:
            return known
        try:
            known = _CachedSchema(self._registry.by_id(number))
        except NotRegistered:
            known = _CachedSchema(unknown_since=self._clock())
        with _lock:
            _cache[key] = known
            while len(_cache) > MOST_KEPT:
                _cache.popitem(last=False)
        return known

    def _made(self, schema: RegisteredSchema, indexes: tuple[int, ...]) -> "SchemaReader | Unreadable":
        if schema.kind not in {"avro", "protobuf"} or (self._kind is not None and schema.kind != self._kind):
            wanted = self._kind or "avro or protobuf"
            return Unreadable(f"The schema of the message is of the kind {schema.kind or 'unknown'}, not {wanted}.")
        try:
            if schema.kind == "avro":
                texts = [text for _, text in schema.references]
                return AvroReader(avro_schema(schema.text, texts, of_record=self._of_records), self._reader_schema())
            found = compiled(schema.text, schema.references).at(indexes)
        except AdapterError as error:
            return Unreadable(f"The schema of the message can't be used. {error}")
        if found is None or found.GetOptions().map_entry:
            return Unreadable(f"The schema of the message has no message type at {list(indexes)}.")
        return ProtobufReader(found)

    def _reader_schema(self) -> AvroSchema | None:
        if self._resolved is None and self._options.schema_text is not None and self._options.format == "avro":
            self._resolved = avro_schema(self._options.schema_text) if self._of_records else None
        return self._resolved
