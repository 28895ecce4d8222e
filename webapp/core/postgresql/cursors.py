"""Cursors that set the organisation of their connection before each statement.

They work below Django's own cursors, so that raw SQL, COPY and statements of libraries are covered too.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from webapp.core.postgresql.scope import NOBODY, current_scope, forget, set_scope, undoes

if TYPE_CHECKING:
    from psycopg import ClientCursor, ServerCursor

    Cursor = ClientCursor[Any]
    ServerSideCursor = ServerCursor[Any]
else:
    from django.db.backends.postgresql.base import Cursor, ServerSideCursor


class ScopedCursor(Cursor):
    """A cursor of this process: its fetched rows are already here."""

    def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        """Set the scope, then execute."""
        with _scoped(self, query):
            return super().execute(query, *args, **kwargs)

    def executemany(self, query: Any, params_seq: Iterable[Any], **kwargs: Any) -> None:
        """Set the scope, then execute for each."""
        with _scoped(self, query):
            super().executemany(query, params_seq, **kwargs)

    def stream(self, query: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Set the scope, then execute; the connection does nothing else until the last row is read."""
        with _scoped(self, query):
            yield from super().stream(query, *args, **kwargs)

    @contextmanager
    def copy(self, statement: Any, *args: Any, **kwargs: Any) -> Generator[Any]:
        """Set the scope, then copy."""
        with _scoped(self, statement), super().copy(statement, *args, **kwargs) as copying:
            yield copying


class ScopedServerCursor(ServerSideCursor):
    """A cursor of the server, where policies apply row by row: it keeps the scope with which it was opened."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._scope = NOBODY

    def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        """Set the scope, then open."""
        self._scope = current_scope()
        set_scope(self.connection, self._scope)
        return super().execute(query, *args, **kwargs)

    def fetchone(self) -> Any:
        """Fetch one row in the scope of the cursor."""
        set_scope(self.connection, self._scope)
        return super().fetchone()

    def fetchmany(self, size: int = 0) -> list[Any]:
        """Fetch some rows in the scope of the cursor."""
        set_scope(self.connection, self._scope)
        rows: list[Any] = super().fetchmany(size)
        return rows

    def fetchall(self) -> list[Any]:
        """Fetch all rows in the scope of the cursor."""
        set_scope(self.connection, self._scope)
        rows: list[Any] = super().fetchall()
        return rows

    def __next__(self) -> Any:
        set_scope(self.connection, self._scope)
        return super().__next__()


@contextmanager
def _scoped(cursor: Any, statement: object) -> Generator[None]:
    set_scope(cursor.connection, current_scope())
    try:
        yield
    finally:
        if undoes(statement):
            forget(cursor.connection)
