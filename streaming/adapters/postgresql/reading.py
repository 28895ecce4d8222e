"""One poll of the table: its settled cursor, checks that it is unchanged, and the rows after the last ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from psycopg import sql

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import Explanations, connect, translate_errors
from streaming.adapters.postgresql.options import PostgreSQLOptions
from streaming.adapters.postgresql.pages import TableMark
from streaming.adapters.postgresql.snapshot_visibility import SnapshotVisibility
from streaming.adapters.postgresql.table import Connection, SourceTable, inspect_table
from streaming.definition.counts import counted
from streaming.temporal.ticks import FIRST_TICK, Tick, format_instant

MOST_ROWS: Final = 20_000
MOST_BYTES: Final = 16 << 20
"""The most rows in one poll, and their approximate limit in bytes."""
Require = Callable[[Sequence[str]], None]
"""Raises `AdapterError` for a table with unsuitable columns."""
_AT_ONCE: Final = 50
_MOST_WAITS: Final = 50
_SETTINGS: Final = {
    "default_transaction_read_only": "on",
    "datestyle": "ISO",
    "intervalstyle": "iso_8601",
    "extra_float_digits": "1",
    "bytea_output": "hex",
}
_EXPLANATIONS: Final[Explanations] = (
    ("42P01", "user", "no longer has such a table. Correct its name, or recreate it."),
    ("42703", "user", "no longer has such a column: {detail}. Correct the options of the stream."),
    ("42501", "user", "refuses a right that this user needs: {detail}. Grant it."),
    ("42", "user", "refuses the query of its table: {detail}. Correct the options of the stream."),
    ("57014", "external", "took longer than a minute for one statement. Check that the cursor has an index."),
    ("22021", "user", "has a text that is not in its encoding: {detail}. Fix the row."),
    ("2200", "user", "rejects a value: {detail}. Correct the option `begin_after`."),
    ("22P02", "user", "rejects a value: {detail}. Correct the option `begin_after`."),
    ("22", "user", "can't return a row: {detail}. Fix the row, or remove its column from the stream."),
)


@dataclass(frozen=True)
class TakenRows:
    """Rows of one poll as lines of JSON, and the point reached with them; `more`: other rows are waiting."""

    lines: Sequence[bytes]
    mark: TableMark
    more: bool


@dataclass(frozen=True)
class RowSpan:
    """Rows after `after` and up to `up_to` (cursor and key, or a cursor alone); the `newest` first, or the oldest."""

    after: list[str] | None
    up_to: list[str] | None
    most: int
    most_bytes: int = MOST_BYTES
    newest: bool = False


@dataclass(frozen=True)
class CursorSpan:
    """`timed`: the cursor is a time; then the oldest and the newest cursor, in ticks, None without rows."""

    timed: bool
    oldest: int | None = None
    newest: int | None = None


class TableReader:
    """Polls the table of `options` within `reach`, with a new connection each time."""

    def __init__(self, options: PostgreSQLOptions, reach: Reach) -> None:
        self._options = options
        self._reach = reach
        self._settling = SnapshotVisibility(options.margin_s)
        self.shown = f"{options.schema_name}.{options.table}"

    @contextmanager
    def _opened(self) -> Iterator[tuple[Connection, SourceTable]]:
        """A read-only connection, and the table. Raises `AdapterError`, also for errors inside the context."""
        with (
            translate_errors(self._options, _EXPLANATIONS),
            closing(connect(self._options, self._reach, _SETTINGS)) as connection,
        ):
            connection.autocommit = True
            yield connection, inspect_table(connection, self._options)

    def take(self, last: TableMark | None, require: Require, most: int, settled: bool) -> TakenRows | None:
        """Return at most `most` rows after `last`, None without rows; `settled`: only rows that no later commit can
        precede.

        Returns all columns that this user may read. Raises `AdapterError`.
        """
        with self._opened() as (connection, table):
            require(list(table.columns))
            up_to = None
            if settled:
                self._require_same(connection, table, last)
                up_to = self._settling.poll(connection, table)
                if up_to is None:
                    return None
            after = last.after if last is not None else self._begin()
            limit = max(min(most, MOST_ROWS), 1)
            rows, whole = _rows(connection, table, RowSpan(after, None if up_to is None else [up_to], limit))
        if not rows:
            return None
        mark = TableMark(
            database=self._options.database,
            table=table.oid,
            order=[table.cursor, *table.key],
            after=list(rows[-1][1:]),
            before=after,
            added=len(rows),
            sequence=table.last_given,
        )
        return TakenRows([_line(row[0]) for row in rows], mark, more=not whole or len(rows) == limit)

    def newest(self) -> TableMark | None:
        """Return the mark after all committed rows that no later commit can precede; None: no row is skipped.

        Waits for running writers. Raises `AdapterError`, `external` for one that does not end.
        """
        with self._opened() as (connection, table):
            settled = self._settling.poll(connection, table)
            for _ in range(_MOST_WAITS):
                if settled is not None or not self._settling.waits:
                    break
                connection.execute("SELECT pg_sleep(0.1)")
                settled = self._settling.poll(connection, table)
            if settled is None and self._settling.waits:
                raise AdapterError(
                    f"A transaction is writing to {self.shown}, so 'now' can't be determined yet. Check that no "
                    "transaction stays open there.",
                    domain="external",
                )
            return None if settled is None else self._mark_after(connection, table, settled)

    def before(self, tick: int) -> TableMark | None:
        """Return the mark after all rows with a cursor, a time, before `tick`; None: no row is skipped.

        Raises `AdapterError`.
        """
        with self._opened() as (connection, table):
            last = format_instant(Tick(max(tick - 1, FIRST_TICK)))  # cursors are whole microseconds, like ticks
            return self._mark_after(connection, table, last)

    def span(self) -> CursorSpan:
        """Return the kind of the cursor, and its oldest and newest value. Raises `AdapterError`."""
        with self._opened() as (connection, table):
            if not table.is_timed:
                return CursorSpan(timed=False)
            ends = [
                sql.SQL("(extract(epoch FROM {}({})) * 1000000)::bigint").format(sql.SQL(each), table.order[0])
                for each in ("min", "max")
            ]
            ask = sql.SQL("SELECT {} FROM {} AS t WHERE isfinite({})").format(
                sql.SQL(", ").join(ends), table.name, table.order[0]
            )
            found = connection.execute(ask).fetchone() or (None, None)
            return CursorSpan(timed=True, oldest=found[0], newest=found[1])

    def _mark_after(self, connection: Connection, table: SourceTable, cursor: str) -> TableMark | None:
        """The mark after all rows up to `cursor`; None if that skips no row to be read."""
        if not _rows(connection, table, RowSpan(self._begin(), [cursor], 1))[0]:
            return None
        return TableMark(
            database=self._options.database,
            table=table.oid,
            order=[table.cursor, *table.key],
            after=[cursor],
            before=[cursor],
            added=0,
            sequence=table.last_given,
        )

    def ends(self, most: int, most_bytes: int) -> tuple[Sequence[bytes], Sequence[bytes], Mapping[str, str], bool]:
        """The `most` oldest and newest rows, in their order, the columns, and True if these are all rows."""
        with self._opened() as (connection, table):
            oldest, whole = _rows(connection, table, RowSpan(self._begin(), None, most, most_bytes))
            newest: list[tuple[str, ...]] = []
            if not whole or len(oldest) == most:
                span = RowSpan(list(oldest[-1][1:]), None, most, most_bytes, newest=True)
                newest, whole = _rows(connection, table, span)
                whole = whole and len(newest) < most
        return [_line(row[0]) for row in oldest], [_line(row[0]) for row in reversed(newest)], table.columns, whole

    def _begin(self) -> list[str] | None:
        return None if self._options.begin_after is None else [self._options.begin_after]

    def _require_same(self, connection: Connection, table: SourceTable, last: TableMark | None) -> None:
        """Refuse another table, and rows that were added where everything had been read."""
        if last is None:
            return
        shown = self.shown
        if last.database != self._options.database or last.order != [table.cursor, *table.key]:
            raise AdapterError(
                f"Rows were read from the database '{last.database}' in the order of {', '.join(last.order)}, so the "
                f"next rows in '{self._options.database}' in the order of {', '.join([table.cursor, *table.key])} "
                "can't be determined. Restore the options, or start the binding from the beginning."
            )
        if last.table != table.oid:
            raise AdapterError(
                f"The table {shown} was deleted and created again, so its "
                "already read rows can't be identified. Start the binding from the beginning."
            )
        if last.sequence is not None and table.sequences and table.last_given is not None:
            self._require_ahead(last.sequence, table.last_given)
        condition, values = _between(table, last.before, last.after)
        ask = sql.SQL("SELECT count(*) FROM {} AS t WHERE {}").format(table.name, condition)
        found = connection.execute(ask, values).fetchone()
        there = 0 if found is None else int(found[0])
        if there > last.added:
            raise AdapterError(
                f"{shown} now has {counted(there - last.added, 'more row')} before {last.after[0]}, "
                "where everything had "
                f"already been read: the column '{self._options.cursor}' does not grow from row to row. Choose "
                "another cursor, then start the binding from the beginning."
            )

    def _require_ahead(self, known: int, now: int) -> None:
        if now < known:
            raise AdapterError(
                f"The sequence of '{self._options.cursor}' of {self.shown} was set back from {known} to {now}, so new "
                "rows come before those that were already read. Start the binding from the beginning."
            )


def _rows(connection: Connection, table: SourceTable, span: RowSpan) -> tuple[list[tuple[str, ...]], bool]:
    """The text of each row, its cursor and its key; and True if these are all requested rows."""
    condition, values = _between(table, span.after, span.up_to)
    columns = sql.SQL(", ").join(sql.Identifier("t", name) for name in table.columns)
    direction = sql.SQL("{} DESC" if span.newest else "{}")
    order = sql.SQL(", ").join(map(direction.format, table.order))
    inner = [sql.Identifier(f"mark_{number}") for number in range(len(table.order))]
    marks = sql.SQL(", ").join(map(sql.SQL("{}::text AS {}").format, table.order, inner))
    ask = sql.SQL(
        "SELECT CASE WHEN octet_length(p.row) > %(bytes)s THEN left(p.row, %(bytes)s + 1) ELSE p.row END, {inner}"
        " FROM (SELECT {marks}, (SELECT row_to_json(r)::text FROM (SELECT {columns}) AS r) AS row"
        " FROM {table} AS t WHERE {condition} ORDER BY {order} LIMIT %(limit)s) AS p"
    ).format(
        inner=sql.SQL(", ").join(inner),
        marks=marks,
        columns=columns,
        table=table.name,
        condition=condition,
        order=order,
    )
    found: list[tuple[str, ...]] = []
    size = 0
    values |= {"bytes": MAX_RECORD_BYTES, "limit": span.most}
    for row in connection.cursor().stream(ask, values, size=_AT_ONCE):
        found.append(row)
        size += len(row[0])
        if size >= span.most_bytes:
            return found, False
    return found, True


def _between(
    table: SourceTable, after: list[str] | None, up_to: list[str] | None
) -> tuple[sql.Composable, dict[str, Any]]:
    """The condition for rows after `after` and up to `up_to`, each a cursor and key, or a cursor alone."""
    parts: list[sql.Composable] = []
    values: dict[str, Any] = {}
    for name, sign, place in (("after", ">", after), ("up_to", "<=", up_to)):
        if place is None:
            continue
        columns = sql.SQL(", ").join(table.order[: len(place)])
        marks = [f"{name}_{number}" for number in range(len(place))]
        values |= dict(zip(marks, place, strict=True))
        given = sql.SQL(", ").join(map(sql.Placeholder, marks))
        parts.append(sql.SQL("({}) {} ({})").format(columns, sql.SQL(sign), given))
        if len(place) > 1:  # a condition on the cursor alone too, so that an index on it can be used
            alone = sql.SQL("{} {} {}")
            wide = sql.SQL(">=") if sign == ">" else sql.SQL("<=")
            parts.append(alone.format(table.order[0], wide, sql.Placeholder(marks[0])))
    return sql.SQL(" AND ").join(parts) if parts else sql.SQL("true"), values


def _line(text: str) -> bytes:
    """The text of a row on one line: a column of type json may contain line ends between its values."""
    return text.replace("\n", " ").replace("\r", " ").encode()
