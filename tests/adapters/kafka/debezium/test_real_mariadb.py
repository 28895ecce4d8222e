"""A real Debezium on MariaDB gives the edges that `postgresql_changes` gives for the same statements on PostgreSQL."""

import random
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.wire.rows.row_json import Element
from tests.adapters.kafka.debezium.test_real_debezium import FIRST, HOUR, LAST, ReadTopic, inserts
from tests.adapters.kafka.topics import adapter
from tests.adapters.postgresql_changes.changed import changed_table, lives_of
from tests.debezium import running_debezium
from tests.kafka_broker import KafkaBroker
from tests.mariadb import PASSWORD, USER, MariaDB, running_mariadb
from tests.postgresql import PostgreSQL

pytestmark = [pytest.mark.kafka, pytest.mark.thorough]
FIELDS = {"id": "long", "car": "string", "price": "decimal(10,2)", "at": "timestamp", "day": "string"}
CARS = StreamDefinition(shape=Shape.EDGE, fields=FIELDS)
ROW = "'{car}', 12.30, '2026-01-02 03:04:05.123456', '2026-01-02'"
Statements = list[list[tuple[str, str]]]
"""Transactions of statements, each for PostgreSQL and for MariaDB."""


def drawn_transactions(draw: random.Random, count: int) -> Statements:
    """Inserts, updates, deletions and changed keys over a few rows."""
    return [[each for _ in range(draw.randint(1, 4)) for each in drawn(draw, number)] for number in range(count)]


def drawn(draw: random.Random, number: int) -> list[tuple[str, str]]:
    row, other = draw.sample(range(10), 2)
    car = f"car {number}"
    values = f"INTO seen VALUES ({row}, {ROW.format(car=car)})"
    return draw.choice(
        [
            [(f"INSERT {values} ON CONFLICT DO NOTHING", f"INSERT IGNORE {values}")],
            [(f"INSERT {values} ON CONFLICT DO NOTHING", f"INSERT IGNORE {values}")],
            [2 * (f"UPDATE seen SET car = '{car}' WHERE id = {row}",)],
            [2 * (f"UPDATE seen SET car = '{car}' WHERE id < {row}",)],
            [2 * (f"DELETE FROM seen WHERE id = {row}",)],
            [2 * (f"DELETE FROM seen WHERE id = {other}",), 2 * (f"UPDATE seen SET id = {other} WHERE id = {row}",)],
        ]
    )


def settings(server: MariaDB, folder: Path) -> dict[str, Any]:
    return {
        "name": "mariadb",
        "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
        "database.hostname": "127.0.0.1",
        "database.port": server.port,
        "database.user": USER,
        "database.password": PASSWORD,
        "database.server.id": 54_321,
        "topic.prefix": "m",
        "database.include.list": "cars",
        "table.include.list": "cars.seen",
        "skipped.operations": "none",
        "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema.history.internal.file.filename": folder / "history",
    }


def in_order(found: list[Element]) -> list[tuple[int, int | None, Any]]:
    """Lifetimes without the first row, with the number of each distinct time: the clocks of two servers differ."""
    lives = [life for life in lives_of(found) if life[2]["id"] != FIRST]
    times = sorted({each for start, end, _ in lives for each in (start, end) if each is not None})
    numbers = {time: number for number, time in enumerate(times)}
    return sorted(
        ((numbers[start], None if end is None else numbers[end], row) for start, end, row in lives),
        key=lambda life: (life[0], life[2]["id"]),
    )


def test_the_edges_are_those_of_the_same_statements_on_postgresql(
    postgresql: PostgreSQL, kafka: KafkaBroker, tmp_path: Path
) -> None:
    first = f"INSERT INTO seen VALUES ({FIRST}, {ROW.format(car='first')})"
    last = f"INSERT INTO seen VALUES ({LAST}, {ROW.format(car='last')})"
    transactions = [*drawn_transactions(random.Random(1), 60), [2 * ("DELETE FROM seen WHERE id < 10",)], [2 * (last,)]]
    with (
        running_mariadb() as mariadb,
        changed_table(postgresql, "mariadb_twin", tmp_path / "ours", stream=CARS) as table,
    ):
        table.source.run("ALTER TABLE seen ADD price numeric(10,2), ADD at timestamp, ADD day date")
        table.look()
        table.look()
        mariadb.run(
            "CREATE DATABASE cars; USE cars; CREATE TABLE seen (id bigint PRIMARY KEY, car varchar(100),"
            f" price decimal(10,2), at datetime(6), day date); {first};"
        )
        topic = kafka.topic(name="m.cars.seen")
        read = ReadTopic(adapter(kafka, topic, tmp_path / "theirs", CARS, envelope="debezium", settle_s=3_600))
        folder = tmp_path / "connect"
        with running_debezium(folder, kafka, settings(mariadb, folder)) as connector:
            connector.await_messages(topic, lambda found: inserts(found, FIRST) > 0)
            mariadb.run(
                "USE cars; "
                + " ".join(f"BEGIN; {'; '.join(each for _, each in some)}; COMMIT;" for some in transactions)
            )
            with table.source.connected() as connection:
                for some in transactions:
                    for each, _ in some:
                        connection.execute(each)  # type: ignore[call-overload]
                    connection.commit()
            connector.await_messages(topic, lambda found: inserts(found, LAST) > 0)
            for hour in (1, 2, 3):
                read.look(hour * HOUR)
        for _ in range(10):
            table.look()
        ours, theirs = in_order(table.read_elements), in_order(read.found)
    assert theirs == ours
    assert len(ours) > 50
