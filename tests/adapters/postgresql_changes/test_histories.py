"""Random transactions of several writers against a model of rows' lifetimes: each edge once, whatever breaks."""

import itertools
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql import pages
from streaming.adapters.postgresql_changes import following, keeping
from streaming.adapters.postgresql_changes.slots import slot
from tests.adapters.postgresql.tables import Connection, SourceDatabase, rows_of, source_database
from tests.adapters.postgresql_changes.changed import MADE, PUBLISHED, ChangedTable, drop_slots
from tests.postgresql import PostgreSQL

WRITERS = 3
KEYS = 6
SENTINEL = 1_000
MOVE = "UPDATE seen SET id = %s WHERE id = %s AND NOT EXISTS (SELECT FROM seen WHERE id = %s) RETURNING car"
STATEMENTS: dict[str, LiteralString] = {
    "insert": "INSERT INTO seen VALUES (%(key)s, %(name)s) ON CONFLICT DO NOTHING",
    "update": "UPDATE seen SET car = %(name)s WHERE id = %(key)s",
    "touch": "UPDATE seen SET car = car WHERE id = %(key)s",
    "delete": "DELETE FROM seen WHERE id = %(key)s",
}
Effect = tuple[int, str | None]
"""A key and its row (None: deleted)."""


@pytest.fixture(scope="module")
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql, "histories") as database:
        yield database
        drop_slots(database)


@dataclass
class LifeModel:
    """Lifetimes by commit: opened at one, closed at another or open; computed without the adapter's output."""

    rows: dict[int, str] = field(default_factory=dict)
    lives: list[list[Any]] = field(default_factory=list)
    commits: int = 0

    def commit(self, effects: list[Effect]) -> None:
        self.commits += 1
        before = dict(self.rows)
        for key, car in effects:
            self.rows.pop(key, None)
            if car is not None:
                self.rows[key] = car
        for key in {key for key, _ in effects}:
            if before.get(key) == self.rows.get(key):
                continue
            for life in self.lives:
                if life[2] == key and life[1] is None:
                    life[1] = self.commits
            if key in self.rows:
                self.lives.append([self.commits, None, key, self.rows[key]])

    def ranked(self) -> list[tuple[int, int, int, str]]:
        return ranks([(start, end, key, car) for start, end, key, car in self.lives])


def ranks(lives: list[tuple[int, int | None, int, str]]) -> list[tuple[int, int, int, str]]:
    """Lifetimes with numbered times: only their order and equality are compared."""
    times = sorted({each for start, end, _, _ in lives for each in (start, end) if each is not None})
    rank = {time: number for number, time in enumerate(times)}
    return sorted((rank[start], -1 if end is None else rank[end], key, car) for start, end, key, car in lives)


@dataclass
class Writer:
    """A connection with a transaction of its own, and its changes so far."""

    connection: Connection
    effects: list[Effect] = field(default_factory=list)

    def write(self, what: str, draw: random.Random, name: str) -> None:
        key, other = draw.randrange(KEYS), draw.randrange(KEYS)
        if what == "undone":
            with self.connection.transaction(force_rollback=True):
                self.connection.execute("UPDATE seen SET car = 'never' WHERE id = %s", [key])
        elif what == "truncate":
            self.connection.execute("TRUNCATE seen")
            self.effects += [(each, None) for each in range(KEYS)]
        elif what == "move":
            found = self.connection.execute(MOVE, [other, key, other]).fetchone()
            if found is not None:
                self.effects += [(key, None), (other, found[0])]
        else:
            values = {"key": key, "name": name}
            if self.connection.execute(STATEMENTS[what], values).rowcount and what != "touch":
                self.effects.append((key, None if what == "delete" else name))


WRITES = ["insert", "insert", "insert", "update", "update", "touch", "move", "delete", "undone", "truncate"]


class Broken(OSError):
    """A failing disk or machine."""


@dataclass
class History:
    """Writers, a reader and the model of its expected output."""

    table: ChangedTable
    writers: list[Writer]
    draw: random.Random
    model: LifeModel = field(default_factory=LifeModel)
    names: int = 0

    def step(self) -> None:
        if self.draw.random() < 0.3:
            self.read(self.draw.choice(["look", "look", "look", "restart", "cut", "fail"]))
            return
        writer = self.draw.choice(self.writers)
        if self.draw.random() < 0.3:
            self.commit(writer)
            return
        self.names += 1
        try:
            writer.write(self.draw.choice(WRITES), self.draw, f"car {self.names}")
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected, psycopg.errors.UniqueViolation):
            writer.connection.rollback()
            writer.effects.clear()

    def commit(self, writer: Writer) -> None:
        if self.draw.random() < 0.2:
            writer.connection.rollback()
        else:
            writer.connection.commit()
            self.model.commit(writer.effects)
        writer.effects = []

    def read(self, what: str) -> None:
        if what == "restart":
            self.table.restart()
            return
        with pytest.MonkeyPatch.context() as patch:
            if what == "cut":
                patch.setattr(following, "message_of", self._cut)
            if what == "fail":
                patch.setattr(pages.RowPages, "append", self._failing(self.draw.randrange(3)))
            try:
                self.table.look(self.draw.randint(1, 9))
            except Broken:
                if self.draw.random() < 0.5:
                    self.table.restart()
            except AdapterError as error:
                if error.domain != "external":
                    raise

    def _cut(self, _: bytes) -> None:
        """The server ends the connection while changes are read."""
        self.table.source.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'Punctual' AND datname = current_database()"
        )

    def _failing(self, after: int) -> Any:
        written, append = itertools.count(), pages.RowPages.append

        def failing(*arguments: Any) -> None:
            if next(written) >= after:
                raise Broken
            append(*arguments)

        return failing


def start(source: SourceDatabase, journal: Path, draw: random.Random) -> ChangedTable:
    """A table with some rows, and a reader that has not polled yet."""
    drop_slots(source)
    source.run("DROP PUBLICATION IF EXISTS punctual")
    source.run("DROP TABLE IF EXISTS seen")
    source.run(MADE)
    source.run(PUBLISHED)
    table = ChangedTable(source, journal)
    for key in draw.sample(range(KEYS), 3):
        source.run("INSERT INTO seen VALUES (%s, 'first')", [key])
    return table


def play(source: SourceDatabase, seed: int, small: bool) -> None:
    draw = random.Random(seed)
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "PAGE_BYTES", 150 if small else 4 << 20)
        patch.setattr(keeping, "WRITTEN_BYTES", 150 if small else 4 << 20)
        patch.setattr(slot, "MOST_CHANGES", 4 if small else 20_000)
        table = start(source, Path(folder), draw)
        model = LifeModel()
        model.commit([(key, car) for key, car in source.admin.execute("SELECT id, car FROM seen").fetchall()])
        table.look_until(3)
        writers = [Writer(stack.enter_context(source.connected())) for _ in range(WRITERS)]
        for writer in writers:
            writer.connection.execute("SET lock_timeout = '20ms'")
            writer.connection.commit()
        history = History(table, writers, draw, model)
        for _ in range(60):
            history.step()
        for writer in writers:
            history.commit(writer)
        source.run("INSERT INTO seen VALUES (%s, 'last')", [SENTINEL])
        model.commit([(SENTINEL, "last")])
        while not any(life[2]["id"] == SENTINEL for life in table.lives()):
            history.read("look")
        assert ranks([(a, b, payload["id"], payload["car"]) for a, b, payload in table.lives()]) == model.ranked()
        again, last = table.begun(table.journal), len(table.read_elements)
        cuts = sorted({0, last, *(draw.randrange(last) for _ in range(4))})
        assert [
            row for low, high in itertools.pairwise(cuts) for row in rows_of(again, low, high)
        ] == table.read_elements


def drawn(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Any histories; with `small`, pages of one line and polls of one transaction."""
    slow = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    limits = settings(max_examples=examples, deadline=None, suppress_health_check=slow)
    return lambda test: limits(given(seed=st.integers(0, 2**32), small=st.booleans())(test))


@drawn(3)
def test_each_edge_is_read_once_and_in_order(source: SourceDatabase, seed: int, small: bool) -> None:
    play(source, seed, small)


@pytest.mark.thorough
@drawn(200)
def test_each_edge_of_many_histories(source: SourceDatabase, seed: int, small: bool) -> None:
    play(source, seed, small)
