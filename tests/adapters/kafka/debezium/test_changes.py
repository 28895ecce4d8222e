"""Changes as lifetimes of rows: each once, at the time of its commit, whatever a connector repeats."""

from pathlib import Path
from typing import Any

import pytest

from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.kafka.debezium.topic import CARS, SECOND, ReadLane, WrittenTopic, lives, options_of, seconds


def history() -> WrittenTopic:
    """Three rows: one is updated twice, one is deleted, and one gets another key."""
    topic = WrittenTopic()
    topic.snapshot(10, r1="a", r2="b")
    topic.change("c", 3, "c", (7, 20))
    topic.commit()
    topic.change("u", 2, "bb", (8, 30))
    topic.change("u", 2, "bbb", (8, 30))
    topic.change("d", 1, None, (8, 30))
    topic.commit()
    topic.change("d", 3, None, (9, 40), headers=[("__debezium.newkey", b'{"id":30}')])
    topic.change("c", 30, "c", (9, 40), headers=[("__debezium.oldkey", b'{"id":3}')])
    topic.commit()
    return topic


LIVES = [(10, 30, "1a"), (10, 30, "2b"), (20, 40, "3c"), (30, None, "2bbb"), (40, None, "30c")]
"""The lifetimes of `history`, by hand."""


def test_a_change_ends_and_begins_lifetimes_at_its_commit_and_a_transaction_counts_once() -> None:
    assert lives(history()) == LIVES


def test_a_cti_follows_each_transaction() -> None:
    lane = ReadLane()
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 20))
    lane.take(topic.messages)
    assert lane.elements() == []
    lane.take(topic.messages, 2)
    row = {"id": 1, "car": "a"}
    assert lane.elements() == [Event(20 * SECOND, 2**63 - 1, row, EdgeKind.START), Cti(20 * SECOND + 1)]  # type: ignore[arg-type]


def test_a_transaction_is_complete_when_another_follows_or_after_a_time_without_messages() -> None:
    topic, lane = WrittenTopic(), ReadLane(options=options_of(settle_s=5))
    topic.change("c", 1, "a", (7, 20))
    lane.take(topic.messages, 1)
    lane.take(topic.messages, 5)
    assert lane.elements() == []
    topic.change("u", 1, "b", (7, 20))
    lane.take(topic.messages, 9)
    lane.take(topic.messages, 13)
    assert lane.elements() == []
    lane.take(topic.messages, 14)
    assert seconds(lane.elements()) == [(20, None, "1b")]
    topic.change("u", 1, "c", (7, 20))  # the rest of the transaction counts one tick later
    lane.take(topic.messages, 15)
    topic.change("u", 1, "d", (8, 21))
    lane.take(topic.messages, 15)
    edges = [(each.edge, each.start, each.end) for each in lane.elements() if isinstance(each, Event)]
    assert edges[1:] == [(EdgeKind.END, 20 * SECOND, 20 * SECOND + 1), (EdgeKind.START, 20 * SECOND + 1, 2**63 - 1)]


def test_the_report_that_a_transaction_has_ended_completes_it() -> None:
    topic, lane = WrittenTopic(), ReadLane()
    topic.put({"id": "7:99"}, {"status": "BEGIN", "id": "7:99", "event_count": None})
    topic.change("c", 1, "a", (7, 20))
    topic.put({"id": "7:101"}, {"status": "END", "id": "7:101", "event_count": 1})
    lane.take(topic.messages)
    assert seconds(lane.elements()) == [(20, None, "1a")]


def test_all_cuts_and_restarts_give_the_same_lifetimes(tmp_path: Path) -> None:
    topic = history()
    for cut in range(len(topic.messages) + 1):
        lane = ReadLane(tmp_path / str(cut))
        lane.take(topic.messages[:cut])
        lane.restart()
        lane.take(topic.messages)
        lane.restart()
        lane.take(topic.messages)
        lane.take(topic.messages, 10)
        assert seconds(lane.elements()) == LIVES, cut


def test_each_message_alone_after_a_restart_gives_the_same_lifetimes(tmp_path: Path) -> None:
    topic, lane = history(), ReadLane(tmp_path)
    for count in range(len(topic.messages)):
        lane.restart()
        lane.take(topic.messages[: count + 1])
    lane.take(topic.messages, 10)
    assert seconds(lane.elements()) == LIVES


@pytest.mark.parametrize("begin", range(2, 10))
@pytest.mark.parametrize("length", [1, 3, 8])
def test_a_connector_that_sends_changes_again_doubles_none(begin: int, length: int, tmp_path: Path) -> None:
    topic = history()
    count = len(topic.messages)
    topic.repeat(begin, min(begin + length, count))
    topic.change("u", 2, "new", (10, 50))
    expected = [*LIVES[:3], (30, 50, "2bbb"), LIVES[4], (50, None, "2new")]
    assert lives(topic) == sorted(expected)
    for cut in range(count, len(topic.messages) + 1):
        lane = ReadLane(tmp_path / str(cut))
        lane.take(topic.messages[:cut])
        lane.restart()
        lane.take(topic.messages)
        lane.take(topic.messages, 10)
        assert seconds(lane.elements()) == sorted(expected), cut


def test_a_deletion_that_is_sent_again_does_not_end_the_row_that_came_after_it() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.change("d", 1, None, (8, 20))
    topic.commit()
    topic.change("c", 1, "b", (9, 30))
    topic.repeat(1, 4)
    assert lives(topic) == [(10, 20, "1a"), (30, None, "1b")]


def test_rows_that_one_statement_copied_have_one_position_and_all_count() -> None:
    topic = WrittenTopic()
    for row in (1, 2, 3):
        topic.lsn = 100
        topic.change("c", row, "copied", (7, 10))
    topic.repeat(0, 3)
    assert lives(topic) == [(10, None, f"{row}copied") for row in (1, 2, 3)]


def test_transactions_come_in_the_order_of_their_commits_not_of_their_positions() -> None:
    topic = WrittenTopic()
    topic.lsn = 200
    topic.change("c", 1, "a", (8, 10))
    topic.committed, topic.lsn = 210, 150  # written before, committed after
    topic.change("u", 1, "b", (7, 20))
    assert lives(topic) == [(10, 20, "1a"), (20, None, "1b")]


def test_a_clock_that_goes_back_gives_a_tick_after_the_transaction_before() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 20))
    topic.commit()
    topic.change("u", 1, "b", (8, 19))
    lane = ReadLane(options=options_of(settle_s=0))
    lane.take(topic.messages)
    found = [(each.start, each.end) for each in lane.elements() if isinstance(each, Event)]
    at = 20 * SECOND
    assert found == [(at, 2**63 - 1), (at, at + 1), (at + 1, 2**63 - 1)]


def test_an_unchanged_row_has_no_line_and_one_written_and_deleted_has_no_lifetime() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.change("u", 1, "a", (8, 20))
    topic.change("c", 2, "b", (8, 20))
    topic.change("d", 2, None, (8, 20))
    assert lives(topic) == [(10, None, "1a")]


def test_changes_name_their_cause_their_time_and_their_position() -> None:
    fields = {"id": "long", "_change": "string", "_committed": "long", "_lsn": "string"}
    stream = CARS.model_copy(update={"fields": fields})
    lane = ReadLane(stream=stream)
    lane.take(history().messages)
    lane.take([], 10)
    starts = [each.payload for each in lane.elements() if isinstance(each, Event) and each.edge is EdgeKind.START]
    assert [(row["id"], row["_change"], row["_committed"], row["_lsn"]) for row in starts] == [
        (1, "snapshot", None, "0/64"),
        (2, "snapshot", None, "0/65"),
        (3, "insert", 20 * SECOND, "0/66"),
        (2, "update", 30 * SECOND, "0/68"),
        (30, "update", 40 * SECOND, "0/6B"),
    ]


def test_a_truncation_ends_all_rows() -> None:
    topic = WrittenTopic()
    topic.snapshot(10, r1="a", r2="b")
    topic.put(None, {"op": "t", "before": None, "after": None, "source": topic.source((7, 20))})
    topic.commit()
    topic.change("c", 1, "c", (8, 30))
    assert lives(topic) == [(10, 20, "1a"), (10, 20, "2b"), (30, None, "1c")]


def test_a_tombstone_ends_a_row_whose_deletion_was_compacted_away() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.put({"id": 1}, None, at_ms=20_000)
    topic.put({"id": 2}, None, at_ms=21_000)
    assert lives(topic) == [(10, 20, "1a")]


def test_a_second_snapshot_ends_the_rows_that_it_lacks() -> None:
    topic = history()
    topic.snapshot(60, r2="bbb", r4="d")
    assert lives(topic) == [*LIVES[:3], LIVES[3], (40, 60, "30c"), (60, None, "4d")]
    topic.snapshot(70, r4="d")
    assert lives(topic) == [*LIVES[:3], (30, 70, "2bbb"), (40, 60, "30c"), (60, None, "4d")]


def test_a_snapshot_that_was_interrupted_counts_from_its_second_beginning() -> None:
    topic = WrittenTopic()
    topic.change("r", 1, "gone", (0, 10), snapshot="first")
    topic.snapshot(20, r2="b", r3="c")
    assert lives(topic) == [(20, None, "2b"), (20, None, "3c")]


def test_a_log_that_begins_again_is_read_and_reported() -> None:
    topic = WrittenTopic()
    topic.committed, topic.lsn = 900, 1_000
    topic.change("c", 1, "a", (7, 10))
    topic.committed, topic.lsn = 10, 20
    topic.change("u", 1, "b", (3, 30))
    lane = ReadLane(options=options_of(settle_s=0))
    lane.take(topic.messages)
    found = lane.elements()
    [report] = [text for text in lane.texts() if not text.startswith("{")]
    assert "positions went back" in report
    assert MalformedRow(Reason.BAD_ROW) in found
    assert seconds([each for each in found if not isinstance(each, MalformedRow)]) == [(10, 30, "1a"), (30, None, "1b")]


def test_in_several_partitions_a_truncation_and_a_second_snapshot_end_nothing_and_are_reported() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.put(None, {"op": "t", "before": None, "after": None, "source": topic.source((8, 20))})
    topic.commit()
    topic.snapshot(30, r2="b", r3="c")
    lane = ReadLane(alone=False)
    lane.take(topic.messages)
    reports = [text for text in lane.texts() if not text.startswith("{")]
    assert ["truncated" in reports[0], "read the table again" in reports[1], len(reports)] == [True, True, 2]
    read = [each for each in lane.elements() if not isinstance(each, MalformedRow)]
    assert seconds(read) == [(10, None, "1a"), (30, None, "2b"), (30, None, "3c")]


def test_rows_of_an_incremental_snapshot_are_among_the_changes() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.commit()
    topic.change("r", 2, "b", (0, 15), snapshot="incremental")
    topic.change("r", 1, "a", (0, 15), snapshot="incremental")
    topic.change("u", 2, "bb", (8, 20))
    assert lives(topic) == [(10, None, "1a"), (15, 20, "2b"), (20, None, "2bb")]


LARGE = "__debezium_unavailable_value"


def test_an_unchanged_large_value_is_that_of_the_previous_change() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "large", (7, 10))
    topic.commit()
    topic.put({"id": 1}, {"op": "u", "after": {"id": 1, "car": LARGE, "n": 2}, "source": topic.source((8, 20))})
    stream = CARS.model_copy(update={"fields": {"id": "long", "car": "string", "n": "long"}})
    lane = ReadLane(stream=stream, options=options_of(settle_s=0))
    lane.take(topic.messages)
    assert [each.payload for each in lane.elements() if isinstance(each, Event) and each.edge is EdgeKind.START] == [
        {"id": 1, "car": "large", "n": None},
        {"id": 1, "car": "large", "n": 2},
    ]


def test_an_unchanged_large_value_moves_with_its_row_to_another_key() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "large", (7, 10))
    topic.commit()
    topic.change("d", 1, None, (8, 20), headers=[("__debezium.newkey", b'{"id":2}')])
    topic.change("c", 2, LARGE, (8, 20), headers=[("__debezium.oldkey", b'{"id":1}')])
    assert lives(topic) == [(10, 20, "1large"), (20, None, "2large")]


def test_a_large_value_that_was_never_read_makes_its_row_malformed() -> None:
    topic = WrittenTopic()
    topic.change("u", 1, LARGE, (7, 10))
    lane = ReadLane(options=options_of(settle_s=0))
    lane.take(topic.messages)
    assert lane.elements() == [MalformedRow(Reason.BAD_ROW), Cti(10 * SECOND + 1)]  # type: ignore[arg-type]


def envelope(**changes: Any) -> dict[str, Any]:
    source = WrittenTopic().source((7, 10))
    return {"op": "c", "after": {"id": 1, "car": "a"}, "source": source, **changes}


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ({"id": 1}, {"id": 1, "car": "a"}, "it has no `op`"),
        (None, envelope(), "has no key"),
        (None, envelope(op="m"), "written into the log by hand"),
        ({"id": 1}, envelope(op="x"), "operation 'x' is unknown"),
        ({"id": 1}, envelope(after=None), "no row in `after`"),
        ({"id": 1}, envelope(source={"connector": "mongodb"}), "connector 'mongodb'"),
        ({"id": 1}, envelope(source={"connector": "postgresql", "lsn": 1}), "has no time"),
        ({"id": 1}, envelope(source={"connector": "postgresql", "ts_ms": 2**62}), "outside the years 1 to 9999"),
        (None, {"source": {}, "databaseName": "d", "ddl": "CREATE TABLE", "tableChanges": []}, "change of a schema"),
        (None, {"schema": {"fields": 7}, "payload": {}}, "schema of the message can't be read"),
        (None, {"schema": None, "payload": 7}, "payload of the message is not an object"),
        (None, [1], "not a JSON object"),
    ],
)
def test_any_other_message_is_malformed_with_a_reason_and_its_text(key: Any, value: Any, why: str) -> None:
    topic = WrittenTopic()
    topic.put(key, value)
    lane = ReadLane()
    lane.take(topic.messages)
    assert lane.elements() == [MalformedRow(Reason.BAD_ROW)]
    [text] = lane.texts()
    assert text.startswith("Message 0: ")
    assert why in text


def test_heartbeats_have_no_effect() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.put({"serverName": "p"}, {"ts_ms": 1_000_000})
    topic.put(None, None)
    topic.change("u", 1, "b", (7, 10))
    assert lives(topic) == [(10, None, "1b")]


def test_a_malformed_message_within_a_transaction_does_not_divide_it(tmp_path: Path) -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (7, 10))
    topic.put(None, "text")
    topic.change("u", 1, "b", (7, 10))
    for cut in range(4):
        lane = ReadLane(tmp_path / str(cut))
        lane.take(topic.messages[:cut])
        lane.restart()
        lane.take(topic.messages)
        lane.take(topic.messages, 10)
        found = lane.elements()
        assert found.count(MalformedRow(Reason.BAD_ROW)) == 1, cut
        assert seconds([each for each in found if isinstance(each, Event)]) == [(10, None, "1b")], cut
