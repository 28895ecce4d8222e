"""The start of reading a topic, which is decided once."""

from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.preview import sample
from tests.adapters.kafka.topics import adapter, everything, row, values
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def dated(kafka: KafkaBroker) -> str:
    """Rows 0 to 9 in partition 0, with timestamps of as many seconds after 1970, and one in partition 1."""
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, [{"value": row(number), "timestamp": number * 1_000 + 1} for number in range(10)])
    kafka.produce(topic, [{"value": row(20), "timestamp": 1}], partition=1)
    return topic


def test_from_the_earliest_message(kafka: KafkaBroker, dated: str, tmp_path: Path) -> None:
    assert values(everything(adapter(kafka, dated, tmp_path))) == [*range(10), 20]


def test_after_the_latest_message_and_there_after_a_restart_too(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic()
    kafka.produce(topic, [row(0)])
    assert adapter(kafka, topic, tmp_path, start="latest").latest({}, now=0, limit_rows=9) == {"0": 1}
    kafka.produce(topic, [row(1)])
    assert values(everything(adapter(kafka, topic, tmp_path, start="latest"))) == [1]


def test_from_a_time_of_the_messages(kafka: KafkaBroker, dated: str, tmp_path: Path) -> None:
    start = {"start": "time", "start_time": "1970-01-01T00:00:05.000001Z"}
    assert values(everything(adapter(kafka, dated, tmp_path, **start))) == [5, 6, 7, 8, 9]


def test_from_the_configured_offsets_and_else_from_the_earliest(kafka: KafkaBroker, dated: str, tmp_path: Path) -> None:
    start = {"start": "offsets", "start_offsets": {"0": 8}}
    assert values(everything(adapter(kafka, dated, tmp_path, **start))) == [8, 9, 20]


@pytest.mark.parametrize(("lane", "at", "sentence"), [("0", 11, "0 to 10, not 11"), ("7", 0, "no partition 7")])
def test_offsets_that_do_not_exist_are_refused(
    kafka: KafkaBroker, dated: str, tmp_path: Path, lane: str, at: int, sentence: str
) -> None:
    source = adapter(kafka, dated, tmp_path, start="offsets", start_offsets={lane: at})
    with pytest.raises(AdapterError, match=sentence):
        source.latest({}, now=0, limit_rows=9)


def test_a_preview_shows_the_newest_messages_where_a_run_would_wait_for_new_ones(
    kafka: KafkaBroker, dated: str
) -> None:
    source = adapter(kafka, dated, start="latest")
    assert [row.position for row in sample(source, 3, now=0) if row.lane == "0"] == [7, 8]


def test_conflicting_options_are_refused_with_an_error(kafka: KafkaBroker) -> None:
    for conflicting, sentence in [
        ({"start": "time"}, "start_time"),
        ({"start": "time", "start_time": "soon"}, "not an instant"),
        ({"start": "offsets"}, "start_offsets"),
        ({"sign_in": "scram_sha_256", "user": "a"}, "requires a user and a password"),
        ({"sign_in": "plain", "user": "a", "password": "b"}, "unencrypted; set security"),
        ({"client_key": "x"}, "belong together"),
        ({"fetch.max.bytes": 1}, "fetch.max.bytes"),
    ]:
        with pytest.raises(AdapterError, match=sentence):
            adapter(kafka, "t", **conflicting)  # type: ignore[arg-type]
