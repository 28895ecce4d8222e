"""Changes in topics of a real broker: several partitions, restarts, deleted messages, a registry, a proposal."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.kafka.formats.framing import framed
from streaming.adapters.kafka.reading import close_readers
from streaming.adapters.preview import check, sample
from streaming.adapters.seeking import SeekingAdapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.inference.change_envelopes import sample_input
from streaming.inference.propose import propose
from streaming.inference.sampling import UNDEFINED, sample_of
from streaming.temporal.events import Cti, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.wire.beginning import BeginAtPositions
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.kafka.debezium.test_changes import LIVES, history
from tests.adapters.kafka.debezium.test_types import AVRO, IN_AVRO, OF_AVRO, in_avro
from tests.adapters.kafka.debezium.topic import CARS, SECOND, WrittenTopic, seconds
from tests.adapters.kafka.fake_message import FakeMessage
from tests.adapters.kafka.formats.registry_server import RegistryServer, running_registry
from tests.adapters.kafka.topics import adapter, rows_of
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with running_registry() as server:
        yield server


def produce(kafka: KafkaBroker, topic: str, messages: list[FakeMessage], partition: int = 0) -> None:
    values = [{"value": each.content, "key": each.named, "headers": list(each.header_list or ())} for each in messages]
    kafka.produce(topic, values, partition)


def changes(
    kafka: KafkaBroker, topic: str, journal: Path | None, stream: StreamDefinition = CARS, **options: Any
) -> InputAdapter:
    return adapter(kafka, topic, journal, stream, envelope="debezium", **options)


def read_all(source: InputAdapter, batch: int = 100, begin: int = 0) -> dict[str, list[Element]]:
    """The elements of each lane, in batches of `batch` lines; the clock moves on at the end of the messages."""
    found: dict[str, list[Element]] = {}
    reached: dict[str, int] = {}
    quiet, now = 0, begin
    while quiet < 12:
        further = source.latest(reached, now=now * SECOND, limit_rows=batch)
        for lane, end in further.items():
            found.setdefault(lane, []).extend(row[2] for row in rows_of(source, lane, reached.get(lane, 0), end))
        quiet = quiet + 1 if dict(further) == reached else 0
        now += 10 if dict(further) == reached else 0
        reached = dict(further)
    return found


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_a_topic_gives_lifetimes_in_batches_of_any_size_and_after_restarts(
    kafka: KafkaBroker, tmp_path: Path, batch: int
) -> None:
    topic, written = kafka.topic(), history()
    produce(kafka, topic, written.messages[:7])
    first = read_all(changes(kafka, topic, tmp_path), batch)
    produce(kafka, topic, written.messages[7:])
    again = read_all(changes(kafka, topic, tmp_path), batch, 100)
    assert again["0"][: len(first["0"])] == first["0"]
    assert seconds(again["0"]) == LIVES


def test_each_partition_is_a_lane_with_its_own_ctis(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic(2)
    for partition in range(2):
        written = WrittenTopic()
        written.change("c", partition, "a", (7, 10 + partition))
        produce(kafka, topic, written.messages, partition)
    found = read_all(changes(kafka, topic, tmp_path))
    assert all(each.is_file() for each in tmp_path.iterdir())  # a journal is carried to another run file by file
    assert read_all(changes(kafka, topic, tmp_path), begin=100) == found
    assert {lane: seconds(rows) for lane, rows in found.items()} == {
        "0": [(10, None, "0a")],
        "1": [(11, None, "1a")],
    }
    assert [each.at for rows in found.values() for each in rows if isinstance(each, Cti)] == [
        10 * SECOND + 1,
        11 * SECOND + 1,
    ]


def test_deleted_messages_stop_the_binding_or_are_a_malformed_row(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic, written = kafka.topic(), WrittenTopic()
    for row in range(4):
        written.change("c", row, "a", (row, 10 + row))
        written.commit()
    produce(kafka, topic, written.messages[:1])
    read_all(changes(kafka, topic, tmp_path))
    produce(kafka, topic, written.messages[1:])
    kafka.forget(topic, 3)
    close_readers()  # they may have received the messages before these were deleted
    with pytest.raises(AdapterError, match="deleted before they were read"):
        read_all(changes(kafka, topic, tmp_path), begin=100)
    found = read_all(changes(kafka, topic, tmp_path, lost="skip"), begin=100)["0"]
    assert found.count(MalformedRow(Reason.BAD_ROW)) == 1
    assert seconds([each for each in found if isinstance(each, Event)]) == [(10, None, "0a"), (13, None, "3a")]


def test_a_start_position_is_a_time_or_now_but_no_number(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic, written = kafka.topic(), WrittenTopic()
    written.change("c", 1, "a", (7, 10))
    written.commit()
    produce(kafka, topic, written.messages)
    source = changes(kafka, topic, tmp_path)
    assert isinstance(source, SeekingAdapter)
    with pytest.raises(AdapterError, match="Positions of changes count stored lines"):
        source.begin_at(BeginAtPositions(kind="positions", positions={"s": {"0": 1}}), "s", now=0)
    assert source.begin_at("now", "s", now=0).skips
    written.change("u", 1, "b", (8, 20))
    produce(kafka, topic, written.messages[1:])
    assert seconds(read_all(source)["0"]) == [(20, None, "1b")]


def test_values_and_keys_with_schemas_from_a_registry(
    kafka: KafkaBroker, registry: RegistryServer, tmp_path: Path
) -> None:
    topic, written = kafka.topic(), WrittenTopic()
    value = registry.add(f"{topic}-value", json.dumps(AVRO))
    key_schema = {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "long"}]}
    key = registry.add(f"{topic}-key", json.dumps(key_schema))
    newer = registry.add(f"{topic}-key", json.dumps({**key_schema, "doc": "the same key, registered again"}))
    bodies = [in_avro("c", IN_AVRO, written, 0), in_avro("u", {**IN_AVRO, "car": "b"}, written, 1)]
    produce(
        kafka,
        topic,
        [
            replace(each, content=framed(value, each.content or b"", None), named=framed(number, b"\x02", None))
            for each, number in zip(bodies, (key, newer), strict=True)
        ],
    )
    options = {"format": "avro", "schema_from": "registry", "registry": registry.address}
    source = changes(kafka, topic, tmp_path, OF_AVRO, **options)
    check(source, now=0)
    assert seconds(read_all(source)["0"]) == [(10, 11, "1a"), (11, None, "1b")]


def test_a_preview_shows_rows_and_a_stream_is_proposed(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    produce(kafka, topic, history().messages)
    proposal = propose(sample_of(changes(kafka, topic, None, UNDEFINED), now=0))
    assert proposal.times[0].shape is Shape.EDGE
    assert {each.name: each.type for each in proposal.fields} == {"id": "long", "car": "string"}
    rows = sample(changes(kafka, topic, None), 100, now=0)
    assert seconds([row.element for row in rows]) == LIVES


def test_changes_are_recognised_before_their_envelope_is_set(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    produce(kafka, topic, history().messages)
    found = sample_input(lambda more: adapter(kafka, topic, None, UNDEFINED, **more), "kafka", now=0)
    assert found.options == {"envelope": "debezium"}
    assert {each.name: each.type for each in propose(found).fields} == {"id": "long", "car": "string"}
    assert "changes of a table that Debezium writes" in found.notes[0]


def test_the_topic_of_another_kind_of_messages_is_refused_with_its_reason(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    kafka.produce(topic, [b'{"ts": 1, "k": "a"}'])
    with pytest.raises(AdapterError, match="no `op`"):
        sample_of(changes(kafka, topic, None, UNDEFINED), now=0)
