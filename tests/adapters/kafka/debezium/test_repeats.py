"""Restarts of the connector and of the input, snapshots in parts, and messages of other tables: nothing counts twice,
and nothing is lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.kafka.debezium import transactions
from streaming.adapters.kafka.debezium.adapter import DebeziumAdapter
from streaming.adapters.network.fetching import Reach
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.outcomes import Reason
from streaming.wire.outgoing import NOTHING
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.kafka.debezium.topic import CARS, SECOND, ReadLane, WrittenTopic, lives, options_of, seconds
from tests.adapters.kafka.fake_message import FakeMessage


def reports(lane: ReadLane) -> list[str]:
    return [text for text in lane.texts() if not text.startswith("{")]


def read(found: Sequence[Element]) -> list[tuple[int, int | None, Any]]:
    return seconds([each for each in found if isinstance(each, Event)])


def test_changes_of_another_table_are_refused_and_end_no_rows(tmp_path: Path) -> None:
    topic = WrittenTopic()
    topic.change("r", 1, "a", (0, 10), snapshot="first", schema="public", table="seen")
    topic.change("r", 2, "b", (0, 10), snapshot="last_in_data_collection", schema="public", table="seen")
    topic.change("r", 1, "x", (0, 10), snapshot="first_in_data_collection", schema="public", table="other")
    topic.change("r", 3, "y", (0, 10), snapshot="last", schema="public", table="other")
    topic.change("u", 2, "bb", (8, 20), schema="public", table="seen")
    topic.change("d", 1, None, (9, 30), schema="public", table="other")  # and a tombstone
    source = topic.source((10, 40), schema="public", table="other")
    topic.put(None, {"op": "t", "before": None, "after": None, "source": source})
    for cut in range(len(topic.messages) + 1):
        lane = ReadLane(tmp_path / str(cut))
        lane.take(topic.messages[:cut])
        lane.restart()
        lane.take(topic.messages)
        lane.take(topic.messages, 10)
        assert read(lane.elements()) == [(10, 20, "2b"), (10, None, "1a"), (20, None, "2bb")], cut
        assert lane.elements().count(MalformedRow(Reason.BAD_ROW)) == 4, cut
        assert "The change is of the table public.other" in reports(lane)[0]


def test_a_tombstone_ends_its_row_after_a_repeated_change_of_another_row() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.change("c", 5, "b", (8, 20))
    topic.commit()
    topic.change("u", 5, "bb", (9, 30))
    topic.repeat(2, 3)
    topic.put({"id": 1}, None, at_ms=40_000)  # its deletion was compacted away
    assert lives(topic) == [(10, 40, "1a"), (20, 30, "5b"), (30, None, "5bb")]


def test_the_tombstone_of_a_repeated_deletion_has_no_effect_after_a_restart(tmp_path: Path) -> None:
    topic, lane = WrittenTopic(), ReadLane(tmp_path, options=options_of(settle_s=0))
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.change("d", 1, None, (8, 20))
    topic.commit()
    topic.change("c", 1, "b", (9, 30))
    topic.repeat(1, 3)
    lane.take(topic.messages[:-1])
    lane.restart()
    assert lane.lane.offset(alone=True) == len(topic.messages) - 1
    lane.take(topic.messages)
    assert seconds(lane.elements()) == [(10, 20, "1a"), (30, None, "1b")]


def interrupted() -> WrittenTopic:
    """Two rows, then a second snapshot that has only one, and whose last row is in another partition or missing."""
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.change("c", 2, "b", (7, 10))
    topic.commit()
    topic.change("r", 1, "a", (0, 30), snapshot="first")
    return topic


def test_a_snapshot_that_was_completed_by_time_ends_the_rows_that_it_lacks_at_the_next_change() -> None:
    topic, lane = interrupted(), ReadLane()
    lane.take(topic.messages)
    lane.take(topic.messages, 10)
    topic.change("c", 3, "c", (9, 40))
    lane.take(topic.messages, 11)
    lane.take(topic.messages, 20)
    assert seconds(lane.elements()) == [(10, 30, "2b"), (10, None, "1a"), (40, None, "3c")]


def test_after_a_restart_within_such_a_snapshot_its_end_is_reported_once(tmp_path: Path) -> None:
    topic, lane = interrupted(), ReadLane(tmp_path)
    lane.take(topic.messages)
    lane.take(topic.messages, 10)
    topic.change("c", 3, "c", (9, 40))
    for now in (11, 11, 20, 30):
        lane.restart()
        lane.take(topic.messages, now)
        lane.take(topic.messages, now)
    lane.take(topic.messages, 40)
    assert read(lane.elements()) == [(10, None, "1a"), (10, None, "2b"), (40, None, "3c")]
    [report] = reports(lane)
    assert "read the table again" in report


def test_changes_that_are_sent_again_after_a_snapshot_count_once() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.change("u", 1, "b", (8, 20))
    topic.commit()
    topic.snapshot(30, r1="b", r2="z")
    topic.repeat(0, 2)
    assert lives(topic) == [(10, 20, "1a"), (20, None, "1b"), (30, None, "2z")]


def test_a_log_that_begins_again_with_a_snapshot_has_no_gap() -> None:
    topic, lane = WrittenTopic(), ReadLane(options=options_of(settle_s=0))
    topic.committed, topic.lsn = 900, 1_000
    topic.change("c", 1, "a", (7, 10))
    topic.snapshot(20, r1="a", r2="b")
    topic.committed, topic.lsn = 10, 20
    topic.change("u", 1, "aa", (3, 30))
    lane.take(topic.messages)
    assert seconds(lane.elements()) == [(10, 30, "1a"), (20, None, "2b"), (30, None, "1aa")]


def test_another_log_is_reported_once_whenever_the_input_restarts(tmp_path: Path) -> None:
    topic, lane = WrittenTopic(), ReadLane(tmp_path)
    topic.committed, topic.lsn = 900, 1_000
    topic.change("c", 1, "a", (7, 10))
    topic.committed, topic.lsn = 10, 20
    topic.change("u", 1, "b", (3, 30))
    lane.take(topic.messages)
    lane.restart()
    lane.take(topic.messages)
    lane.take(topic.messages, 10)
    assert len(reports(lane)) == 1
    assert read(lane.elements()) == [(10, 30, "1a"), (30, None, "1b")]


def test_deleted_messages_are_reported_once_whenever_the_input_restarts(tmp_path: Path) -> None:
    lane = ReadLane(tmp_path)
    lane.lane.take([range(3)], 3, 0, alone=True)
    lane.restart()
    assert lane.lane.offset(alone=True) == 3
    assert reports(lane) == ["The messages 0 to 2 were deleted before they were read."]


def test_messages_without_lines_are_not_read_again(tmp_path: Path) -> None:
    topic, lane = WrittenTopic(), ReadLane(tmp_path)
    topic.change("c", 1, "a", (7, 10))
    topic.repeat(0, 1)
    lane.take(topic.messages[:1])
    lane.take(topic.messages[:1], 10)
    lane.take(topic.messages, 11)
    for now in (12, 13):
        lane.take(topic.messages, now)
        lane.restart()
        assert lane.lane.offset(alone=True) == 2
    at = Cti(10 * SECOND + 1)  # type: ignore[arg-type]
    assert lane.elements()[1:] == [at, at]


def test_a_large_transaction_is_stored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "MOST_BYTES", 100)
    topic, lane = WrittenTopic(), ReadLane()
    for row in range(4):
        topic.change("c", row, "x" * 80, (7, 10))
    lane.take(topic.messages)
    starts = [each.start - 10 * SECOND for each in lane.elements() if isinstance(each, Event)]
    assert starts == [0, 0, 1, 1]


@pytest.mark.parametrize("gtid", ["0-1-5", "3e11fa47-71ca-11e1-9e33-c80aa9429562:23"])
def test_the_report_that_a_transaction_with_a_gtid_has_ended_completes_it(gtid: str) -> None:
    topic, lane = WrittenTopic(), ReadLane()
    source = {"connector": "mysql", "ts_ms": 10_000, "gtid": gtid, "file": "b.000001", "pos": 4}
    topic.put({"id": 1}, {"op": "c", "after": {"id": 1, "car": "a"}, "source": source})
    topic.put({"id": gtid}, {"status": "END", "id": gtid, "event_count": 1})
    lane.take(topic.messages)
    assert seconds(lane.elements()) == [(10, None, "1a")]


class WrittenPartitions:
    """The partitions of a topic, as the adapter of the topic has them."""

    def __init__(self, *partitions: list[FakeMessage]) -> None:
        self.partitions = {str(number): messages for number, messages in enumerate(partitions)}

    def lanes(self) -> Sequence[str]:
        return list(self.partitions)

    def first(self, _: str) -> int:
        return 0

    def latest(self, _: Mapping[str, int], **__: int) -> Mapping[str, int]:
        return {name: len(messages) for name, messages in self.partitions.items()}

    def messages(self, name: str, at: int, end: int) -> Iterator[list[FakeMessage]]:
        if at < end:
            yield self.partitions[name][at:end]


def adapter_of(topic: WrittenPartitions, folder: Path) -> DebeziumAdapter:
    adapter = DebeziumAdapter(options_of(settle_s=0), CARS, Path("/nowhere"), folder, Reach(NOTHING))
    adapter._topic = topic  # type: ignore[assignment]
    return adapter


def all_of(adapter: DebeziumAdapter, lane: str, end: int) -> list[Element]:
    return [element for chunk in adapter.read(lane, 0, end) for element in elements(chunk)]


def test_an_added_partition_is_read_once_also_if_its_first_batch_was_not_committed(tmp_path: Path) -> None:
    one, other = WrittenTopic(), WrittenTopic()
    one.change("c", 1, "a", (7, 10))
    other.put(None, "text")
    known = adapter_of(WrittenPartitions(one.messages), tmp_path).latest({}, now=0, limit_rows=100)
    both = WrittenPartitions(one.messages, other.messages)
    for _ in range(2):  # the first one stores lines of both, and ends before its batch is committed
        adapter = adapter_of(both, tmp_path)
        reached = adapter.latest(known, now=0, limit_rows=100)
    assert reached == {"0": 2, "1": 1}
    assert all_of(adapter, "1", 1) == [MalformedRow(Reason.BAD_ROW)]


def test_a_truncation_in_the_batch_that_finds_another_partition_ends_no_rows(tmp_path: Path) -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    known = adapter_of(WrittenPartitions(topic.messages[:1]), tmp_path).latest({}, now=0, limit_rows=100)
    topic.put(None, {"op": "t", "before": None, "after": None, "source": topic.source((8, 20))})
    adapter = adapter_of(WrittenPartitions(topic.messages, []), tmp_path)
    end = adapter.latest(known, now=0, limit_rows=100)["0"]
    ends = [each for each in all_of(adapter, "0", end) if isinstance(each, Event) and each.edge is EdgeKind.END]
    assert ends == []
