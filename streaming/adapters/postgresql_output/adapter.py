"""Delivers to a table: rows and their batch number in one transaction."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import Explanations, connect, translate_errors
from streaming.adapters.postgresql_output.options import PostgreSQLOutputOptions
from streaming.adapters.postgresql_output.table import RESULT_KEY, ResultTable, TableColumn, make_alone
from streaming.definition.payload.types import Array, Struct, Timestamp
from streaming.temporal.ticks import LAST_TICK, Tick, format_instant

DELIVERIES: Final = "punctual_deliveries"
"""The table, in the output's schema, with the number of the last batch of each identity."""
_STAGED: Final = sql.Identifier("pg_temp", "punctual_staged")
_EXPLANATIONS: Final[Explanations] = (
    ("42P01", "user", "no longer has such a table. Let Punctual create it, or choose another one."),
    ("22021", "user", "can't store a text of a row: {detail}. Replace that character in the query."),
    ("22", "user", "can't store a value of a row: {detail}. Change the column or the query."),
    ("23", "user", "refuses a row: {detail}. Change the table's constraints, or the query."),
)
_AFTER_LAST: Final = "10000-01-01T00:00:00Z"
Cursor = psycopg.Cursor[Any]


class PostgreSQLOutput:
    """One output's rows in one table; connects on first use."""

    def __init__(
        self, options: PostgreSQLOutputOptions, identity: str, fields: Mapping[str, str], reach: Reach
    ) -> None:
        self._options = options
        self._identity = identity
        self._reach = reach
        self._table = ResultTable(options, fields)
        self._numbers = sql.Identifier(options.schema_name, DELIVERIES)
        self._connection: psycopg.Connection[Any] | None = None

    def delivered(self) -> int | None:
        """Return the number of the last batch whose rows are in the table; creates missing tables. Raises
        `AdapterError`.
        """
        with (
            translate_errors(self._options, _EXPLANATIONS),
            self._connected().transaction(),
            self._connected().cursor() as cursor,
        ):
            self._prepare(cursor)
            return self._last(cursor)

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Write the rows of all batches to the table, with the number of the last. Raises `AdapterError`."""
        rows = _Rows(self._table)
        for batch in batches:
            rows.take(batch)
        if rows.nothing:
            return  # an unstored number is delivered again, and has no rows then either
        with (
            translate_errors(self._options, _EXPLANATIONS),
            self._connected().transaction(),
            self._connected().cursor() as cursor,
        ):
            last = self._last(cursor)
            if last is not None and last >= batches[0].number:
                raise AdapterError("Another process delivers the same batches.", domain="external")
            self._write(cursor, rows)
            store = sql.SQL("UPDATE {} SET batch = %s, changed_at = now() WHERE identity = %s")
            cursor.execute(store.format(self._numbers), [batches[-1].number, self._identity])

    def check(self) -> None:
        """Connect, make all changes that the first delivery makes to the tables, then roll back.

        Raises `AdapterError`.
        """
        with translate_errors(self._options, _EXPLANATIONS), self._connected().cursor() as cursor:
            self._prepare(cursor)
            self._connected().rollback()

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    def _connected(self) -> "psycopg.Connection[Any]":
        if self._connection is None:
            self._connection = connect(self._options, self._reach)
        return self._connection

    def _prepare(self, cursor: Cursor) -> None:
        cursor.execute("SELECT to_regclass(%s) IS NULL", [self._numbers.as_string(cursor)])
        if cursor.fetchone() == (True,):
            make_alone(cursor)
            make = sql.SQL(
                "CREATE TABLE IF NOT EXISTS {} (identity text PRIMARY KEY, batch bigint, changed_at timestamptz)"
            )
            cursor.execute(make.format(self._numbers))
        self._table.ready(cursor)
        begin = sql.SQL("INSERT INTO {} (identity, changed_at) VALUES (%s, now()) ON CONFLICT DO NOTHING")
        cursor.execute(begin.format(self._numbers), [self._identity])

    def _last(self, cursor: Cursor) -> int | None:
        """The number, locked until the transaction ends: another process with the same identity waits here."""
        ask = sql.SQL("SELECT batch FROM {} WHERE identity = %s FOR UPDATE")
        found = cursor.execute(ask.format(self._numbers), [self._identity]).fetchone()
        if found is None:
            raise AdapterError(
                f"The row of this output in {self._options.schema_name}.{DELIVERIES} was deleted "
                "while the output was running.",
                domain="external",
            )
        number: int | None = found[0]
        return number

    def _write(self, cursor: Cursor, rows: "_Rows") -> None:
        names = [column.name for column in self._table.columns]
        columns = sql.SQL(", ").join(map(sql.Identifier, names))
        like = sql.SQL("CREATE TEMP TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
        cursor.execute(like.format(sql.Identifier("punctual_staged"), columns, self._table.name))
        with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(_STAGED, columns)) as copy:
            for row in rows.values():
                copy.write_row(row)
        if rows.replaced:
            gone = sql.SQL("DELETE FROM {} WHERE {} = ANY (%s)")
            cursor.execute(gone.format(self._table.name, sql.Identifier(RESULT_KEY)), [list(rows.replaced)])
        if rows.gone:
            same = sql.SQL(" AND ").join(
                sql.SQL("{} IS NOT DISTINCT FROM %s").format(sql.Identifier(name)) for name in self._table.key
            )
            cursor.executemany(sql.SQL("DELETE FROM {} WHERE {}").format(self._table.name, same), list(rows.gone))
        put = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}").format(self._table.name, columns, columns, _STAGED)
        if not self._table.appends:
            put += self._upsert()
        cursor.execute(put)

    def _upsert(self) -> sql.Composed:
        key = sql.SQL(", ").join(map(sql.Identifier, self._table.key))
        others = [column.name for column in self._table.columns if column.name not in self._table.key]
        set_to = sql.SQL(", ").join(
            sql.SQL("{} = excluded.{}").format(sql.Identifier(name), sql.Identifier(name)) for name in others
        )
        return sql.SQL(" ON CONFLICT ({}) DO UPDATE SET {}").format(key, set_to)


class _Rows:
    """The contents of the table after some batches: the last row of each key, and the rows to delete before.

    `replaced`: the `key`s of results whose earlier rows are deleted; `gone`: the key values of final rows that a repair
    has retracted, in the order of the key's columns.
    """

    def __init__(self, table: ResultTable) -> None:
        self._table = table
        places = {column.name: place for place, column in enumerate(table.columns)}
        self._key = [places[name] for name in table.key]
        self._put: dict[Any, list[Any]] = {}
        self.replaced: set[str] = set()
        self._retracted: dict[tuple[Any, ...], None] = {}

    @property
    def nothing(self) -> bool:
        return not self._put and not self.replaced and not self._retracted

    @property
    def gone(self) -> list[tuple[Any, ...]]:
        return [place for place in self._retracted if place not in self._put]

    def take(self, batch: DeliveryBatch) -> None:
        """Add the rows of a batch. Raises `AdapterError` if two of its final rows have the same key."""
        mine: set[Any] = set()
        for index, row in enumerate(batch.rows):
            values = self._values(row)
            key = row.get("key")
            if self._table.appends:
                self._put[batch.number, index] = values
            elif key is not None:
                self.replaced.add(key)
                self._put.pop(key, None)
                if not row.get("deleted"):
                    self._put[key] = values
            elif row.get("deleted"):
                place = tuple(values[each] for each in self._key)
                self._put.pop(place, None)
                self._retracted[place] = None
            else:
                place = tuple(values[each] for each in self._key)
                if place in mine:
                    raise AdapterError(self._twice(row))
                mine.add(place)
                self._put[place] = values

    def values(self) -> Iterator[Sequence[Any]]:
        """The rows, in the order of the table's columns."""
        yield from self._put.values()

    def _values(self, row: Mapping[str, Any]) -> list[Any]:
        rest = self._table.columns[2:]
        attributes = {
            RESULT_KEY: row.get("key"),
            "incomplete": bool(row.get("incomplete")),
            "deleted": bool(row.get("deleted")),
        }
        payload = row["payload"]
        return [
            _instant(row["start"]),
            "infinity" if row["end"] is None else _instant(row["end"]),
            *(attributes[each.name] if each.field is None else _value(payload.get(each.name), each) for each in rest),
        ]

    def _twice(self, row: Mapping[str, Any]) -> str:
        shown = ", ".join(["start", "end", *self._table.key[2:-1]])
        return (
            f"Two results have the same key ({shown}), the first of them at {_instant(row['start'])}, so one would "
            "replace the other. Add the fields to the key that distinguish them, or choose append."
        )


def _value(value: Any, column: TableColumn) -> Any:
    if value is None:
        return None
    if isinstance(column.field, Array | Struct):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(column.field, Timestamp) and not isinstance(value, str):
        raise AdapterError(
            f"The field {column.name} has the time {value} us, which is outside PostgreSQL's calendar. Filter out such "
            "rows in the query."
        )
    if isinstance(value, str) and "\0" in value:
        raise AdapterError(
            f"A text of the field {column.name} has a null character, which PostgreSQL can't store. Replace it in the "
            "query."
        )
    return value


def _instant(tick: int) -> str:
    """ISO 8601; an end may be one tick after the calendar's last one."""
    return format_instant(Tick(tick)) if tick <= LAST_TICK else _AFTER_LAST
