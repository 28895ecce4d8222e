"""Determines up to which cursor a table is settled: no running transaction can still add a row up to it.

Cursors are assigned in order and committed in any order. The largest visible cursor settles when every transaction has
ended that was writing at that moment: all with a smaller cursor were among these, or had ended. PostgreSQL itself waits
like this when it creates an index concurrently. A number is assigned under a lock on the table or its sequence. A time
(now()) is assigned when its transaction begins, so for times every transaction of the database counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from psycopg import sql

from streaming.adapters.postgresql.table import Connection, SourceTable

_PREPARED: Final = "-"
"""The prefix of prepared transactions, which wait for their second phase: -1/731."""
_WRITERS: Final = """
    SELECT DISTINCT virtualtransaction FROM pg_locks
     WHERE locktype = 'relation' AND relation = ANY (%(written)s::oid[]) AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
       AND pid IS DISTINCT FROM pg_backend_pid()"""
_RUNNING: Final = """
     UNION
    SELECT l.virtualtransaction FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted
       AND a.datname = current_database() AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
       AND l.pid <> pg_backend_pid()"""


@dataclass(frozen=True)
class _Unsettled:
    """The cursor `mark` settles when the transactions `waiting` have ended; `prepared`: they are prepared ones."""

    mark: str
    waiting: frozenset[str]
    prepared: bool = False


class SnapshotVisibility:
    """Watches one table from poll to poll; its state may be dropped at any time."""

    def __init__(self, margin_s: int) -> None:
        self._margin_s = margin_s
        self._settled: str | None = None
        self._unsettled: _Unsettled | None = None

    @property
    def waits(self) -> bool:
        """True if an unsettled cursor existed at the last poll."""
        return self._unsettled is not None

    def poll(self, connection: Connection, table: SourceTable) -> str | None:
        """Return the settled cursor as text; None if no cursor has settled yet.

        Each statement needs a snapshot of its own.
        """
        if self._unsettled is not None:
            self._poll_again(connection, table, self._unsettled)
        if self._unsettled is None:
            newest = self._newest(connection, table)  # read before the writers: later writers get larger cursors
            if newest is not None and newest != self._settled:
                self._begin(newest, self._writers(connection, table))
        return self._settled

    def _begin(self, mark: str, waiting: frozenset[str]) -> None:
        if waiting:
            self._unsettled = _Unsettled(mark, waiting)
        else:
            self._settled, self._unsettled = mark, None

    def _poll_again(self, connection: Connection, table: SourceTable, mine: _Unsettled) -> None:
        """Check which writers have ended; one that was prepared since then has a new name, so wait for prepared ones
        too.
        """
        now = self._writers(connection, table)
        waiting = mine.waiting & now
        if not waiting and not mine.prepared:
            waiting = frozenset(each for each in now if each.startswith(_PREPARED))
            mine = _Unsettled(mine.mark, waiting, prepared=True)
        if waiting:
            self._unsettled = _Unsettled(mine.mark, waiting, mine.prepared)
        else:
            self._settled, self._unsettled = mine.mark, None

    def _newest(self, connection: Connection, table: SourceTable) -> str | None:
        """The largest cursor with a committed row; for times, the largest one older than the margin."""
        column = sql.Identifier(table.cursor)
        ask = sql.SQL("SELECT max({})::text FROM {}").format(column, table.name)
        values: Mapping[str, Any] = {}
        if table.is_timed:
            ask += sql.SQL(" WHERE {} <= statement_timestamp() - make_interval(secs => %(margin)s)").format(column)
            values = {"margin": self._margin_s}
        found = connection.execute(ask, values).fetchone()
        return None if found is None else found[0]

    def _writers(self, connection: Connection, table: SourceTable) -> frozenset[str]:
        """The transactions that may still add a row with an already assigned cursor."""
        written = [*table.relations, *(each.oid for each in table.sequences)]
        ask = _WRITERS + _RUNNING if table.is_timed else _WRITERS
        return frozenset(name for (name,) in connection.execute(ask, {"written": written}))
