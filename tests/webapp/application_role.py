"""Working as the application's role of the database, as an installation does: made and migrated by the owner."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

import psycopg
from django.core.management import call_command
from django.db import connection
from django.db.backends.postgresql.operations import DatabaseOperations

from tests.conftest import ROOT
from tests.postgresql import PostgreSQL

ROLE = "application"
OWNER = "owner"
"""Owns the tables, may create databases and roles, and is no superuser: row-level security binds it."""
SUPERUSER = "punctual"
ASKED_BY = "TEST_DATABASE_ROLE"
"""The environment variable with which `run_as_application` asks its process for the role."""


def run_as_application(server: PostgreSQL, files: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the tests of `files` on `server` in a process of its own, where the application's role works."""
    with psycopg.connect(server.url, autocommit=True) as as_superuser:
        if as_superuser.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [OWNER]).fetchone() is None:
            as_superuser.execute(f"CREATE ROLE {OWNER} LOGIN CREATEDB CREATEROLE")
    url = server.url.replace(f"{SUPERUSER}@", f"{OWNER}@")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    env = {**os.environ, "DATABASE_URL": url, ASKED_BY: ROLE}
    return subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)


@contextmanager
def working_as_application(blocker: Any) -> Iterator[None]:
    """Work as ROLE inside the block if the environment asks for it; the test database exists and is migrated."""
    if ASKED_BY not in os.environ:
        yield
        return
    flush = DatabaseOperations.execute_sql_flush

    def flush_as_owner(operations: Any, statements: Any) -> None:
        """Empty the tables after a test that committed: nobody but the owner can truncate."""
        with as_user(OWNER):
            flush(operations, statements)

    with blocker.unblock():
        call_command("databaseroles", application=ROLE, stdout=StringIO())
        with as_user(ROLE):
            DatabaseOperations.execute_sql_flush = flush_as_owner  # type: ignore[method-assign]
            try:
                with blocker.block():
                    yield
            finally:
                DatabaseOperations.execute_sql_flush = flush  # type: ignore[method-assign]


@contextmanager
def as_user(name: str) -> Iterator[None]:
    """Connect as `name` inside the block, also in other threads that connect during it."""
    before = connection.settings_dict["USER"]
    connection.close()
    connection.settings_dict["USER"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["USER"] = before
