"""A real Debezium gives the edges that `postgresql_changes` gives on the same history, also after it was killed."""

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from confluent_kafka import Message

from streaming.adapters.contract import InputAdapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.wire.rows.row_json import Element
from tests.adapters.kafka.topics import adapter, rows_of
from tests.adapters.postgresql.tables import SourceDatabase
from tests.adapters.postgresql_changes.changed import ChangedTable, changed_table, lives_of
from tests.debezium import Debezium, running_debezium
from tests.kafka_broker import KafkaBroker
from tests.postgresql import PostgreSQL

pytestmark = [pytest.mark.kafka, pytest.mark.thorough]
CARS = StreamDefinition(
    shape=Shape.EDGE,
    fields={
        "id": "long",
        "car": "string",
        "price": "decimal(10,2)",
        "at": "timestamp",
        "zoned": "timestamp",
        "day": "string",
        "clock": "string",
        "ok": "boolean",
        "tags": "array<string>",
        "doc": "struct<a: double>",
        "big": "string",
        "_change": "string",
        "_committed": "long",
    },
)
COLUMNS = """ADD price numeric(10,2), ADD at timestamp, ADD zoned timestamptz, ADD day date, ADD clock time,
    ADD ok boolean, ADD tags text[], ADD doc jsonb, ADD big text"""
ROW = """%s, %s, 12.30, '2026-01-02 03:04:05.123456', '2026-01-02 03:04:05.1+02', '2026-01-02', '03:04:05.5', true,
    '{a,NULL,"b c"}', '{"a": 1.50}', repeat('large', 5000)"""
FIRST, AGAIN, LAST = 1_000, 1_001, 1_002
"""Rows that show that the connector has started, that it starts again, and that it has read everything."""
HOUR = 3_600_000_000


@dataclass
class ReadTopic:
    """All elements that the adapter of Debezium's topic has read."""

    source: InputAdapter
    found: list[Element] = field(default_factory=list)
    reached: int = 0

    def look(self, now: int = 0) -> None:
        end = self.source.latest({"0": self.reached}, now=now, limit_rows=10_000)["0"]
        self.found += [row[2] for row in rows_of(self.source, "0", self.reached, end)]
        self.reached = end


def settings(source: SourceDatabase) -> dict[str, Any]:
    url = urlsplit(source.url)
    return {
        "name": "pg",
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.hostname": url.hostname,
        "database.port": url.port,
        "database.user": "punctual",
        "database.password": "unused",
        "database.dbname": source.name,
        "topic.prefix": source.name,
        "plugin.name": "pgoutput",
        "publication.name": "punctual",
        "publication.autocreate.mode": "disabled",
        "slot.name": f"debezium_{source.name}",
        "table.include.list": "public.seen",
        "skipped.operations": "none",
    }


def write_history(source: SourceDatabase, draw: random.Random, transactions: int) -> None:
    """Commit transactions of inserts, updates, deletions and changed keys over a few rows."""
    with source.connected() as connection:
        for number in range(transactions):
            for _ in range(draw.randint(1, 4)):
                row, other = draw.sample(range(10), 2)
                statements: Sequence[tuple[str, list[Any]]] = [
                    (f"INSERT INTO seen VALUES ({ROW}) ON CONFLICT DO NOTHING", [row, f"car {number}"]),
                    ("UPDATE seen SET car = %s WHERE id = %s", [f"car {number}", row]),
                    ("DELETE FROM seen WHERE id = %s", [row]),
                    ("DELETE FROM seen WHERE id = %s", [other]),
                    ("UPDATE seen SET id = %s WHERE id = %s", [other, row]),
                ]
                chosen = draw.choice([[0], [0], [1], [1], [2], [3, 4]])
                for each in chosen:
                    connection.execute(*statements[each])  # type: ignore[arg-type]
            connection.commit()


def insert(source: SourceDatabase, row: int) -> None:
    source.run(f"INSERT INTO seen VALUES ({ROW})", [row, "mark"])


@contextmanager
def captured(
    postgresql: PostgreSQL, kafka: KafkaBroker, folder: Path, name: str
) -> Iterator[tuple[ChangedTable, Debezium, ReadTopic]]:
    """A table that both read from its beginning."""
    with changed_table(postgresql, name, folder / "ours", stream=CARS) as table:
        table.source.run(f"ALTER TABLE seen {COLUMNS}")
        table.source.run("ALTER TABLE seen ALTER big SET STORAGE EXTERNAL")
        for _ in range(3):
            table.look()
        topic = kafka.topic(name=f"{table.source.name}.public.seen")
        read = ReadTopic(adapter(kafka, topic, folder / "theirs", CARS, envelope="debezium", settle_s=3_600))
        with running_debezium(folder / "connect", kafka, settings(table.source)) as connector:
            insert(table.source, FIRST)
            connector.await_messages(topic, lambda found: inserts(found, FIRST) > 0)
            yield table, connector, read


def inserts(messages: Sequence[Message], row: int) -> int:
    """The number of messages with a row that has this id, as it was inserted."""
    values = [json.loads(each.value() or b"null") for each in messages]
    rows = [(value or {}).get("payload") or {} for value in values]
    return sum((each.get("after") or {}).get("id") == row and each["op"] in "rc" for each in rows)


def compared(table: ChangedTable, read: ReadTopic, connector: Debezium) -> int:
    """Assert that both gave the same lifetimes; return their number. Only the first row is read from the table."""
    insert(table.source, LAST)
    connector.await_messages(f"{table.source.name}.public.seen", lambda found: inserts(found, LAST) > 0)
    for hour in (1, 2, 3):
        read.look(hour * HOUR)
    for _ in range(10):
        table.look()
    ours, theirs = lives_of(table.read_elements), lives_of(read.found)
    ours, theirs = ([life for life in each if life[2]["id"] != FIRST] for each in (ours, theirs))
    assert theirs == ours
    return len(ours)


def test_the_edges_are_those_of_postgresql_changes(postgresql: PostgreSQL, kafka: KafkaBroker, tmp_path: Path) -> None:
    with captured(postgresql, kafka, tmp_path, "debezium_edges") as (table, connector, read):
        write_history(table.source, random.Random(1), 60)
        with table.source.admin.cursor().copy("COPY seen (id, car) FROM STDIN") as copy:
            for row in range(100, 130):
                copy.write_row((row, "copied"))
        table.source.run("UPDATE seen SET car = 'again' WHERE id BETWEEN 100 AND 200")
        table.source.run("TRUNCATE seen")
        write_history(table.source, random.Random(2), 20)
        assert compared(table, read, connector) > 100


def test_a_killed_connector_sends_changes_again_and_no_edge_is_doubled(
    postgresql: PostgreSQL, kafka: KafkaBroker, tmp_path: Path
) -> None:
    with captured(postgresql, kafka, tmp_path, "debezium_killed") as (table, connector, read):
        topic = f"{table.source.name}.public.seen"
        connector.stop()  # it stores its position
        connector.flush_ms = 3_600_000
        connector.start()
        write_history(table.source, random.Random(3), 40)
        insert(table.source, AGAIN)
        connector.await_messages(topic, lambda found: inserts(found, AGAIN) == 1)
        connector.kill()  # it has stored none of these positions
        read.look()
        connector.start()
        connector.await_messages(topic, lambda found: inserts(found, AGAIN) == 2)
        write_history(table.source, random.Random(4), 20)
        assert compared(table, read, connector) > 50
