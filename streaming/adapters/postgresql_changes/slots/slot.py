"""The replication slot: created, read, advanced and dropped by SQL functions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.connecting import Explanations
from streaming.adapters.postgresql_changes.slots.names import PREFIX

Connection = psycopg.Connection[Any]
MOST_CHANGES: Final = 20_000
"""A poll stops after the transaction that reaches this number of messages."""
MAKING_MS: Final = 20_000
READING_MS: Final = 600_000
EXPLANATIONS: Final[Explanations] = (
    ("55006", "external", "allows only one process at a time to read a slot, and another one is reading it: {detail}."),
    (
        "53400",
        "user",
        "has no replication slot left. Drop an unused one (SELECT * FROM pg_replication_slots, then "
        "pg_drop_replication_slot), or raise max_replication_slots.",
    ),
    ("55000", "user", "can't report changes: {detail}."),
    ("42704", "user", "can't report changes: {detail}. Recreate it, then start the binding from the beginning."),
    (
        "57014",
        "external",
        "took too long: creating a slot and reading the log wait for open transactions. End old ones.",
    ),
)


@dataclass(frozen=True)
class SlotState:
    """A slot's state; `lost`: the log is no longer stored. Changes before `confirmed` are not sent again."""

    lost: bool
    confirmed: int


def state_of(connection: Connection, name: str) -> SlotState | None:
    """The slot with that name; None if it does not exist."""
    found = connection.execute(
        "SELECT wal_status IS NULL OR wal_status = 'lost', confirmed_flush_lsn - '0/0'::pg_lsn"
        " FROM pg_replication_slots WHERE slot_name = %s AND database = current_database()",
        [name],
    ).fetchone()
    return None if found is None else SlotState(bool(found[0]) or found[1] is None, int(found[1] or 0))


def make(connection: Connection, name: str) -> int:
    """Create the slot, replacing one with that name; return the log position from which it reports all changes."""
    connection.execute(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s", [name]
    )
    _limit(connection, MAKING_MS)
    ask = "SELECT lsn - '0/0'::pg_lsn FROM pg_create_logical_replication_slot(%s, 'pgoutput')"
    found = connection.execute(ask, [name]).fetchone()
    _limit(connection, READING_MS)
    return int(found[0]) if found is not None else 0


def drop(connection: Connection, prefix: str, keep: Collection[str], *, idle: bool = False) -> None:
    """Drop the slots whose names begin with `prefix`, except those to `keep`; with `idle`, only inactive ones."""
    connection.execute(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE starts_with(slot_name::text, %s)"
        " AND slot_name <> ALL (%s) AND database = current_database() AND NOT (%s AND active)",
        [prefix, list(keep), idle],
    )


def advance(connection: Connection, name: str, lsn: int) -> None:
    """Let the server discard its log before `lsn`. Raises `psycopg.Error`."""
    connection.execute("SELECT pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s::numeric)", [name, lsn])


def peek(connection: Connection, name: str, publication: str) -> tuple[sql.Composed, list[Any]]:
    """The query for changes committed after the slot's position, as messages of `pgoutput`, and its parameters."""
    ask = sql.SQL(
        "SELECT data FROM pg_logical_slot_peek_binary_changes(%s, NULL, {}, 'proto_version', '1',"
        " 'publication_names', %s)"
    ).format(sql.Literal(MOST_CHANGES))
    return ask, [name, sql.Identifier(publication).as_string(connection)]


def clock_and_end(connection: Connection) -> tuple[int, int]:
    """The server's clock in ticks, and then the end of its log on disk."""
    found = connection.execute(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, pg_current_wal_flush_lsn() - '0/0'::pg_lsn"
    ).fetchone()
    assert found is not None  # nosec B101 # a SELECT without FROM returns one row
    return int(found[0]), int(found[1])


def notes(connection: Connection) -> Sequence[str]:
    """Notes for a person about the server's slots: our inactive ones, and the size of log stored for them."""
    messages = [
        f"The replication slot '{name}' was created by Punctual but is not being read, and the server stores {size} of "
        f"its log for it. If its binding was deleted: SELECT pg_drop_replication_slot('{name}')"
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
        messages.append(
            "If a binding is stopped, the server stores its unread log until the disk is full. The server's "
            "administrator can set a limit: max_slot_wal_keep_size."
        )
    return messages


def require_room(connection: Connection) -> None:
    """Raise `AdapterError` if the server has no slot left."""
    found = connection.execute(
        "SELECT current_setting('max_replication_slots')::int, count(*),"
        " string_agg(slot_name, ', ') FILTER (WHERE NOT active AND starts_with(slot_name::text, %s))"
        " FROM pg_replication_slots",
        [PREFIX],
    ).fetchone()
    most, there, ours = found or (1, 0, None)
    if there >= most:
        idle = f" These slots of Punctual are inactive: {ours}." if ours else ""
        raise AdapterError(
            f"The server has no replication slot left: all {most} are in use.{idle} Drop an unused one "
            "(pg_drop_replication_slot), or raise max_replication_slots."
        )


def _limit(connection: Connection, ms: int) -> None:
    connection.execute(sql.SQL("SET statement_timeout = {}").format(sql.Literal(ms)))
