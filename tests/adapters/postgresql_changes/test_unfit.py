"""What a server, a table or a stream lacks is said in a sentence, by the preview as by the run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.definition.streams import EventTime, StreamDefinition, TimeColumn
from streaming.inference.propose import propose
from streaming.temporal.events import Shape
from tests.adapters.postgresql.tables import payloads
from tests.adapters.postgresql_changes.changed import ChangedTable, changed_table, slots
from tests.postgresql import PostgreSQL

UNFIT = [
    ("DROP PUBLICATION punctual", "has no publication 'punctual'"),
    ("ALTER PUBLICATION punctual DROP TABLE seen", "does not tell changes of public.seen"),
    ("ALTER PUBLICATION punctual SET (publish = 'insert')", "leaves out some kinds of changes"),
    ("ALTER PUBLICATION punctual SET TABLE seen (car)", "does not tell the column 'id'"),
    ("ALTER TABLE seen DROP CONSTRAINT seen_pkey", "has no primary key"),
    ("ALTER TABLE seen REPLICA IDENTITY NOTHING", "nothing of which row was changed"),
    ("ALTER TABLE seen ADD COLUMN _start int", "A column of public.seen is called '_start'"),
    ("ALTER TABLE seen RENAME car TO vehicle", "has no column 'car'"),
    ("DROP TABLE seen", "has no table 'seen'"),
]


@pytest.fixture
def table(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[ChangedTable]:
    with changed_table(postgresql, "unfit", tmp_path / "journal") as made:
        yield made


@pytest.mark.parametrize(("statement", "said"), UNFIT)
def test_a_table_that_will_not_do(table: ChangedTable, statement: str, said: str) -> None:
    table.source.run(statement)
    for adapter in (table.adapter, table.begun(None)):
        with pytest.raises(AdapterError, match=said):
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
    with pytest.raises(AdapterError, match="Say in which column its time is"):
        table.restart()
    other = EventTime(start=TimeColumn(column="at"))
    table.stream = StreamDefinition(shape=Shape.EDGE, fields={"car": "string"}, event_time=other)
    with pytest.raises(AdapterError, match="the times of their commits"):
        table.restart()
    table.stream = StreamDefinition(shape=Shape.EDGE, fields={"car": "string", "_end": "timestamp"})
    with pytest.raises(AdapterError, match="differs between the start and the end"):
        table.restart()


def test_a_preview_shows_the_rows_and_makes_nothing(table: ChangedTable) -> None:
    table.source.run("INSERT INTO seen VALUES (1, 'a'), (2, 'b')")
    preview = table.begun(None)
    assert preview.latest({}, now=0, limit_rows=10) == {"0": 2}
    assert sorted(payloads(preview, 0, 2)) == ["a", "b"]
    assert slots(table.source) == []


def test_a_stream_is_proposed_with_the_times_of_commits(table: ChangedTable) -> None:
    with pytest.raises(AdapterError, match=r"nothing in public\.seen yet"):
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
        with pytest.raises(AdapterError, match=r"Of ours nobody reads now: .*punctual_fill_"):
            table.begun(None).latest({}, now=0, limit_rows=1)
    finally:
        table.source.run(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
            " WHERE starts_with(slot_name::text, 'punctual_fill_')"
        )
    assert slots(table.source) == []
