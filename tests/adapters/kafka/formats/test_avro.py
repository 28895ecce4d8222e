"""Avro values written by the library are read back, by columns and one by one alike, and bad bytes do no harm."""

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from fastavro import parse_schema
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.avro.columns import column_plan
from streaming.adapters.formats.avro.reading import AvroReader
from streaming.adapters.formats.avro.schemas import avro_schema
from streaming.adapters.formats.values import Unreadable
from streaming.adapters.kafka.formats.rows import SchemaValues
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.times.columns import KnownTick
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.events import Event
from streaming.wire.outgoing import NOTHING
from streaming.wire.rows.arrived_rows import elements
from tests.adapters.kafka.formats.drawn_avro import DrawnValues, plain_types, rich_types, written, written_values


def reader(schema: Any, resolved: Any = None) -> AvroReader:
    return AvroReader(avro_schema(json.dumps(schema)), None if resolved is None else avro_schema(json.dumps(resolved)))


def record(*fields: dict[str, Any], name: str = "R") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def zigzag(number: int) -> bytes:
    found, left = bytearray(), (number << 1) ^ (number >> 63)
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*found, left])


def kinds(value: Any) -> Any:
    """The value with the type of each leaf: a moment is not a number, and true is not 1."""
    if isinstance(value, dict):
        return {name: kinds(each) for name, each in value.items()}
    if isinstance(value, list):
        return [kinds(each) for each in value]
    return type(value), value


@given(drawn=written_values(rich_types))
def test_values_that_the_library_writes_with_any_schema_are_read_back(drawn: DrawnValues) -> None:
    found = [reader(drawn.schema).read(value) for value in drawn.values]
    assert kinds(found) == kinds(drawn.ours)


def values_of(schema: Any, fields: dict[str, str], **options: Any) -> SchemaValues:
    settings = {"brokers": "b", "topic": "t", "format": "avro", "schema_text": json.dumps(schema), **options}
    start = TimeColumn.model_validate({"column": "f0", "unit": "us"})
    stream = StreamDefinition(fields=fields, event_time=EventTime(start=start))
    return SchemaValues(stream, KafkaOptions.model_validate(settings), Reach(NOTHING), frozenset())


@given(
    drawn=written_values(plain_types, most=8),
    broken=st.lists(st.tuples(st.integers(0, 7), st.binary(max_size=6), st.integers(0, 12)), max_size=2),
    types=st.lists(st.sampled_from(["long", "double", "string", "boolean", "timestamp"]), min_size=5, max_size=5),
)
def test_columns_and_single_values_agree(
    drawn: DrawnValues, broken: list[tuple[int, bytes, int]], types: list[str]
) -> None:
    values = list(drawn.values) * 5
    for at, put, place in broken:
        value = values[at % len(values)]
        values[at % len(values)] = value[:place] + put + value[place + len(put) :]
    decoder = values_of(drawn.schema, {f"f{at}": of for at, of in enumerate(types)})
    rows = decoder.rows(values, {}, np.arange(len(values), dtype=np.int64))
    assert list(elements(decoder.decode(rows))) == list(elements(decoder.decode_slowly(rows)))


@given(drawn=written_values(plain_types, most=4))
def test_plain_records_are_read_by_columns_with_the_same_values(drawn: DrawnValues) -> None:
    schema = avro_schema(json.dumps(drawn.schema))
    assert column_plan(schema) is not None
    names = [each["name"] for each in drawn.schema["fields"]]
    columns = AvroReader(schema).columns(drawn.values, names)
    moments = {name: str(column.type).startswith("timestamp") for name, column in (columns or {}).items()}
    assert columns is not None
    for name in names:
        column = columns[name].cast("int64") if moments[name] else columns[name]
        assert column.to_pylist() == [each[name] for each in drawn.ours]


LIST = record({"name": "v", "type": "long"}, {"name": "next", "type": ["null", "R"]})


def test_a_recursive_schema_ends_a_chain_of_a_megabyte_as_malformed() -> None:
    short = zigzag(1) + b"\x02" + zigzag(2) + b"\x00"
    assert reader(LIST).read(short) == {"v": 1, "next": {"v": 2, "next": None}}
    found = reader(LIST).read(b"\x02\x02" * 500_000 + b"\x02\x00")
    assert found == Unreadable("The message is nested too deeply.")


@pytest.mark.parametrize(
    ("of", "body"),
    [
        ("string", zigzag(2**62)),
        ("string", zigzag(-1) + b"a"),
        ("string", b"\x04\xff\xfe"),
        ("bytes", zigzag(2**40) + b"a"),
        ("long", b"\x80"),
        ("double", b"abc"),
        ("long", b"\x02\x00"),
        ({"type": "array", "items": "long"}, zigzag(2**62) + b"\x02"),
        ({"type": "map", "values": "long"}, zigzag(2**62) + b"\x02"),
        (["null", "long"], zigzag(9)),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, zigzag(9)),
        ({"type": "fixed", "name": "F", "size": 9}, b"a"),
    ],
)
def test_bytes_that_do_not_fit_are_unreadable(of: Any, body: bytes) -> None:
    assert isinstance(reader(record({"name": "a", "type": of})).read(body), Unreadable)


DEEP: Any = "long"
for _ in range(70):
    DEEP = {"type": "array", "items": DEEP}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "isn't JSON"),
        ("[" * 100_000, "isn't JSON"),
        ('"string"', "doesn't describe a record"),
        (json.dumps(record()), "has no fields"),
        (json.dumps(record({"name": "a", "type": "null"})), "can only be null"),
        (json.dumps(record({"name": "a", "type": {"type": "array", "items": "null"}})), "can only be null"),
        (json.dumps(record({"name": "a", "type": {"type": "fixed", "name": "F", "size": 0}})), "has the size 0"),
        (json.dumps(record({"name": "a", "type": "Other"})), "'Other', which it does not define"),
        (json.dumps(record({"name": "a", "type": DEEP})), "more than 64 levels"),
        (json.dumps(record(*({"name": f"f{at}", "type": "long"} for at in range(5_001)))), "more than 5000 fields"),
        ('{"type": "record"}', "can't be read"),
        ('{"type": "record", "name": "R", "fields": [{"name": "a"}]}', "can't be read"),
        ('{"type": "record", "name": "R", "fields": 7}', "can't be read"),
    ],
)
def test_unsuitable_schemas_are_refused_with_an_error(text: str, message: str) -> None:
    with pytest.raises(AdapterError, match=message):
        avro_schema(text)


def test_a_value_is_resolved_to_the_reader_schema() -> None:
    old = record({"name": "speed", "type": "int"}, {"name": "gone", "type": "string"})
    new = record(
        {"name": "velocity", "aliases": ["speed"], "type": "double"},
        {"name": "lane", "type": "string", "default": "left"},
    )
    body = written(parse_schema(old), {"speed": 5, "gone": "x"})
    assert reader(old, new).read(body) == {"velocity": 5.0, "lane": "left"}
    other = record({"name": "speed", "type": "boolean"})
    assert isinstance(reader(old, other).read(body), Unreadable)


def test_unions_of_several_types_maps_and_nested_records_fill_fields_by_path() -> None:
    schema = record(
        {"name": "f0", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "any", "type": ["null", "string", "long", record({"name": "x", "type": "long"}, name="X")]},
        {"name": "tags", "type": {"type": "map", "values": "string"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}},
    )
    fields = {"any": "long", "colour": "string", "price": "decimal(5,2)", "inner": "long"}
    decoder = values_of(schema, fields, columns={"colour": "tags.colour", "inner": "any.x"})
    body = b"\xd0\x0f\x04\x0e\x02\x0ccolour\x06red\x00\x04\x04\xd2"
    rows = decoder.rows([body], {}, np.zeros(1, dtype=np.int64))
    expected = Event(1_000_000, 1_000_001, {"any": 7, "colour": "red", "price": Decimal("12.34"), "inner": None})  # type: ignore[arg-type]
    assert list(elements(decoder.decode(rows))) == [expected]
    assert json.loads(rows.text(0)) == {
        "f0": "1970-01-01T00:00:01Z",
        "any": 7,
        "tags": {"colour": "red"},
        "price": 12.34,
    }
    assert isinstance(rows.record(0)["f0"], KnownTick)
