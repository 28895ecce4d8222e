"""Results as values with schemas: the library reads what is written, and values that do not fit are reported."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.avro.reading import AvroReader
from streaming.adapters.formats.avro.schemas import avro_schema
from streaming.adapters.formats.avro.writing import AvroWriter
from streaming.adapters.formats.protobuf.declarations import compiled
from streaming.adapters.formats.protobuf.reading import ProtobufReader
from streaming.adapters.formats.protobuf.writing import ProtobufWriter
from streaming.adapters.kafka.formats.framing import message_indexes, schema_id
from streaming.adapters.kafka.formats.registry import SchemaRegistry
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.schemas import avro_of, protobuf_of
from streaming.adapters.kafka_output.values import ResultValues
from streaming.adapters.network.fetching import Reach
from streaming.temporal.ticks import INFINITY
from tests.adapters.kafka.formats.drawn_avro import DrawnValues, rich_types, written_values
from tests.adapters.kafka.formats.drawn_protobuf import DrawnMessages, written_messages
from tests.adapters.kafka.formats.registry_server import RegistryServer, running_registry
from tests.adapters.kafka.formats.test_avro import kinds, record
from tests.adapters.kafka.topics import LOOPBACK

FIELDS = {
    "car": "string",
    "n": "long",
    "share": "double",
    "ok": "boolean",
    "at": "timestamp",
    "price": "decimal(20,3)",
    "tags": "array<string>",
    "inner": "struct<a: long, when: array<timestamp>>",
}
ROW = {
    "start": 5,
    "end": 10,
    "payload": {
        "car": "a",
        "n": 7,
        "share": 0.5,
        "ok": True,
        "at": "1970-01-01T00:00:01Z",
        "price": "12.345",
        "tags": ["x"],
        "inner": {"a": 1, "when": ["1970-01-01T00:00:02Z"]},
    },
}
EMPTY = {"start": 5, "end": INFINITY, "payload": dict.fromkeys(FIELDS)}


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with running_registry() as server:
        yield server


@given(drawn=written_values(rich_types))
def test_avro_is_written_as_it_is_read(drawn: DrawnValues) -> None:
    schema = avro_schema(json.dumps(drawn.schema))
    writer, reader = AvroWriter(schema), AvroReader(schema)
    for ours in drawn.ours:
        assert kinds(reader.read(writer.write(ours))) == kinds(ours)


@given(drawn=written_messages())
def test_protobuf_is_written_as_it_is_read(drawn: DrawnMessages) -> None:
    descriptor = drawn.file.message("M")
    for ours in drawn.ours:
        assert kinds(ProtobufReader(descriptor).read(ProtobufWriter(descriptor).write(ours))) == kinds(ours)


def values(fields: dict[str, str] = FIELDS, **options: Any) -> ResultValues:
    settings = {"brokers": "b:9092", "topic": "t", **options}
    read = KafkaOutputOptions.model_validate(settings)
    registry = SchemaRegistry(read, Reach(LOOPBACK)) if read.registry else None
    return ResultValues(read, fields, registry)


@pytest.mark.parametrize("kind", ["avro", "protobuf"])
def test_without_a_text_a_schema_derived_from_the_fields_is_registered_and_written(
    registry: RegistryServer, kind: str
) -> None:
    made = values(format=kind, schema_from="registry", registry=registry.address)
    made.check()
    assert not registry.subjects, "a check leaves nothing behind"
    found = [made.written(ROW), made.written(EMPTY)]
    assert [schema_id(each) for each in found] == [1, 1]
    assert registry.subjects == {"t-value": [1]}
    if kind == "avro":
        reader: Any = AvroReader(avro_schema(avro_of(FIELDS)))
        rows = [reader.read(each[5:]) for each in found]
    else:
        reader = ProtobufReader(compiled(protobuf_of(FIELDS)).message(None))
        rows = [reader.read(each[message_indexes(each)[1] :]) for each in found]
    price = rows[0]["payload"].pop("price")
    assert str(price) == "12.345"
    expected = {"car": "a", "n": 7, "share": 0.5, "ok": True, "at": 1_000_000, "tags": ["x"]}
    assert rows[0]["payload"] == {**expected, "inner": {"a": 1, "when": [2_000_000]}}
    assert (rows[0]["start"], rows[0]["end"], rows[1]["end"]) == (5, 10, None)
    assert rows[1]["payload"] == {name: [] if name == "tags" and kind == "protobuf" else None for name in FIELDS}


def test_a_schema_that_the_registry_refuses_is_reported_by_the_check_and_at_the_first_row(
    registry: RegistryServer,
) -> None:
    registry.add("t-value", json.dumps(record({"name": "other", "type": "long"})))
    registry.compatible = lambda _old, _new: False
    made = values(format="avro", schema_from="registry", registry=registry.address)
    for act in (made.check, lambda: made.written(ROW)):
        with pytest.raises(AdapterError, match="incompatible with the schema registered as 't-value'") as raised:
            act()
        assert raised.value.domain == "user"
    assert len(registry.subjects["t-value"]) == 1


def test_the_newest_schema_of_the_subject_is_written_unchanged(registry: RegistryServer) -> None:
    settings = {"format": "avro", "schema_from": "registry", "registry": registry.address, "registered": "latest"}
    with pytest.raises(AdapterError, match="does not have the subject"):
        values(**settings).check()
    flat = record(
        {"name": "car", "type": "string"},
        {"name": "start", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "n", "type": ["null", "int"]},
        {"name": "grade", "type": "string", "default": "none"},
    )
    number = registry.add("t-value", json.dumps(flat))
    found = values(**settings).written({**ROW, "start": 5_999})
    assert schema_id(found) == number
    row = AvroReader(avro_schema(json.dumps(flat))).read(found[5:])
    assert row == {"car": "a", "start": 5_000, "n": 7, "grade": "none"}
    registry.add("t-value", 'syntax = "proto3"; message A { string car = 1; }', "PROTOBUF")
    with pytest.raises(AdapterError, match="of the kind protobuf, not avro"):
        values(**settings).check()
    proto = values(**{**settings, "format": "protobuf"}).written(ROW)
    assert message_indexes(proto) == ((0,), 6)
    assert proto[6:] == b"\x0a\x01a"


@pytest.mark.parametrize(
    ("of", "value", "message"),
    [
        ("string", None, "'n' is null"),
        ("string", 7, "'n' isn't text"),
        ("int", 2**31, "'n' is outside the range"),
        ("boolean", 7, "'n' isn't a valid boolean"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, 7, "'n' isn't a valid enum"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 1}, 77, "more digits"),
        ({"type": "array", "items": "long"}, 7, "'n' isn't a valid array"),
        (record({"name": "a", "type": "long"}, name="X"), 7, "'n' isn't a record"),
    ],
)
def test_a_row_that_does_not_fit_the_schema_is_reported_with_its_field(of: Any, value: Any, message: str) -> None:
    made = values({"n": "long"}, format="avro", schema_text=json.dumps(record({"name": "n", "type": of})))
    with pytest.raises(AdapterError, match=message):
        made.written({"start": 1, "end": 2, "payload": {"n": value}})


@pytest.mark.parametrize(
    ("of", "value", "message"),
    [
        ("int32", 2**31, "'n' is outside the range"),
        ("uint64", -1, "'n' is outside the range"),
        ("string", 7, "'n' isn't text"),
        ("bool", 7, "wrong type"),
        ("repeated int64", 7, "'n' isn't a list"),
        ("google.protobuf.Timestamp", 7, "'n' isn't a moment"),
        ("google.protobuf.Struct", 7, "Struct, which can't be written"),
        ("A", 7, "'n' isn't a record"),
        ("map<string, int64>", 7, "'n' can't be a map"),
    ],
)
def test_a_row_that_does_not_fit_a_message_is_reported_with_its_field(of: str, value: Any, message: str) -> None:
    known = 'import "google/protobuf/timestamp.proto"; import "google/protobuf/struct.proto";'
    made = values(
        {"n": "long"}, format="protobuf", schema_text=f'syntax = "proto3"; {known} message A {{ {of} n = 1; }}'
    )
    with pytest.raises(AdapterError, match=message):
        made.written({"start": 1, "end": 2, "payload": {"n": value}})


def test_schemas_without_any_field_of_the_results_are_refused() -> None:
    stranger = json.dumps(record({"name": "x", "type": "long"}))
    with pytest.raises(AdapterError, match="none of the fields of the results"):
        values(format="avro", schema_text=stranger).check()
    with pytest.raises(AdapterError, match="list of lists"):
        protobuf_of({"a": "array<array<long>>"})
    with pytest.raises(AdapterError, match="no record without any"):
        avro_of({})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "avro"}, "requires `schema_text`"),
        ({"schema_from": "registry", "registry": "https://r"}, "json doesn't use"),
        ({"format": "avro", "schema_text": "{}", "registered": "latest"}, "remove `schema_text`"),
        ({"format": "avro", "schema_text": "{}", "ctis": "rows"}, "headers"),
    ],
)
def test_conflicting_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KafkaOutputOptions.model_validate({"brokers": "b", "topic": "t", **options})
