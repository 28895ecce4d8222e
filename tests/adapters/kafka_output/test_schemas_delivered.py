"""Results in Avro and Protobuf in a topic of a real broker: read again by our input, each row once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError, CheckedTarget, DeliveringAdapter
from streaming.adapters.registry import delivering_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, Event
from tests.adapters.kafka.formats.registry_server import RegistryServer, running_registry
from tests.adapters.kafka.topics import LOOPBACK, adapter, everything
from tests.adapters.kafka_output.test_delivering import FIELDS, batch, row
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka
TEXTS = {
    "avro": '{"type": "record", "name": "R", "fields": [{"name": "n", "type": "long"}, {"name": "k", "type": "string"},'
    ' {"name": "start", "type": {"type": "long", "logicalType": "timestamp-micros"}}]}',
    "protobuf": 'syntax = "proto3"; import "google/protobuf/timestamp.proto";'
    " message R { int64 n = 1; optional string k = 2; google.protobuf.Timestamp start = 3; }",
}


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with running_registry() as server:
        yield server


def opened(broker: KafkaBroker, topic: str, fields: dict[str, str] = FIELDS, **options: Any) -> DeliveringAdapter:
    settings = {"brokers": broker.address, "topic": topic, "security": "none", **options}
    made = delivering_adapter("kafka", settings, f"id-{topic}", fields, Path("/nowhere"), LOOPBACK)
    assert isinstance(made, DeliveringAdapter)
    return made


def events(broker: KafkaBroker, topic: str, stream: StreamDefinition, **options: Any) -> list[Any]:
    return [element for _, _, element, _ in everything(adapter(broker, topic, None, stream, **options))]


@pytest.mark.parametrize("kind", ["avro", "protobuf"])
def test_registered_results_are_read_again_with_their_ctis(
    kafka: KafkaBroker, registry: RegistryServer, kind: str
) -> None:
    topic = kafka.topic()
    options = {"format": kind, "schema_from": "registry", "registry": registry.address}
    for number in (1, 2):  # by a new process each time
        made = opened(kafka, topic, ctis="headers", **options)
        assert isinstance(made, CheckedTarget)
        made.check()
        assert made.delivered() == (None if number == 1 else 1)
        made.deliver([batch(number, cti=number * 10 + 10)])
        made.close()
    assert registry.subjects == {f"{topic}-value": [1]}
    found = events(kafka, topic, StreamDefinition(fields=FIELDS), cti_header="cti", **options)
    first, second = (Event(n * 10, n * 10 + 1, {"k": "a", "n": n}) for n in (1, 2))  # type: ignore[arg-type]
    assert found == [first, Cti(20), second, Cti(30)]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["avro", "protobuf"])
def test_a_row_that_does_not_fit_the_schema_stops_its_batch_and_leaves_nothing(kafka: KafkaBroker, kind: str) -> None:
    topic = kafka.topic()
    options = {"format": kind, "schema_text": TEXTS[kind]}
    fields = {"k": "string", "n": "long"}
    made = opened(kafka, topic, fields, **options)
    made.delivered()
    made.deliver([batch(1)])
    bad = row(2, payload={"k": "a", "n": 2.5})
    with pytest.raises(AdapterError, match="'n' isn't a whole number") as raised:
        made.deliver([batch(2, row(2), bad)])
    assert raised.value.domain == "user"
    made.close()
    again = opened(kafka, topic, fields, **options)
    assert again.delivered() == 1
    again.deliver([batch(2, row(2), row(3))])
    again.close()
    found = events(kafka, topic, StreamDefinition(fields=fields), **options)
    assert found == [Event(n * 10, n * 10 + 1, {"k": "a", "n": n}) for n in (1, 2, 3)]  # type: ignore[arg-type]


def test_a_refused_schema_and_a_registry_that_is_down_are_reported_and_nothing_is_written(
    kafka: KafkaBroker, registry: RegistryServer
) -> None:
    topic = kafka.topic()
    options = {"format": "avro", "schema_from": "registry", "registry": registry.address}
    registry.add(f"{topic}-value", TEXTS["avro"])
    registry.compatible = lambda _old, _new: False
    made = opened(kafka, topic, **options)
    made.delivered()
    with pytest.raises(AdapterError, match="incompatible with the schema registered"):
        made.deliver([batch(1)])
    registry.answers[f"/subjects/{topic}-value/versions"] = (503, b"")
    with pytest.raises(AdapterError, match="answers 503") as raised:
        made.deliver([batch(1)])
    assert raised.value.domain == "external"
    registry.answers.clear()
    registry.compatible = lambda _old, _new: True
    made.deliver([batch(1)])
    made.close()
    found = events(kafka, topic, StreamDefinition(fields=FIELDS), **options)
    assert found == [Event(10, 11, {"k": "a", "n": 1})]  # type: ignore[arg-type]
