"""The time, the transaction and the position of a change in the logs of PostgreSQL, MySQL and MariaDB."""

from typing import Any

import pytest

from streaming.adapters.kafka.debezium.places import LogPlace, UnknownPlace, place_of
from tests.adapters.kafka.debezium.topic import SECOND, ReadLane, WrittenTopic
from tests.adapters.postgresql_changes.changed import lives_of


def in_binlog(file: str, at: int, row: int = 0, **more: Any) -> LogPlace:
    source = {"connector": "mariadb", "ts_ms": 1_000, "file": file, "pos": at, "row": row, **more}
    return place_of(source, None)


def test_positions_of_a_binlog_ascend_by_file_offset_and_row() -> None:
    places = [
        in_binlog("binlog.000009", 900),
        in_binlog("binlog.000010", 4),
        in_binlog("binlog.000010", 4, 1),
        in_binlog("binlog.000010", 70),
        in_binlog("binlog.1000000", 4),
    ]
    positions = [each.position for each in places if each.position is not None]
    assert len(positions) == 5
    assert positions == sorted(positions)
    assert [each.shown for each in places[:2]] == ["binlog.000009:900", "binlog.000010:4"]


def test_a_transaction_is_named_by_its_gtid_else_by_the_envelope_else_by_its_position() -> None:
    source = {"connector": "mysql", "ts_ms": 1_000, "file": "b.1", "pos": 7}
    assert place_of({**source, "gtid": "0-1-5"}, {"id": "file=b.1,pos=3"}).transaction == "0-1-5"
    assert place_of({**source, "gtid": None}, {"id": "file=b.1,pos=3"}).transaction == "file=b.1,pos=3"
    assert place_of(source, None).transaction == "b.1:7"


@pytest.mark.parametrize(
    ("times", "tick"),
    [
        ({"ts_ms": 1, "ts_us": 1_234, "ts_ns": 1_234_567}, 1_234),
        ({"ts_ms": 1, "ts_ns": 1_234_567}, 1_234),
        ({"ts_ms": -1}, -1_000),
    ],
)
def test_the_time_is_the_most_exact_one(times: dict[str, int], tick: int) -> None:
    assert place_of({"connector": "postgresql", **times}, None).tick == tick


def test_a_place_without_a_readable_position_has_none() -> None:
    for more in ({}, {"lsn": 7}, {"lsn": 7, "sequence": "[1]"}, {"lsn": 7, "sequence": "no"}):
        assert place_of({"connector": "postgresql", "ts_us": 1, **more}, None).position is None
    assert in_binlog("binlog", 4).position is None
    with pytest.raises(UnknownPlace, match="no time"):
        place_of({"connector": "mysql", "ts_us": True}, None)


def binlog_history() -> WrittenTopic:
    """Transactions of a server whose clock counts seconds: two commits have the same time."""
    topic = WrittenTopic()

    def change(operation: str, car: str | None, gtid: str, at: int, row: int = 0) -> None:
        source = {"connector": "mariadb", "ts_ms": 10_000, "gtid": gtid, "file": "b.000001", "pos": at, "row": row}
        after = None if car is None else {"id": 1, "car": car}
        topic.put({"id": 1}, {"op": operation, "before": None, "after": after, "source": source})

    change("c", "a", "0-1-1", 100)
    change("u", "b", "0-1-2", 200)
    change("u", "c", "0-1-2", 300)
    change("u", "d", "0-1-3", 400)
    return topic


@pytest.mark.parametrize("repeated", [0, 1, 2, 4])
def test_changes_of_a_binlog_count_once_also_if_they_are_sent_again(repeated: int) -> None:
    topic, lane = binlog_history(), ReadLane()
    topic.repeat(4 - repeated, 4)
    lane.take(topic.messages)
    lane.take([], 10)
    at = 10 * SECOND
    assert [(start - at, end and end - at, row["car"]) for start, end, row in lives_of(lane.elements())] == [
        (0, 1, "a"),
        (1, 2, "c"),
        (2, None, "d"),
    ]
