"""A polled table: each committed row once, in an order that never changes, whatever writers do."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError, BoundedAdapter
from streaming.adapters.postgresql import pages
from streaming.adapters.postgresql.options import PostgreSQLOptions
from streaming.adapters.preview import check, sample
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.postgresql.tables import (
    MADE,
    SECOND,
    SEEN,
    SourceDatabase,
    further,
    payloads,
    refusal,
    rows_of,
    source_database,
)
from tests.postgresql import PostgreSQL


@pytest.fixture
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql) as database:
        database.run(MADE)
        yield database


def test_new_rows_are_read_when_the_table_is_polled_again(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a", "b")
    adapter = source.adapter(tmp_path)
    assert list(adapter.lanes()) == ["0"]
    assert further(adapter, 0, 0) == 2
    source.add("c")
    assert further(adapter, 2, 0) == 2, "the poll is not due yet"
    assert further(adapter, 2, 1) == 3
    assert payloads(adapter, 0, 3) == ["a", "b", "c"]
    assert not adapter.finished({"0": 3})


def test_rows_that_were_read_stay_whatever_becomes_of_the_table(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a", "b", "c")
    assert further(source.adapter(tmp_path), 0, 0) == 3
    source.run("UPDATE seen SET car = 'changed' WHERE car = 'a'")
    source.run("DELETE FROM seen WHERE car = 'b'")
    source.add("d")
    after = source.adapter(tmp_path)
    assert further(after, 3, 0) == 4
    source.run("DROP TABLE seen")
    assert payloads(after, 0, 4) == ["a", "b", "c", "d"]
    assert [payloads(source.adapter(tmp_path), at, at + 1) for at in range(4)] == [["a"], ["b"], ["c"], ["d"]]


def test_batches_are_as_small_as_requested_and_pages_grow(
    source: SourceDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 100)
    source.run("INSERT INTO seen (car) SELECT 'c' || n FROM generate_series(1, 100) n")
    adapter, reached = source.adapter(tmp_path), 0
    while (end := further(adapter, reached, 0, 7)) > reached:
        assert end - reached <= 7
        reached = end
    assert reached == 100
    assert payloads(source.adapter(tmp_path), 0, 100) == [f"c{n}" for n in range(1, 101)]
    assert payloads(source.adapter(tmp_path), 41, 67) == [f"c{n}" for n in range(42, 68)]
    assert 10 < len(list(tmp_path.iterdir())) < 60
    assert isinstance(adapter, BoundedAdapter)
    assert adapter.bounds({"0": 0}) == {}
    monkeypatch.setattr("streaming.adapters.postgresql.pages.BATCH_BYTES", 1)
    assert 0 < adapter.bounds({"0": 0})["0"] < 20


def test_a_row_that_commits_after_a_later_one_is_waited_for(source: SourceDatabase, tmp_path: Path) -> None:
    adapter = source.adapter(tmp_path)
    with source.connected() as slow, source.connected() as idle:
        idle.execute("SELECT 1 FROM seen")  # a transaction that only reads does not delay the reader
        slow.execute("INSERT INTO seen (car) VALUES ('slow')")
        source.add("fast")
        assert further(adapter, 0, 0) == 0
        source.add("faster")
        assert further(adapter, 0, 1) == 0
        slow.commit()
        assert further(adapter, 0, 2) == 3
        assert payloads(adapter, 0, 3) == ["slow", "fast", "faster"]


def test_later_writers_do_not_delay_a_settled_row(source: SourceDatabase, tmp_path: Path) -> None:
    adapter = source.adapter(tmp_path)
    with source.connected() as first, source.connected() as second, source.connected() as third:
        first.execute("INSERT INTO seen (car) VALUES ('1')")
        source.add("2")
        assert further(adapter, 0, 0) == 0
        second.execute("INSERT INTO seen (car) VALUES ('3')")
        first.commit()
        assert further(adapter, 0, 1) == 2, "rows 1 and 2 are settled although 3 is not"
        third.execute("INSERT INTO seen (car) VALUES ('4')")
        source.add("5")
        assert further(adapter, 2, 2) == 2
        second.commit()
        assert further(adapter, 2, 3) == 2
        third.rollback()
        assert further(adapter, 2, 4) == 4
    assert payloads(adapter, 0, 4) == ["1", "2", "3", "5"]


def test_a_number_assigned_before_its_row_is_waited_for(source: SourceDatabase, tmp_path: Path) -> None:
    adapter = source.adapter(tmp_path)
    with source.connected() as slow:
        [[number]] = slow.execute("SELECT nextval('seen_id_seq')")
        source.add("fast")
        assert further(adapter, 0, 0) == 0
        slow.execute("INSERT INTO seen (id, car) VALUES (%s, 'slow')", [number])
        slow.commit()
        assert further(adapter, 0, 1) == 2
    assert payloads(adapter, 0, 2) == ["slow", "fast"]


def test_times_wait_for_every_earlier_transaction(source: SourceDatabase, tmp_path: Path) -> None:
    source.run("CREATE TABLE timed (id bigserial PRIMARY KEY, car text, at timestamptz NOT NULL DEFAULT now())")
    stream = SEEN.model_copy(update={"event_time": EventTime(start=TimeColumn(column="at", unit="iso"))})
    adapter = source.adapter(tmp_path, stream, table="timed", cursor="at", margin_s=0)
    with source.connected() as slow:
        slow.execute("SELECT 1")  # now() is fixed here
        source.run("INSERT INTO timed (car) VALUES ('fast'), ('fast too')")
        assert further(adapter, 0, 0) == 0
        slow.execute("INSERT INTO timed (car) VALUES ('slow')")
        slow.commit()
        assert further(adapter, 0, 1) == 3
    assert payloads(adapter, 0, 3) == ["slow", "fast", "fast too"]
    source.run("INSERT INTO timed (car, at) VALUES ('tomorrow', now() + interval '1 day')")
    assert further(adapter, 3, 2) == 3, "rows with future times are read when their time has come"


def test_rows_younger_than_the_margin_are_not_read_yet(source: SourceDatabase, tmp_path: Path) -> None:
    source.run("CREATE TABLE timed (id bigserial PRIMARY KEY, car text, at timestamptz NOT NULL)")
    source.run("INSERT INTO timed (car, at) VALUES ('old', now() - interval '1 hour'), ('young', now())")
    stream = SEEN.model_copy(update={"event_time": EventTime(start=TimeColumn(column="at", unit="iso"))})
    adapter = source.adapter(tmp_path, stream, table="timed", cursor="at", margin_s=600)
    assert further(adapter, 0, 0) == 1
    assert payloads(adapter, 0, 1) == ["old"]


def test_an_update_that_raises_the_cursor_makes_a_row_a_new_one(source: SourceDatabase, tmp_path: Path) -> None:
    source.run("CREATE TABLE versioned (id int PRIMARY KEY, car text, version bigint NOT NULL, at bigint DEFAULT 0)")
    source.run("INSERT INTO versioned VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 2)")
    adapter = source.adapter(tmp_path, table="versioned", cursor="version")
    assert further(adapter, 0, 0, 2) == 2
    assert further(adapter, 2, 0, 2) == 3
    source.run("UPDATE versioned SET car = 'A', version = 3 WHERE id = 1")
    assert further(adapter, 3, 1) == 4
    assert payloads(adapter, 0, 4) == ["a", "b", "c", "A"]


def test_a_partitioned_table_is_one_lane(source: SourceDatabase, tmp_path: Path) -> None:
    source.run("CREATE TABLE parted (id bigint GENERATED ALWAYS AS IDENTITY, car text, at bigint DEFAULT 0,"
               " part int NOT NULL, PRIMARY KEY (id, part)) PARTITION BY LIST (part)")  # fmt: skip
    source.run("CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1)")
    source.run("CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2)")
    adapter = source.adapter(tmp_path, table="parted")
    with source.connected() as slow:
        slow.execute("INSERT INTO parted (car, part) VALUES ('slow', 2)")
        source.run("INSERT INTO parted (car, part) VALUES ('fast', 1)")
        assert further(adapter, 0, 0) == 0
        slow.commit()
    assert further(adapter, 0, 1) == 2
    assert payloads(adapter, 0, 2) == ["slow", "fast"]


def test_a_field_added_to_a_stream_is_in_rows_that_were_read_before(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a")
    only_id = StreamDefinition(fields={"id": "long"}, event_time=SEEN.event_time)
    assert further(source.adapter(tmp_path, only_id), 0, 0) == 1
    assert payloads(source.adapter(tmp_path), 0, 1) == ["a"]


def test_reading_can_start_after_a_cursor(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a", "b", "c")
    adapter = source.adapter(tmp_path, begin_after="2")
    assert payloads(adapter, 0, further(adapter, 0, 0)) == ["c"]
    assert further(adapter, 1, 1) == 1
    assert "`begin_after`" in str(refusal(source.adapter(tmp_path / "other", begin_after="soon")))


def test_a_row_with_a_value_in_the_cti_column_is_a_cti(source: SourceDatabase, tmp_path: Path) -> None:
    source.run("ALTER TABLE seen ADD cti timestamptz")
    source.run(
        "INSERT INTO seen (car, at, cti) VALUES ('a', 1, null), (null, 0, '1970-01-01T00:00:07Z'),"
        " ('b', 8000000, null), (null, 0, 'infinity'), (null, 0, '11000-01-01')"
    )
    strict = source.adapter(tmp_path / "strict", cti_column="cti", cti_strict=True)
    adapter = source.adapter(tmp_path / "plain", cti_column="cti")
    assert further(strict, 0, 0) == further(adapter, 0, 0) == 5
    found = rows_of(adapter, 0, 5)
    assert [each for each in found if isinstance(each, Cti)] == [Cti(Tick(7 * SECOND)), Cti(INFINITY)]
    assert found[4] == MalformedRow(Reason.BAD_CTI)
    assert rows_of(strict, 1, 2) == [Cti(Tick(7 * SECOND + 1))]


def test_a_cti_column_that_is_not_named_has_no_effect(source: SourceDatabase, tmp_path: Path) -> None:
    source.run("CREATE TABLE plain (id bigserial PRIMARY KEY, start bigint, cti bigint, payload jsonb)")
    source.run("INSERT INTO plain (start) VALUES (5)")
    adapter = source.adapter(tmp_path, StreamDefinition(fields={"id": "long"}), table="plain")
    [event] = rows_of(adapter, 0, further(adapter, 0, 0))
    assert event == Event(Tick(5), Tick(6), {"id": 1})


def test_rows_arrive_when_they_are_read_and_by_default_start_then(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a")
    stream = StreamDefinition(fields={"car": "string"}, rowtime=Rowtime.IMPLICIT)
    adapter = source.adapter(tmp_path, stream)
    assert further(adapter, 0, 3) == 1
    source.add("b", "c")
    assert further(adapter, 1, 5) == 3
    again = source.adapter(tmp_path, stream)
    assert [getattr(row, "start", None) for row in rows_of(again, 0, 3)] == [3 * SECOND, 5 * SECOND, 5 * SECOND]
    [chunk] = again.read("0", 1, 2)
    assert chunk.arrival is not None
    assert chunk.arrival.tolist() == [5 * SECOND]


def test_a_preview_waits_for_nobody_and_stores_nothing(source: SourceDatabase, tmp_path: Path) -> None:
    with source.connected() as slow:
        slow.execute("INSERT INTO seen (car) VALUES ('slow')")
        source.add("fast")
        reach = OutgoingPolicy(networks=("127.0.0.1/32",))
        adapter = input_adapter("postgresql", source.options(), SEEN, tmp_path, outgoing=reach)
        check(adapter, now=0)
        [row] = sample(adapter, 5, now=0)
    assert isinstance(row.element, Event)
    assert row.raw == '{"id":2,"car":"fast","at":0}'
    assert list(tmp_path.iterdir()) == []


def test_a_server_is_reached_only_where_the_installation_allows_it(source: SourceDatabase, tmp_path: Path) -> None:
    adapter = input_adapter("postgresql", source.options(), SEEN, tmp_path)
    with pytest.raises(AdapterError, match="PUNCTUAL_OUTGOING_NETWORKS"):
        check(adapter, now=0)


def test_rows_that_are_no_longer_stored_are_refused(source: SourceDatabase, tmp_path: Path) -> None:
    source.add("a")
    adapter = source.adapter(tmp_path)
    assert "has read 1 row of public.seen, but its journal holds only 0" in str(refusal(adapter, reached=1))
    with pytest.raises(AdapterError, match="no longer stored"):
        rows_of(adapter, 0, 1)
    assert further(adapter, 0, 1) == 1
    [page] = tmp_path.iterdir()
    page.write_bytes(page.read_bytes()[:-5])
    with pytest.raises(AdapterError, match="damaged"):
        rows_of(source.adapter(tmp_path), 0, 1)
    page.write_bytes(b"{}\n")
    assert "damaged" in str(refusal(source.adapter(tmp_path)))


def test_options_travel_to_other_processes(source: SourceDatabase) -> None:
    options = PostgreSQLOptions.model_validate(source.options(password="s3cr3t-planted"))
    assert "s3cr3t" not in repr(pickle.loads(pickle.dumps(options)))
