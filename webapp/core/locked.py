"""SQLite has one writer at a time: what to do while somebody else is it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import OperationalError, connection

WAITS_MS: Final = 5_000
"""How long a request waits for its turn to write; the setting of the database says the same in seconds."""


class DatabaseLocked(Exception):
    """Somebody else is writing."""


def is_locked(error: BaseException | None) -> bool:
    """Whether `error` says that the database is locked by another writer."""
    return isinstance(error, OperationalError) and "locked" in str(error)


@contextmanager
def without_waiting() -> Iterator[None]:
    """Write inside the block if nobody else does. Raises `DatabaseLocked`.

    Nothing in PostgreSQL, where a row is locked and never all.
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
