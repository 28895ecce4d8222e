"""A database of the session's server with a table to read, and adapters that read it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.adapter import PostgreSQLAdapter
from streaming.adapters.postgresql.options import PostgreSQLOptions
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element
from tests.postgresql import PostgreSQL

LOOPBACK = Reach(OutgoingPolicy(networks=("127.0.0.1/32",)))
SECOND = 1_000_000
SEEN = StreamDefinition(
    fields={"id": "long", "car": "string"}, event_time=EventTime(start=TimeColumn(column="at", unit="us"))
)
MADE = "CREATE TABLE seen (id bigserial PRIMARY KEY, car text, at bigint NOT NULL DEFAULT 0)"
Connection = psycopg.Connection[Any]


@dataclass
class SourceDatabase:
    """One database, an administrator's connection to it, and its address for adapters."""

    url: str
    name: str
    admin: Connection

    def options(self, **changes: Any) -> dict[str, Any]:
        found = urlsplit(self.url)
        base = {"host": found.hostname, "port": found.port, "database": self.name, "user": "punctual", "tls": "off"}
        return {**base, "table": "seen", "cursor": "id", "poll_s": 1, **changes}

    def adapter(self, journal: Path | None, stream: StreamDefinition = SEEN, **changes: Any) -> PostgreSQLAdapter:
        options = PostgreSQLOptions.model_validate(self.options(**changes))
        return PostgreSQLAdapter(options, stream, journal, LOOPBACK)

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        self.admin.execute(statement, values)  # type: ignore[arg-type]

    def add(self, *cars: str | None) -> None:
        for car in cars:
            self.run("INSERT INTO seen (car) VALUES (%s)", [car])

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Another connection of its own, whose transactions end by hand."""
        connection = psycopg.connect(self.url, dbname=self.name)
        try:
            yield connection
        finally:
            with suppress(psycopg.Error):
                connection.close()


@contextmanager
def source_database(server: PostgreSQL, name: str = "source") -> Iterator[SourceDatabase]:
    with psycopg.connect(server.url, autocommit=True) as postgres:
        postgres.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")  # type: ignore[arg-type]
        postgres.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
    with psycopg.connect(server.url, dbname=name, autocommit=True) as admin:
        yield SourceDatabase(server.url, name, admin)


def further(adapter: InputAdapter, reached: int, now_s: int, rows: int = 1_000) -> int:
    """The end up to which the adapter may be read from `reached` at the second `now_s`."""
    return adapter.latest({"0": reached}, now=now_s * SECOND, limit_rows=rows)["0"]


def rows_of(adapter: InputAdapter, start: int, end: int) -> list[Element]:
    return [element for chunk in adapter.read("0", start, end) for element in elements(chunk)]


def payloads(adapter: InputAdapter, start: int, end: int, field: str = "car") -> list[Any]:
    """The values of one field, and the reasons of malformed rows."""
    found: list[Any] = []
    for element in rows_of(adapter, start, end):
        payload: Mapping[str, Any] | None = getattr(element, "payload", None)
        found.append(element if payload is None else payload[field])
    return found


def refusal(adapter: InputAdapter, reached: int = 0, now_s: int = 0) -> AdapterError:
    """The error that the adapter raises instead of reading."""
    try:
        further(adapter, reached, now_s)
    except AdapterError as error:
        return error
    raise AssertionError("nothing was refused")
