"""Each written row as an event of its own, at a time in one of its columns, or that of its commit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import parse_instant
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.postgresql_changes.changed import ChangedTable, changed_table
from tests.postgresql import PostgreSQL

FIELDS = {"id": "long", "car": "string", "_change": "string"}
BY_COLUMN = StreamDefinition.model_validate(
    {"shape": "point", "fields": FIELDS, "event_time": {"start": {"column": "at", "unit": "iso"}}}
)
BY_COMMIT = StreamDefinition.model_validate(
    {"shape": "point", "fields": FIELDS, "event_time": {"start": {"column": "_start", "unit": "us"}}}
)


@pytest.fixture
def table(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[ChangedTable]:
    with changed_table(postgresql, "events", tmp_path / "journal", stream=BY_COLUMN) as made:
        made.source.run("ALTER TABLE seen ADD at timestamptz")
        made.source.run("INSERT INTO seen VALUES (1, 'a', '2026-01-01T00:00:05Z')")
        yield made


class EventReader:
    """Reads continuously, by positions; some of these are not rows."""

    def __init__(self, table: ChangedTable) -> None:
        self.table = table
        self.reached = self.now = 0
        self.found: list[Element] = []

    def until(self, count: int) -> list[Element]:
        """All elements, once there are `count`."""
        for _ in range(100):
            if len(self.found) >= count:
                break
            self.now += 3_000_000
            end = self.table.adapter.latest({"0": self.reached}, now=self.now, limit_rows=100)["0"]
            self.found += self.read(self.reached, end)
            self.reached = end
        return self.found

    def read(self, start: int, end: int) -> list[Element]:
        return [each for chunk in self.table.adapter.read("0", start, end) for each in elements(chunk)]


def summary_of(element: Element) -> tuple[Any, ...]:
    assert isinstance(element, Event)
    payload = element.payload
    return (element.start, payload["id"], payload["car"], payload["_change"])


def test_rows_are_events_at_the_time_of_their_column(table: ChangedTable) -> None:
    reader, run = EventReader(table), table.source.run
    reader.until(1)
    run("INSERT INTO seen VALUES (2, 'b', '2026-01-01T00:00:01Z')")
    run("UPDATE seen SET car = 'bb' WHERE id = 2")
    run("DELETE FROM seen WHERE id = 1")
    run("INSERT INTO seen VALUES (1, 'a', '2026-01-01T00:00:05Z')")  # the deleted row is written again
    run("INSERT INTO seen VALUES (3, 'c', NULL)")
    found = reader.until(5)
    early, late = parse_instant("2026-01-01T00:00:01Z"), parse_instant("2026-01-01T00:00:05Z")
    assert [summary_of(each) for each in found[:4]] == [
        (late, 1, "a", "snapshot"), (early, 2, "b", "insert"), (early, 2, "bb", "update"), (late, 1, "a", "insert")
    ]  # fmt: skip
    assert isinstance(found[4], MalformedRow)
    table.restart()
    assert reader.read(0, reader.reached) == found
    assert [each for at in range(reader.reached) for each in reader.read(at, at + 1)] == found


def test_with_the_time_of_the_commit_there_are_ctis(table: ChangedTable) -> None:
    table.stream = BY_COMMIT
    table.restart()
    reader = EventReader(table)
    reader.until(2)
    table.source.run("UPDATE seen SET car = 'aa'")
    found = reader.until(4)
    assert [type(each) for each in found] == [Event, Cti, Event, Cti]
    starts = [each.start for each in found if isinstance(each, Event)]
    ctis = [each.at for each in found if isinstance(each, Cti)]
    assert starts[0] < ctis[0] <= starts[1] < ctis[1]


def test_a_gap_is_a_malformed_row_among_the_events(table: ChangedTable) -> None:
    table.options = {"when_lost": "compare"}
    table.restart()
    reader = EventReader(table)
    reader.until(1)
    table.source.run("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = 'events'")
    table.source.run("UPDATE seen SET car = 'later'")
    found = reader.until(3)
    assert found[1] == MalformedRow(Reason.BAD_ROW)
    assert summary_of(found[2])[1:] == (1, "later", "compared")


def test_it_starts_at_a_stored_line_and_says_why_not_at_a_time(table: ChangedTable) -> None:
    EventReader(table).until(1)
    place = BeginAtPositions(kind="positions", positions={"cars": {"0": 1}})
    assert table.begun(table.journal).begin_at(place, "cars", now=0).positions == {"0": 1}
    ways: list[SoughtBegin] = ["now", BeginAtTime(kind="time", at=0)]
    for way in ways:
        with pytest.raises(AdapterError, match=r"only from the time when reading starts.* Start at the beginning"):
            table.adapter.begin_at(way, "cars", now=0)
