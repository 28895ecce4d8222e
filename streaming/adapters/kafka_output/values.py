"""Rows of results as values with a schema: that of the options, of the registry, or one made of the fields."""

from collections.abc import Mapping
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.formats.registry import SchemaRegistry
from streaming.adapters.kafka.formats.values import MisfitValue
from streaming.adapters.kafka_output.chosen_schema import SchemaChoice, SchemaWriter
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.schemas import avro_of, protobuf_of
from streaming.adapters.times import KnownTick
from streaming.definition.type_text import parse_fields
from streaming.definition.types import Array, Fields, Struct, Timestamp, Type
from streaming.temporal.ticks import INFINITY
from streaming.wire.payload_json import payload_from_json

_TIMES: Final = ("start", "end")
_SAID: Final = ("key", "edge", "deleted", "incomplete")


class ResultValues:
    """Writes rows with `fields`; the schema is found, and registered, with the first row."""

    def __init__(self, options: KafkaOutputOptions, fields: Mapping[str, str], registry: SchemaRegistry | None) -> None:
        if options.format == "json":
            raise ValueError("values in JSON have no schema")
        self._fields = parse_fields(fields)
        self._names: frozenset[str] = frozenset()
        made = avro_of if options.format == "avro" else protobuf_of
        choice = SchemaChoice(
            format=options.format,
            subject=options.subject,
            text=options.schema_text,
            message=options.message,
            newest=options.registered == "latest",
            whole=True,
            made=lambda: made(fields),
            require=self._require,
        )
        self._schema = SchemaWriter(choice, registry)

    def check(self) -> None:
        """As `SchemaWriter.check`."""
        self._schema.check()

    def ready(self) -> None:
        """Know the schema, and have it registered. Raises `AdapterError`."""
        self._schema.ready()

    def written(self, row: Mapping[str, Any]) -> bytes:
        """The value of a row. Raises `AdapterError`, also for one that the schema does not fit."""
        self._schema.ready()  # a record is made for the names that the schema has
        try:
            return self._schema.write(self._record(row))
        except MisfitValue as error:
            raise AdapterError(
                f"A row of the results does not fit the schema: {error}. Change the schema or the query."
            ) from None

    def _require(self, names: frozenset[str] | None) -> None:
        """Refuse a schema that has no field of the results: all would be lost."""
        names = names or frozenset()
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
        payload = moments_in(read, self._fields)
        said: dict[str, Any] = {name: moment(row.get(name)) for name in _TIMES}
        said |= {name: row.get(name) for name in _SAID}
        said |= {"deleted": bool(row.get("deleted")), "incomplete": bool(row.get("incomplete"))}
        pane = row.get("pane")
        said["pane"] = None if pane is None else {**pane, **{name: moment(pane.get(name)) for name in _TIMES}}
        if "payload" in self._names and "payload" not in self._fields:
            return {**said, "payload": payload}
        return {**said, **payload}


def moment(tick: int | None) -> KnownTick | None:
    """A bound as a schema may have it; an open end is null."""
    return None if tick is None or tick == INFINITY else KnownTick(tick)


def moments_in(payload: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """The values of `fields`, in which moments are known as such."""
    return {name: _with_moments(payload.get(name), of) for name, of in fields.items()}


def _with_moments(value: Any, of: Type) -> Any:
    """The value, in which moments are known as such."""
    if value is None:
        return None
    if isinstance(of, Timestamp):
        return KnownTick(value)
    if isinstance(of, Array):
        return [_with_moments(each, of.element) for each in value]
    return moments_in(value, dict(of.fields)) if isinstance(of, Struct) else value
