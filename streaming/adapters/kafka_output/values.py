"""Rows of results as values with a schema: from the options, from the registry, or derived from the fields."""

from collections.abc import Mapping
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.values import MisfitValue
from streaming.adapters.kafka.formats.registry import SchemaRegistry
from streaming.adapters.kafka_output.chosen_schema import SchemaChoice, SchemaWriter
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.schemas import avro_of, protobuf_of
from streaming.adapters.times.columns import KnownTick
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Array, Fields, Struct, Timestamp, Type
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.payload_json import payload_from_json

_TIMES: Final = ("start", "end")
_ATTRIBUTES: Final = ("key", "edge", "deleted", "incomplete")


class ResultValues:
    """Writes rows with `fields`; the schema is resolved and registered with the first row."""

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
        """Resolve and register the schema. Raises `AdapterError`."""
        self._schema.ready()

    def written(self, row: Mapping[str, Any]) -> bytes:
        """The value of a row. Raises `AdapterError`, also if the row does not fit the schema."""
        self._schema.ready()  # the record depends on the schema's names
        try:
            return self._schema.write(self._record(row))
        except MisfitValue as error:
            raise AdapterError(
                f"A row of the results does not fit the schema: {error}. Change the schema or the query."
            ) from None

    def _require(self, names: frozenset[str] | None) -> None:
        """Refuse a schema without any field of the results: everything would be lost."""
        names = names or frozenset()
        known = {*self._fields, "payload", *_TIMES, *_ATTRIBUTES, "pane"}
        if not names & known:
            raise AdapterError(
                f"The schema has none of the fields of the results ({', '.join(self._fields)}, start, end, payload). "
                "Use the same names there."
            )
        self._names = names

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a row that a schema may name: its times and attributes, and `payload` or its fields."""
        read = payload_from_json({name: row["payload"].get(name) for name in self._fields}, self._fields)
        payload = moments_in(read, self._fields)
        values: dict[str, Any] = {name: moment(row.get(name)) for name in _TIMES}
        values |= {name: row.get(name) for name in _ATTRIBUTES}
        values |= {"deleted": bool(row.get("deleted")), "incomplete": bool(row.get("incomplete"))}
        pane = row.get("pane")
        values["pane"] = None if pane is None else {**pane, **{name: moment(pane.get(name)) for name in _TIMES}}
        if "payload" in self._names and "payload" not in self._fields:
            return {**values, "payload": payload}
        return {**values, **payload}


def moment(tick: int | None) -> KnownTick | None:
    """A bound in the form for a schema; an open end is null."""
    return None if tick is None or tick == INFINITY else KnownTick(tick)


def moments_in(payload: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """The values of `fields`, with moments marked as such."""
    return {name: _with_moments(payload.get(name), of) for name, of in fields.items()}


def _with_moments(value: Any, of: Type) -> Any:
    """The value, with moments marked as such."""
    if value is None:
        return None
    if isinstance(of, Timestamp):
        return KnownTick(value)
    if isinstance(of, Array):
        return [_with_moments(each, of.element) for each in value]
    return moments_in(value, dict(of.fields)) if isinstance(of, Struct) else value
