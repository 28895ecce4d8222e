"""Keys of results: JSON, the text of one field, or with a schema from the options, the registry or the fields."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.avro.reading import AvroReader
from streaming.adapters.formats.avro.schemas import avro_schema
from streaming.adapters.formats.protobuf.declarations import compiled
from streaming.adapters.formats.protobuf.reading import ProtobufReader
from streaming.adapters.kafka.formats.framing import message_indexes, schema_id
from streaming.adapters.kafka.formats.registry import SchemaRegistry
from streaming.adapters.kafka_output.keys import ResultKeys
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.kafka_output.schemas import avro_key_of, protobuf_key_of
from streaming.adapters.network.fetching import Reach
from streaming.temporal.ticks import INFINITY
from tests.adapters.kafka.formats.registry_server import RegistryServer, running_registry
from tests.adapters.kafka.formats.test_avro import record
from tests.adapters.kafka.topics import LOOPBACK

FIELDS = {"car": "string", "n": "long", "share": "double", "at": "timestamp", "ok": "boolean", "tags": "array<string>"}
PAYLOAD = {"car": "a", "n": 7, "share": 0.5, "at": "1970-01-01T00:00:01Z", "ok": True, "tags": ["x"]}
ROW = {"start": 5, "end": 10, "payload": PAYLOAD}
EMPTY = {"start": 5, "end": INFINITY, "payload": dict.fromkeys(FIELDS)}


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with running_registry() as server:
        yield server


def keys(key: list[str], fields: dict[str, str] = FIELDS, **options: Any) -> ResultKeys:
    read = KafkaOutputOptions.model_validate({"brokers": "b:9092", "topic": "t", "key": key, **options})
    return ResultKeys(read, fields, SchemaRegistry(read, Reach(LOOPBACK)) if read.registry else None)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("car", b"a"),
        ("n", b"7"),
        ("share", b"0.5"),
        ("at", b"1970-01-01T00:00:01Z"),
        ("ok", b"true"),
        ("start", b"1970-01-01T00:00:00.000005Z"),
    ],
)
def test_a_text_is_that_of_one_field_and_null_is_no_key(name: str, written: bytes) -> None:
    made = keys([name], key_format="text")
    assert made.written(ROW) == written
    assert (made.written(EMPTY) is None) is (name != "start")


@pytest.mark.parametrize("kind", ["avro", "protobuf"])
def test_a_schema_derived_from_the_key_s_fields_is_registered_and_written(registry: RegistryServer, kind: str) -> None:
    names = ["car", "at", "end"]
    made = keys(names, key_format=kind, schema_from="registry", registry=registry.address)
    made.check()
    assert not registry.subjects, "a check leaves nothing behind"
    first, other = (made.written(each) or b"" for each in (ROW, EMPTY))
    assert made.written(ROW) == first, "equal keys are equal bytes"
    assert registry.subjects == {"t-key": [1]}
    assert schema_id(first) == 1
    of = {"car": "string", "at": "timestamp", "end": "timestamp"}
    if kind == "avro":
        reader: Any = AvroReader(avro_schema(avro_key_of(of)))
        rows = [reader.read(each[5:]) for each in (first, other)]
    else:
        reader = ProtobufReader(compiled(protobuf_key_of(of)).message(None))
        rows = [reader.read(each[message_indexes(each)[1] :]) for each in (first, other)]
    assert rows == [{"car": "a", "at": 1_000_000, "end": 10}, {"car": None, "at": None, "end": None}]


def test_a_schema_in_the_options_may_be_of_one_value() -> None:
    made = keys(["n"], key_format="avro", key_schema_text='"long"')
    assert made.written(ROW) == b"\x0e"
    with pytest.raises(AdapterError, match="The key of a row does not fit its schema: the value is null"):
        made.written(EMPTY)
    proto = keys(["n"], key_format="protobuf", key_schema_text='syntax = "proto3"; message K { int64 n = 1; }')
    assert proto.written(ROW) == b"\x08\x07"


def test_the_newest_schema_of_the_subject_is_written(registry: RegistryServer) -> None:
    number = registry.add("t-key", '"string"')
    settings = {"schema_from": "registry", "registry": registry.address, "registered": "latest"}
    found = keys(["car"], key_format="avro", **settings).written(ROW) or b""
    assert (schema_id(found), found[5:]) == (number, b"\x02a")
    with pytest.raises(AdapterError, match="newest schema of 't-key' is of the kind avro, not protobuf"):
        keys(["car"], key_format="protobuf", **settings).check()


@pytest.mark.parametrize(
    ("schema", "names", "message"),
    [
        (record({"name": "car", "type": "string"}), ["car", "n"], "has no field 'n'. Add it there"),
        ("string", ["car", "n"], "is of a single value, but the key has several fields"),
    ],
)
def test_a_schema_that_would_merge_two_keys_is_refused(schema: Any, names: list[str], message: str) -> None:
    with pytest.raises(AdapterError, match=message):
        keys(names, key_format="avro", key_schema_text=json.dumps(schema)).check()


def test_a_key_with_unknown_fields_is_refused() -> None:
    with pytest.raises(
        AdapterError, match=r"no field 'plate' for the key. Choose from car, n, share, at, ok, tags, start"
    ):
        keys(["plate"])
    with pytest.raises(AdapterError, match="'tags' isn't a single value"):
        keys(["tags"], key_format="text")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key_format": "text"}, "needs fields to write; list them in `key`"),
        ({"key": ["a", "b"], "key_format": "text"}, "set `key` to a single field"),
        ({"key": ["a"], "key_format": "avro"}, "require `key_schema_text`"),
        ({"key": ["a"], "key_schema_text": '"string"'}, "keys in json don't use a schema"),
        (
            {"key": ["a"], "key_format": "avro", "schema_from": "registry", "registry": "https://r"}
            | {"registered": "latest", "key_schema_text": '"string"'},
            "remove `key_schema_text`",
        ),
    ],
)
def test_conflicting_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KafkaOutputOptions.model_validate({"brokers": "b", "topic": "t", **options})
