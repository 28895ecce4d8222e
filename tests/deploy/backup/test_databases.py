"""A PostgreSQL database in a backup: the content of one moment, into an empty database and no other."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from deploy.backup.databases import DUMP, PostgresqlSnapshot, fill, require_dumpable, require_empty
from streaming.storage.archive import BackupRefused
from tests.postgresql import PostgreSQL


def execute(url: str, *statements: str) -> list[tuple[object, ...]]:
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        for each in statements[:-1]:
            connection.execute(each)
        cursor = connection.execute(statements[-1])
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def urls(postgresql: PostgreSQL) -> Iterator[tuple[str, str]]:
    """Return the addresses of a database with rows, and of an empty one."""
    names = ("dumped", "filled")
    for name in names:
        execute(postgresql.url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}")
    full, empty = (f"{postgresql.url.rpartition('/')[0]}/{name}" for name in names)
    execute(
        full,
        "CREATE TABLE django_migrations (app text, name text)",
        "INSERT INTO django_migrations VALUES ('runs', '0001_initial')",
        "CREATE TABLE t (a int)",
        "INSERT INTO t VALUES (1)",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE t FORCE ROW LEVEL SECURITY",
    )
    yield full, empty
    execute(postgresql.url, "DROP ROLE IF EXISTS limited")


def test_a_dump_has_the_rows_of_the_moment_of_its_snapshot(urls: tuple[str, str], tmp_path: Path) -> None:
    full, empty = urls
    assert require_dumpable(full) > 0
    snapshot = PostgresqlSnapshot(full)
    execute(full, "INSERT INTO t VALUES (2)")
    assert snapshot.migrations() == ["runs.0001_initial"]
    snapshot.dump(tmp_path)
    assert (tmp_path / DUMP).stat().st_mode & 0o777 == 0o600
    require_empty(empty)
    fill(empty, tmp_path / DUMP)
    assert execute(empty, "SELECT a FROM t") == [(1,)]
    assert execute(empty, "SELECT relforcerowsecurity FROM pg_class WHERE relname = 't'") == [(True,)]


def test_a_database_with_tables_is_not_filled(urls: tuple[str, str]) -> None:
    with pytest.raises(BackupRefused, match="has tables"):
        require_empty(urls[0])


def test_a_role_that_sees_only_some_rows_takes_no_backup(urls: tuple[str, str]) -> None:
    execute(urls[0], "CREATE ROLE limited LOGIN")
    with pytest.raises(BackupRefused, match="BYPASSRLS"):
        require_dumpable(urls[0].replace("punctual@", "limited@"))


def test_a_dump_that_cannot_be_imported_leaves_the_database_empty(urls: tuple[str, str], tmp_path: Path) -> None:
    snapshot = PostgresqlSnapshot(urls[0])
    snapshot.dump(tmp_path)
    content = (tmp_path / DUMP).read_bytes()
    (tmp_path / DUMP).write_bytes(content[: len(content) // 2])
    with pytest.raises(BackupRefused, match="pg_restore failed"):
        fill(urls[1], tmp_path / DUMP)
    require_empty(urls[1])


def test_an_unreachable_database_and_missing_programs_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BackupRefused, match="Check DATABASE_URL"):
        require_empty("postgresql://nobody@127.0.0.1:1/x")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(BackupRefused, match="pg_dump is missing"):
        require_dumpable("postgresql://nobody@127.0.0.1:1/x")
