"""Limits of a table or a server are reported with what to do; rows that do not fit are malformed, never lost."""

import os
import pwd
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from pydantic import ValidationError

from deploy.up.place import HOST
from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.options import PostgreSQLOptions
from streaming.adapters.registry import adapter_kind, read_options
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.inference.sampling import sample_of
from streaming.temporal.events import Event
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.postgresql.tables import MADE, SourceDatabase, further, payloads, refusal, rows_of
from tests.adapters.postgresql.tables import source_database as made_database
from tests.postgresql import PostgreSQL, as_its_user, binaries, serving

ODD = "CREATE TABLE seen (id bigint NOT NULL{}, car text, at bigint NOT NULL DEFAULT 0{})"


@pytest.fixture
def source(postgresql: PostgreSQL) -> Iterator[SourceDatabase]:
    with made_database(postgresql, "refusing") as database:
        yield database


@pytest.mark.parametrize(
    ("made", "options", "sentence"),
    [
        (
            MADE,
            {"table": "Seen"},
            "The schema 'public' has no table 'Seen'. Correct its name. Names are case-sensitive",
        ),
        (MADE, {"schema_name": "elsewhere"}, "has no schema 'elsewhere'"),
        (MADE, {"table": 'seen"; DROP TABLE seen; --'}, "has no table 'seen\"; DROP TABLE seen; --'"),
        (
            MADE,
            {"cursor": "idd"},
            "has no column 'idd', or this user may not read it. Its columns are id, car, at. Did you mean 'id'?",
        ),
        (MADE, {"cti_column": "cti"}, "has no column 'cti'"),
        (
            MADE,
            {"columns": {"car": "caar"}},
            "has no column 'caar', or this user may not read it. Its columns are id, car, at. Did you mean 'car'?",
        ),
        (MADE, {"cursor": "car"}, "The column 'car' of public.seen may be null"),
        (
            MADE,
            {"cursor": "at", "key": ["car"]},
            "No unique index of public.seen distinguishes rows with the same at, car",
        ),
        (ODD.format("", ""), {}, "No unique index"),
        (ODD.format(" UNIQUE", ", made timestamp NOT NULL UNIQUE"), {"cursor": "made"}, "Without a time zone it is"),
        (ODD.format(" UNIQUE", ", name text NOT NULL UNIQUE"), {"cursor": "name"}, "Choose a cursor that is a whole"),
        (MADE + "; ALTER SEQUENCE seen_id_seq CACHE 20", {}, "reserves numbers in advance for each connection"),
        (MADE + "; ALTER SEQUENCE seen_id_seq INCREMENT -1 MAXVALUE 9 START 9", {}, "counts downwards"),
        (MADE + "; CREATE VIEW saw AS SELECT * FROM seen", {"table": "saw"}, "public.saw isn't a table: for a view"),
        (MADE + "; CREATE TABLE more () INHERITS (seen)", {}, "Other tables inherit from public.seen"),
        (MADE, {"database": "absent"}, "has no database of that name"),
        (MADE, {"port": 1}, "can't be reached"),
        (MADE, {"tls": "encrypt", "host": "169.254.169.254"}, "can't be reached"),
        (MADE, {"user": "stranger"}, "refuses the user or the password"),
    ],
)
def test_a_problem_is_reported_with_what_to_do(
    source: SourceDatabase, tmp_path: Path, made: str, options: dict[str, Any], sentence: str
) -> None:
    source.run(made)
    error = refusal(source.adapter(tmp_path, **options))
    assert sentence in str(error)
    assert error.domain == ("external" if "reached" in sentence else "user")
    assert str(error).endswith((".", ")", "CACHE 1"))


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"table": "a\0b"}, "table"),
        ({"cursor": ""}, "cursor"),
        ({"table": "ä" * 40}, "table"),
        ({"host": "/var/run"}, "host"),
        ({"host": "a,b"}, "host"),
        ({"database": "a\nb"}, "database"),
        ({"password": "a\0b"}, "password"),
        ({"poll_s": 0}, "poll_s"),
        ({"sslmode": "disable"}, "sslmode"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], where: str) -> None:
    base = {"host": "h", "database": "d", "user": "u", "table": "t", "cursor": "c"}
    PostgreSQLOptions.model_validate(base)
    with pytest.raises(ValidationError) as refused:
        PostgreSQLOptions.model_validate(base | options)
    assert [fault["loc"] for fault in refused.value.errors()] == [(where,)]


def test_the_password_is_a_secret_that_is_sent_only_to_its_server() -> None:
    kind = adapter_kind("postgresql")
    assert kind.secrets == {"password"}
    assert {"host", "port", "user", "tls"} <= kind.addresses
    options = {"host": "h", "database": "d", "user": "u", "table": "t", "cursor": "c", "password": "s3cr3t-planted"}
    assert "s3cr3t" not in repr(read_options("postgresql", options))


def test_a_user_without_the_right_gets_an_error(source: SourceDatabase, tmp_path: Path) -> None:
    source.run(MADE)
    source.add("a")
    source.run("DROP ROLE IF EXISTS reader")
    source.run("CREATE ROLE reader LOGIN")
    try:
        adapter = source.adapter(tmp_path, user="reader")
        assert "The user 'reader' may not read the column 'id'" in str(refusal(adapter))
        source.run("GRANT SELECT (id, at) ON seen TO reader")
        assert "has no column 'car', or this user may not read it. Its columns are id, at." in str(
            refusal(adapter, now_s=2)
        )
        source.run("GRANT SELECT (car) ON seen TO reader")
        assert payloads(adapter, 0, further(adapter, 0, 4)) == ["a"]
        with source.connected() as slow:
            slow.execute("INSERT INTO seen (car) VALUES ('b')")
            source.add("c")
            assert further(adapter, 1, 6) == 1, "a user who may only read still sees the writers"
        source.run("REVOKE USAGE ON SCHEMA public FROM PUBLIC")
        assert "refuses a right that this user needs" in str(refusal(adapter, reached=1, now_s=8))
    finally:
        source.run("DROP OWNED BY reader")
        source.run("DROP ROLE reader")


def test_a_changed_table_stops_the_binding(source: SourceDatabase, tmp_path: Path) -> None:
    source.run(MADE)
    source.add("a", "b", "c")
    adapter = source.adapter(tmp_path)
    assert further(adapter, 0, 0) == 3
    source.run("INSERT INTO seen (id, car) VALUES (-5, 'behind')")
    message = str(refusal(adapter, 3, 1))
    assert "1 more row before 3" in message
    assert "does not grow from row to row" in message
    source.run("ALTER TABLE seen ADD other bigserial UNIQUE")
    message = str(refusal(source.adapter(tmp_path, cursor="other"), 3, 2))
    assert "in the order of id, so the next rows in 'refusing' in the order of other" in message
    source.run("DELETE FROM seen WHERE id = -5")
    assert further(adapter, 3, 2) == 3
    source.run("TRUNCATE seen RESTART IDENTITY")
    source.add("anew")
    assert "was set back from 3 to 1" in str(refusal(source.adapter(tmp_path), 3, 3))
    source.run("DROP TABLE seen")
    assert "has no table 'seen'" in str(refusal(adapter, 3, 4))
    source.run(MADE)
    assert "was deleted and created again" in str(refusal(adapter, 3, 5))


def test_a_row_that_does_not_fit_is_malformed_and_shown(source: SourceDatabase, tmp_path: Path) -> None:
    source.run(
        "CREATE TABLE odd (id bigserial PRIMARY KEY, at timestamptz, n numeric, d double precision, b bytea, j json)"
    )
    stream = StreamDefinition(
        fields={"n": "long", "d": "double"}, event_time=EventTime(start=TimeColumn(column="at", unit="iso"))
    )
    thousand = "7" * 1_000
    source.run(
        "INSERT INTO odd (at, n, d) VALUES ('2026-01-01T00:00Z', 1, 0.5), ('2026-01-01T00:00Z', %s, 0),"
        " ('2026-01-01T00:00Z', 1, 'NaN'), ('infinity', 1, 1), (null, 1, 1), ('4000-01-01 BC', 1, 1),"
        " ('2026-01-01T00:00Z', 2, 1e300)",
        [thousand],
    )
    adapter = source.adapter(tmp_path, stream, table="odd")
    assert further(adapter, 0, 0) == 7
    found = rows_of(adapter, 0, 7)
    reasons = [each.reason if isinstance(each, MalformedRow) else None for each in found]
    times = [Reason.BAD_TIME] * 3
    assert reasons == [None, Reason.BAD_PAYLOAD, Reason.BAD_PAYLOAD, *times, None]
    assert isinstance(found[6], Event)
    assert found[6].payload == {"n": 2, "d": 1e300}
    [chunk] = adapter.read("0", 0, 7)
    assert thousand in chunk.raw([1])[0]


def test_values_of_every_kind_arrive_on_one_line(source: SourceDatabase, tmp_path: Path) -> None:
    source.run(
        "CREATE TABLE odd (id bigserial PRIMARY KEY, at bigint DEFAULT 1, b bytea, j json, i interval, a int[], t text)"
    )
    source.run(
        "INSERT INTO odd (b, j, i, a, t) VALUES ('\\x00ff', %s, '1 day 2 hours', '{1,2}', %s)",
        ['{"x":\r\n "a\\u0000b"}', "ü\n\r\t\\\"'"],
    )
    fields = {"b": "string", "j": "struct<x: string>", "i": "string", "a": "array<long>", "t": "string"}
    time = EventTime(start=TimeColumn(column="at", unit="us"))
    adapter = source.adapter(tmp_path, StreamDefinition(fields=fields, event_time=time), table="odd")
    [event] = rows_of(adapter, 0, further(adapter, 0, 0))
    assert isinstance(event, Event)
    wanted = {"b": "\\x00ff", "j": {"x": "a\0b"}, "i": "P1DT2H", "a": [1, 2], "t": "ü\n\r\t\\\"'"}
    assert event.payload == wanted


def test_a_row_larger_than_a_mebibyte_is_malformed_and_the_next_is_not(source: SourceDatabase, tmp_path: Path) -> None:
    source.run(MADE)
    source.run("INSERT INTO seen (car) VALUES (repeat('ü', 3000000)), ('b')")
    adapter = source.adapter(tmp_path)
    assert further(adapter, 0, 0) == 2
    assert payloads(adapter, 0, 2) == [MalformedRow(Reason.BAD_ROW), "b"]
    [chunk] = adapter.read("0", 0, 2)
    assert len(chunk.raw([0])[0]) < 2_000


def test_a_stream_is_proposed_from_the_oldest_and_the_newest_rows(source: SourceDatabase) -> None:
    source.run(
        "CREATE TABLE sold (id bigserial PRIMARY KEY, sold_at timestamptz, price numeric(10,2), any_number numeric,"
        " name varchar(20), paid boolean, about jsonb, huge numeric(100,2))"
    )
    adapter = source.adapter(None, StreamDefinition(fields={}), table="sold")
    with pytest.raises(AdapterError, match="is still empty"):
        adapter.sample_records(100, 1 << 20, now=0)
    source.run(
        "INSERT INTO sold (sold_at, price, any_number, name, about) SELECT '2026-01-01T00:00Z'::timestamptz +"
        " n * interval '1s', n, n, 'n', '{\"a\": 1}' FROM generate_series(1, 1000) n"
    )
    some = adapter.sample_records(100, 1 << 20, now=0)
    assert [span.where for span in some.spans] == ["the beginning of public.sold", "the end of public.sold"]
    assert [len(span.records) for span in some.spans] == [50, 50]
    assert (some.spans[0].records[0]["id"], some.spans[1].records[-1]["id"], some.whole) == (1, 1000, False)
    assert some.spans[0].records[0]["sold_at"] == "2026-01-01T00:00:01+00:00"
    assert dict(some.types) == {
        "id": "long", "sold_at": "timestamp", "price": "decimal(10,2)", "name": "string", "paid": "boolean"
    }  # fmt: skip
    everything = sample_of(adapter, now=0)
    assert everything.whole
    assert sum(len(span.records) for span in everything.spans) == 1000
    assert everything.columns == ["id", "sold_at", "price", "any_number", "name", "paid", "about", "huge"]


@pytest.fixture
def own_server() -> Iterator[tuple[PostgreSQL, Path]]:
    """A server that may be stopped."""
    with tempfile.TemporaryDirectory(prefix="punctual-postgresql-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        with serving(folder) as server:
            yield server, folder


def control(folder: Path, port: int, *command: str) -> None:
    options = f"-p {port} -c listen_addresses={HOST} -c unix_socket_directories= -c max_prepared_transactions=5"
    base = [str(binaries() / "pg_ctl"), "-D", str(folder / "data"), "-w", "-l", str(folder / "server.log")]
    as_its_user([*base, *(["-o", options] if "start" in command else []), *command], folder)


def test_a_server_that_is_killed_between_polls_is_waited_for(
    own_server: tuple[PostgreSQL, Path], tmp_path: Path
) -> None:
    server, folder = own_server
    port = int(urlsplit(server.url).port or 0)
    with made_database(server) as source:
        source.run(MADE)
        source.add("a")
        adapter = source.adapter(tmp_path)
        assert further(adapter, 0, 0) == 1
    control(folder, port, "stop", "-m", "immediate")
    error = refusal(adapter, 1, 1)
    assert error.domain == "external"
    assert "can't be reached" in str(error)
    assert payloads(adapter, 0, 1) == ["a"], "rows that were read need no server"
    control(folder, port, "start")
    with psycopg.connect(server.url, dbname=source.name, autocommit=True) as source.admin:
        source.add("b")
        assert payloads(adapter, 0, further(adapter, 1, 2)) == ["a", "b"]
        prepared(source, adapter)


def prepared(source: SourceDatabase, adapter: Any) -> None:
    """A transaction that is prepared gets another name and is still waited for."""
    with source.connected() as slow:
        slow.execute("INSERT INTO seen (car) VALUES ('slow')")
        source.add("fast")
        assert further(adapter, 2, 3) == 2
        slow.execute("PREPARE TRANSACTION 'one'")
    assert further(adapter, 2, 4) == 2
    source.run("COMMIT PREPARED 'one'")
    assert payloads(adapter, 2, further(adapter, 2, 5)) == ["slow", "fast"]


def test_a_standby_is_refused(own_server: tuple[PostgreSQL, Path], tmp_path: Path) -> None:
    server, folder = own_server
    port = int(urlsplit(server.url).port or 0)
    with made_database(server) as source:
        source.run(MADE)
    control(folder, port, "stop", "-m", "fast")
    (folder / "data" / "standby.signal").touch()
    control(folder, port, "start")
    assert "Use the primary" in str(refusal(source.adapter(tmp_path)))
