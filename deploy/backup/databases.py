"""The database of an installation, SQLite or PostgreSQL: a snapshot at one moment, its dump, and an import of one."""

import os
import shutil
import subprocess  # nosec B404 # pg_dump and pg_restore of this machine
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import psycopg
from psycopg.conninfo import conninfo_to_dict

from deploy.backup.cloning import SqliteAtCut
from streaming.storage.archive import BackupRefused

SQLITE: Final = "punctual.sqlite3"
DUMP: Final = "database.dump"
FORMS: Final[Mapping[str, str]] = {SQLITE: "SQLite", DUMP: "PostgreSQL"}
"""The files of a database in a backup, and the systems that read them."""
_MIGRATIONS: Final = "SELECT app, name FROM django_migrations ORDER BY app, name"
_RIGHTS: Final = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_TABLES: Final = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = ANY (current_schemas(false))"
_VARIABLES: Final = {
    "dbname": "PGDATABASE",
    **{
        name: f"PG{name.upper()}"
        for name in ("host", "hostaddr", "port", "user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey")
    },
}
NO_PROGRAM: Final = (
    "{program} is missing. Install the client programs of PostgreSQL, in the version of the server or a newer one."
)
NO_RIGHTS: Final = (
    "The role of DATABASE_URL sees only the rows of one organisation. Run this command with the DATABASE_URL of a "
    "superuser or of a role with BYPASSRLS."
)
UNREACHABLE: Final = "The database can't be used: {why}. Check DATABASE_URL, and that the server runs."
NOT_EMPTY: Final = "The database of DATABASE_URL has tables. Make an empty one and name that. Nothing was changed."
OTHER_SYSTEM: Final = (
    "The backup has a database of {found}, and this installation uses {wanted}. {remedy} Nothing was changed."
)
FAILED: Final = "{program} failed: {why}"


class DatabaseSnapshot(Protocol):
    """The content of the database at the moment when this was opened; others may write."""

    file: str

    def migrations(self) -> list[str]:
        """Return the applied migrations, as `app.name`."""

    def dump(self, folder: Path) -> None:
        """Write the content to `file` in `folder`, then close. Raises `BackupRefused`."""

    def close(self) -> None:
        """Close without a dump."""


class SqliteSnapshot:
    """A snapshot of the SQLite database in the data folder."""

    file = SQLITE

    def __init__(self, path: Path) -> None:
        self._snapshot = SqliteAtCut(path)

    def migrations(self) -> list[str]:
        """Return the applied migrations, as `app.name`."""
        return [".".join(row) for row in self._snapshot.rows(_MIGRATIONS)]

    def dump(self, folder: Path) -> None:
        """Write the content to `file` in `folder`, then close."""
        self._snapshot.copy(folder / self.file)

    def close(self) -> None:
        """Close without a dump."""
        self._snapshot.close()


class PostgresqlSnapshot:
    """A snapshot of a PostgreSQL database, exported for pg_dump."""

    file = DUMP

    def __init__(self, url: str) -> None:
        """Open it. Raises `BackupRefused`."""
        self._url = url
        self._connection = _connected(url)
        try:
            self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            self._connection.read_only = True
            [[self._name]] = self._connection.execute("SELECT pg_export_snapshot()").fetchall()
        except psycopg.Error as error:
            self._connection.close()
            raise _unreachable(error) from None

    def migrations(self) -> list[str]:
        """Return the applied migrations, as `app.name`."""
        return [".".join(row) for row in self._connection.execute(_MIGRATIONS).fetchall()]

    def dump(self, folder: Path) -> None:
        """Write the content to `file` in `folder`, then close. Raises `BackupRefused`."""
        (folder / self.file).touch(mode=0o600)
        options = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges", f"--snapshot={self._name}"]
        try:
            _run("pg_dump", [*options, f"--file={folder / self.file}"], self._url)
        finally:
            self.close()

    def close(self) -> None:
        """Close without a dump."""
        self._connection.close()


def require_dumpable(url: str) -> int:
    """Return the size of the PostgreSQL database at `url` in bytes. Raises `BackupRefused` if it can't be dumped."""
    _program("pg_dump")
    with _connected(url) as connection:
        [[sees_all]] = connection.execute(_RIGHTS).fetchall()
        [[size]] = connection.execute("SELECT pg_database_size(current_database())").fetchall()
    if not sees_all:
        raise BackupRefused(NO_RIGHTS)
    return int(size)


def require_empty(url: str) -> None:
    """Raise `BackupRefused` unless pg_restore can fill the PostgreSQL database at `url`."""
    _program("pg_restore")
    with _connected(url) as connection:
        [[tables]] = connection.execute(_TABLES).fetchall()
    if tables:
        raise BackupRefused(NOT_EMPTY)


def fill(url: str, dump: Path) -> None:
    """Import `dump` in one transaction. Raises `BackupRefused`, and then the database is as before."""
    options = ["--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", "--dbname="]
    _run("pg_restore", [*options, str(dump)], url)


def _connected(url: str) -> "psycopg.Connection[tuple[Any, ...]]":
    try:
        return psycopg.connect(url, connect_timeout=10)
    except psycopg.Error as error:
        raise _unreachable(error) from None


def _unreachable(error: psycopg.Error) -> BackupRefused:
    return BackupRefused(UNREACHABLE.format(why=str(error).strip().replace("\n", " ")))


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise BackupRefused(NO_PROGRAM.format(program=name))
    return found


def _run(program: str, options: Sequence[str], url: str) -> None:
    """Run `program` on the database at `url`, whose password is on no command line. Raises `BackupRefused`."""
    parts = conninfo_to_dict(url)
    variables = {_VARIABLES[name]: str(value) for name, value in parts.items() if name in _VARIABLES}
    done = subprocess.run(  # nosec B603 # a program of PostgreSQL, no shell
        [_program(program), "--no-password", *options],
        env={**os.environ, **variables},
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BackupRefused(FAILED.format(program=program, why=done.stderr.strip() or f"exit code {done.returncode}"))
