"""Inserts, updates, deletes and truncates of a real server as lifetimes of rows, each edge once, through restarts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.postgresql_changes.changed import ChangedTable, changed_table, edges, slots
from tests.postgresql import PostgreSQL


@pytest.fixture
def table(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[ChangedTable]:
    with changed_table(postgresql, "lives", tmp_path / "journal") as made:
        yield made


def test_present_rows_are_open_and_each_change_ends_and_begins_a_lifetime(table: ChangedTable) -> None:
    run = table.source.run
    run("INSERT INTO seen VALUES (1, 'a'), (2, 'b')")
    table.look_until(2)
    run("INSERT INTO seen VALUES (3, 'c')")
    run("UPDATE seen SET car = 'bb' WHERE id = 2")
    run("DELETE FROM seen WHERE id = 1")
    table.look_until(4)
    table.restart()
    run("UPDATE seen SET id = 30 WHERE id = 3")
    run("TRUNCATE seen")
    table.look_until(4)
    lives = table.lives()
    assert sorted((life[2]["id"], life[2]["car"]) for life in lives) == [
        (1, "a"), (2, "b"), (2, "bb"), (3, "c"), (30, "c")
    ]  # fmt: skip
    assert all(end is not None and end > start for start, end, _ in lives)
    by = {(life[2]["id"], life[2]["car"]): life for life in lives}
    assert by[2, "b"][1] == by[2, "bb"][0]
    assert by[3, "c"][1] == by[30, "c"][0]
    assert len(slots(table.source)) == 1
    again = table.begun(table.journal)
    assert [
        each for chunk in again.read("0", 0, len(table.read_elements)) for each in chunk.positions.tolist()
    ] == list(range(len(table.read_elements)))
    assert len(edges(table.read_elements)) == 10
