"""The replication slots of an input, managed from outside: the log stored for them, and their removal."""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

import psycopg

from streaming.adapters.kinds import FootprintStatus
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import connect, translate_errors
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.postgresql_changes.slots import slot
from streaming.adapters.postgresql_changes.slots.names import prefix_of

_ASKING_MS: Final = 10_000
LARGE_BYTES: Final = 1 << 30
"""The size of log stored for one input from which a warning is shown."""
_SLOTS: Final = """
    SELECT slot_name::text, wal_status, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint,
           pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)),
           current_setting('max_slot_wal_keep_size')
      FROM pg_replication_slots
     WHERE starts_with(slot_name::text, %s) AND database = current_database() ORDER BY slot_name"""


def look(options: PostgreSQLChangesOptions, holder: str, reach: Reach) -> FootprintStatus:
    """Return the slots of `holder`, and the size of log that the server stores for them. Raises `AdapterError`."""
    with _connected(options, reach) as connection:
        return footprint_of(connection, holder)


def footprint_of(connection: psycopg.Connection[Any], holder: str) -> FootprintStatus:
    """As `look`, over an existing `connection`. Raises `psycopg.Error`."""
    found = connection.execute(_SLOTS, [prefix_of(holder)]).fetchall()
    warnings = [text for _, status, size, shown, limit in found if (text := _warning(status, size, shown, limit))]
    known = [size for _, _, size, _, _ in found if size is not None]
    return FootprintStatus([name for name, *_ in found], max(known, default=None), warnings[0] if warnings else None)


def _warning(status: str | None, size: int | None, shown: str, limit: str) -> str | None:
    if status in (None, "lost"):
        return (
            f"The server has discarded changes that were not read in time: its limit (max_slot_wal_keep_size, {limit}) "
            "was reached. Start the binding from the beginning, or let its stream compare the table."
        )
    if status == "unreserved":
        return (
            f"The server may discard unread changes at any moment: {shown} of its log are waiting, more than its limit "
            f"(max_slot_wal_keep_size, {limit}). Start the binding now, or raise the limit."
        )
    if size is None or size < LARGE_BYTES:
        return None
    until = "until its disk is full" if limit == "-1" else f"up to its limit (max_slot_wal_keep_size, {limit})"
    return (
        f"The server stores {shown} of its log for this input, {until}. Start the binding if it is stopped, end "
        "transactions that stay open there, or delete the binding if it is no longer needed."
    )


def release(options: PostgreSQLChangesOptions, holder: str, keep: Collection[str], reach: Reach) -> None:
    """Drop the slots of `holder` except those to `keep`. Raises `AdapterError`, also while a slot is being read."""
    with _connected(options, reach) as connection:
        slot.drop(connection, prefix_of(holder), keep)


@contextmanager
def _connected(options: PostgreSQLChangesOptions, reach: Reach) -> Iterator[psycopg.Connection[Any]]:
    settings = {"statement_timeout": str(_ASKING_MS)}
    with translate_errors(options, slot.EXPLANATIONS), closing(connect(options, reach, settings)) as connection:
        connection.autocommit = True
        yield connection
