"""Protobuf messages written by the library are read back; texts are compiled within limits."""

from typing import Any

import numpy as np
import pytest
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.protobuf import declarations as proto_text
from streaming.adapters.formats.protobuf.declarations import ProtoFile, compiled
from streaming.adapters.formats.protobuf.reading import ProtobufReader
from streaming.adapters.formats.values import Unreadable
from streaming.adapters.kafka.formats.rows import SchemaRows, SchemaValues
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.times.columns import KnownTick
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.wire.outgoing import NOTHING
from streaming.wire.rows.arrived_rows import elements
from tests.adapters.kafka.formats.drawn_protobuf import DrawnMessages, written_messages
from tests.adapters.kafka.formats.test_avro import kinds

KNOWN = """
syntax = "proto3";
package cars;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
message Car {
  google.protobuf.Timestamp at = 1;
  google.protobuf.Duration took = 2;
  google.protobuf.Int64Value maybe = 3;
  google.protobuf.BytesValue sealed = 4;
  google.protobuf.Struct more = 5;
  enum Colour { NONE = 0; RED = 1; }
  Colour colour = 6;
  map<bool, Colour> seen = 7;
  message Wheel { int32 size = 1; }
  repeated Wheel wheels = 8;
}
message Other { string text = 1; }
"""


@pytest.fixture(scope="module")
def cars() -> ProtoFile:
    return compiled(KNOWN)


def message(of: ProtoFile, name: str = "Car") -> Any:
    return GetMessageClass(of.message(name))()


@given(drawn=written_messages())
def test_values_that_the_library_writes_with_any_schema_are_read_back(drawn: DrawnMessages) -> None:
    reader = ProtobufReader(drawn.file.message(None))
    assert kinds([reader.read(value) for value in drawn.values]) == kinds(drawn.ours)


@given(
    drawn=written_messages(("single", "optional", "oneof"), most=6),
    broken=st.lists(st.tuples(st.integers(0, 30), st.binary(max_size=4), st.integers(0, 8)), max_size=2),
    types=st.lists(st.sampled_from(["long", "double", "string", "boolean", "timestamp"]), min_size=6, max_size=6),
)
def test_columns_and_single_values_agree(
    drawn: DrawnMessages, broken: list[tuple[int, bytes, int]], types: list[str]
) -> None:
    reader = ProtobufReader(drawn.file.message(None))
    values = list(drawn.values) * 6
    for at, put, place in broken:
        value = values[at % len(values)]
        values[at % len(values)] = value[:place] + put + value[place + len(put) :]
    start = TimeColumn.model_validate({"column": "f0", "unit": "us"})
    stream = StreamDefinition(fields={f"f{at}": of for at, of in enumerate(types)}, event_time=EventTime(start=start))
    settings = {"brokers": "b", "topic": "t", "format": "protobuf", "schema_text": "unused"}
    decoder = SchemaValues(stream, KafkaOptions.model_validate(settings), Reach(NOTHING), frozenset())
    rows = SchemaRows(values, [(reader, 0)] * len(values), {}, np.arange(len(values), dtype=np.int64))
    assert list(elements(decoder.decode(rows))) == list(elements(decoder.decode_slowly(rows)))


def test_well_known_types_enums_maps_and_lists_have_their_meaning(cars: ProtoFile) -> None:
    car = message(cars)
    car.at.seconds, car.at.nanos = -1, 999_999_999
    car.took.seconds, car.took.nanos = -2, -500_000_000
    car.maybe.value = 0
    car.sealed.value = b"\x00\xff"
    car.more.update({"a": [1, None, "x"], "b": {"c": True}})
    car.colour = 1
    car.seen[True] = 1
    car.wheels.add(size=17)
    expected = {
        "at": KnownTick(-1),
        "took": -2_500_000,
        "maybe": 0,
        "sealed": "AP8=",
        "more": {"a": [1.0, None, "x"], "b": {"c": True}},
        "colour": "RED",
        "seen": {"true": "RED"},
        "wheels": [{"size": 17}],
    }
    reader = ProtobufReader(cars.message("cars.Car"))
    assert kinds(reader.read(car.SerializeToString())) == kinds(expected)
    empty = {"at": None, "took": None, "maybe": None, "sealed": None, "more": None}
    assert reader.read(b"") == {**empty, "colour": "NONE", "seen": {}, "wheels": []}
    assert reader.read(b"\x30\x07")["colour"] == 7


def test_bytes_that_are_not_a_message_and_bombs_of_nesting_are_unreadable() -> None:
    deep = ProtobufReader(compiled('syntax = "proto3"; message Deep { Deep in = 1; }').message(None))
    body = b""
    for _ in range(90):
        body = b"\x0a" + bytes([len(body)]) + body if len(body) < 128 else body
    assert not isinstance(deep.read(body), Unreadable)
    group = b"\x0b" * 100_000
    assert isinstance(deep.read(group), Unreadable)
    assert isinstance(deep.read(b"\x0a\xff\xff\xff\xff\x0f"), Unreadable)
    assert isinstance(deep.read(nested(5_000)), Unreadable)


def nested(levels: int) -> bytes:
    body = b""
    for _ in range(levels):
        size, length = len(body), bytearray()
        while size > 0x7F:
            length.append(size & 0x7F | 0x80)
            size >>= 7
        body = b"\x0a" + bytes([*length, size]) + body
    return body


def test_a_message_is_found_by_its_name_and_by_its_indexes(cars: ProtoFile) -> None:
    assert cars.message("Other").full_name == cars.message("cars.Other").full_name == "cars.Other"
    found = [cars.at(path) for path in [(0,), (1,), (0, 1), (2,), (0, 9)]]
    names = [None if each is None else each.full_name for each in found]
    assert names == ["cars.Car", "cars.Other", "cars.Car.Wheel", None, None]
    for name, message in [
        (None, "several messages: cars.Car, cars.Other"),
        ("Bus", "no message 'Bus'. Its messages: cars.Car"),
    ]:
        with pytest.raises(AdapterError, match=message):
            cars.message(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("message", "can't be compiled"),
        ('syntax = "proto3"; message A { B b = 1; }', '"B" is not defined'),
        ('syntax = "proto3"; import "/etc/passwd"; message A {}', "may import only google/protobuf"),
        ('syntax = "proto3"; import "../../secrets.proto"; message A {}', "may import only google/protobuf"),
        ('syntax = "proto3"; ' + "message A {" * 5_000, "can't be compiled"),
        ('syntax = "proto3"; // \ud800 half a letter', "can't be compiled"),
    ],
)
def test_unsuitable_texts_are_refused_with_an_error(text: str, message: str) -> None:
    with pytest.raises(AdapterError, match=message) as raised:
        compiled(text)
    assert "Traceback" not in str(raised.value)
    assert "root:" not in str(raised.value)


def test_a_slow_compiler_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proto_text, "WAITS_S", 0.000_001)
    with pytest.raises(AdapterError, match="takes too long to compile"):
        compiled('syntax = "proto3"; message TooLong {}')


def test_files_that_a_registry_lists_may_be_imported_and_no_others() -> None:
    wheel = 'syntax = "proto3"; message Wheel { int32 size = 1; }'
    text = 'syntax = "proto3"; import "parts/wheel.proto"; message Cart { Wheel wheel = 1; }'
    reader = ProtobufReader(compiled(text, (("parts/wheel.proto", wheel),)).message("Cart"))
    assert reader.read(b"\x0a\x02\x08\x07") == {"wheel": {"size": 7}}
    for name in ("../wheel.proto", "/tmp/wheel.proto", "schema.proto", "a//b.proto", ".hidden"):
        with pytest.raises(AdapterError, match="isn't a valid file name"):
            compiled(text, ((name, wheel),))
