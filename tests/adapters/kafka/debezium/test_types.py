"""Types of Debezium and Kafka Connect as fields: exact, or malformed; with a schema in JSON or in Avro, and without."""

import base64
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fastavro import parse_schema

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.debezium.connect_types import AvroTypes, ConnectType, type_of_json
from streaming.adapters.kafka.debezium.connect_values import written
from streaming.adapters.kafka.debezium.sampling import sample_of_topic
from streaming.definition.streams.stream import StreamDefinition
from streaming.inference.accepting import accepted_stream
from streaming.inference.propose import propose
from streaming.temporal.events import EdgeKind, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import parse_instant
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.kafka.debezium.topic import ReadLane, WrittenTopic, options_of
from tests.adapters.kafka.fake_message import CREATED, FakeMessage
from tests.adapters.kafka.formats.drawn_avro import written as avro_bytes

REAL = json.loads((Path(__file__).parent / "postgresql.json").read_text())
"""Messages that Debezium 3.4 wrote for a table of PostgreSQL, with the schemas that each of them had."""
FIELDS = {
    "id": "long", "car": "string", "price": "decimal(10,2)", "loose": "decimal(38,0)", "at": "timestamp",
    "atz": "timestamp", "at3": "timestamp", "day": "timestamp", "tod": "string", "ok": "boolean", "r": "double",
    "d": "double", "u": "string", "j": "struct<x: array<double>>", "m": "string", "b": "string", "raw": "string",
    "tags": "array<string>", "nums": "array<decimal(6,3)>", "stamps": "array<timestamp>", "iv": "long",
    "cash": "decimal(10,2)", "net": "string", "big": "string",
}  # fmt: skip
ALL = StreamDefinition(shape=Shape.EDGE, fields=FIELDS)
FIRST = {
    "id": 1, "car": "a", "price": Decimal("12.30"), "loose": Decimal(10**20),
    "at": parse_instant("2026-01-02T03:04:05.123456Z"), "atz": parse_instant("2026-01-02T01:04:05.123456Z"),
    "at3": parse_instant("2026-01-02T03:04:05.123Z"), "day": parse_instant("2026-01-02T00:00Z"), "tod": "03:04:05.5",
    "ok": True, "r": 1.5, "d": 0.1, "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "j": {"x": [1.0, 2.5]}, "m": "sad",
    "b": "BQ==", "raw": "AQL/", "tags": ["a", None, "b c"], "nums": [Decimal("1.500"), Decimal("2.125")],
    "stamps": [parse_instant("2026-01-02T03:04:05Z")], "iv": 93_600_000_000, "cash": Decimal("3.50"),
    "net": "10.0.0.1", "big": "x",
}  # fmt: skip
"""The first row of that table, by hand from the statement that inserted it."""


def real(*, schemas: bool) -> list[FakeMessage]:
    found = []
    for offset, message in enumerate(REAL["messages"]):
        parts = []
        for name in ("value", "key"):
            payload = message[name]
            whole = {"schema": REAL[f"{name}_schema"], "payload": payload} if schemas else payload
            parts.append(None if payload is None else json.dumps(whole).encode())
        headers = [(name, value.encode()) for name, value in message["headers"]]
        found.append(FakeMessage(parts[0], offset, parts[1], (CREATED, 0), headers))
    return found


def read(messages: list[FakeMessage], stream: StreamDefinition = ALL, **options: Any) -> list[Element]:
    lane = ReadLane(stream=stream, options=options_of(settle_s=0, **options))
    lane.take(messages)
    return lane.elements()


def started(found: list[Element]) -> list[Any]:
    """The payload of each edge that starts."""
    return [each.payload for each in found if isinstance(each, Event) and each.edge is EdgeKind.START]


def test_a_real_message_with_schema_has_each_type_exactly() -> None:
    rows = started(read(real(schemas=True)))
    assert rows[0] == FIRST
    assert [(row["id"], row["car"]) for row in rows] == [
        (1, "a"), (2, "a"), (3, "c"), (2, "bb"), (4, "dd"), (30, "dd"), (100, "copied"), (101, "copied"),
        (102, "copied"), (1, "last"), (2, "after"),
    ]  # fmt: skip
    assert rows[-2] == {**FIRST, "car": "last"}  # the large value of this update is only in the change before


def test_moments_outside_the_years_1_to_9999_are_malformed() -> None:
    for field, of in [("at", "timestamp"), ("atz", "timestamp"), ("day", "timestamp"), ("r", "double")]:
        found = read(real(schemas=True), StreamDefinition(shape=Shape.EDGE, fields={"id": "long", field: of}))
        ids = {each.payload["id"] for each in found if isinstance(each, Event)}
        assert 5 not in ids, field
        assert (7 in ids) is (field == "r"), field
        assert MalformedRow(Reason.BAD_PAYLOAD) in found


def test_a_message_without_schema_is_judged_by_the_fields_of_the_stream() -> None:
    known = {name: of for name, of in FIELDS.items() if name in {"id", "car", "atz", "ok", "d", "tags", "stamps"}}
    rows = started(read(real(schemas=False), StreamDefinition(shape=Shape.EDGE, fields=known)))
    assert rows[0] == {name: FIRST[name] for name in known}
    for field in ("price", "nums", "at", "at3", "day"):  # neither scale nor unit is known
        found = read(real(schemas=False), StreamDefinition(shape=Shape.EDGE, fields={field: FIELDS[field]}))
        assert found[0] == MalformedRow(Reason.BAD_PAYLOAD), field


def test_a_base64_text_of_digits_is_no_decimal_without_a_schema() -> None:
    topic = WrittenTopic()
    topic.put({"id": 1}, {"op": "c", "after": {"price": "1234"}, "source": topic.source((7, 10))})
    stream = StreamDefinition(shape=Shape.EDGE, fields={"price": "decimal(10,2)"})
    assert read(topic.messages, stream)[0] == MalformedRow(Reason.BAD_PAYLOAD)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("io.debezium.time.Timestamp", -1, '"1969-12-31T23:59:59.999"'),
        ("io.debezium.time.NanoTimestamp", 1_999, '"1970-01-01T00:00:00.000001"'),
        ("io.debezium.time.MicroTimestamp", 253_402_300_799_999_999, '"9999-12-31T23:59:59.999999"'),
        ("io.debezium.time.MicroTimestamp", 253_402_300_800_000_000, '{"_unreadable":253402300800000000}'),
        ("io.debezium.time.MicroTimestamp", 2**63 - 1, '{"_unreadable":9223372036854775807}'),
        ("io.debezium.time.MicroTimestamp", "1", '{"_unreadable":"1"}'),
        ("org.apache.kafka.connect.data.Timestamp", 1, '"1970-01-01T00:00:00.001"'),
        ("org.apache.kafka.connect.data.Date", -719_162, '"0001-01-01"'),
        ("io.debezium.time.Date", 2_932_897, '{"_unreadable":2932897}'),
        ("io.debezium.time.IsoDate", "2023-11-21Z", '"2023-11-21"'),
        ("io.debezium.time.IsoDate", "infinity", '{"_unreadable":"infinity"}'),
        ("io.debezium.time.Time", 86_399_999, '"23:59:59.999"'),
        ("io.debezium.time.NanoTime", 1_000, '"00:00:00.000001"'),
        ("io.debezium.time.MicroTime", 86_400_000_000, '"24:00:00"'),
        ("io.debezium.time.MicroTime", -1, '{"_unreadable":-1}'),
        ("io.debezium.data.Json", '{"a": 1.10}', '{"a": 1.10}'),
        ("io.debezium.data.Json", "no", '{"_unreadable":"no"}'),
        ("io.debezium.data.Uuid", "a", '"a"'),
        ("", float("nan"), '"nan"'),
    ],
)
def test_logical_types(name: str, value: Any, expected: str) -> None:
    assert written(value, ConnectType("int64", name)) == expected


@pytest.mark.parametrize(
    ("unscaled", "scale", "expected"),
    [(1230, 2, "12.30"), (-1, 3, "-0.001"), (10**37, 0, "1" + "0" * 37), (5, -3, "5000"), (0, 2, "0.00")],
)
def test_decimals_are_exact(unscaled: int, scale: int, expected: str) -> None:
    data = base64.b64encode(unscaled.to_bytes(20, "big", signed=True)).decode()
    of = ConnectType("bytes", "org.apache.kafka.connect.data.Decimal", {"scale": str(scale)})
    assert written(data, of) == expected
    loose = ConnectType("struct", "io.debezium.data.VariableScaleDecimal")
    assert written({"scale": scale, "value": data}, loose) == expected


ROW = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "car", "type": ["null", "string"], "default": None},
        {"name": "at", "type": ["null", {"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"}]},
        {"name": "day", "type": {"type": "int", "connect.name": "io.debezium.time.Date"}},
        {"name": "made", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {
            "name": "price",
            "type": {
                "type": "bytes",
                "logicalType": "decimal",
                "scale": 2,
                "precision": 10,
                "connect.name": "org.apache.kafka.connect.data.Decimal",
                "connect.parameters": {"scale": "2", "connect.decimal.precision": "10"},
            },
        },
        {"name": "doc", "type": {"type": "string", "connect.name": "io.debezium.data.Json"}},
    ],
    "connect.name": "p.public.seen.Value",
}
AVRO = {
    "type": "record",
    "name": "Envelope",
    "namespace": "p.public.seen",
    "fields": [
        {"name": "before", "type": ["null", ROW], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {
            "name": "source",
            "type": {
                "type": "record",
                "name": "Source",
                "namespace": "io.debezium.connector.postgresql",
                "fields": [
                    {"name": "connector", "type": "string"},
                    {"name": "snapshot", "type": ["null", "string"], "default": None},
                    {"name": "sequence", "type": ["null", "string"], "default": None},
                    {"name": "ts_us", "type": ["null", "long"], "default": None},
                    {"name": "txId", "type": ["null", "long"], "default": None},
                    {"name": "lsn", "type": ["null", "long"], "default": None},
                ],
            },
        },
        {"name": "op", "type": "string"},
    ],
}
OF_AVRO = StreamDefinition(
    shape=Shape.EDGE,
    fields={
        "id": "long", "car": "string", "at": "timestamp", "day": "timestamp", "made": "timestamp",
        "price": "decimal(10,2)", "doc": "struct<a: long>",
    },
)  # fmt: skip
IN_AVRO = {"id": 1, "car": "a", "at": 1_000_001, "day": 1, "made": 7, "price": b"\x04\xce", "doc": '{"a": 3}'}


def plain(schema: Any) -> Any:
    """`schema` without Avro's logical types, so that a test writes their values itself."""
    if isinstance(schema, dict):
        return {name: plain(each) for name, each in schema.items() if name != "logicalType"}
    return [plain(each) for each in schema] if isinstance(schema, list) else schema


def in_avro(operation: str, row: Any, topic: WrittenTopic, offset: int) -> FakeMessage:
    value = {"op": operation, "before": None, "after": row, "source": topic.source((offset, 10 + offset))}
    topic.commit()
    topic.lsn += 1
    return FakeMessage(avro_bytes(parse_schema(plain(AVRO)), value), offset, b"\x02", (CREATED, 0), [])


def test_avro_has_the_types_of_its_schema() -> None:
    topic = WrittenTopic()
    messages = [in_avro("c", IN_AVRO, topic, 0), in_avro("d", None, topic, 1)]
    messages.append(FakeMessage(b"\xff", 2, b"\x02", (CREATED, 0), []))
    found = read(messages, OF_AVRO, format="avro", schema_text=json.dumps(AVRO))
    row = {
        "id": 1, "car": "a", "at": 1_000_001, "day": 86_400_000_000, "made": 7_000, "price": Decimal("12.30"),
        "doc": {"a": 3},
    }  # fmt: skip
    assert [(each.edge, each.payload) for each in found if isinstance(each, Event)] == [
        (EdgeKind.START, row),
        (EdgeKind.END, row),
    ]
    assert MalformedRow(Reason.BAD_ROW) in found


def test_a_union_of_several_types_and_a_recursive_record_have_no_type() -> None:
    types = AvroTypes()
    assert types.of(["null", "string", "long"]) == ConnectType("union")
    loop = {"type": "record", "name": "A", "fields": [{"name": "next", "type": ["null", "A"]}]}
    assert types.of(loop).fields["next"].kind == "A"
    assert type_of_json({"type": "array", "items": {"type": "int32"}}).element == ConnectType("int32")


def test_a_stream_is_proposed_with_the_types_of_the_schema() -> None:
    reader = ReadLane(stream=ALL.model_copy(update={"fields": {}})).reader
    sample = sample_of_topic(real(schemas=True), reader, "p.public.seen", 1_000_000, 0)
    assert sample.types == {
        "id": "long", "car": "string", "price": "decimal(10,2)", "at": "timestamp", "atz": "timestamp",
        "at3": "timestamp", "day": "timestamp", "tod": "string", "ok": "boolean", "r": "double", "d": "double",
        "u": "string", "m": "string", "b": "string", "vb": "string", "raw": "string", "tags": "array<string>",
        "nums": "array<decimal(6,3)>", "stamps": "array<timestamp>", "iv": "long", "net": "string", "big": "string",
    }  # fmt: skip
    assert sample.notes == ["The key of the messages identifies the row of the table: `id`."]
    proposal = propose(sample)
    proposed = accepted_stream(proposal, proposal.times[0])
    assert (proposed.shape, proposed.fields["price"]) == (Shape.EDGE, "decimal(10,2)")
    assert [each.payload["price"] for each in read(real(schemas=True), proposed)[:1] if isinstance(each, Event)]


def test_without_schemas_the_proposal_says_what_is_not_known() -> None:
    reader = ReadLane(stream=ALL.model_copy(update={"fields": {}})).reader
    sample = sample_of_topic(real(schemas=False), reader, "p.public.seen", 1_000_000, 0)
    assert "schemas.enable" in sample.notes[0]
    flat = [FakeMessage(b'{"id": 1}', 0, b"1", (CREATED, 0), [])]
    with pytest.raises(AdapterError, match="no `op`"):
        sample_of_topic(flat, reader, "t", 1_000_000, 0)
    with pytest.raises(AdapterError, match="no change of a row yet"):
        sample_of_topic([], reader, "t", 1_000_000, 0)
