"""Any interleaving of transactions, polls, restarts and broken connections: each committed row once, in one order."""

import itertools
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql import pages
from streaming.adapters.postgresql.adapter import PostgreSQLAdapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from tests.adapters.postgresql.tables import (
    Connection,
    SourceDatabase,
    payloads,
    source_database,
)
from tests.postgresql import PostgreSQL

WRITERS = 3
STREAM = StreamDefinition(
    fields={"id": "long", "car": "string"}, event_time=EventTime(start=TimeColumn(column="made", unit="iso"))
)
WRITES = ["add", "add", "add", "insert", "insert", "take", "begin", "commit", "commit", "rollback"]
"""`add` commits at once, so that it overtakes transactions that began earlier."""
READS = ["look", "look", "look", "look", "restart", "cut", "delete", "update"]
Step = tuple[str, int]


def history(seed: int) -> list[Step]:
    """Sixty steps. If hypothesis drew them one by one, they would rarely contain two transactions that overtake each
    other.
    """
    draw = random.Random(seed)
    return [
        (draw.choice(READS), draw.randint(1, 3))
        if draw.random() < 0.4
        else (draw.choice(WRITES), draw.randrange(WRITERS))
        for _ in range(60)
    ]


@pytest.fixture(scope="module")
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with source_database(postgresql, "interleaved") as database:
        yield database


@dataclass
class Scene:
    """Writers, each with a transaction of its own, and one reader; `read_cars` are its rows, in its order."""

    source: SourceDatabase
    cursor: str
    journal: Path
    writers: list[Connection]
    taken: dict[int, int] = field(default_factory=dict)
    pending: dict[int, list[str]] = field(default_factory=dict)
    committed: list[str] = field(default_factory=list)
    read_cars: list[str] = field(default_factory=list)
    names: int = 0
    now: int = 0

    def __post_init__(self) -> None:
        self.adapter = self.begun()

    def begun(self) -> PostgreSQLAdapter:
        return self.source.adapter(self.journal, STREAM, cursor=self.cursor, margin_s=0)

    def write(self, what: str, who: int) -> None:
        writer = self.writers[who]
        if what == "add":
            self.names += 1
            self.source.add(f"row {self.names}")
            self.committed.append(f"row {self.names}")
        elif what == "insert":
            self.names += 1
            name = f"row {self.names}"
            number = self.taken.pop(who, None)
            if number is None:
                writer.execute("INSERT INTO seen (car) VALUES (%s)", [name])
            else:
                writer.execute("INSERT INTO seen (id, car) VALUES (%s, %s)", [number, name])
            self.pending.setdefault(who, []).append(name)
        elif what == "take":
            if who not in self.taken:
                [[self.taken[who]]] = writer.execute("SELECT nextval('seen_id_seq')")
        elif what == "begin":
            writer.execute("SELECT 1")
        else:
            (writer.commit if what == "commit" else writer.rollback)()
            self.taken.pop(who, None)
            done = self.pending.pop(who, [])
            self.committed += done if what == "commit" else []

    def read(self, what: str, many: int) -> None:
        if what == "look":
            self.look(many)
        elif what == "restart":
            self.adapter = self.begun()
        elif what == "cut":
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("streaming.adapters.postgresql.reading._rows", self._cut)
                self.look(many)
        elif what == "delete":
            self.source.run("DELETE FROM seen WHERE car = ANY (%s)", [self.read_cars[:many]])
        elif what == "update":
            self.source.run("UPDATE seen SET extra = extra + 1 WHERE car = ANY (%s)", [self.read_cars[-many:]])

    def _cut(self, connection: Connection, *_: object) -> None:
        """The server ends the connection during a query."""
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    def look(self, most: int) -> None:
        self.now += 2_000_000
        reached = len(self.read_cars)
        try:
            end = self.adapter.latest({"0": reached}, now=self.now, limit_rows=most)["0"]
        except AdapterError as error:
            if error.domain != "external":
                raise
            return
        self.read_cars += payloads(self.adapter, reached, end)


def play(scene: Scene, steps: list[Step]) -> None:
    for what, number in steps:
        if what in ("look", "restart", "cut", "delete", "update"):
            try:
                scene.read(what, number)
            except psycopg.errors.LockNotAvailable:
                continue  # a writer holds that row
        else:
            scene.write(what, number)
        assert set(scene.read_cars) <= set(scene.committed), "only committed rows are read"


@settings(
    max_examples=max(30, settings.default.max_examples // 10) if settings.default else 30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 2**32), cursor=st.sampled_from(["id", "made"]), small=st.booleans())
def test_each_committed_row_is_read_once_and_in_one_order(
    source: SourceDatabase, seed: int, cursor: str, small: bool
) -> None:
    steps = history(seed)
    source.run("DROP TABLE IF EXISTS seen")
    source.run(
        "CREATE TABLE seen (id bigserial PRIMARY KEY, car text, extra int DEFAULT 0,"
        " made timestamptz NOT NULL DEFAULT now())"
    )
    source.run("SET lock_timeout = '20ms'")
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "PAGE_BYTES", 120 if small else 4 << 20)
        writers = [stack.enter_context(source.connected()) for _ in range(WRITERS)]
        scene = Scene(source, cursor, Path(folder), writers)
        play(scene, steps)
        for who in range(WRITERS):
            scene.write("commit", who)
        for _ in range(len(scene.committed) + 3):
            scene.look(3)
        assert Counter(scene.read_cars) == Counter(scene.committed)
        again = scene.begun()
        assert payloads(again, 0, len(scene.read_cars)) == scene.read_cars
        cuts = sorted(
            {0, len(scene.read_cars), *(number * 3 for _, number in steps if number * 3 < len(scene.read_cars))}
        )
        pieces = [payloads(again, low, high) for low, high in itertools.pairwise(cuts)]
        assert [row for piece in pieces for row in piece] == scene.read_cars
