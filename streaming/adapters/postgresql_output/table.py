"""The table of an output: its columns, its creation, and the checks of an existing table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.quoting import quoted
from streaming.adapters.postgresql_output.options import PostgreSQLOutputOptions
from streaming.definition.payload.types import (
    Boolean,
    DecimalOf,
    Double,
    Long,
    String,
    Timestamp,
    Type,
)
from streaming.wire.rows.arrow_types import fields_of

RESULT_KEY: Final = "result_key"
INCOMPLETE: Final = "incomplete"
DELETED: Final = "deleted"
_MAKES_TABLES: Final = 7_813_205_946_411
_TEXTS: Final = frozenset({"text", "character varying"})
_BEGINNINGS: Final[Mapping[str, frozenset[str]]] = {
    "bigint": frozenset({"bigint", "numeric"}),
    "text": _TEXTS,
    "jsonb": frozenset({"jsonb", "json"}),
}


def make_alone(cursor: "psycopg.Cursor[Any]") -> None:
    """Wait for other transactions that create result tables in this database; later ones wait for this transaction.

    If two transactions create a table at the same time, PostgreSQL refuses one, even with IF NOT EXISTS.
    """
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_MAKES_TABLES])


@dataclass(frozen=True)
class TableColumn:
    """A column and its PostgreSQL type; `field` is the payload field in it."""

    name: str
    type: LiteralString
    field: Type | None = None


class ResultTable:
    """The table in `options`, for results with `fields`."""

    def __init__(self, options: PostgreSQLOutputOptions, fields: Mapping[str, str]) -> None:
        """Raise `AdapterError` if the names conflict."""
        self.appends = options.mode == "append"
        self.name = sql.Identifier(options.schema_name, options.table)
        self._shown = f"{options.schema_name}.{options.table}"
        self._quoted = quoted(options.schema_name, options.table)
        self._options = options
        self.fields = fields_of(fields)
        times = (options.start_column, options.end_column)
        unknown = [name for name in options.key if name not in self.fields]
        if unknown:
            raise AdapterError(
                f"The key names {', '.join(unknown)}, but the results have the fields {', '.join(self.fields)}. "
                "Choose from these."
            )
        own = [*times, RESULT_KEY, INCOMPLETE, *([DELETED] if self.appends else [])]
        twice = [name for name in (*self.fields, *times) if [*self.fields, *own].count(name) > 1]
        if twice:
            raise AdapterError(
                f"Two columns of {self._shown} would have the name {twice[0]}. Choose other columns for start and end, "
                "or rename the field in the query."
            )
        self.columns: Sequence[TableColumn] = (
            *(TableColumn(name, "timestamp with time zone") for name in times),
            *(TableColumn(name, _type_of(of), of) for name, of in self.fields.items()),
            TableColumn(RESULT_KEY, "text"),
            TableColumn(INCOMPLETE, "boolean"),
            *([TableColumn(DELETED, "boolean")] if self.appends else []),
        )
        self.key: Sequence[str] = (*times, *options.key, RESULT_KEY)

    def ready(self, cursor: "psycopg.Cursor[Any]") -> None:
        """Create the table if the options say so, and check it. Raises `AdapterError` and `psycopg.Error`."""
        found = self._read_columns(cursor)
        if not found and self._options.create:
            make_alone(cursor)
            if not self._read_columns(cursor):
                self._make(cursor)
            found = self._read_columns(cursor)
        if not found:
            raise AdapterError(f"There is no table {self._shown}. Let Punctual create it, or choose another one.")
        missing = [column for column in self.columns if column.name not in found]
        if missing:
            added = ", ".join(f"ADD COLUMN {quoted(column.name)} {column.type}" for column in missing)
            raise AdapterError(
                f"The table {self._shown} lacks {', '.join(column.name for column in missing)}. "
                "Choose another table, or "
                f"run: ALTER TABLE {self._quoted} {added}"
            )
        for column in self.columns:
            if not _fits(column.type, found[column.name]):
                raise AdapterError(
                    f"The column {column.name} of {self._shown} is {found[column.name]}, but the results have "
                    f"{column.type}. Choose another table, or change the column's type."
                )
        if not self.appends and not self._has_index(cursor):
            keys = ", ".join(map(quoted, self.key))
            raise AdapterError(
                f"The table {self._shown} has no index for its key. Choose another table, or run: "
                "CREATE UNIQUE INDEX ON "
                f"{self._quoted} ({keys}) NULLS NOT DISTINCT"
            )

    def _make(self, cursor: "psycopg.Cursor[Any]") -> None:
        columns = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(column.name), sql.SQL(column.type)) for column in self.columns
        )
        cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(self.name, columns))
        if self.appends:
            return
        key = sql.SQL(", ").join(map(sql.Identifier, self.key))
        cursor.execute(sql.SQL("CREATE UNIQUE INDEX ON {} ({}) NULLS NOT DISTINCT").format(self.name, key))
        by_key = sql.SQL("CREATE INDEX ON {} ({column}) WHERE {column} IS NOT NULL")
        cursor.execute(by_key.format(self.name, column=sql.Identifier(RESULT_KEY)))

    def _read_columns(self, cursor: "psycopg.Cursor[Any]") -> dict[str, str]:
        cursor.execute(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
            " WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped",
            [self.name.as_string(cursor)],
        )
        return dict(cursor.fetchall())

    def _has_index(self, cursor: "psycopg.Cursor[Any]") -> bool:
        """Return True if a unique index covers exactly the key and treats nulls as equal."""
        cursor.execute(
            "SELECT array_agg(a.attname::text) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid"
            " AND a.attnum = ANY (i.indkey) WHERE i.indrelid = to_regclass(%s) AND i.indisunique"
            " AND i.indnullsnotdistinct AND i.indpred IS NULL AND i.indexprs IS NULL GROUP BY i.indexrelid",
            [self.name.as_string(cursor)],
        )
        return any(set(names) == set(self.key) for (names,) in cursor.fetchall())


_TYPES: Final[Mapping[type, str]] = {
    Long: "bigint",
    Double: "double precision",
    String: "text",
    Boolean: "boolean",
    Timestamp: "timestamp with time zone",
}


def _type_of(of: Type) -> LiteralString:
    if isinstance(of, DecimalOf):
        return f"numeric({of.precision},{of.scale})"
    return _TYPES.get(type(of), "jsonb")


def _fits(ours: str, theirs: str) -> bool:
    bare = theirs.partition("(")[0]
    if ours.startswith("numeric"):
        return theirs in {ours, "numeric"}
    return theirs == ours or bare in _BEGINNINGS.get(ours, frozenset())
