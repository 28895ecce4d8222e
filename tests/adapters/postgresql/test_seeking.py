"""Start positions of a table: now, a time of its cursor, or a row that was already read, with a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql import reading
from streaming.adapters.postgresql.adapter import PostgreSQLAdapter
from streaming.temporal.ticks import parse_instant
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from tests.adapters.postgresql.tables import MADE, SourceDatabase, further, payloads, source_database
from tests.postgresql import PostgreSQL

TIMED = "CREATE TABLE timed (id bigserial PRIMARY KEY, car text, at bigint DEFAULT 0, seen timestamptz NOT NULL)"


@pytest.fixture
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql, "sought") as database:
        database.run(MADE)
        database.run(TIMED)
        yield database


def begun(adapter: PostgreSQLAdapter, place: SoughtBegin) -> tuple[dict[str, int], bool]:
    found = adapter.begin_at(place, "cars", now=0)
    return dict(found.positions), found.skips


def timed(source: SourceDatabase, journal: Path | None) -> PostgreSQLAdapter:
    return source.adapter(journal, table="timed", cursor="seen", key=["id"], margin_s=0)


def at(text: str) -> BeginAtTime:
    return BeginAtTime(kind="time", at=parse_instant(text))


def rows(*numbers: int) -> BeginAtPositions:
    return BeginAtPositions(kind="positions", positions={"cars": {"0": numbers[0]}})


def test_from_now_it_reads_the_rows_after_the_present_ones(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a", "b")
    assert begun(source.adapter(tmp_path), "now") == ({"0": 0}, True)
    assert further(source.adapter(tmp_path), 0, 0) == 0
    source.add("c")
    again = source.adapter(tmp_path)
    assert begun(again, "now") == ({"0": 0}, True), "a repeated plan starts at the same place"
    assert further(again, 0, 2) == 1
    assert payloads(again, 0, 1) == ["c"]
    source.add("d")
    assert further(again, 1, 4) == 2
    assert payloads(source.adapter(tmp_path), 0, 2) == ["c", "d"]


def test_from_now_in_an_empty_table_is_the_beginning(source: SourceDatabase, tmp_path: Path) -> None:
    adapter = source.adapter(tmp_path)
    assert begun(adapter, "now") == ({"0": 0}, False)
    source.add("a")
    assert further(adapter, 0, 2) == 1


def test_from_now_a_row_that_is_being_written_is_not_skipped(
    source: SourceDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.add("a")
    with source.connected() as other:
        other.execute("INSERT INTO seen (car) VALUES ('late')")
        source.add("b")
        monkeypatch.setattr(reading, "_MOST_WAITS", 1)
        with pytest.raises(AdapterError, match="A transaction is writing") as caught:
            begun(source.adapter(tmp_path), "now")
        assert caught.value.domain == "external"
        other.commit()
    adapter = source.adapter(tmp_path)
    assert begun(adapter, "now") == ({"0": 0}, True)
    assert further(adapter, 0, 0) == 0, "all three were committed"


def test_from_a_time_it_reads_the_rows_whose_cursor_is_then_or_later(source: SourceDatabase, tmp_path: Path) -> None:
    for second in (1, 2, 3):
        values = [f"c{second}", f"2026-01-01T00:00:0{second}.000001Z"]
        source.run("INSERT INTO timed (car, seen) VALUES (%s, %s)", values)
    [lane] = timed(source, None).held(now=0, since=None)
    assert (lane.from_at, lane.until_at) == tuple(parse_instant(f"2026-01-01T00:00:0{s}.000001Z") for s in (1, 3))
    for place, skips, cars in (
        ("2026-01-01T00:00:01.000001Z", False, ["c1", "c2", "c3"]),
        ("2026-01-01T00:00:02.000001Z", True, ["c2", "c3"]),
        ("2026-01-01T00:00:02.000002Z", True, ["c3"]),
    ):
        adapter = timed(source, tmp_path / place)
        assert begun(adapter, at(place)) == ({"0": 0}, skips)
        end = further(adapter, 0, 0)
        assert payloads(adapter, 0, end) == cars


def test_a_numeric_cursor_has_no_time(source: SourceDatabase, tmp_path: Path) -> None:
    adapter = source.adapter(tmp_path)
    assert list(adapter.cannot_begin()) == ["time"]
    assert timed(source, None).cannot_begin() == {}
    with pytest.raises(AdapterError, match=r"is a number, so it has no time to start at\. Start now"):
        begun(adapter, at("2026-01-01T00:00:00Z"))


def test_a_row_that_was_already_read_is_a_start_position(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a", "b", "c")
    adapter = source.adapter(tmp_path)
    further(adapter, 0, 0)
    assert begun(adapter, rows(2)) == ({"0": 2}, True)
    with pytest.raises(AdapterError, match="can start at 0 to 3, not at 4"):
        begun(adapter, rows(4))
