"""Reads the table from the catalogue, and checks that it can be polled without missing a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Protocol

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.options import PostgreSQLOptions

Connection = psycopg.Connection[Any]
NUMBERS: Final = frozenset({"smallint", "integer", "bigint"})
TIME: Final = "timestamp with time zone"
_TABLES: Final = {"r", "p"}
_RELATION: Final = """
    SELECT c.oid::bigint, c.relkind::text, c.relhassubclass, pg_is_in_recovery()
      FROM pg_class c WHERE c.oid = to_regclass(%s)"""
_COLUMNS: Final = """
    SELECT attname::text, format_type(atttypid, atttypmod), attnotnull,
           has_column_privilege(attrelid, attnum, 'SELECT')
      FROM pg_attribute WHERE attrelid = %s::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""
_UNIQUE: Final = """
    SELECT i.indisprimary, array_agg(a.attname::text ORDER BY array_position(i.indkey::int2[], a.attnum))
      FROM pg_index i JOIN pg_attribute a
        ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
     WHERE i.indrelid = %s::oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
     GROUP BY i.indexrelid, i.indisprimary ORDER BY i.indisprimary DESC, i.indexrelid"""
_RELATIVES: Final = """
    SELECT %(table)s::oid::bigint UNION SELECT relid::oid::bigint FROM pg_partition_tree(%(table)s::oid)
     UNION SELECT relid::oid::bigint FROM pg_partition_ancestors(%(table)s::oid)"""
_SEQUENCES: Final = """
    SELECT s.seqrelid::bigint, s.seqrelid::regclass::text, s.seqcache, s.seqincrement,
           CASE WHEN has_sequence_privilege(s.seqrelid, 'SELECT, USAGE') THEN pg_sequence_last_value(s.seqrelid) END
      FROM pg_sequence s WHERE s.seqrelid IN (
        SELECT d.objid FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
         WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
           AND a.attrelid = ANY (%(tables)s::oid[]) AND a.attname = %(column)s
         UNION
        SELECT d.refobjid FROM pg_attrdef f JOIN pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
          JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid
         WHERE d.refclassid = 'pg_class'::regclass AND f.adrelid = ANY (%(tables)s::oid[])
           AND a.attname = %(column)s)"""


@dataclass(frozen=True)
class CursorSequence:
    """A sequence that provides the cursor's values; `last` is its last value, None if this user may not read it."""

    oid: int
    name: str
    cache: int
    step: int
    last: int | None


@dataclass(frozen=True)
class SourceTable:
    """The current table: `columns` (name to type) are those that this user may read, in their order.

    `key` distinguishes rows with the same cursor. `relations` are the table with its partitions, `sequences` those of
    its cursor: a writer locks one of them before it gets the cursor's value.
    """

    oid: int
    name: sql.Identifier
    columns: Mapping[str, str]
    cursor: str
    key: tuple[str, ...]
    relations: tuple[int, ...]
    sequences: tuple[CursorSequence, ...]

    @property
    def is_timed(self) -> bool:
        """True if the cursor is a time."""
        return self.columns[self.cursor] == TIME

    @property
    def order(self) -> Sequence[sql.Identifier]:
        """Cursor and key, which define the order of rows."""
        return [sql.Identifier("t", name) for name in (self.cursor, *self.key)]

    @property
    def last_given(self) -> int | None:
        """The last value of the cursor's sequence; None without a single sequence, or if it is unknown."""
        return self.sequences[0].last if len(self.sequences) == 1 else None


def inspect_table(connection: Connection, options: PostgreSQLOptions) -> SourceTable:
    """Read the table of `options` from the catalogue. Raises `AdapterError`, `psycopg.Error`."""
    name = sql.Identifier(options.schema_name, options.table)
    shown = f"{options.schema_name}.{options.table}"
    found = connection.execute(_RELATION, [name.as_string(connection)]).fetchone()
    if found is None:
        raise absent(connection, options)
    oid, relkind, has_children, is_standby = found
    _refuse_relation(shown, relkind, has_children=has_children, is_standby=is_standby)
    columns = connection.execute(_COLUMNS, [oid]).fetchall()
    key = _key(connection.execute(_UNIQUE, [oid]).fetchall(), options, shown)
    _refuse_columns(columns, key, options, shown)
    relations = tuple(each for (each,) in connection.execute(_RELATIVES, {"table": oid}))
    asked = {"tables": list(relations), "column": options.cursor}
    sequences = tuple(CursorSequence(*each) for each in connection.execute(_SEQUENCES, asked))
    for each in sequences:
        _refuse_sequence(each, shown)
    readable = {column: kind for column, kind, _, may_read in columns if may_read}
    return SourceTable(oid, name, readable, options.cursor, key, relations, sequences)


class TableOptions(Protocol):
    """Options that identify a table."""

    @property
    def database(self) -> str:
        """The database."""

    @property
    def schema_name(self) -> str:
        """The schema."""

    @property
    def table(self) -> str:
        """The table's name."""


def absent(connection: Connection, options: TableOptions) -> AdapterError:
    """The error for a missing table: it names the missing schema or table. Raises `psycopg.Error`."""
    schema = sql.Identifier(options.schema_name).as_string(connection)
    if connection.execute("SELECT to_regnamespace(%s) IS NULL", [schema]).fetchone() == (True,):
        return AdapterError(f"The database '{options.database}' has no schema '{options.schema_name}'. Correct it.")
    return AdapterError(
        f"The schema '{options.schema_name}' has no table '{options.table}'. Correct its name. Names are "
        "case-sensitive."
    )


def _refuse_relation(shown: str, relkind: str, *, has_children: bool, is_standby: bool) -> None:
    if is_standby:
        raise AdapterError("The server is a standby, which can't report running transactions. Use the primary.")
    if relkind not in _TABLES:
        raise AdapterError(
            f"{shown} isn't a table: for a view or a foreign table, running writers can't be determined. Use the "
            "underlying table."
        )
    if has_children and relkind == "r":
        raise AdapterError(
            f"Other tables inherit from {shown}, and no index ensures that their rows are distinct. "
            "Use a table without "
            "child tables, or a partitioned one."
        )


def _key(unique: Sequence[tuple[bool, list[str]]], options: PostgreSQLOptions, shown: str) -> tuple[str, ...]:
    """The columns that distinguish rows with the same cursor, as ensured by a unique index."""
    sets = [set(names) for _, names in unique]
    if options.key:
        chosen = [name for name in dict.fromkeys(options.key) if name != options.cursor]
    elif {options.cursor} in sets:
        chosen = []
    else:
        chosen = [name for primary, names in unique if primary for name in names if name != options.cursor]
    if not any(each <= {options.cursor, *chosen} for each in sets):
        names = ", ".join([options.cursor, *chosen])
        raise AdapterError(
            f"No unique index of {shown} distinguishes rows with the same {names}, so some could be missed. Choose the "
            "columns of a unique index as the key, or create one."
        )
    return tuple(chosen)


def _refuse_columns(
    columns: Sequence[tuple[str, str, bool, bool]], key: Sequence[str], options: PostgreSQLOptions, shown: str
) -> None:
    known = {name: (kind, filled, may_read) for name, kind, filled, may_read in columns}
    for name in (options.cursor, *key):
        if name not in known:
            raise no_column(shown, name, list(known))
        kind, filled, may_read = known[name]
        if not may_read:
            raise AdapterError(
                f"The user '{options.user}' may not read the column '{name}' of {shown}. Grant it with GRANT SELECT."
            )
        if not filled:
            raise AdapterError(
                f"The column '{name}' of {shown} may be null, and such a row would never be read. Choose another "
                "column, or make it NOT NULL."
            )
    kind = known[options.cursor][0]
    if kind not in {*NUMBERS, TIME}:
        without = " Without a time zone it is not a definite instant." if kind.startswith("timestamp") else ""
        raise AdapterError(
            f"The column '{options.cursor}' of {shown} is {kind}.{without} Choose a cursor that is a whole number "
            f"(bigint) or a {TIME}."
        )


def _refuse_sequence(sequence: CursorSequence, shown: str) -> None:
    if sequence.cache != 1 or sequence.step < 1:
        what = "reserves numbers in advance for each connection" if sequence.step > 0 else "counts downwards"
        raise AdapterError(
            f"The sequence {sequence.name} of the cursor of {shown} {what}, so later rows may have smaller "
            f"numbers. Choose another cursor, or run: ALTER SEQUENCE {sequence.name} INCREMENT 1 CACHE 1"
        )


def no_column(shown: str, name: str, there: Sequence[str]) -> AdapterError:
    """The error for a column that the table lacks."""
    near = get_close_matches(name, there, n=1, cutoff=0.5)
    nearest = f" Did you mean '{near[0]}'?" if near else ""
    return AdapterError(
        f"The table {shown} has no column '{name}', or this user may not read it. Its columns are {', '.join(there)}."
        f"{nearest} Choose one of these, or grant SELECT."
    )
