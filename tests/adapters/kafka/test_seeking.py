"""A run starts at the ends of a topic, at a time or at offsets, with a real broker; a repeated plan is the same."""

from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.seeking import SeekingAdapter
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from tests.adapters.kafka.topics import adapter, everything, row, values
from tests.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka

AT_5 = BeginAtTime(kind="time", at=5_000_001)
OFFSETS = BeginAtPositions(kind="positions", positions={"cars": {"0": 8}})


def dated(kafka: KafkaBroker) -> str:
    """Rows 0 to 9 in partition 0, with timestamps of as many seconds after 1970, and one in partition 1."""
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, [{"value": row(number), "timestamp": number * 1_000 + 1} for number in range(10)])
    kafka.produce(topic, [{"value": row(20), "timestamp": 1}], partition=1)
    return topic


def begun(source: InputAdapter, place: SoughtBegin) -> tuple[dict[str, int], bool]:
    assert isinstance(source, SeekingAdapter)
    found = source.begin_at(place, "cars", now=0)
    return dict(found.positions), found.skips


@pytest.mark.parametrize(
    ("place", "positions", "read"),
    [
        ("now", {"0": 10, "1": 1}, [21]),
        (AT_5, {"0": 5, "1": 1}, [5, 6, 7, 8, 9, 21]),
        (OFFSETS, {"0": 8, "1": 0}, [8, 9, 21, 20]),
        (BeginAtTime(kind="time", at=0), {"0": 0, "1": 0}, [*range(10), 21, 20]),
    ],
)
@pytest.mark.parametrize("start", ["earliest", "latest"])
def test_it_starts_there_whatever_the_stream_says_and_again_there(
    kafka: KafkaBroker, tmp_path: Path, place: SoughtBegin, positions: dict[str, int], read: list[int], start: str
) -> None:
    topic = dated(kafka)
    assert begun(adapter(kafka, topic, tmp_path, start=start), place) == (positions, any(positions.values()))
    kafka.produce(topic, [row(21)])
    again = adapter(kafka, topic, tmp_path, start=start)
    assert begun(again, place)[0] == positions
    assert values(everything(again, start=positions)) == read


def test_offsets_that_do_not_exist_are_refused(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = dated(kafka)
    for lane, at, says in (("0", 11, "can start at 0 to 10, not at 11"), ("7", 0, "has no lane 7. Its lanes: 0, 1")):
        place = BeginAtPositions(kind="positions", positions={"cars": {lane: at}})
        with pytest.raises(AdapterError, match=says):
            begun(adapter(kafka, topic, tmp_path / lane), place)


def test_a_topic_reports_its_contents_and_the_offset_of_a_time(kafka: KafkaBroker) -> None:
    source = adapter(kafka, dated(kafka))
    assert isinstance(source, SeekingAdapter)
    first, second = source.held(now=0, since=5_000_001)
    assert (first.lane, first.earliest, first.end, first.at_time, first.rows_since) == ("0", 0, 10, 5, 5)
    assert (second.lane, second.earliest, second.end, second.at_time) == ("1", 0, 1, 1)
