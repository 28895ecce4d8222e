"""Cursors that tell their connection for whom it works before each statement.

Below Django's own cursors, so that raw SQL, COPY and what libraries execute are told too.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from webapp.core.postgresql.scope import NOBODY, current_scope, forget, tell, undoes

if TYPE_CHECKING:
    from psycopg import ClientCursor, ServerCursor

    Cursor = ClientCursor[Any]
    ServerSideCursor = ServerCursor[Any]
else:
    from django.db.backends.postgresql.base import Cursor, ServerSideCursor


class ScopedCursor(Cursor):
    """A cursor of this process: what it fetches is here already."""

    def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        """Tell, then execute."""
        with _told(self, query):
            return super().execute(query, *args, **kwargs)

    def executemany(self, query: Any, params_seq: Iterable[Any], **kwargs: Any) -> None:
        """Tell, then execute for each."""
        with _told(self, query):
            super().executemany(query, params_seq, **kwargs)

    def stream(self, query: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Tell, then execute; the connection does nothing else until the last row was read."""
        with _told(self, query):
            yield from super().stream(query, *args, **kwargs)

    @contextmanager
    def copy(self, statement: Any, *args: Any, **kwargs: Any) -> Generator[Any]:
        """Tell, then copy."""
        with _told(self, statement), super().copy(statement, *args, **kwargs) as copying:
            yield copying


class ScopedServerCursor(ServerSideCursor):
    """A cursor of the server, which decides row by row: it reads for whom it was opened, whatever was told since."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._scope = NOBODY

    def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        """Tell, then open."""
        self._scope = current_scope()
        tell(self.connection, self._scope)
        return super().execute(query, *args, **kwargs)

    def fetchone(self) -> Any:
        """Fetch one row for whom the cursor was opened."""
        tell(self.connection, self._scope)
        return super().fetchone()

    def fetchmany(self, size: int = 0) -> list[Any]:
        """Fetch some rows for whom the cursor was opened."""
        tell(self.connection, self._scope)
        rows: list[Any] = super().fetchmany(size)
        return rows

    def fetchall(self) -> list[Any]:
        """Fetch all rows for whom the cursor was opened."""
        tell(self.connection, self._scope)
        rows: list[Any] = super().fetchall()
        return rows

    def __next__(self) -> Any:
        tell(self.connection, self._scope)
        return super().__next__()


@contextmanager
def _told(cursor: Any, statement: object) -> Generator[None]:
    tell(cursor.connection, current_scope())
    try:
        yield
    finally:
        if undoes(statement):
            forget(cursor.connection)
