"""Reading a topic: every committed message once, whatever is between them and however spans are divided."""

import itertools
import random
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, TopicPartition

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.kafka.reading import PartitionReader, close_readers
from streaming.adapters.network.fetching import Reach
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.kafka.topics import LOOPBACK, aborted, adapter, everything, row, rows_of, transaction, values
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def holed(kafka: KafkaBroker) -> str:
    """A topic with 300 committed rows, aborted ones between them and at the end, and markers of transactions."""
    topic = kafka.topic()
    for block in range(3):
        with transaction(kafka, f"commit-{topic}") as producer:
            for number in range(block * 100, block * 100 + 100):
                producer.produce(topic, row(number))
        aborted(kafka, topic, range(1_000, 1_040))
    return topic


def test_every_committed_message_is_read_once_and_no_aborted_one(
    kafka: KafkaBroker, holed: str, tmp_path: Path
) -> None:
    source = adapter(kafka, holed, tmp_path)
    end = source.latest({}, now=0, limit_rows=10_000)["0"]
    assert end == 3 * (100 + 1 + 40 + 1)
    assert values(rows_of(source, "0", 0, end)) == list(range(300))


def test_messages_after_the_reported_end_of_the_partition_are_read(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    kafka.produce(topic, [row(number) for number in range(10)])
    settings = {"brokers": kafka.address, "topic": topic, "security": "none"}
    reader = PartitionReader(KafkaOptions.model_validate(settings), Reach(LOOPBACK), 0, 10)
    ended = reader._consumer.poll(30)
    assert ended.error().code() == KafkaError._PARTITION_EOF
    kafka.produce(topic, [row(number) for number in range(10, 20)])
    reader._waiting = [
        ended,
        *(reader._consumer.poll(30) for _ in range(10)),
    ]  # as a poll in a busy moment receives them
    assert [each.offset() for part in reader.messages(20) for each in part] == list(range(10, 20))
    reader.close()


def test_a_span_of_only_aborted_messages_is_empty_and_ends(kafka: KafkaBroker, holed: str, tmp_path: Path) -> None:
    source = adapter(kafka, holed, tmp_path)
    end = source.latest({}, now=0, limit_rows=10_000)["0"]
    assert rows_of(source, "0", end - 30, end - 10) == []
    assert rows_of(source, "0", end - 10, end) == []


def test_random_cuts_give_the_same_rows_as_one_span(kafka: KafkaBroker, holed: str, tmp_path: Path) -> None:
    source = adapter(kafka, holed, tmp_path)
    end = source.latest({}, now=0, limit_rows=10_000)["0"]
    whole = rows_of(source, "0", 0, end)
    drawn = random.Random(7)
    for _ in range(6):
        cuts = sorted({0, end, *(drawn.randrange(end) for _ in range(drawn.randrange(1, 12)))})
        spans = list(itertools.pairwise(cuts))
        assert [each for span in spans for each in rows_of(source, "0", *span)] == whole
        drawn.shuffle(spans)
        for span in spans[:3]:
            assert rows_of(source, "0", *span) == [each for each in whole if span[0] <= each[1] < span[1]]


def test_an_open_transaction_is_not_read_before_it_ends(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic()
    source = adapter(kafka, topic, tmp_path)
    kafka.produce(topic, [row(0)])
    with transaction(kafka, f"open-{topic}") as producer:
        producer.produce(topic, row(1))
        producer.flush(30)
        kafka.produce(topic, [row(2)])
        first = source.latest({}, now=0, limit_rows=100)
        assert first == {"0": 1}
    while source.latest(first, now=0, limit_rows=100)["0"] < 4:  # the marker is written after the answer
        pass
    assert values(everything(source, start=first)) == [1, 2]


def test_messages_removed_by_compaction_are_skipped(kafka: KafkaBroker, tmp_path: Path) -> None:
    config = {"cleanup.policy": "compact", "segment.ms": "1", "min.cleanable.dirty.ratio": "0.001"}
    topic = kafka.topic(config={**config, "delete.retention.ms": "1", "min.compaction.lag.ms": "0"})
    kafka.produce(topic, [{"value": row(number), "key": f"k{number % 2}"} for number in range(100)])
    source = adapter(kafka, topic, tmp_path)
    found = list(range(100))
    filler = 100
    while len(found) > 50:  # until the cleaner has run: each further message closes a segment
        kafka.produce(topic, [{"value": row(filler), "key": f"k{filler % 2}"}])
        filler += 1
        found = values(everything(source))
    assert found == sorted(found)
    assert found[-1] == filler - 1


def test_malformed_messages_are_reported_with_their_text_and_the_others_are_read(
    kafka: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka.topic()
    bad = [b"not json", b"", None, b"\xff\xfe", b'{"k": "a", "v": 1}', b'{"ts": 3, "v": "four"}', b"[1]", b"null"]
    kafka.produce(topic, [row(0), *bad, row(9), b'{"ts": 10,\n "k": "a",\n "v": 10}'])
    found = everything(adapter(kafka, topic, tmp_path))
    assert values(found) == [0, 9, 10]
    reasons = [element.reason for _, _, element, _ in found if isinstance(element, MalformedRow)]
    rows, times, payloads = Reason.BAD_ROW, Reason.BAD_TIME, Reason.BAD_PAYLOAD
    assert reasons == [rows, rows, rows, rows, times, payloads, rows, rows]
    assert [raw for *_, raw in found][1:5] == ["not json", "", "null", "\ufffd\ufffd"]


def test_a_batch_is_divided_among_the_partitions_and_bounded(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic(partitions=3)
    kafka.produce(topic, [row(0)] * 10, partition=0)
    kafka.produce(topic, [row(0)] * 100, partition=1)
    kafka.produce(topic, [row(0)] * 100, partition=2)
    source = adapter(kafka, topic, tmp_path, batch_messages=30)
    assert source.latest({}, now=0, limit_rows=90) == {"0": 10, "1": 40, "2": 40}
    assert source.bounds({"0": 10, "1": 40, "2": 40}) == {"0": 20, "1": 50, "2": 50}  # type: ignore[attr-defined]


def test_added_partitions_become_lanes_from_their_first_message(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic()
    kafka.produce(topic, [row(0)])
    source = adapter(kafka, topic, tmp_path, start="latest")
    reached = source.latest({"0": 0}, now=0, limit_rows=100)
    assert reached == {"0": 1}
    kafka.grow(topic, 2)
    kafka.produce(topic, [row(7)], partition=1)
    assert source.latest(reached, now=1, limit_rows=100) == {"0": 1}
    later = source.latest(reached, now=60_000_000, limit_rows=100)
    assert later == {"0": 1, "1": 1}
    other = adapter(kafka, topic, tmp_path, start="latest")
    assert values(rows_of(other, "1", 0, later["1"])) == [7]


@pytest.mark.parametrize("lost", ["fail", "skip"])
def test_messages_deleted_before_they_were_read(kafka: KafkaBroker, tmp_path: Path, lost: str) -> None:
    topic = kafka.topic()
    kafka.produce(topic, [row(number) for number in range(50)])
    source = adapter(kafka, topic, tmp_path, lost=lost)
    reached = source.latest({}, now=0, limit_rows=10)
    assert values(rows_of(source, "0", 0, 10)) == list(range(10))
    assert source.holds("0", 0, 10)  # type: ignore[attr-defined]
    admin = kafka.admin
    next(iter(admin.delete_records([TopicPartition(topic, 0, 30)]).values())).result()
    assert not source.holds("0", 0, 10)  # type: ignore[attr-defined]
    close_readers()  # as in another process, because this one has received them already
    if lost == "fail":
        with pytest.raises(AdapterError, match="messages 10 to 29 of partition 0"):
            source.latest(reached, now=1, limit_rows=100)
        with pytest.raises(AdapterError, match="messages 10 to 29 of partition 0"):
            rows_of(source, "0", 10, 50)
        return
    found = rows_of(source, "0", 10, source.latest(reached, now=1, limit_rows=100)["0"])
    assert found[0][2:] == (
        MalformedRow(Reason.BAD_ROW),
        "The messages 10 to 29 of partition 0 were deleted before they were read.",
    )
    assert values(found) == list(range(30, 50))


def test_a_recreated_topic_is_another_one(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic()
    source = adapter(kafka, topic, tmp_path)
    source.latest({}, now=0, limit_rows=10)
    kafka.delete(topic)
    with pytest.raises(AdapterError, match="There is no topic"):
        adapter(kafka, topic, tmp_path).latest({}, now=0, limit_rows=10)
    kafka.topic(name=topic)
    with pytest.raises(AdapterError, match="deleted and created again"):
        adapter(kafka, topic, tmp_path).latest({}, now=0, limit_rows=10)
