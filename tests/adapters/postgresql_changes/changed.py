"""A database with a published table, adapters that read its changes, and the elements that they read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from streaming.adapters.postgresql_changes.adapter import PostgreSQLChangesAdapter
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, EdgeKind, Event, Shape
from streaming.wire.rows.row_json import Element
from tests.adapters.postgresql.tables import LOOPBACK, SourceDatabase, further, rows_of, source_database
from tests.postgresql import PostgreSQL

CARS = StreamDefinition(shape=Shape.EDGE, fields={"id": "long", "car": "string"})
MADE = "CREATE TABLE seen (id bigint PRIMARY KEY, car text)"
PUBLISHED = "CREATE PUBLICATION punctual FOR TABLE seen"


@dataclass
class ChangedTable:
    """Reads the table `seen` of `source`; `read_elements` are all elements read, in order."""

    source: SourceDatabase
    journal: Path
    stream: StreamDefinition = CARS
    options: Mapping[str, Any] | None = None
    holder: str | None = None

    def __post_init__(self) -> None:
        self.read_elements: list[Element] = []
        self.now = 0
        self.restart()

    def restart(self) -> None:
        self.adapter = self.begun(self.journal)

    def begun(self, journal: Path | None) -> PostgreSQLChangesAdapter:
        settings = {**self.source.options(), **(self.options or {})}
        del settings["cursor"]
        reach = replace(LOOPBACK, holder=self.holder)
        return PostgreSQLChangesAdapter(PostgreSQLChangesOptions.model_validate(settings), self.stream, journal, reach)

    def look(self, rows: int = 1_000) -> list[Element]:
        """Read one more batch."""
        self.now += 2
        reached = len(self.read_elements)
        found = rows_of(self.adapter, reached, further(self.adapter, reached, self.now, rows))
        self.read_elements += found
        return found

    def look_until(self, what: int) -> list[Element]:
        """Read batches until there are `what` more edges."""
        begun = len(self.read_elements)
        for _ in range(200):
            if len(edges(self.read_elements[begun:])) >= what:
                break
            self.look()
        return self.read_elements[begun:]

    def raw(self) -> list[str]:
        """The text of each line that was read."""
        return [
            text
            for arrived in self.adapter.read("0", 0, len(self.read_elements))
            for text in arrived.raw(range(len(arrived.positions)))
        ]

    def look_until_it_fails(self) -> None:
        """Read batches until one is refused; return if none is, so that a test of the refusal fails."""
        for _ in range(20):
            self.look()

    def lives(self) -> list[tuple[int, int | None, Any]]:
        """Start, end (None: open) and payload of each lifetime that was read. Fails for invalid edges."""
        return lives_of(self.read_elements)


def edges(found: list[Element]) -> list[Event]:
    return [each for each in found if isinstance(each, Event)]


def lives_of(read_elements: Sequence[Element]) -> list[tuple[int, int | None, Any]]:
    """Lifetimes in the order of their starts; an end without its start, or before a CTI, fails."""
    found: dict[tuple[int, str], list[int | None]] = {}
    payloads: dict[tuple[int, str], Any] = {}
    cti = 0
    for each in read_elements:
        if isinstance(each, Cti):
            assert each.at >= cti
            cti = each.at
            continue
        assert isinstance(each, Event), each
        name = (each.start, repr(each.payload))
        if each.edge is EdgeKind.START:
            assert each.start >= cti
            found.setdefault(name, []).append(None)
            payloads[name] = each.payload
        else:
            assert each.end >= cti
            assert None in found[name]
            found[name][found[name].index(None)] = each.end
    return [(start, end, payloads[start, text]) for (start, text), ends in found.items() for end in ends]


def slots(source: SourceDatabase) -> list[str]:
    return [
        name
        for (name,) in source.admin.execute(
            "SELECT slot_name FROM pg_replication_slots WHERE database = current_database() ORDER BY 1"
        )
    ]


@contextmanager
def changed_table(server: PostgreSQL, name: str, journal: Path, **settings: Any) -> Iterator[ChangedTable]:
    with source_database(server, name) as source:
        source.run(MADE)
        source.run(PUBLISHED)
        try:
            yield ChangedTable(source, journal, **settings)
        finally:
            drop_slots(source)


def drop_slots(source: SourceDatabase) -> None:
    for slot in slots(source):
        source.run("SELECT pg_drop_replication_slot(%s)", [slot])
