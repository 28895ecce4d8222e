"""One poll of the server: changes committed since the last one, or the whole table if changes may be lost."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final

import psycopg

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import connect, translate_errors
from streaming.adapters.postgresql_changes.fetching import fetch_rows
from streaming.adapters.postgresql_changes.keeping import LineKeeper
from streaming.adapters.postgresql_changes.marks import ChangePages, ChangesMark, ReadFrom, SeenSnapshot, slot_name
from streaming.adapters.postgresql_changes.messages import TransactionBegin, message_of
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.postgresql_changes.slots import slot
from streaming.adapters.postgresql_changes.slots.losses import why_lost
from streaming.adapters.postgresql_changes.slots.names import fresh_name, prefix_of
from streaming.adapters.postgresql_changes.table import PublishedTable, published
from streaming.adapters.postgresql_changes.transactions import TransactionReader
from streaming.adapters.postgresql_changes.whole_table import rows_of_table
from streaming.adapters.row_lifetimes.lines import about_of, cti_line, gap_line, lsn_text
from streaming.adapters.row_lifetimes.open_rows import OpenRows
from streaming.temporal.ticks import FIRST_TICK, TICKS_PER_S

Connection = psycopg.Connection[Any]
Require = Callable[[list[str]], None]
"""Raises `AdapterError` for unsuitable columns."""
SETTINGS: Final = {
    "statement_timeout": str(slot.READING_MS),
    "datestyle": "ISO",
    "intervalstyle": "iso_8601",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "row_security": "off",
}


@dataclass
class PollContext:
    """The inputs of one poll; `mark` is that of the last stored line."""

    connection: Connection
    table: PublishedTable
    source: ReadFrom
    mark: ChangesMark | None


class ChangeFollower:
    """Stores changes of the table of `options` in `pages`; one poll at a time, each with its own connection.

    `confirmed` is the point up to which the server may discard its log; `now` is the arrival of lines stored from here
    on, in ticks.
    """

    def __init__(self, options: PostgreSQLChangesOptions, reach: Reach, pages: ChangePages, require: Require) -> None:
        self._options = options
        self._reach = reach
        self._pages = pages
        self._require = require
        self._rows: OpenRows | None = None
        self.shown = f"{options.schema_name}.{options.table}"
        self.confirmed = 0
        self.now = 0
        self.more = False

    def poll(self) -> Iterator[None]:
        """Poll once; control returns to the caller between steps. Raises `AdapterError`, `OSError`."""
        keeper: LineKeeper | None = None
        try:
            with (
                translate_errors(self._options, slot.EXPLANATIONS),
                closing(connect(self._options, self._reach, SETTINGS)) as connection,
            ):
                connection.autocommit = True
                look = self._opened(connection)
                self.more = False
                self._require(list(look.table.columns))
                keeper = LineKeeper(self._pages, look.mark or _beginning(look.source))
                yield from self._steps(look, keeper, self._folded(look.mark))
        except BaseException:
            if keeper is None or self._rows is None:
                raise
            # The next poll starts from the stored lines, without those that were not written.
            self._rows.close()
            self._rows = None
            raise

    def _opened(self, connection: Connection) -> PollContext:
        table = published(connection, self._options)
        last = self._pages.last()
        folder = self._pages.folder
        assert folder is not None  # nosec B101 # previews do not poll
        name = slot_name(folder, fresh_name(self._reach.holder))
        source = ReadFrom(
            database=self._options.database,
            table=table.oid,
            key=list(table.key),
            publication=list(table.publication),
            slot=name,
        )
        return PollContext(connection, table, source, None if last is None else last.mark)

    def _steps(self, look: PollContext, keeper: LineKeeper, rows: OpenRows) -> Iterator[None]:
        mark = look.mark
        state = slot.state_of(look.connection, look.source.slot)
        lost = None if mark is None else why_lost(mark, look.source, state, self.shown)
        if mark is not None and lost is not None and self._options.when_lost == "fail":
            raise AdapterError(
                f"{lost} Start the binding from the beginning, or set `when_lost` to compare the table if changes are "
                "lost."
            )
        if mark is None or lost is not None or mark.unit == "table":
            yield from self._compare(look, keeper, rows, lost)
        else:
            yield from self._follow(look, keeper, rows)

    def _folded(self, mark: ChangesMark | None) -> OpenRows:
        """The lifetimes that are open at the last complete point of `mark`."""
        if self._rows is None:
            rows = OpenRows()
            end = None if mark is None or mark.unit != "transaction" else mark.begun
            for note in self._pages.notes(0):
                for batch in self._pages.between(note.first, note.first + 1):
                    lines = batch.lines.split(b"\n")[: note.rows]
                    rows.fold(lines if end is None else islice(lines, max(end - note.first, 0)))
            self._rows = rows
        return self._rows

    def _follow(self, look: PollContext, keeper: LineKeeper, rows: OpenRows) -> Iterator[None]:
        connection, mark = look.connection, keeper.mark
        state = slot.state_of(connection, look.source.slot)
        if state is not None and state.confirmed < self.confirmed:
            slot.advance(connection, look.source.slot, self.confirmed)
        clock, end = slot.clock_and_end(connection)
        seen = mark.seen

        def is_known(begin: TransactionBegin) -> bool:
            return begin.lsn < mark.lsn or (seen is not None and seen.shows(begin.lsn, begin.xid))

        reader = TransactionReader(look.table, rows, is_known, self.shown)
        ask, values = slot.peek(connection, look.source.slot, self._options.publication)
        count = 0
        connection.execute("BEGIN")
        for part in fetch_rows(connection, ask, values):
            if not count:
                self._require_unread(look, mark)
            count += len(part)
            for (data,) in part:
                done = reader.take(message_of(bytes.fromhex((data or "")[2:])))
                if done is not None:
                    self._keep(keeper, rows, *done)
            keeper.now = self.now
            yield
        connection.execute("COMMIT")
        self.more = count >= slot.MOST_CHANGES
        whole = keeper.mark
        if whole.unit is not None:
            raise AdapterError(
                f"A transaction of {self.shown} was read in part, and the server does not send it again. Start the "
                "binding from the beginning."
            )
        if count or clock - whole.time >= self._options.idle_cti_s * TICKS_PER_S:
            lsn = whole.lsn if self.more else max(whole.lsn, end)
            keeper.now = self.now
            self._finish(keeper, whole.model_copy(update={"lsn": lsn}), whole.time if self.more else clock)

    def _require_unread(self, look: PollContext, mark: ChangesMark) -> None:
        """Refuse the result if another process has advanced the slot, or if a required column was removed."""
        self._require(list(published(look.connection, self._options).columns))
        state = slot.state_of(look.connection, look.source.slot)
        if state is None or state.confirmed > mark.lsn:
            raise AdapterError(
                f"The replication slot '{look.source.slot}' was advanced by another process.", domain="external"
            )

    def _keep(self, keeper: LineKeeper, rows: OpenRows, begin: TransactionBegin, end: int) -> None:
        """Store a transaction under a tick of its own, after all earlier ones: that of its commit, else the next free
        one.
        """
        before = keeper.mark
        time = max(begin.committed, before.time + 1)
        seen = before.seen if before.seen is not None and end < before.seen.until else None
        mark = before.model_copy(update={"lsn": end, "time": time, "unit": None, "begun": 0, "seen": seen})
        keeper.now = self.now
        keeper.unit("transaction", rows.changes(time), mark)
        rows.settle(time)

    def _compare(self, look: PollContext, keeper: LineKeeper, rows: OpenRows, lost: str | None) -> Iterator[None]:
        """Create a new slot, then read the table as of that point, and store the differences from the open lifetimes.

        `lost`: the reason why earlier changes are lost; a malformed row before the differences contains it.
        """
        connection = look.connection
        if self._reach.holder is not None:
            # Slots of an earlier journal of this input, which was started from the beginning: nobody reads them any
            # more.
            slot.drop(connection, prefix_of(self._reach.holder), [look.source.slot], idle=True)
        lsn = slot.make(connection, look.source.slot)
        # Wait for transactions that committed before the slot reports changes but are not visible yet: otherwise they
        # would be in neither.
        [newest] = connection.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").fetchone() or [0]
        ask = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= %s"
        while connection.execute(ask, [newest]).fetchone() != (True,):
            yield
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        clock, seen = _snapshot(connection)
        rows.clear()
        about = about_of("compared" if lost else "snapshot", None, lsn_text(lsn))
        for part in rows_of_table(connection, look.table):
            for key, row in part:
                rows.put(key, about, row)
            yield
        connection.execute("COMMIT")
        since, time = keeper.mark.time, max(clock, keeper.mark.time + 1)
        mark = ChangesMark(source=look.source, lsn=lsn, time=time, seen=seen)
        keeper.mark = keeper.mark.model_copy(update={"source": look.source, "time": time, "unit": None})
        keeper.now = self.now
        gap = [gap_line(lost, since, time)] if lost else []
        keeper.unit("table", chain(gap, rows.changes(time)), mark)
        rows.settle(time)
        self._finish(keeper, mark, time)
        self.more = True

    def _finish(self, keeper: LineKeeper, mark: ChangesMark, clock: int) -> None:
        """Add a CTI: nothing more comes at or before `mark.time`, nor before `clock`."""
        cti = max(mark.time + 1, clock)
        keeper.finish(cti_line(cti), mark.model_copy(update={"time": cti - 1}))


def _beginning(source: ReadFrom) -> ChangesMark:
    return ChangesMark(source=source, lsn=0, time=FIRST_TICK)


def _snapshot(connection: Connection) -> tuple[int, SeenSnapshot]:
    """The server's clock, and the snapshot of this transaction; the end of the log is read after the snapshot."""
    found = connection.execute(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, pg_current_snapshot()::text,"
        " pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
    ).fetchone()
    assert found is not None  # nosec B101 # a SELECT without FROM returns one row
    return int(found[0]), SeenSnapshot(text=found[1], until=int(found[2]))
