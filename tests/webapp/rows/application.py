"""Working as the application's role of the database, as an installation does: made and migrated by the owner."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.db.backends.postgresql.operations import DatabaseOperations

ROLE = "application"
ASKED_BY = "TEST_DATABASE_ROLE"
"""The environment variable with which `tested_as_application` asks its processes for the role."""


@contextmanager
def working_as_application(blocker: Any) -> Iterator[None]:
    """Work as ROLE inside the block if the environment asks for it; the test database exists and is migrated."""
    if ASKED_BY not in os.environ:
        yield
        return
    owner = connection.settings_dict["USER"]
    flush = DatabaseOperations.execute_sql_flush

    def flush_as_owner(operations: Any, statements: Any) -> None:
        """Empty the tables after a test that committed: nobody but the owner can truncate."""
        with as_user(owner):
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
    """Connect as `name` inside the block; threads that connect meanwhile do so too."""
    before = connection.settings_dict["USER"]
    connection.close()
    connection.settings_dict["USER"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["USER"] = before
