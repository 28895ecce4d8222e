"""Fields of results as the key of a message: JSON, the text of one field, or with a schema."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.values import MisfitValue
from streaming.adapters.kafka.formats.registry import SchemaRegistry
from streaming.adapters.kafka_output.chosen_schema import SchemaChoice, SchemaWriter
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.schemas import avro_key_of, protobuf_key_of
from streaming.adapters.kafka_output.values import moment, moments_in
from streaming.adapters.result_json import LIFETIME, compact_json, written_bound
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Array, Struct
from streaming.wire.rows.payload_json import payload_from_json

_TIME: Final = "timestamp"


class ResultKeys:
    """Writes the key of rows with `fields`. Raises `AdapterError` for a key with unknown fields."""

    def __init__(self, options: KafkaOutputOptions, fields: Mapping[str, str], registry: SchemaRegistry | None) -> None:
        types = {**dict.fromkeys(LIFETIME, _TIME), **fields}
        for name in options.key:
            if name not in types:
                raise AdapterError(
                    f"The results have no field '{name}' for the key. Choose from "
                    f"{', '.join([*fields, *(each for each in LIFETIME if each not in fields)])}."
                )
        self._names = tuple(options.key)
        self._bounds = frozenset(name for name in LIFETIME if name not in fields)
        self._fields = parse_fields({name: types[name] for name in options.key})
        self._one_value = False
        self._schema: SchemaWriter | None = None
        write: Mapping[str, Callable[[Mapping[str, Any]], bytes | None]] = {"json": self._json, "text": self._text}
        self._write = write.get(options.key_format, self._by_schema)
        if options.key_format == "text" and isinstance(self._fields[options.key[0]], Array | Struct):
            raise AdapterError(
                f"The field '{options.key[0]}' isn't a single value, so it can't be the text of a key. Choose another "
                "field, or write keys as JSON."
            )
        if options.key_format in ("avro", "protobuf"):
            texts = {name: types[name] for name in options.key}
            made = avro_key_of if options.key_format == "avro" else protobuf_key_of
            choice = SchemaChoice(
                format=options.key_format,
                subject=options.key_subject,
                text=options.key_schema_text,
                message=None,
                newest=options.registered == "latest",
                whole=False,
                made=lambda: made(texts),
                require=self._require,
            )
            self._schema = SchemaWriter(choice, registry)

    def check(self) -> None:
        """As `SchemaWriter.check`, if keys have a schema."""
        if self._schema is not None:
            self._schema.check()

    def ready(self) -> None:
        """Resolve and register the schema, if keys have one. Raises `AdapterError`."""
        if self._schema is not None:
            self._schema.ready()

    def written(self, row: Mapping[str, Any]) -> bytes | None:
        """The key of a row; None for a message without one. Raises `AdapterError`."""
        return self._write(row) if self._names else None

    def _json(self, row: Mapping[str, Any]) -> bytes:
        return compact_json({name: self._value(row, name) for name in self._names})

    def _text(self, row: Mapping[str, Any]) -> bytes | None:
        value = self._value(row, self._names[0])
        if value is None:
            return None
        return value.encode() if isinstance(value, str) else compact_json(value)

    def _by_schema(self, row: Mapping[str, Any]) -> bytes:
        if self._schema is None:
            raise RuntimeError("a key with a schema has a writer")
        self._schema.ready()  # this determines if the schema is of a record
        payload = {name: of for name, of in self._fields.items() if name not in self._bounds}
        record = moments_in(payload_from_json({name: row["payload"].get(name) for name in payload}, payload), payload)
        record |= {name: moment(row.get(name)) for name in self._names if name in self._bounds}
        try:
            return self._schema.write(record[self._names[0]] if self._one_value else record)
        except MisfitValue as error:
            raise AdapterError(
                f"The key of a row does not fit its schema: {error}. Change the schema, the key or the query."
            ) from None

    def _value(self, row: Mapping[str, Any], name: str) -> Any:
        return written_bound(row, name) if name in self._bounds else row["payload"].get(name)

    def _require(self, names: frozenset[str] | None) -> None:
        """Refuse a schema that lacks a field of the key: different keys would become equal."""
        self._one_value = names is None
        lacking = [name for name in self._names if names is not None and name not in names]
        if lacking:
            raise AdapterError(
                f"The schema of the key has no field '{lacking[0]}'. Add it there, or remove it from the key."
            )
        if names is None and len(self._names) != 1:
            raise AdapterError(
                "The schema of the key is of a single value, but the key has several fields. Choose one field, or use "
                "the schema of a record."
            )
