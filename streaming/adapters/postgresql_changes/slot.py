"""The replication slot: made, asked, moved on and dropped by functions of SQL."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.connecting import Says
from streaming.adapters.postgresql_changes.slot_names import PREFIX

Connection = psycopg.Connection[Any]
MOST_CHANGES: Final = 20_000
"""One look stops behind the transaction with which so many messages are reached."""
MAKING_MS: Final = 20_000
READING_MS: Final = 600_000
SAYS: Final[Says] = (
    ("55006", "external", "lets one process at a time read a slot, and another one does: {detail}."),
    (
        "53400",
        "user",
        "has no replication slot left. Drop one that nobody needs (SELECT * FROM pg_replication_slots, then "
        "pg_drop_replication_slot), or have max_replication_slots raised.",
    ),
    ("55000", "user", "cannot tell changes: {detail}."),
    ("42704", "user", "cannot tell changes: {detail}. Have it made again, then start the binding from the beginning."),
    (
        "57014",
        "external",
        "took too long: a slot is made, and the log read, when transactions that were open have ended. End old ones.",
    ),
)


@dataclass(frozen=True)
class SlotState:
    """What the server says of a slot; `lost`: it keeps the log no longer. What comes before `confirmed` is not told."""

    lost: bool
    confirmed: int


def state_of(connection: Connection, name: str) -> SlotState | None:
    """The slot of that name; None: there is none."""
    found = connection.execute(
        "SELECT wal_status IS NULL OR wal_status = 'lost', confirmed_flush_lsn - '0/0'::pg_lsn"
        " FROM pg_replication_slots WHERE slot_name = %s AND database = current_database()",
        [name],
    ).fetchone()
    return None if found is None else SlotState(bool(found[0]) or found[1] is None, int(found[1] or 0))


def make(connection: Connection, name: str) -> int:
    """Make the slot, in place of one of that name; the place from which on it tells all. Raises `psycopg.Error`."""
    connection.execute(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s", [name]
    )
    _limit(connection, MAKING_MS)
    ask = "SELECT lsn - '0/0'::pg_lsn FROM pg_create_logical_replication_slot(%s, 'pgoutput')"
    found = connection.execute(ask, [name]).fetchone()
    _limit(connection, READING_MS)
    return int(found[0]) if found is not None else 0


def drop(connection: Connection, prefix: str, keep: Collection[str], *, idle: bool = False) -> None:
    """Drop the slots whose names begin with `prefix`, but those to `keep`; with `idle`, those alone that nobody reads.

    Raises `psycopg.Error`.
    """
    connection.execute(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE starts_with(slot_name::text, %s)"
        " AND slot_name <> ALL (%s) AND database = current_database() AND NOT (%s AND active)",
        [prefix, list(keep), idle],
    )


def advance(connection: Connection, name: str, lsn: int) -> None:
    """Let the server forget what comes before `lsn`. Raises `psycopg.Error`."""
    connection.execute("SELECT pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s::numeric)", [name, lsn])


def peek(connection: Connection, name: str, publication: str) -> tuple[sql.Composed, list[Any]]:
    """The query for what was committed behind the slot's place, as messages of `pgoutput`, and its values."""
    ask = sql.SQL(
        "SELECT data FROM pg_logical_slot_peek_binary_changes(%s, NULL, {}, 'proto_version', '1',"
        " 'publication_names', %s)"
    ).format(sql.Literal(MOST_CHANGES))
    return ask, [name, sql.Identifier(publication).as_string(connection)]


def clock_and_end(connection: Connection) -> tuple[int, int]:
    """The server's clock in ticks, and then how far its log is on the disk."""
    found = connection.execute(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, pg_current_wal_flush_lsn() - '0/0'::pg_lsn"
    ).fetchone()
    assert found is not None  # nosec B101 # a SELECT without FROM gives one row
    return int(found[0]), int(found[1])


def notes(connection: Connection) -> Sequence[str]:
    """What a person should know of the server's slots: those of ours that nobody reads, and what they hold back."""
    said = [
        f"The replication slot '{name}' was made by Punctual, nobody reads it now, and the server keeps {size} of its "
        f"log for it. If its binding was deleted: SELECT pg_drop_replication_slot('{name}')"
        for name, size in connection.execute(
            "SELECT slot_name::text, pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))"
            " FROM pg_replication_slots WHERE starts_with(slot_name::text, %s) AND NOT active"
            " AND database = current_database() AND pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > 64 << 20"
            " ORDER BY restart_lsn LIMIT 10",
            [PREFIX],
        )
    ]
    limit = connection.execute("SELECT current_setting('max_slot_wal_keep_size')").fetchone()
    if limit == ("-1",):
        said.append(
            "The server keeps its log for as long as a binding that is stopped has not read it, until its disk is "
            "full. Whoever runs it can set a limit: max_slot_wal_keep_size."
        )
    return said


def require_room(connection: Connection) -> None:
    """Raise `AdapterError` when the server has no slot left."""
    found = connection.execute(
        "SELECT current_setting('max_replication_slots')::int, count(*),"
        " string_agg(slot_name, ', ') FILTER (WHERE NOT active AND starts_with(slot_name::text, %s))"
        " FROM pg_replication_slots",
        [PREFIX],
    ).fetchone()
    most, there, ours = found or (1, 0, None)
    if there >= most:
        idle = f" Of ours nobody reads now: {ours}." if ours else ""
        raise AdapterError(
            f"The server has no replication slot left: all {most} are taken.{idle} Drop one that nobody needs "
            "(pg_drop_replication_slot), or have max_replication_slots raised."
        )


def _limit(connection: Connection, ms: int) -> None:
    connection.execute(sql.SQL("SET statement_timeout = {}").format(sql.Literal(ms)))
