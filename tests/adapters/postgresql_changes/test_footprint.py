"""The slots of an input, managed from outside: the log stored for them, and their removal with their reader."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.kinds import Footprint
from streaming.adapters.postgresql_changes.kind import KIND
from streaming.adapters.postgresql_changes.slots import footprint
from streaming.adapters.registry import read_options
from tests.adapters.postgresql.tables import LOOPBACK
from tests.adapters.postgresql_changes.changed import ChangedTable, changed_table, slots
from tests.postgresql import PostgreSQL, binaries

MINE, OTHER = "binding-1.seen", "binding-2.seen"


@pytest.fixture
def table(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[ChangedTable]:
    with changed_table(postgresql, "footprints", tmp_path / "journal", holder=MINE) as made:
        made.source.run("INSERT INTO seen VALUES (1, 'a')")
        made.look_until(1)
        yield made


def left() -> Footprint:
    assert KIND.footprint is not None
    return KIND.footprint


def options(table: ChangedTable) -> Any:
    settings = dict(table.source.options())
    del settings["cursor"]
    return read_options("postgresql_changes", settings)


def active(table: ChangedTable, name: str) -> bool:
    ask = "SELECT FROM pg_replication_slots WHERE slot_name = %s AND active"
    return table.source.admin.execute(ask, [name]).fetchone() is not None


def test_the_slots_of_one_input_are_dropped_and_those_of_others_stay(table: ChangedTable, tmp_path: Path) -> None:
    mine = slots(table.source)
    other = ChangedTable(table.source, tmp_path / "other", holder=OTHER)
    other.look_until(1)
    assert left().look(options(table), MINE, LOOPBACK).names == mine
    left().release(options(table), MINE, mine, LOOPBACK)  # continued under another address of the same server
    assert set(mine) < set(slots(table.source))
    left().release(options(table), MINE, [], LOOPBACK)
    left().release(options(table), MINE, [], LOOPBACK)  # again, because the first answer was lost
    assert left().look(options(table), MINE, LOOPBACK).names == []
    assert slots(table.source) == left().look(options(table), OTHER, LOOPBACK).names
    other.source.run("INSERT INTO seen VALUES (2, 'b')")
    other.look_until(1)


def test_the_command_for_people_drops_the_slots(table: ChangedTable) -> None:
    settings = table.source.options()
    assert (
        left().where(settings) == f"PostgreSQL at {settings['host']}:{settings['port']}, database {table.source.name}"
    )
    table.source.run(left().by_hand(settings, MINE))
    assert slots(table.source) == []


def test_a_slot_that_is_being_read_is_dropped_later(table: ChangedTable) -> None:
    [name] = slots(table.source)
    address = psycopg.conninfo.make_conninfo(table.source.url, dbname=table.source.name)
    arguments = ["-o", "proto_version=1", "-o", "publication_names=punctual", "-f", "-"]
    program = [str(binaries() / "pg_recvlogical"), "-d", address, "-S", name, "--start", *arguments]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL) as reader:
        try:
            while reader.poll() is None and not active(table, name):
                pass
            with pytest.raises(AdapterError, match="one process at a time") as refused:
                left().release(options(table), MINE, [], LOOPBACK)
        finally:
            reader.terminate()
    assert refused.value.domain == "external"
    while active(table, name):
        pass
    left().release(options(table), MINE, [], LOOPBACK)
    assert slots(table.source) == []


def test_a_start_from_the_beginning_drops_the_previous_slot(table: ChangedTable, tmp_path: Path) -> None:
    [before] = slots(table.source)
    anew = ChangedTable(table.source, tmp_path / "anew", holder=MINE)
    anew.look_until(1)
    [after] = slots(table.source)
    assert after != before
    assert after.rpartition("_")[0] == before.rpartition("_")[0]


def test_the_stored_log_is_reported_with_a_warning_when_it_is_large(
    table: ChangedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = left().look(options(table), MINE, LOOPBACK)
    assert seen.kept_bytes is not None
    assert seen.warning is None
    table.source.run("INSERT INTO seen SELECT n, repeat('x', 1000) FROM generate_series(10, 2000) n")
    more = left().look(options(table), MINE, LOOPBACK)
    assert more.kept_bytes is not None
    assert more.kept_bytes > seen.kept_bytes + 1_000_000
    monkeypatch.setattr(footprint, "LARGE_BYTES", 1_000_000)
    warning = left().look(options(table), MINE, LOOPBACK).warning
    assert warning is not None
    assert "of its log for this input, until its disk is full" in warning


def test_a_lost_slot_is_reported(table: ChangedTable) -> None:
    """Reach the limit: at a checkpoint the server discards what the slot has not read."""
    run = table.source.run
    try:
        run("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'")
        run("SELECT pg_reload_conf()")
        for _ in range(3):
            run("SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000))")
            run("SELECT pg_switch_wal()")
        run("CHECKPOINT")
        seen = left().look(options(table), MINE, LOOPBACK)
    finally:
        run("ALTER SYSTEM RESET max_slot_wal_keep_size")
        run("SELECT pg_reload_conf()")
    assert seen.warning is not None
    assert seen.warning.startswith("The server has discarded changes that were not read in time")
