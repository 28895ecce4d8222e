"""Values, keys, columns and places that a database may contain, and that must not stop an input or lose a row."""

import base64
import json
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.debezium.adapter import DebeziumAdapter
from streaming.adapters.kafka.debezium.connect_types import ConnectType
from streaming.adapters.kafka.debezium.connect_values import written
from streaming.adapters.kafka.debezium.lane import ChangeLane
from streaming.adapters.kafka.debezium.sampling import sample_of_topic
from streaming.adapters.kafka.formats.framing import framed
from streaming.adapters.network.fetching import Reach
from streaming.adapters.times.columns import KnownTick
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import EdgeKind, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.kafka.debezium.test_types import AVRO, IN_AVRO, OF_AVRO, in_avro
from tests.adapters.kafka.debezium.topic import CARS, SECOND, ReadLane, WrittenTopic, options_of, seconds
from tests.adapters.kafka.fake_message import FakeMessage
from tests.adapters.kafka.formats.registry_server import running_registry
from tests.adapters.kafka.topics import LOOPBACK


def events(found: list[Element]) -> list[Element]:
    return [each for each in found if isinstance(each, Event)]


def test_an_array_of_one_decimal_without_scale_is_read() -> None:
    topic = WrittenTopic()
    loose = {"scale": 1, "value": base64.b64encode(b"\x0f").decode()}
    topic.put({"id": 1}, {"op": "c", "after": {"id": 1, "n": [loose]}, "source": topic.source((7, 10))})
    stream = StreamDefinition(shape=Shape.EDGE, fields={"id": "long"})
    lane = ReadLane(stream=stream, options=options_of(settle_s=0))
    lane.take(topic.messages)
    assert [each.payload for each in lane.elements() if isinstance(each, Event)] == [{"id": 1}]


def test_binary_keys_of_values_in_json_are_different_rows() -> None:
    topic, lane = WrittenTopic(), ReadLane()
    for offset, key in enumerate((b"\xff\x01", b"\xfe\x01", b"\x00\x01")):
        topic.change("c", offset, "a", (7, 10))
        topic.messages[-1] = FakeMessage(topic.messages[-1].content, offset, key)
    lane.take(topic.messages)
    lane.take([], 10)
    assert seconds(lane.elements()) == [(10, None, "0a"), (10, None, "1a"), (10, None, "2a")]


def test_keys_of_values_in_json_are_decoded_by_the_registry() -> None:
    schema = {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "long"}]}
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.change("u", 1, "b", (8, 20))
    with running_registry() as server:
        numbers = [server.add("t-key", json.dumps({**schema, "doc": text})) for text in ("", "registered again")]
        options = options_of(settle_s=0, key="registry", schema_from="registry", registry=server.address)
        reader = DebeziumAdapter(options, CARS, Path("/nowhere"), None, Reach(LOOPBACK)).reader
        lane = ReadLane(options=options)
        lane.lane = ChangeLane("0", None, reader, 0)
        keys = [framed(number, b"\x02", None) for number in numbers]
        lane.take([FakeMessage(each.content, each.at, key) for each, key in zip(topic.messages, keys, strict=True)])
    assert seconds(lane.elements()) == [(10, 20, "1a"), (20, None, "1b")]


@pytest.mark.parametrize("name", ["_start", "_end", "_edge", "_cti", "_key", "_change", "_committed", "_lsn"])
def test_a_column_with_a_reserved_name_is_refused_with_the_reason(name: str) -> None:
    topic = WrittenTopic()
    after = {"id": 1, "car": "a", name: 5}
    topic.put({"id": 1}, {"op": "c", "before": None, "after": after, "source": topic.source((7, 10))})
    lane = ReadLane()
    lane.take(topic.messages)
    assert lane.elements() == [MalformedRow(Reason.BAD_ROW)]
    [text] = lane.texts()
    assert f"The column name '{name}' is reserved" in text
    with pytest.raises(AdapterError, match=f"The column name '{name}' is reserved"):
        sample_of_topic(topic.messages, lane.reader, "p.public.seen", 1_000_000, 0)


def test_a_moment_in_avro_outside_the_years_1_to_9999_is_malformed() -> None:
    topic = WrittenTopic()
    far = {**IN_AVRO, "id": 2, "made": 2**62, "day": 2**31 - 1}
    messages = []
    for offset, row in enumerate((far, IN_AVRO)):
        message = in_avro("c", row, topic, offset)
        messages.append(FakeMessage(message.content, offset, bytes([offset])))
    options = options_of(settle_s=0, format="avro", schema_text=json.dumps(AVRO))
    lane = ReadLane(stream=OF_AVRO, options=options)
    lane.take(messages)
    found = lane.elements()
    assert [each.payload["id"] for each in found if isinstance(each, Event)] == [1]
    assert found[0] == MalformedRow(Reason.BAD_PAYLOAD)


def test_a_moment_outside_the_years_is_its_number_of_microseconds_in_any_other_place() -> None:
    of = ConnectType("int64", "org.apache.kafka.connect.data.Timestamp")
    assert written(KnownTick(10**18), of) == '{"_unreadable":1000000000000000000}'
    assert written(KnownTick(-(10**18)), None) == "-1000000000000000000"
    assert written(KnownTick(1), None) == '"1970-01-01T00:00:00.000001"'


HALF = "\ud800"
"""Half of a surrogate pair: valid in JSON as an escape, but no character."""


def test_half_of_a_surrogate_pair_makes_its_row_malformed_and_no_other() -> None:
    topic, lane = WrittenTopic(), ReadLane(options=options_of(settle_s=0))
    topic.change("c", 1, HALF, (7, 10))
    topic.commit()
    topic.change("c", 2, "b", (8, 20))
    lane.take(topic.messages)
    found = lane.elements()
    assert found[0] == MalformedRow(Reason.BAD_PAYLOAD)
    assert seconds(events(found)) == [(20, None, "2b")]


def test_half_of_a_surrogate_pair_in_a_key_or_a_name_or_a_document_is_stored(tmp_path: Path) -> None:
    topic, lane = WrittenTopic(), ReadLane(tmp_path, options=options_of(settle_s=0))
    after = {"id": 1, "car": "a", HALF: 1, "inner": {HALF: HALF}}
    topic.put({"id": HALF}, {"op": "c", "after": after, "source": topic.source((7, 10))})
    topic.commit()
    topic.put({"id": HALF}, {"op": "d", "after": None, "source": topic.source((8, 20))})
    lane.take(topic.messages[:1])
    lane.restart()
    lane.take(topic.messages)
    assert seconds(lane.elements()) == [(10, 20, "1a")]
    assert written(f'"{HALF}"', ConnectType("string", "io.debezium.data.Json")) == '{"_unreadable":"\\"\\ud800\\""}'


@pytest.mark.parametrize("file", ['a"b.000001', "a\\b.000001", "a\nb.000001", f"{HALF}.000001"])
def test_any_name_of_a_log_file_leaves_the_stored_lines_readable(file: str, tmp_path: Path) -> None:
    topic, lane = WrittenTopic(), ReadLane(tmp_path, options=options_of(settle_s=0))
    for at, car in enumerate("ab"):
        source = {"connector": "mysql", "ts_ms": 10_000 * (at + 1), "file": file, "pos": at}
        topic.put({"id": 1}, {"op": "u", "after": {"id": 1, "car": car}, "source": source})
        lane.take(topic.messages)
        lane.restart()
    assert seconds(lane.elements()) == [(10, 20, "1a"), (20, None, "1b")]


@pytest.mark.parametrize("at_ms", [2**62, -(2**62), 253_402_300_800_000])
def test_a_tombstone_with_a_time_outside_the_years_ends_its_row_after_the_last_transaction(at_ms: int) -> None:
    topic, lane = WrittenTopic(), ReadLane(options=options_of(settle_s=0))
    topic.change("c", 1, "a", (7, 10))
    topic.put({"id": 1}, None, at_ms=at_ms)
    topic.change("c", 1, "b", (8, 20))
    lane.take(topic.messages)
    edges = [(each.edge, each.start, each.end) for each in lane.elements() if isinstance(each, Event)]
    assert edges[1] == (EdgeKind.END, 10 * SECOND, 10 * SECOND + 1)
    assert edges[2][:2] == (EdgeKind.START, 20 * SECOND)
