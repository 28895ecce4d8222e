"""Which schema a message is read by: the one of the options, or the one whose id it begins with."""

import hashlib
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.formats.avro import AvroReader
from streaming.adapters.kafka.formats.avro_schemas import AvroSchema, avro_schema
from streaming.adapters.kafka.formats.framing import HEADER_BYTES, NotFramed, message_indexes, schema_id
from streaming.adapters.kafka.formats.proto_text import compiled
from streaming.adapters.kafka.formats.protobuf import ProtobufReader
from streaming.adapters.kafka.formats.registry import NotRegistered, RegisteredSchema, SchemaRegistry
from streaming.adapters.kafka.formats.values import Unreadable
from streaming.adapters.kafka.schema_options import KafkaSchemaOptions
from streaming.adapters.network.fetching import Reach

SchemaReader = AvroReader | ProtobufReader
MOST_KEPT: Final = 1_000
"""So many schemas of a registry are kept in a process."""
UNKNOWN_FOR_S: Final = 30.0
"""So long an id that the registry does not know is not asked for again."""


def text_reader(options: KafkaSchemaOptions) -> SchemaReader:
    """What reads values by the schema text of the options. Raises `AdapterError`."""
    text = options.schema_text or ""
    if options.format == "avro":
        return AvroReader(avro_schema(text))
    return ProtobufReader(compiled(text).message(options.message))


@dataclass
class _KeptSchema:
    """What is kept of one id: readers by the indexes of messages, () for Avro; or since when it is unknown."""

    schema: RegisteredSchema | None = None
    unknown_since: float = 0.0
    readers: dict[tuple[int, ...], "SchemaReader | Unreadable"] = field(default_factory=dict)


_kept: OrderedDict[tuple[int, str, int], _KeptSchema] = OrderedDict()
_lock = threading.Lock()


class RegistrySource:
    """Readers by the ids that messages begin with; what an id means never changes, so it is asked for once.

    `reader` is the schema that Avro is resolved to, of the options. `of_records`: values without fields are not read.
    """

    def __init__(self, options: KafkaSchemaOptions, reach: Reach, kind: str | None, *, of_records: bool = True) -> None:
        self._registry = SchemaRegistry(options, reach)
        self._clock = reach.clock
        self._kind = kind
        self._of_records = of_records
        self._options = options
        self._resolved: AvroSchema | None = None
        password = options.registry_password
        said = (
            options.registry,
            options.registry_user,
            password and password.get_secret_value(),
            kind,
            of_records,
            options.schema_text,
            options.registry_certificate_authority,
        )
        self._key = hashlib.sha256(repr(said).encode()).hexdigest()

    def reader_of(self, value: bytes) -> "tuple[SchemaReader | Unreadable, int]":
        """What reads `value`, and where its body begins. Raises `AdapterError` where the registry does not answer."""
        try:
            known = self._known(schema_id(value))
            if known.schema is None:
                return Unreadable(f"The registry does not know the schema {schema_id(value)} of the message."), 0
            indexes, at = message_indexes(value) if known.schema.kind == "protobuf" else ((), HEADER_BYTES)
        except NotFramed as error:
            return Unreadable(str(error)), 0
        if indexes not in known.readers:
            known.readers[indexes] = self._made(known.schema, indexes)
        return known.readers[indexes], at

    def check(self) -> None:
        """Ask for the newest schema of the subject and read it. Raises `AdapterError`."""
        self.newest()

    def newest(self) -> SchemaReader:
        """What would read a message of the newest schema of the subject. Raises `AdapterError`."""
        schema = self._registry.latest(self._options.subject)
        indexes: tuple[int, ...] = (0,) if schema.kind == "protobuf" else ()
        found = self._made(schema, indexes)
        if isinstance(found, Unreadable):
            raise AdapterError(f"The newest schema of '{self._options.subject}' is of no use: {found.why}")
        return found

    def _known(self, number: int) -> _KeptSchema:
        key = (os.getpid(), self._key, number)
        with _lock:
            known = _kept.get(key)
            if known is not None:
                _kept.move_to_end(key)
        again = known is not None and known.schema is None and self._clock() - known.unknown_since > UNKNOWN_FOR_S
        if known is not None and not again:
            return known
        try:
            known = _KeptSchema(self._registry.by_id(number))
        except NotRegistered:
            known = _KeptSchema(unknown_since=self._clock())
        with _lock:
            _kept[key] = known
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
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
            return Unreadable(f"The schema of the message cannot be used. {error}")
        if found is None or found.GetOptions().map_entry:
            return Unreadable(f"The schema of the message has no message at {list(indexes)}.")
        return ProtobufReader(found)

    def _reader_schema(self) -> AvroSchema | None:
        if self._resolved is None and self._options.schema_text is not None and self._options.format == "avro":
            self._resolved = avro_schema(self._options.schema_text) if self._of_records else None
        return self._resolved
