"""The slots of an input seen from outside: what the server keeps for them, and how they go when nobody reads them."""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

import psycopg

from streaming.adapters.kinds import FootprintSeen
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import connect, told
from streaming.adapters.postgresql_changes import slot
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.postgresql_changes.slot_names import prefix_of

_ASKING_MS: Final = 10_000
LARGE_BYTES: Final = 1 << 30
"""A server that keeps so much of its log for one input is worth a sentence."""
_SLOTS: Final = """
    SELECT slot_name::text, wal_status, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint,
           pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)),
           current_setting('max_slot_wal_keep_size')
      FROM pg_replication_slots
     WHERE starts_with(slot_name::text, %s) AND database = current_database() ORDER BY slot_name"""


def look(options: PostgreSQLChangesOptions, holder: str, reach: Reach) -> FootprintSeen:
    """The slots of `holder`, and what the server keeps for them. Raises `AdapterError`."""
    with _connected(options, reach) as connection:
        return seen(connection, holder)


def seen(connection: psycopg.Connection[Any], holder: str) -> FootprintSeen:
    """The same, by `connection`. Raises `psycopg.Error`."""
    found = connection.execute(_SLOTS, [prefix_of(holder)]).fetchall()
    warnings = [said for _, status, size, shown, limit in found if (said := _warning(status, size, shown, limit))]
    known = [size for _, _, size, _, _ in found if size is not None]
    return FootprintSeen([name for name, *_ in found], max(known, default=None), warnings[0] if warnings else None)


def _warning(status: str | None, size: int | None, shown: str, limit: str) -> str | None:
    if status in (None, "lost"):
        return (
            f"The server has dropped changes that were not read in time: its limit (max_slot_wal_keep_size, {limit}) "
            "was reached. Start the binding again from the beginning, or let its stream compare the table."
        )
    if status == "unreserved":
        return (
            f"The server will drop changes that were not read at any moment: {shown} of its log wait, more than its "
            f"limit (max_slot_wal_keep_size, {limit}). Have the binding read now, or have the limit raised."
        )
    if size is None or size < LARGE_BYTES:
        return None
    until = "until its disk is full" if limit == "-1" else f"up to its limit (max_slot_wal_keep_size, {limit})"
    return (
        f"The server keeps {shown} of its log for this input, {until}. Start the binding if it is stopped, end "
        "transactions that stay open there, or delete the binding if nobody needs it."
    )


def release(options: PostgreSQLChangesOptions, holder: str, keep: Collection[str], reach: Reach) -> None:
    """Drop the slots of `holder` but those to `keep`. Raises `AdapterError`, also while somebody reads one."""
    with _connected(options, reach) as connection:
        slot.drop(connection, prefix_of(holder), keep)


@contextmanager
def _connected(options: PostgreSQLChangesOptions, reach: Reach) -> Iterator[psycopg.Connection[Any]]:
    settings = {"statement_timeout": str(_ASKING_MS)}
    with told(options, slot.SAYS), closing(connect(options, reach, settings)) as connection:
        connection.autocommit = True
        yield connection
