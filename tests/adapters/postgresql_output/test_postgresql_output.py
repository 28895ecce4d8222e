"""Results in a table of a real PostgreSQL: once, up to date, through broken connections, and with errors."""

import os
import pwd
import shutil
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql import connecting
from streaming.adapters.postgresql_output.adapter import PostgreSQLOutput
from streaming.adapters.postgresql_output.options import PostgreSQLOutputOptions
from streaming.adapters.registry import delivering_adapter
from streaming.wire.outgoing import OutgoingPolicy
from tests.https import Authority, authority
from tests.postgresql import PostgreSQL

LOOPBACK = Reach(OutgoingPolicy(networks=("127.0.0.1/32",)))
FIELDS = {"car": "string", "n": "long"}
HOUR = 3_600_000_000
MADE = (
    "CREATE TABLE counts (window_start timestamptz, window_end timestamptz, car {}, n bigint, result_key text,"
    " incomplete bool)"
)


@dataclass
class Database:
    """One database of the session's server, and an administrator's connection to it."""

    host: str
    port: int
    name: str
    admin: "psycopg.Connection[Any]"
    opened: list[PostgreSQLOutput] = field(default_factory=list)

    def options(self, **changes: Any) -> dict[str, Any]:
        base = {"host": self.host, "port": self.port, "database": self.name, "user": "punctual", "tls": "off"}
        return {**base, "table": "counts", "key": ["car"], **changes}

    def output(self, identity: str = "one", fields: dict[str, str] = FIELDS, **changes: Any) -> PostgreSQLOutput:
        options = PostgreSQLOutputOptions.model_validate(self.options(**changes))
        made = PostgreSQLOutput(options, identity, fields, LOOPBACK)
        self.opened.append(made)
        return made

    def rows(self, columns: str = "car, n, result_key", table: str = "counts") -> list[tuple[Any, ...]]:
        return self.admin.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3").fetchall()  # type: ignore[arg-type]

    def cut(self) -> None:
        """Break every connection but the administrator's."""
        self.admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Punctual'")


@pytest.fixture
def database(postgresql: PostgreSQL) -> Iterator[Database]:
    url = urlsplit(postgresql.url)
    with psycopg.connect(postgresql.url, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS delivered WITH (FORCE)")
        server.execute("CREATE DATABASE delivered")
    with psycopg.connect(postgresql.url, dbname="delivered", autocommit=True) as admin:
        made = Database(str(url.hostname), int(url.port or 0), "delivered", admin)
        yield made
        for output in made.opened:
            output.close()


def test_outputs_that_create_their_tables_at_once_all_deliver(database: Database) -> None:
    outputs = [database.output(str(each), mode="append", key=[]) for each in range(8)]
    for output in outputs:
        output.check()  # connected, and has not created anything yet
    began = threading.Barrier(len(outputs))

    def begin(output: PostgreSQLOutput) -> int | None:
        began.wait()
        return output.delivered()

    with ThreadPoolExecutor(len(outputs)) as threads:
        assert list(threads.map(begin, outputs)) == [None] * len(outputs)


def row(start: int, car: str | None, n: int, **attributes: Any) -> dict[str, Any]:
    return {"output": "out", "start": start, "end": start + HOUR, "payload": {"car": car, "n": n}, **attributes}


def batch(number: int, *rows: dict[str, Any]) -> DeliveryBatch:
    return DeliveryBatch(number, rows, None)


def test_a_table_is_created_and_a_later_result_replaces_an_earlier_one(database: Database) -> None:
    output = database.output()
    assert output.delivered() is None
    output.deliver([batch(1, row(0, "a", 1), row(0, None, 5)), batch(4, row(HOUR, "a", 2))])
    assert output.delivered() == 4
    output.deliver([batch(5, row(0, "a", 3), row(0, None, 6))])
    assert database.rows("window_start::text, car, n") == [
        ("1970-01-01 00:00:00+00", "a", 3),
        ("1970-01-01 00:00:00+00", None, 6),
        ("1970-01-01 01:00:00+00", "a", 2),
    ]
    again = database.output()
    assert again.delivered() == 5
    assert database.output("two").delivered() is None, "another output has its own number"


def test_results_that_are_not_final_are_replaced_and_retracted_by_their_key(database: Database) -> None:
    output = database.output()
    output.delivered()
    early = {"start": 0, "end": None, "edge": "start", "key": "k1"}
    output.deliver([batch(1, row(0, "a", 1) | early, row(0, "a", 1) | early | {"key": "k2"}, row(0, "b", 9, key="k3"))])
    assert database.rows("window_end::text, result_key, car") == [
        ("1970-01-01 01:00:00+00", "k3", "b"),
        ("infinity", "k1", "a"),
        ("infinity", "k2", "a"),
    ]
    output.deliver([batch(2, row(0, "a", 1, edge="end", key="k1"), row(0, "b", 9, key="k3", deleted=True))])
    assert database.rows("window_end::text, result_key, car") == [
        ("1970-01-01 01:00:00+00", "k1", "a"),
        ("infinity", "k2", "a"),
    ]
    output.deliver([batch(3, row(0, "c", 1, key="k4"), row(0, "c", 2, key="k4"), row(0, "d", 1, key="k5")),
                    batch(4, row(0, "d", 1, key="k5", deleted=True))])  # fmt: skip
    assert database.rows("car, n, result_key") == [("a", 1, "k1"), ("a", 1, "k2"), ("c", 2, "k4")]


def test_a_repair_retracts_final_rows_and_replaces_them(database: Database) -> None:
    output = database.output()
    output.delivered()
    output.deliver([batch(1, row(0, "a", 1), row(0, None, 5), row(HOUR, "a", 2), row(HOUR, "b", 7))])
    gone = {"deleted": True, "repair": "r"}
    coming = (row(0, "a", 3, repair="r"), row(0, "c", 1, repair="r"))
    repair = batch(2, row(0, "a", 1, **gone), row(0, None, 5, **gone), *coming)
    output.deliver([repair])
    assert database.rows() == [("a", 2, None), ("a", 3, None), ("b", 7, None), ("c", 1, None)]
    taken = [batch(3, row(HOUR, "d", 4)), batch(4, row(HOUR, "d", 4, **gone)), batch(5, row(HOUR, "b", 7, **gone))]
    output.deliver([*taken, batch(6, row(HOUR, "b", 8, repair="s"))])
    assert database.rows() == [("a", 2, None), ("a", 3, None), ("b", 8, None), ("c", 1, None)]


def test_appended_rows_are_all_there_with_their_retractions(database: Database) -> None:
    output = database.output(mode="append")
    output.delivered()
    output.deliver([batch(1, row(0, "a", 1), row(0, "a", 1)), batch(2, row(0, "a", 1, key="k", deleted=True))])
    assert database.rows("car, n, result_key, deleted, incomplete") == [
        ("a", 1, "k", True, False),
        ("a", 1, None, False, False),
        ("a", 1, None, False, False),
    ]


def test_every_type_arrives_unchanged(database: Database) -> None:
    fields = {
        "b": "boolean", "d": "double", "m": "decimal(38,10)", "t": "timestamp",
        "a": "array<long>", "s": "struct<x: string>", "w": "string",
    }  # fmt: skip
    payload = {
        "b": True, "d": 0.1, "m": "1234567890123456789012345678.0123456789", "t": "0001-01-01T00:00:00.000001Z",
        "a": [1, None], "s": {"x": "ü\t\\N\n"}, "w": "\\N",
    }  # fmt: skip
    last = 253_402_300_799_999_999
    output = database.output(fields=fields, key=[])
    output.delivered()
    output.deliver([batch(1, {"output": "out", "start": last, "end": last + 1, "payload": payload})])
    assert database.rows("b, d, m::text, t::text, a, s, w, window_start::text, window_end::text") == [
        (True, 0.1, payload["m"], "0001-01-01 00:00:00.000001+00", [1, None], {"x": "ü\t\\N\n"}, "\\N",
         "9999-12-31 23:59:59.999999+00", "10000-01-01 00:00:00+00")
    ]  # fmt: skip


ROWS = st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.integers(0, 9), st.sampled_from([None, "k", "l", "-k"]))


def insisting(database: Database, output: PostgreSQLOutput, made: DeliveryBatch, fault: str) -> PostgreSQLOutput:
    """Deliver a batch while something breaks: before it, amid its rows, or while its answer is on the way."""
    if fault == "mid":
        database.admin.execute(
            "CREATE TRIGGER breaks AFTER INSERT OR DELETE ON counts FOR EACH ROW EXECUTE FUNCTION breaks()"
        )
    if fault == "cut":
        database.cut()
    for attempt in range(3):
        try:
            last = output.delivered()
            if last is None or last < made.number:
                output.deliver([made])
            if fault == "after" and attempt == 0:
                raise AdapterError("The answer was lost.", domain="external")
            break
        except AdapterError as error:
            if error.domain != "external" or attempt == 2:
                raise
            output.close()
            output = database.output()
            database.admin.execute("DROP TRIGGER IF EXISTS breaks ON counts")
    database.admin.execute("DROP TRIGGER IF EXISTS breaks ON counts")
    return output


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.lists(ROWS, max_size=4), st.sampled_from(["", "", "cut", "mid", "after"])), max_size=8),
)
def test_through_broken_connections_the_table_equals_the_rows_in_sequence(
    database: Database, script: Sequence[tuple[list[tuple[int, str, int, str | None]], str]]
) -> None:
    database.admin.execute("DROP TABLE IF EXISTS counts, punctual_deliveries")
    database.admin.execute(
        "CREATE OR REPLACE FUNCTION breaks() RETURNS trigger AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid());"
        " RETURN NEW; END' LANGUAGE plpgsql"
    )
    standing: list[tuple[int, str, int, str | None]] = []
    output = database.output()
    output.delivered()
    for number, (drawn, fault) in enumerate(script):
        rows, seen = [], set()
        for start, car, n, key in drawn:
            if key is None and (start, car) in seen:
                continue
            seen.add((start, car) if key is None else (number, str(len(seen)), "keyed"))
            name = None if key is None else key.lstrip("-")
            rows.append(row(start * HOUR, car, n, key=name, deleted=key is not None and key != name))
            standing = [
                old for old in standing if (old[3] != name if name else (old[3], *old[:2]) != (None, start, car))
            ]
            standing += [] if rows[-1]["deleted"] else [(start, car, n, name)]
        output = insisting(database, output, batch(number + 1, *rows), fault)
    found = database.rows("extract(epoch FROM window_start)::int / 3600, car, n, result_key")
    assert sorted(found, key=repr) == sorted(standing, key=repr)


def test_two_processes_with_one_identity_do_not_write_a_batch_twice(database: Database) -> None:
    first, second = database.output(mode="append"), database.output(mode="append")
    assert (first.delivered(), second.delivered()) == (None, None)
    first.deliver([batch(1, row(0, "a", 1))])
    with pytest.raises(AdapterError, match="Another process"):
        second.deliver([batch(1, row(0, "a", 1))])
    assert second.delivered() == 1
    assert len(database.rows()) == 1


def test_a_locked_table_is_reported_and_gets_its_rows_when_it_is_free(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connecting._SETTINGS, "lock_timeout", "200")
    output = database.output()
    output.delivered()
    output.deliver([batch(1, row(0, "a", 1))])
    with database.admin.transaction():
        database.admin.execute("LOCK TABLE counts IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(AdapterError, match=r"has the table locked by another transaction.*is retried") as raised:
            output.deliver([batch(2, row(0, "a", 2))])
    assert raised.value.domain == "external"
    assert output.delivered() == 1
    output.deliver([batch(2, row(0, "a", 2))])
    assert database.rows("car, n, 1") == [("a", 2, 1)]


@pytest.mark.parametrize(
    ("made", "options", "sentence"),
    [
        ("", {"create": False}, "There is no table public.counts"),
        ("CREATE TABLE counts (window_start timestamptz)", {}, 'ADD COLUMN "car" text, ADD COLUMN "n" bigint'),
        (
            MADE.format("int"),
            {},
            "column car of public.counts is integer, but the results have text",
        ),
        (
            MADE.format("text"),
            {},
            'CREATE UNIQUE INDEX ON "public"."counts" ("window_start", "window_end", "car", "result_key") NULLS NOT',
        ),
        ("", {"key": ["bus"]}, "The key names bus, but the results have the fields car, n"),
        ("", {"start_column": "n"}, "would have the name n"),
        ("", {"database": "absent"}, "has no database of that name"),
        ("", {"schema_name": "absent"}, "has no such schema"),
        ("", {"port": 1}, "can't be reached"),
        ("", {"tls": "encrypt", "host": "169.254.169.254"}, "can't be reached"),
        ("", {"user": "stranger"}, "refuses the user or the password"),
    ],
)
def test_a_problem_is_reported_with_what_to_do(
    database: Database, made: str, options: dict[str, Any], sentence: str
) -> None:
    if made:
        database.admin.execute(made)  # type: ignore[arg-type]
    with pytest.raises(AdapterError) as refused:
        database.output(**options).check()
    assert sentence in str(refused.value)
    assert refused.value.domain == ("external" if "reached" in sentence else "user")


def test_a_check_changes_nothing(database: Database) -> None:
    output = database.output()
    output.check()
    found = database.admin.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert found == (0,)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([row(0, "a\0b", 1)], "A text of the field car has a null character"),
        ([row(0, "a", 1), row(0, "a", 2)], "Two results have the same key (start, end, car)"),
        ([row(0, "a", 2**63)], "can't store a value of a row"),
    ],
)
def test_rows_that_the_table_cannot_hold_stop_with_an_error_and_leave_nothing(
    database: Database, rows: list[dict[str, Any]], sentence: str
) -> None:
    output = database.output()
    output.delivered()
    with pytest.raises(AdapterError) as refused:
        output.deliver([batch(1, row(HOUR, "z", 1)), batch(2, *rows)])
    assert sentence in str(refused.value)
    assert refused.value.domain == "user"
    assert database.rows() == []
    assert output.delivered() is None


def test_the_registry_connects_only_where_it_is_allowed(database: Database, tmp_path: Path) -> None:
    output = delivering_adapter("postgresql", database.options(), "one", FIELDS, tmp_path)
    with pytest.raises(AdapterError, match="PUNCTUAL_OUTGOING_NETWORKS"):
        output.delivered()


def test_passwords_are_never_shown_and_servers_must_prove_their_identity(
    database: Database, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trusted: Authority = authority(tmp_path_factory.mktemp("authority"))
    data = Path(str(database.admin.execute("SHOW data_directory").fetchone()[0]))  # type: ignore[index]
    _serve_tls(database, data, trusted)
    resolve = lambda name: ["127.0.0.1"]  # noqa: E731
    reach = Reach(LOOPBACK.policy, resolve, trusted.trust)

    def attempt(**options: Any) -> None:
        signs_in = {"user": "locked", "password": "s3cr3t-planted", "tls": "verify", "host": "files.example"}
        values = database.options(**(signs_in | options))
        output = PostgreSQLOutput(PostgreSQLOutputOptions.model_validate(values), "tls", FIELDS, reach)
        try:
            output.check()
        finally:
            output.close()

    database.admin.execute("CREATE ROLE locked LOGIN PASSWORD 'another'")
    try:
        with pytest.raises(AdapterError) as refused:
            attempt()
        assert "refuses the user or the password" in str(refused.value)
        assert "s3cr3t" not in repr(refused.value) + repr(refused.value.__context__)
        database.admin.execute("ALTER ROLE locked PASSWORD 's3cr3t-planted'")
        with pytest.raises(AdapterError, match="refuses a right that this user needs"):
            attempt()
        database.admin.execute("GRANT ALL ON SCHEMA public TO locked")
        attempt()
        reach = Reach(LOOPBACK.policy, resolve)
        with pytest.raises(AdapterError, match="can't prove its identity"):
            attempt()
        attempt(authority=trusted.chain.read_text().replace("\n", " "))
        attempt(tls="encrypt")
        reach = Reach(LOOPBACK.policy, resolve, trusted.trust)
        with pytest.raises(AdapterError, match="can't prove its identity"):
            attempt(host="stranger.example")
    finally:
        database.admin.execute("DROP OWNED BY locked")
        database.admin.execute("DROP ROLE locked")


def _serve_tls(database: Database, data: Path, trusted: Authority) -> None:
    """Let the server use TLS with the authority's certificate, and ask `locked` for its password."""
    hba = data / "pg_hba.conf"
    chain = data / "test-chain.pem"
    shutil.copy(trusted.chain, chain)
    chain.chmod(0o600)
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(chain, owner.pw_uid, owner.pw_gid)
    if "locked" not in hba.read_text():
        hba.write_text("host all locked all scram-sha-256\n" + hba.read_text())
    database.admin.execute(f"ALTER SYSTEM SET ssl_cert_file = '{chain}'")  # type: ignore[arg-type]
    database.admin.execute(f"ALTER SYSTEM SET ssl_key_file = '{chain}'")  # type: ignore[arg-type]
    database.admin.execute("ALTER SYSTEM SET ssl = on")
    database.admin.execute("SELECT pg_reload_conf()")
