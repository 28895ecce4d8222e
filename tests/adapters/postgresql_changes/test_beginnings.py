"""The first rows during writes, transactions too large for memory, values of all kinds, and losses."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql_changes import following, keeping
from streaming.adapters.postgresql_changes.messages import ChangeMessage, TransactionBegin, message_of
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.postgresql_changes.changed import CARS, ChangedTable, changed_table, drop_slots, edges, slots
from tests.postgresql import PostgreSQL


@pytest.fixture
def table(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[ChangedTable]:
    with changed_table(postgresql, "beginnings", tmp_path / "journal") as made:
        yield made


def test_the_first_rows_and_the_later_changes_fit_together_exactly(table: ChangedTable) -> None:
    """Three writers each increment their rows, in transactions of two, while the reader starts: no count is missing."""
    table.source.run("INSERT INTO seen SELECT n, '0' FROM generate_series(0, 5) n")
    begun, stop = threading.Event(), threading.Event()

    def count(mine: int) -> None:
        with psycopg.connect(table.source.url, dbname=table.source.name) as writer:
            for number in range(1, 100_000):
                writer.execute("UPDATE seen SET car = %s WHERE id IN (%s, %s)", [str(number), mine, mine + 3])
                writer.commit()
                begun.set()
                if stop.is_set():
                    return

    writers = [threading.Thread(target=count, args=[number]) for number in range(3)]
    for each in writers:
        each.start()
    begun.wait()
    table.look_until(6)
    table.look_until(60)
    stop.set()
    for each in writers:
        each.join()
    last = dict(table.source.admin.execute("SELECT id, car FROM seen").fetchall())
    while {payload["id"]: payload["car"] for _, end, payload in table.lives() if end is None} != last:
        table.look()
    for key in range(6):
        mine = sorted(
            (start, end, int(payload["car"])) for start, end, payload in table.lives() if payload["id"] == key
        )
        counts = [number for _, _, number in mine]
        assert counts == list(range(counts[0], counts[0] + len(counts)))
        assert [start for start, _, _ in mine[1:]] == [end for _, end, _ in mine[:-1]]


def test_a_transaction_of_many_changes_is_read_in_pieces_through_a_failure(
    table: ChangedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "WRITTEN_BYTES", 20_000)
    table.look()
    table.source.run("INSERT INTO seen SELECT n, 'x' FROM generate_series(1, 3000) n")
    written = 0
    append = table.adapter._pages.append

    def failing(*arguments: Any) -> None:
        nonlocal written
        written += 1
        if written == 5:
            raise OSError
        append(*arguments)

    monkeypatch.setattr(table.adapter._pages, "append", failing)
    with pytest.raises(OSError):  # noqa: PT011 # the one that is planted
        table.look_until_it_fails()
    table.restart()
    table.look_until(3000 - len(edges(table.read_elements)))
    table.source.run("DELETE FROM seen WHERE id > 1")
    table.look_until(2999)
    lives = table.lives()
    assert len(lives) == 3000
    assert len({start for start, _, _ in lives}) == 1
    assert [payload["id"] for _, end, payload in lives if end is None] == [1]


def test_values_are_the_same_in_present_rows_and_in_changes(table: ChangedTable) -> None:
    run = table.source.run
    run("CREATE DOMAIN price AS numeric(10, 2)")
    run(
        "ALTER TABLE seen ADD COLUMN on_sale boolean, ADD COLUMN price price, ADD COLUMN at timestamptz,"
        " ADD COLUMN rate double precision, ADD COLUMN tags text[], ADD COLUMN sizes int[], ADD COLUMN more jsonb,"
        " ADD COLUMN long text, ADD COLUMN twice bigint GENERATED ALWAYS AS (id * 2) STORED"
    )
    run("ALTER TABLE seen ALTER COLUMN long SET STORAGE EXTERNAL")
    fields = {
        "on_sale": "boolean", "price": "decimal(10,2)", "at": "timestamp", "rate": "double", "tags": "array<string>",
        "sizes": "array<long>", "more": "struct<a: long>", "long": "string", "car": "string", "_change": "string"
    }  # fmt: skip
    table.stream = StreamDefinition(shape=Shape.EDGE, fields=fields)
    table.restart()
    add = (
        "INSERT INTO seen VALUES (%s, 'a', true, 12.50, '2026-01-02 03:04:05.5+01', 0.1,"
        """ ARRAY['x', 'a "b", c', NULL], '{1,2}', '{"a": 1}', repeat('0123456789', 5000))"""
    )
    run(add, [1])
    table.look_until(1)
    run(add, [2])
    run("UPDATE seen SET car = 'b'")  # does not touch the long text, so it is not in the log
    found = [payload for _, _, payload in [*table.lives(), *_of(table, 5)]]
    assert len(found) == 4
    first = dict(found[0])
    assert first["tags"] == ["x", 'a "b", c', None]
    assert len(first["long"]) == 50_000
    for each in found:
        assert {**each, "car": "", "_change": ""} == {**first, "car": "", "_change": ""}
    run("ALTER TABLE seen ALTER COLUMN on_sale TYPE text USING 'maybe'")
    run("UPDATE seen SET car = 'c' WHERE id = 1")
    begun = len(table.read_elements)
    while not any(isinstance(each, MalformedRow) for each in table.read_elements[begun:]):
        table.look()
    run("ALTER TABLE seen DROP COLUMN rate")
    with pytest.raises(AdapterError, match="has no column 'rate'"):
        table.look_until_it_fails()


def _of(table: ChangedTable, more: int) -> list[tuple[int, int | None, Any]]:
    before = len(table.lives())
    table.look_until(more)
    return table.lives()[before:]


def test_a_loss_on_the_server_stops_the_binding_or_is_compared(table: ChangedTable) -> None:
    run = table.source.run
    run("INSERT INTO seen VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    table.look_until(3)
    drop_slots(table.source)
    run("UPDATE seen SET car = 'bb' WHERE id = 2")
    run("DELETE FROM seen WHERE id = 3")
    run("INSERT INTO seen VALUES (4, 'd')")
    with pytest.raises(AdapterError, match="was deleted, and with it unread changes"):
        table.look_until_it_fails()
    table.stream = CARS.model_copy(update={"fields": {**CARS.fields, "_change": "string"}})
    table.options = {"when_lost": "compare"}
    table.restart()
    found_elements = table.look_until(4)
    assert MalformedRow(Reason.BAD_ROW) in found_elements  # the gap, in front of what differs
    found = edges(found_elements)
    assert sorted((str(each.edge), each.payload["id"], each.payload["_change"]) for each in found) == [
        ("end", 2, "snapshot"), ("end", 3, "snapshot"), ("start", 2, "compared"), ("start", 4, "compared")
    ]  # fmt: skip
    run("DELETE FROM seen WHERE id = 4")
    assert edges(table.look_until(1))[0].payload == {"id": 4, "car": "d", "_change": "compared"}
    assert len(slots(table.source)) == 1
    [gap] = [text for text in table.raw() if text.startswith("Changes between ")]
    assert re.fullmatch(r"Changes between 20\S+Z and 20\S+Z are lost\. The replication slot .* was deleted, .*", gap)
    table.restart()
    assert table.look() == []  # its open rows are what they were


def test_an_older_copy_of_the_journal_notices_that_the_slot_was_advanced(table: ChangedTable, tmp_path: Path) -> None:
    table.source.run("INSERT INTO seen VALUES (1, 'a')")
    table.look_until(1)
    older = tmp_path / "older"
    older.mkdir()
    for file in table.journal.iterdir():
        (older / file.name).write_bytes(file.read_bytes())
    table.source.run("INSERT INTO seen VALUES (2, 'b')")
    table.look_until(1)
    for _ in range(10):
        table.look()  # a later batch confirms it
    fork = table.begun(older)
    with pytest.raises(AdapterError, match="Changes that this binding has not read"):
        fork.latest({"0": 2}, now=10**9, limit_rows=10)


def test_a_log_that_the_server_discarded_stops_the_binding(table: ChangedTable) -> None:
    table.source.run("INSERT INTO seen VALUES (1, 'a')")
    table.look_until(1)
    table.source.run("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'")
    try:
        table.source.run("SELECT pg_reload_conf()")
        for number in range(2, 5):
            table.source.run("INSERT INTO seen VALUES (%s, 'b')", [number])
            table.source.run("SELECT pg_switch_wal()")
        ask = "SELECT wal_status = 'lost' FROM pg_replication_slots WHERE database = current_database()"
        while table.source.admin.execute(ask).fetchone() != (True,):
            table.source.run("CHECKPOINT")
    finally:
        table.source.run("ALTER SYSTEM RESET max_slot_wal_keep_size")
        table.source.run("SELECT pg_reload_conf()")
    with pytest.raises(AdapterError, match="not read in time"):
        table.look_until_it_fails()
    table.options = {"when_lost": "compare"}
    table.restart()
    assert len(edges(table.look_until(3))) == 3


def test_commits_whose_clock_decreases_come_after_earlier_ones(
    table: ChangedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_back(data: bytes) -> ChangeMessage | None:
        found = message_of(data)
        if isinstance(found, TransactionBegin) and found.xid % 2:
            return replace(found, committed=found.committed - 3_600_000_000)
        return found

    monkeypatch.setattr(following, "message_of", set_back)
    table.look()
    for number in range(1, 7):
        table.source.run("INSERT INTO seen VALUES (1, %s) ON CONFLICT (id) DO UPDATE SET car = excluded.car", [number])
    table.look_until(11)
    lives = sorted(table.lives(), key=lambda life: life[0])
    assert [payload["car"] for _, _, payload in lives] == list("123456")
    assert all(end == later for (_, end, _), (later, _, _) in pairwise(lives))
