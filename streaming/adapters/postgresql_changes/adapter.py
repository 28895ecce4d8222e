"""The `postgresql_changes` adapter: the lifetimes of a table's rows as one lane, in the order of the server's log."""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Final

from streaming.adapters.contract import Position, RecordSample
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import connect, translate_errors
from streaming.adapters.postgresql.decoding import RowDecoder
from streaming.adapters.postgresql.paged_lane import PagedLane
from streaming.adapters.postgresql_changes.following import SETTINGS, ChangeFollower
from streaming.adapters.postgresql_changes.marks import ChangesMark, ReadFrom, change_pages
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.postgresql_changes.sampling import sample_of_table
from streaming.adapters.postgresql_changes.slots import slot
from streaming.adapters.postgresql_changes.table import published
from streaming.adapters.postgresql_changes.whole_table import rows_of_table
from streaming.adapters.row_lifetimes.decoding import decoder_of
from streaming.adapters.row_lifetimes.lines import CTI_COLUMN, OWN, RowLife, about_of, lsn_text, start_line
from streaming.adapters.seeking import SoughtWay
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.execution.case import ONLY_LANE

MOST_SAMPLED: Final = 10_000
_FROM_ITS_SLOT: Final = (
    "The server reports changes only from the time when reading starts, based on the rows that the table has then. "
    "Start at the beginning, which emits these rows and all later changes, or at the number of a line that was already "
    "read (positions)."
)


class PostgreSQLChangesAdapter(PagedLane):
    """Reads changes within `reach` as the lane "0"; position p is the p-th stored line. It never ends.

    Lines are stored in the journal before their positions are returned, and the server may discard its log only once a
    later batch starts at these positions. Without a journal (previews) the current rows of the table are shown, and
    nothing is created on the server.
    """

    def __init__(
        self, options: PostgreSQLChangesOptions, stream: StreamDefinition, journal: Path | None, reach: Reach
    ) -> None:
        self._options = options
        self._stream = stream
        self._reach = reach
        self._journal = journal
        self._pages = change_pages(journal)
        if stream.fields:
            self.decoder  # noqa: B018 # refuses an unsuitable stream before the first query
        self._follower = ChangeFollower(options, reach, self._pages, self._require)
        super().__init__(self._pages, "change", self._follower.shown, options.poll_s)
        self._look: Iterator[None] | None = None
        self._kept: deque[tuple[Position, int]] = deque()

    @cached_property
    def decoder(self) -> RowDecoder:
        """The decoder for lifetimes of the stream, created on first use: a proposal has no stream yet."""
        return decoder_of(self._stream, self._options)

    def _require(self, columns: list[str]) -> None:
        self.decoder.require([*columns, *OWN, CTI_COLUMN])

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the position `limit_rows` lines further, if they are stored; polls the server when that is due."""
        reached = start.get(ONLY_LANE, 0)
        held = self._held(reached)
        if held - reached < limit_rows:
            self._confirm(reached)
            self._step(now, limit_rows)
            held = self._kept_end()
        return {ONLY_LANE: min(reached + max(limit_rows, 0), held)}

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """A run can only start with the current table: the server reports no changes from before the slot."""
        return {"now": _FROM_ITS_SLOT, "time": _FROM_ITS_SLOT}

    def _step(self, now: int, limit_rows: int) -> None:
        if self._journal is None:
            self._show(now, limit_rows)
            return
        if self._look is None:
            if not self._is_due(now):
                return
            self._look = self._follower.poll()
            self._asked = now
        self._follower.now = now
        try:
            next(self._look)
        except StopIteration:
            self._look = None
            self._asked = None if self._follower.more else now
        except BaseException:
            self._look = None
            raise

    def _confirm(self, reached: Position) -> None:
        """Let the server discard its log up to the start of a batch: from there Spark relies on our journal."""
        last = self._pages.last()
        if last is not None and last.mark.unit is None and (not self._kept or self._kept[-1][0] < last.end):
            self._kept.append((last.end, last.mark.lsn))
        while self._kept and self._kept[0][0] <= reached:
            self._follower.confirmed = max(self._follower.confirmed, self._kept.popleft()[1])

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        """Return the current rows of the table, with notes about the server. Raises `AdapterError`."""
        with (
            translate_errors(self._options, slot.EXPLANATIONS),
            closing(connect(self._options, self._reach, SETTINGS)) as connection,
        ):
            connection.autocommit = True
            table = published(connection, self._options)
            slot.require_room(connection)
            rows: list[str] = []
            size = 0
            connection.execute("BEGIN READ ONLY")
            for part in rows_of_table(connection, table, min(most_records, MOST_SAMPLED)):
                rows += [row for _, row in part]
                size += sum(len(row) for _, row in part)
                if size >= most_bytes:
                    break
            connection.execute("COMMIT")
            return sample_of_table(rows, table, self._follower.shown, slot.notes(connection), now)

    def _show(self, now: int, most: int) -> None:
        """Load the rows for a preview: the current rows of the table, starting now."""
        if self._pages.last() is not None:
            return
        with (
            translate_errors(self._options, slot.EXPLANATIONS),
            closing(connect(self._options, self._reach, SETTINGS)) as connection,
        ):
            connection.autocommit = True
            table = published(connection, self._options)
            self._require(list(table.columns))
            slot.require_room(connection)
            clock, _ = slot.clock_and_end(connection)
            about = about_of("snapshot", None, lsn_text(0))
            connection.execute("BEGIN READ ONLY")
            parts = rows_of_table(connection, table, min(most, MOST_SAMPLED))
            lines = [start_line(RowLife(key, clock, about, row)) for part in parts for key, row in part]
        source = ReadFrom(database=self._options.database, table=table.oid, key=[], publication=[], slot="")
        if lines:
            self._pages.append(lines, ChangesMark(source=source, lsn=0, time=clock), now)
