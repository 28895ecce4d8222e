"""Topics of a real broker with values in Avro and Protobuf: read, tested, sampled and proposed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastavro import parse_schema
from google.protobuf.message_factory import GetMessageClass

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.protobuf.declarations import compiled
from streaming.adapters.kafka.formats.framing import framed
from streaming.adapters.preview import check, sample
from streaming.definition.streams.stream import StreamDefinition
from streaming.inference.propose import propose
from streaming.inference.sampling import UNDEFINED, sample_of
from streaming.temporal.events import Event
from tests.adapters.kafka.formats.drawn_avro import written
from tests.adapters.kafka.formats.registry_server import RegistryServer, running_registry
from tests.adapters.kafka.topics import POINTS, adapter, everything, values
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka
AVRO = {
    "type": "record",
    "name": "Car",
    "fields": [
        {"name": "ts", "type": "long"},
        {"name": "k", "type": ["null", "string"], "default": None},
        {"name": "v", "type": "long"},
        {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    ],
}
PROTO = """syntax = "proto3";
import "google/protobuf/timestamp.proto";
message Car { int64 ts = 1; string k = 2; int64 v = 3; google.protobuf.Timestamp seen = 4; uint64 total = 5; }
"""
COUNT = 600


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with running_registry() as server:
        yield server


def avro(number: int) -> bytes:
    bare = {**AVRO, "fields": [*AVRO["fields"][:3], {"name": "seen", "type": "long"}]}
    return written(parse_schema(bare), {"ts": number, "k": f"k{number % 3}", "v": number, "seen": 1_700_000_000_000})


def protobuf(number: int) -> bytes:
    car = GetMessageClass(compiled(PROTO).message("Car"))(ts=number, k=f"k{number % 3}", v=number, total=2**64 - 1)
    car.seen.seconds = 1_700_000_000
    return bytes(car.SerializeToString())


def prepared(kafka: KafkaBroker, registry: RegistryServer, kind: str, source: str) -> tuple[str, dict[str, Any]]:
    """A topic with `COUNT` messages, and the options for reading it."""
    topic = kafka.topic(name=f"{kind}-{source}-{registry.port}")
    text = json.dumps(AVRO) if kind == "avro" else PROTO
    bodies = [avro(number) if kind == "avro" else protobuf(number) for number in range(COUNT)]
    options: dict[str, Any] = {"format": kind, "schema_from": source, "schema_text": text}
    if source == "registry":
        number = registry.add(f"{topic}-value", text, kind.upper())
        bodies = [framed(number, each, None if kind == "avro" else [0]) for each in bodies]
        options = {"format": kind, "schema_from": source, "registry": registry.address}
    kafka.produce(topic, bodies)
    return topic, options


@pytest.mark.parametrize("source", ["text", "registry"])
@pytest.mark.parametrize("kind", ["avro", "protobuf"])
def test_every_message_of_a_topic_is_read_and_a_stream_is_proposed_from_its_schema(
    kafka: KafkaBroker, registry: RegistryServer, kind: str, source: str, tmp_path: Path
) -> None:
    topic, options = prepared(kafka, registry, kind, source)
    rows = everything(adapter(kafka, topic, tmp_path, **options))
    assert values(rows) == list(range(COUNT))
    assert rows[7][2] == Event(7, 8, {"k": "k1", "v": 7})  # type: ignore[arg-type]
    assert json.loads(rows[7][3])["seen"] == "2023-11-14T22:13:20Z"
    check(adapter(kafka, topic, **options), now=0)
    assert len(sample(adapter(kafka, topic, **options), 5, now=0)) == 5
    proposal = propose(sample_of(adapter(kafka, topic, None, UNDEFINED, **options), now=0))
    found = {each.name: each.type for each in proposal.fields}
    expected = {"ts": "long", "k": "string", "v": "long", "seen": "timestamp"}
    assert found == (expected if kind == "avro" else {**expected, "total": "decimal(20,0)"})
    stream = StreamDefinition(fields=found, event_time=POINTS.event_time)
    first = everything(adapter(kafka, topic, None, stream, **options), rows=1)[0][2]
    assert isinstance(first, Event)
    assert first.payload["seen"] == 1_700_000_000_000_000


def test_fields_are_proposed_from_the_schema_of_a_topic_that_is_empty(
    kafka: KafkaBroker, registry: RegistryServer
) -> None:
    topic = kafka.topic()
    options = {"format": "avro", "schema_from": "registry", "registry": registry.address}
    empty = adapter(kafka, topic, None, UNDEFINED, **options)
    with pytest.raises(AdapterError, match=f"does not have the subject '{topic}-value'"):
        check(empty, now=0)
    registry.add(f"{topic}-value", json.dumps(AVRO))
    check(empty, now=0)
    assert [each.name for each in propose(sample_of(empty, now=0)).fields] == ["ts", "k", "v", "seen"]


def test_a_batch_delayed_by_a_silent_registry_is_read_when_it_answers_again(
    kafka: KafkaBroker, registry: RegistryServer, tmp_path: Path
) -> None:
    topic, options = prepared(kafka, registry, "avro", "registry")
    registry.answers["/schemas/ids/1"] = (503, b"")
    with pytest.raises(AdapterError, match="answers 503") as raised:
        everything(adapter(kafka, topic, tmp_path, **options))
    assert raised.value.domain == "external"
    registry.answers.clear()
    assert values(everything(adapter(kafka, topic, tmp_path, **options))) == list(range(COUNT))
