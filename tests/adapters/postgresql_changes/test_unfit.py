"""Unsuitable servers, tables and streams raise an error, in the preview as in the run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.inference.propose import propose
from streaming.temporal.events import Shape
from tests.adapters.postgresql.tables import payloads
from tests.adapters.postgresql_changes.changed import ChangedTable, changed_table, slots
from tests.postgresql import PostgreSQL

UNFIT = [
    ("DROP PUBLICATION punctual", "has no publication 'punctual'"),
    ("ALTER PUBLICATION punctual DROP TABLE seen", "does not contain public.seen"),
    ("ALTER PUBLICATION punctual SET (publish = 'insert')", "excludes some kinds of changes"),
    ("ALTER PUBLICATION punctual SET TABLE seen (car)", "excludes the column 'id'"),
    ("ALTER TABLE seen DROP CONSTRAINT seen_pkey", "has no primary key"),
    ("ALTER TABLE seen REPLICA IDENTITY NOTHING", "does not identify changed rows"),
    ("ALTER TABLE seen ADD COLUMN _start int", "The column name '_start' of public.seen is reserved"),
    ("ALTER TABLE seen RENAME car TO vehicle", "has no column 'car'"),
    ("DROP TABLE seen", "has no table 'seen'"),
]


@pytest.fixture
def table(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[ChangedTable]:
    with changed_table(postgresql, "unfit", tmp_path / "journal") as made:
        yield made


@pytest.mark.parametrize(("statement", "message"), UNFIT)
def test_an_unsuitable_table(table: ChangedTable, statement: str, message: str) -> None:
    table.source.run(statement)
    for adapter in (table.adapter, table.begun(None)):
        with pytest.raises(AdapterError, match=message):
            adapter.latest({}, now=0, limit_rows=10)
    assert slots(table.source) == []


def test_a_user_without_the_right_to_replicate(table: ChangedTable) -> None:
    table.source.run("DROP ROLE IF EXISTS plain")
    table.source.run("CREATE ROLE plain LOGIN")
    table.source.run("GRANT SELECT ON seen TO plain")
    table.options = {"user": "plain"}
    table.restart()
    with pytest.raises(AdapterError, match='ALTER ROLE "plain" REPLICATION'):
        table.look()


def test_a_stream_of_another_kind(table: ChangedTable) -> None:
    table.stream = StreamDefinition(fields={"car": "string"})
    with pytest.raises(AdapterError, match="Name the column of its time"):
        table.restart()
    other = EventTime(start=TimeColumn(column="at"))
    table.stream = StreamDefinition(shape=Shape.EDGE, fields={"car": "string"}, event_time=other)
    with pytest.raises(AdapterError, match="the times of their commits"):
        table.restart()
    table.stream = StreamDefinition(shape=Shape.EDGE, fields={"car": "string", "_end": "timestamp"})
    with pytest.raises(AdapterError, match="differs between the start and the end"):
        table.restart()


def test_a_preview_shows_the_rows_and_creates_nothing(table: ChangedTable) -> None:
    table.source.run("INSERT INTO seen VALUES (1, 'a'), (2, 'b')")
    preview = table.begun(None)
    assert preview.latest({}, now=0, limit_rows=10) == {"0": 2}
    assert sorted(payloads(preview, 0, 2)) == ["a", "b"]
    assert slots(table.source) == []


def test_a_stream_is_proposed_with_the_times_of_commits(table: ChangedTable) -> None:
    with pytest.raises(AdapterError, match=r"public\.seen is still empty"):
        table.adapter.sample_records(10, 1_000, now=0)
    table.source.run("INSERT INTO seen VALUES (1, 'a')")
    found = propose(table.adapter.sample_records(10, 1_000, now=5))
    assert [(each.name, each.type) for each in found.fields] == [("id", "long"), ("car", "string")]
    assert [(each.start.column, each.shape, each.edge) for each in found.times] == [("_start", Shape.EDGE, "_edge")]
    assert any("max_slot_wal_keep_size" in note for note in found.notes)
    time = found.times[0]
    table.stream = StreamDefinition(
        shape=time.shape,
        fields={each.name: each.type for each in found.fields},
        event_time=EventTime(start=time.start, end=time.end, edge=time.edge),
    )
    table.restart()
    assert len(table.look_until(1)) > 0


def test_a_server_without_a_slot_left(table: ChangedTable) -> None:
    table.source.run("INSERT INTO seen VALUES (1, 'a')")
    fill = "SELECT pg_create_physical_replication_slot('punctual_fill_' || n) FROM generate_series(%s::int, %s::int) n"
    there, most = table.source.admin.execute(
        "SELECT count(*)::int, current_setting('max_replication_slots')::int FROM pg_replication_slots"
    ).fetchone() or (0, 0)
    table.source.run(fill, [there + 1, most])
    try:
        with pytest.raises(AdapterError, match="no replication slot left"):
            table.look()
        with pytest.raises(AdapterError, match=r"These slots of Punctual are inactive: .*punctual_fill_"):
            table.begun(None).latest({}, now=0, limit_rows=1)
    finally:
        table.source.run(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
            " WHERE starts_with(slot_name::text, 'punctual_fill_')"
        )
    assert slots(table.source) == []
