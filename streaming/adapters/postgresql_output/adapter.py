"""Delivers to a table: rows and the number of their batch in one transaction."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg import sql

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import Says, connect, told
from streaming.adapters.postgresql_output.options import PostgreSQLOutputOptions
from streaming.adapters.postgresql_output.table import RESULT_KEY, ResultTable, TableColumn
from streaming.definition.types import Array, Struct, Timestamp
from streaming.temporal.ticks import LAST_TICK, Tick, format_instant

DELIVERIES: Final = "punctual_deliveries"
"""The table, in the schema of the output, that has the number of the last batch of each identity."""
_STAGED: Final = sql.Identifier("pg_temp", "punctual_staged")
_SAYS: Final[Says] = (
    ("42P01", "user", "has no longer such a table. Let it be made, or name another one."),
    ("22021", "user", "cannot hold a text of a row: {detail}. Replace that character in the query."),
    ("22", "user", "cannot hold a value of a row: {detail}. Change the column or the query."),
    ("23", "user", "refuses a row: {detail}. Change what the table demands, or the query."),
)
_AFTER_LAST: Final = "10000-01-01T00:00:00Z"
Cursor = psycopg.Cursor[Any]


class PostgreSQLOutput:
    """One output's rows in one table; connects when it is asked for the first time."""

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
        """The number of the last batch whose rows are in the table; makes what is missing. Raises `AdapterError`."""
        with told(self._options, _SAYS), self._connected().transaction(), self._connected().cursor() as cursor:
            self._prepare(cursor)
            return self._last(cursor)

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Put the rows of all batches into the table, with the number of the last. Raises `AdapterError`."""
        rows = _Rows(self._table)
        for batch in batches:
            rows.take(batch)
        if rows.nothing:
            return  # a number that is not stored is asked for again, and has no rows then either
        with told(self._options, _SAYS), self._connected().transaction(), self._connected().cursor() as cursor:
            last = self._last(cursor)
            if last is not None and last >= batches[0].number:
                raise AdapterError("Another process delivers the same batches.", domain="external")
            self._write(cursor, rows)
            store = sql.SQL("UPDATE {} SET batch = %s, changed_at = now() WHERE identity = %s")
            cursor.execute(store.format(self._numbers), [batches[-1].number, self._identity])

    def check(self) -> None:
        """Connect, and do all that the first delivery does to the tables, then take it back. Raises `AdapterError`."""
        with told(self._options, _SAYS), self._connected().cursor() as cursor:
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
            make = sql.SQL(
                "CREATE TABLE IF NOT EXISTS {} (identity text PRIMARY KEY, batch bigint, changed_at timestamptz)"
            )
            cursor.execute(make.format(self._numbers))
        self._table.ready(cursor)
        begin = sql.SQL("INSERT INTO {} (identity, changed_at) VALUES (%s, now()) ON CONFLICT DO NOTHING")
        cursor.execute(begin.format(self._numbers), [self._identity])

    def _last(self, cursor: Cursor) -> int | None:
        """The number, locked until the transaction ends: whoever delivers under the same identity waits here."""
        ask = sql.SQL("SELECT batch FROM {} WHERE identity = %s FOR UPDATE")
        found = cursor.execute(ask.format(self._numbers), [self._identity]).fetchone()
        if found is None:
            raise AdapterError(
                f"The row of this output in {self._options.schema_name}.{DELIVERIES} was deleted meanwhile.",
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
    """What is to be in the table after some batches: the last row of each key, and which rows go before.

    `replaced`: the `key`s of results whose earlier rows go; `gone`: the values of the key of final rows that a repair
    has taken back, in the order of its columns.
    """

    def __init__(self, table: ResultTable) -> None:
        self._table = table
        places = {column.name: place for place, column in enumerate(table.columns)}
        self._key = [places[name] for name in table.key]
        self._kept: dict[Any, list[Any]] = {}
        self.replaced: set[str] = set()
        self._taken_back: dict[tuple[Any, ...], None] = {}

    @property
    def nothing(self) -> bool:
        return not self._kept and not self.replaced and not self._taken_back

    @property
    def gone(self) -> list[tuple[Any, ...]]:
        return [place for place in self._taken_back if place not in self._kept]

    def take(self, batch: DeliveryBatch) -> None:
        """Note the rows of a batch. Raises `AdapterError` where two final rows of it have one key."""
        mine: set[Any] = set()
        for index, row in enumerate(batch.rows):
            values = self._values(row)
            key = row.get("key")
            if self._table.appends:
                self._kept[batch.number, index] = values
            elif key is not None:
                self.replaced.add(key)
                self._kept.pop(key, None)
                if not row.get("deleted"):
                    self._kept[key] = values
            elif row.get("deleted"):
                place = tuple(values[each] for each in self._key)
                self._kept.pop(place, None)
                self._taken_back[place] = None
            else:
                place = tuple(values[each] for each in self._key)
                if place in mine:
                    raise AdapterError(self._twice(row))
                mine.add(place)
                self._kept[place] = values

    def values(self) -> Iterator[Sequence[Any]]:
        """The rows, in the order of the table's columns."""
        yield from self._kept.values()

    def _values(self, row: Mapping[str, Any]) -> list[Any]:
        rest = self._table.columns[2:]
        said = {
            RESULT_KEY: row.get("key"),
            "incomplete": bool(row.get("incomplete")),
            "deleted": bool(row.get("deleted")),
        }
        payload = row["payload"]
        return [
            _instant(row["start"]),
            "infinity" if row["end"] is None else _instant(row["end"]),
            *(said[each.name] if each.field is None else _value(payload.get(each.name), each) for each in rest),
        ]

    def _twice(self, row: Mapping[str, Any]) -> str:
        shown = ", ".join(["start", "end", *self._table.key[2:-1]])
        return (
            f"Two results have the same key ({shown}), the first of them at {_instant(row['start'])}: one would take "
            "the place of the other. Add the fields to the key that tell them apart, or choose append."
        )


def _value(value: Any, column: TableColumn) -> Any:
    if value is None:
        return None
    if isinstance(column.field, Array | Struct):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(column.field, Timestamp) and not isinstance(value, str):
        raise AdapterError(
            f"The field {column.name} has the time {value} us, which no calendar of PostgreSQL has. Filter such rows "
            "out in the query."
        )
    if isinstance(value, str) and "\0" in value:
        raise AdapterError(
            f"A text of the field {column.name} has a null character, which PostgreSQL cannot hold. Replace it in the "
            "query."
        )
    return value


def _instant(tick: int) -> str:
    """ISO 8601; an end may be one tick after the last that the calendar has."""
    return format_instant(Tick(tick)) if tick <= LAST_TICK else _AFTER_LAST
