"""A broker that is killed and restarted during requests and reads: everything is read once, in order."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka import adapter as adapting
from streaming.adapters.kafka import cluster, reading
from tests.adapters.kafka.topics import adapter, row, rows_of, values
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer: a busy machine takes long to start a broker."""
    monkeypatch.setattr(cluster, "ANSWER_S", 60.0)
    monkeypatch.setattr(reading, "QUIET_S", 60.0)


@contextmanager
def starting_again(broker: KafkaBroker) -> Iterator[None]:
    """Kill the broker, and restart it during the block."""
    broker.kill()
    starter = threading.Thread(target=broker.start)
    starter.start()
    try:
        yield
    finally:
        starter.join()


def test_a_read_resumes_where_the_broker_was_killed(
    kafka: KafkaBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapting, "CHUNK_MESSAGES", 500)
    monkeypatch.setattr(reading, "AT_ONCE", 100)
    topic = kafka.topic()
    count = 8_000
    filler = "x" * 8_000  # more than the client prefetches, so that the broker is needed again
    kafka.produce(topic, [json.dumps({"ts": n, "k": filler, "v": n}).encode() for n in range(count)])
    source = adapter(kafka, topic, tmp_path)
    end = source.latest({}, now=0, limit_rows=count)["0"]
    chunks = source.read("0", 0, end)
    found = [*next(chunks).payload.column("v").to_pylist()]
    with starting_again(kafka):
        for chunk in chunks:
            found += chunk.payload.column("v").to_pylist()
    assert found == list(range(count))


def test_a_hanging_broker_is_reported_and_read_on_when_it_continues(
    kafka: KafkaBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = kafka.topic()
    kafka.produce(topic, [row(number) for number in range(3)])
    source = adapter(kafka, topic, tmp_path)
    first = source.latest({}, now=0, limit_rows=1)
    monkeypatch.setattr(cluster, "ANSWER_S", 1.0)
    hanging = adapter(kafka, topic, tmp_path)
    with kafka.paused():
        for ask in (hanging.lanes, lambda: hanging.latest(first, now=0, limit_rows=10)):
            with pytest.raises(AdapterError, match=r"does not answer like a broker.*or try again later") as raised:
                ask()
            assert raised.value.domain == "external"
    assert source.latest(first, now=0, limit_rows=10) == {"0": 3}
    assert values(rows_of(source, "0", 0, 3)) == [0, 1, 2]


def test_a_request_is_answered_after_the_broker_has_restarted(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic()
    kafka.produce(topic, [row(number) for number in range(3)])
    source = adapter(kafka, topic, tmp_path)
    first = source.latest({}, now=0, limit_rows=1)
    with starting_again(kafka):
        assert source.latest(first, now=0, limit_rows=10) == {"0": 3}
    assert values(rows_of(source, "0", 0, 3)) == [0, 1, 2]
