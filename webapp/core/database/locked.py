"""SQLite has one writer at a time: handling of a database that another writer has locked."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.db import OperationalError, connection

WAITS_MS: Final = 5_000
"""Longest wait of a request for its turn to write; the setting of the database has the same value in seconds."""


class DatabaseLocked(Exception):
    """Another process is writing."""


def is_locked(error: BaseException | None) -> bool:
    """Return whether `error` means that another writer has locked the database."""
    return isinstance(error, OperationalError) and "locked" in str(error)


def hold_open(database: Path) -> sqlite3.Connection:
    """Return a connection to the SQLite `database` that must stay open, idle, while this process answers requests.

    The last connection that closes removes the two additional files of a database (`-wal`, `-shm`), and the next one
    creates them again. On a full disk it can't, and every request would fail, even reads.
    """
    held = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    held.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    return held


@contextmanager
def without_waiting() -> Iterator[None]:
    """Write inside the block if nobody else does. Raises `DatabaseLocked`.

    Has no effect on PostgreSQL, which locks single rows.
    """
    if connection.vendor != "sqlite":
        yield
        return
    _wait(0)
    try:
        yield
    except OperationalError as error:
        if is_locked(error):
            raise DatabaseLocked from None
        raise
    finally:
        _wait(WAITS_MS)


def _wait(milliseconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
