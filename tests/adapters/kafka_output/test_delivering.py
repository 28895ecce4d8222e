"""Delivered batches for a `read_committed` consumer: each row once, whatever process is killed."""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from streaming.adapters.contract import AdapterError, DeliveringAdapter, DeliveryBatch
from streaming.adapters.kafka import cluster
from streaming.adapters.kafka_output import adapter as output
from streaming.adapters.kafka_output import numbers as numbers_of_batches
from streaming.adapters.registry import delivering_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, Event
from streaming.temporal.ticks import INFINITY
from streaming.wire.outgoing import NOTHING
from tests.adapters.kafka.topics import LOOPBACK, adapter, everything
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka
FIELDS = {"k": "string", "n": "long"}
Seen = tuple[Any, Any, dict[str, bytes]]


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 60.0)
    monkeypatch.setattr(output, "ANSWER_S", 15.0)


@contextmanager
def opened(broker: KafkaBroker, topic: str, **options: Any) -> Iterator[DeliveringAdapter]:
    settings = {"brokers": broker.address, "topic": topic, "security": "none", **options}
    made = delivering_adapter("kafka", settings, f"id-{topic}", FIELDS, Path("/nowhere"), LOOPBACK)
    try:
        yield made
    finally:
        made.close()


def row(number: int, **attributes: Any) -> dict[str, Any]:
    return {
        "output": "out",
        "start": number * 10,
        "end": number * 10 + 10,
        "payload": {"k": "a", "n": number},
        **attributes,
    }


def batch(number: int, *rows: dict[str, Any], cti: int | None = None) -> DeliveryBatch:
    return DeliveryBatch(number, rows or (row(number),), cti)


def seen(broker: KafkaBroker, topic: str, partitions: int = 1) -> list[Seen]:
    """Key, value and headers of every message that a `read_committed` consumer receives."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker.address,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "log_level": 0,
        }
    )
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    found: list[Seen] = []
    ended = 0
    while ended < partitions:
        message = consumer.poll(30)
        assert message is not None
        if message.error():
            ended += 1
            continue
        key, value = (None if each is None else json.loads(each) for each in (message.key(), message.value()))
        found.append((key, value, dict(message.headers() or ())))
    consumer.close()
    return found


def numbers(found: list[Seen]) -> list[int]:
    return [value["payload"]["n"] for _, value, _ in found]


def test_batches_arrive_in_order_and_the_next_process_reads_their_number(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    with opened(kafka, topic) as first:
        assert first.delivered() is None
        first.deliver([batch(3), batch(5, row(5), row(6))])
        first.deliver([batch(9)])
    with opened(kafka, topic) as second:
        assert second.delivered() == 9
        second.deliver([batch(12)])
    assert numbers(seen(kafka, topic)) == [3, 5, 6, 9, 12]


def test_a_process_that_dies_within_a_transaction_leaves_nothing_and_the_next_delivers_it_once(
    kafka: KafkaBroker,
) -> None:
    topic = kafka.topic()
    with opened(kafka, topic) as whole:
        whole.delivered()
        whole.deliver([batch(1)])
        dying: Any = whole
        dying._producer.begin_transaction()
        dying._producer.produce(topic, b'{"payload": {"n": 2}}')
        dying._producer.flush(30)
        with opened(kafka, topic) as after:
            assert after.delivered() == 1
            after.deliver([batch(2)])
            with pytest.raises(KafkaException):
                dying._producer.commit_transaction(30)
    assert numbers(seen(kafka, topic)) == [1, 2]


def test_a_fenced_process_delivers_nothing(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    with opened(kafka, topic) as zombie, opened(kafka, topic) as living:
        assert zombie.delivered() is None
        assert living.delivered() is None
        living.deliver([batch(1)])
        with pytest.raises(AdapterError, match="Another process now delivers"):
            zombie.deliver([batch(1)])
    assert numbers(seen(kafka, topic)) == [1]


def test_outputs_share_the_topic_of_numbers_and_wait_for_its_open_transactions(
    kafka: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers_of_batches, "FIRST_LOOK", 1)
    shared, one, other = f"numbers-{kafka.topic()}", kafka.topic(), kafka.topic()
    with opened(kafka, one, numbers_topic=shared) as first, opened(kafka, other, numbers_topic=shared) as second:
        first.deliver([batch(4)])
        second.deliver([batch(8)])
        second.deliver([batch(9)])
        open_one: Any = second
        open_one._producer.begin_transaction()
        open_one._producer.produce(shared, b"10", b"of another", partition=0)
        open_one._producer.flush(30)
        monkeypatch.setattr(numbers_of_batches, "SETTLES_S", 0.0)
        with (
            opened(kafka, one, numbers_topic=shared) as after,
            pytest.raises(AdapterError, match="A transaction is open"),
        ):
            after.delivered()
        open_one._producer.abort_transaction(30)
        monkeypatch.setattr(numbers_of_batches, "SETTLES_S", 30.0)
        with opened(kafka, one, numbers_topic=shared) as after:
            assert after.delivered() == 4
        assert second.delivered() == 9


def test_a_broker_killed_during_the_delivery_has_every_row_once(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    wanted = [batch(number, *(row(each) for each in range(number * 50, number * 50 + 50))) for number in range(1, 9)]
    with opened(kafka, topic) as first:
        first.delivered()
        first.deliver(wanted[:2])
        kafka.kill()
        kafka.launch()
        failed = 0
        try:
            first.deliver(wanted[2:4])
        except AdapterError as error:
            failed += error.domain == "external"
        kafka.await_answer()
    with opened(kafka, topic) as second:
        last = second.delivered()
        assert last in (2, 4), f"whole transactions; {failed} failed"
        second.deliver([each for each in wanted if each.number > last])
    assert numbers(seen(kafka, topic)) == list(range(50, 450))


def test_a_hanging_broker_is_reported_and_has_every_row_once_when_it_continues(
    kafka: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = kafka.topic()
    with opened(kafka, topic) as first:
        first.delivered()
        first.deliver([batch(1)])
        monkeypatch.setattr(output, "ANSWER_S", 1.0)
        with kafka.paused(), pytest.raises(AdapterError, match=r"did not accept the results.*is retried") as raised:
            first.deliver([batch(2)])
        assert raised.value.domain == "external"
        monkeypatch.setattr(output, "ANSWER_S", 60.0)
        last = first.delivered()
        assert last in (1, 2)
        first.deliver([batch(number) for number in range(last + 1, 4)])
    assert numbers(seen(kafka, topic)) == [1, 2, 3]


def test_a_topic_deleted_during_the_delivery_is_reported(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    with opened(kafka, topic) as made:
        made.deliver([batch(1)])
        kafka.delete(topic)
        with pytest.raises(AdapterError, match=f"There is no topic '{topic}'") as raised:
            made.deliver([batch(2)])
        assert raised.value.domain == "user"
        assert isinstance(made, output.KafkaOutput)
        silent = made._why(KafkaError(KafkaError._TIMED_OUT))  # the client may get this error instead
        assert (str(silent), silent.domain) == (str(raised.value), "user")


@pytest.mark.thorough
def test_a_broker_that_is_killed_repeatedly_has_every_row_once(kafka: KafkaBroker) -> None:
    topic, chance = kafka.topic(), random.Random(5)
    wanted = [batch(number, *(row(each) for each in range(number * 20, number * 20 + 20))) for number in range(60)]
    ended = threading.Event()

    def kills() -> None:
        while not ended.wait(chance.uniform(0.5, 4)):
            kafka.kill()
            kafka.start()

    killer = threading.Thread(target=kills)
    killer.start()
    last, domains = -1, []
    while last < 59:
        try:
            with opened(kafka, topic) as made:
                last = -1 if (known := made.delivered()) is None else known
                while last < 59:
                    made.deliver([wanted[last + 1]])
                    last += 1
                    ended.wait(0.2)
        except AdapterError as error:
            domains.append(error.domain)
    ended.set()
    killer.join()
    assert set(domains) <= {"external"}
    assert numbers(seen(kafka, topic)) == list(range(1_200))


def test_a_retraction_is_a_tombstone_with_a_key_and_else_a_row_with_a_mark(kafka: KafkaBroker) -> None:
    rows = (row(1, key="x"), row(1, key="x", deleted=True), row(2, key="x"))
    keyed, plain = kafka.topic(), kafka.topic()
    with opened(kafka, keyed, key=["k", "start"]) as one:
        one.deliver([batch(1, *rows)])
    name = {"k": "a", "start": "1970-01-01T00:00:00.000010Z"}
    assert [(key, value and value["payload"]["n"]) for key, value, _ in seen(kafka, keyed)] == [
        (name, 1),
        (name, None),
        ({"k": "a", "start": "1970-01-01T00:00:00.000020Z"}, 2),
    ]
    with opened(kafka, plain) as other:
        other.deliver([batch(1, *rows)])
    assert [(key, value.get("deleted", False)) for key, value, _ in seen(kafka, plain)] == [
        (None, False),
        (None, True),
        (None, False),
    ]


@pytest.mark.parametrize("ctis", ["headers", "rows"])
def test_results_and_their_ctis_are_read_again_by_the_input(kafka: KafkaBroker, tmp_path: Path, ctis: str) -> None:
    topic = kafka.topic(partitions=2)
    with opened(kafka, topic, ctis=ctis) as made:
        made.deliver([batch(1, row(1), cti=15), batch(2, row(2), cti=INFINITY)])
    stream = StreamDefinition(fields=FIELDS)
    source = adapter(kafka, topic, tmp_path, stream, **({"cti_header": "cti"} if ctis == "headers" else {}))
    found = [element for _, _, element, _ in everything(source)]
    assert sorted(each.payload["n"] for each in found if isinstance(each, Event)) == [1, 2]
    assert [each.at for each in found if isinstance(each, Cti)] == [15, INFINITY] * 2


def test_unsuitable_options_and_networks_are_refused_with_an_error(kafka: KafkaBroker) -> None:
    with (
        pytest.raises(AdapterError, match=r"no field 'plate' for the key. Choose from k, n, start, end"),
        opened(kafka, "t", key=["plate"]),
    ):
        pass
    settings = {"brokers": kafka.address, "topic": "t", "security": "none"}
    refused = delivering_adapter("kafka", settings, "id", FIELDS, Path("/nowhere"), NOTHING)
    with pytest.raises(AdapterError, match="can't be reached"):
        refused.delivered()
    with pytest.raises(AdapterError, match="There is no topic"), opened(kafka, "not-there") as absent:
        absent.delivered()
