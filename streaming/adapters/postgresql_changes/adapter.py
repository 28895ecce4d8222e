"""The `postgresql_changes` adapter: the lives of a table's rows as one lane, in the order of the server's log."""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Final

from streaming.adapters.contract import Position, RecordSample
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connecting import connect, told
from streaming.adapters.postgresql.decoding import RowDecoder
from streaming.adapters.postgresql.paged_lane import PagedLane
from streaming.adapters.postgresql_changes import slot
from streaming.adapters.postgresql_changes.following import SETTINGS, ChangeFollower
from streaming.adapters.postgresql_changes.lines import CTI_COLUMN, OWN, RowLife, about_of, started
from streaming.adapters.postgresql_changes.marks import ChangesMark, ReadFrom, change_pages
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.postgresql_changes.sampling import decoder_of, sample_of_table
from streaming.adapters.postgresql_changes.table import published
from streaming.adapters.postgresql_changes.whole_table import rows_of_table
from streaming.adapters.seeking import SoughtWay
from streaming.definition.streams import StreamDefinition
from streaming.wire.case import ONLY_LANE

MOST_SAMPLED: Final = 10_000
_FROM_ITS_SLOT: Final = (
    "The server tells the changes of a table from the moment on at which somebody begins to read, and what they change "
    "are the rows that the table has then. Begin at the beginning, which gives these rows and what changes from now "
    "on, or at a line that was read before, by its number (positions)."
)


class PostgreSQLChangesAdapter(PagedLane):
    """Reads changes within `reach` as the lane "0"; position p is the line that was kept as the p-th. It never ends.

    What was read is kept in the journal before its positions are told, and the server forgets its log only once these
    positions are the start of a later batch. Without a journal (previews) the rows of the table are shown as they are,
    and nothing is made on the server.
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
            self.decoder  # noqa: B018 # a stream that does not fit is refused before anything is asked
        self._follower = ChangeFollower(options, reach, self._pages, self._require)
        super().__init__(self._pages, "change", self._follower.shown, options.poll_s)
        self._look: Iterator[None] | None = None
        self._kept: deque[tuple[Position, int]] = deque()

    @cached_property
    def decoder(self) -> RowDecoder:
        """The one for lives of the stream: made when it is needed, for proposals have none yet."""
        return decoder_of(self._stream, self._options)

    def _require(self, columns: list[str]) -> None:
        self.decoder.require([*columns, *OWN, CTI_COLUMN])

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """`limit_rows` lines further, as far as lines are kept; asks the server when that is due.

        Raises `AdapterError`.
        """
        reached = start.get(ONLY_LANE, 0)
        held = self._held(reached)
        if held - reached < limit_rows:
            self._confirm(reached)
            self._step(now, limit_rows)
            held = self._kept_end()
        return {ONLY_LANE: min(reached + max(limit_rows, 0), held)}

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """But with the table as it is now: the server tells changes from the making of a slot on, and no others."""
        return {"now": _FROM_ITS_SLOT, "time": _FROM_ITS_SLOT}

    def _step(self, now: int, limit_rows: int) -> None:
        if self._journal is None:
            self._show(now, limit_rows)
            return
        if self._look is None:
            if not self._is_due(now):
                return
            self._look = self._follower.look()
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
        """Let the server forget what a batch has begun behind: Spark's log counts on our journal there."""
        last = self._pages.last()
        if last is not None and last.mark.unit is None and (not self._kept or self._kept[-1][0] < last.end):
            self._kept.append((last.end, last.mark.lsn))
        while self._kept and self._kept[0][0] <= reached:
            self._follower.confirmed = max(self._follower.confirmed, self._kept.popleft()[1])

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        """Rows of the table as they are, and what a person should know of the server. Raises `AdapterError`."""
        with told(self._options, slot.SAYS), closing(connect(self._options, self._reach, SETTINGS)) as connection:
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
        """What a preview shows: rows of the table as they would begin now."""
        if self._pages.last() is not None:
            return
        with told(self._options, slot.SAYS), closing(connect(self._options, self._reach, SETTINGS)) as connection:
            connection.autocommit = True
            table = published(connection, self._options)
            self._require(list(table.columns))
            slot.require_room(connection)
            clock, _ = slot.clock_and_end(connection)
            about = about_of("snapshot", None, 0)
            connection.execute("BEGIN READ ONLY")
            parts = rows_of_table(connection, table, min(most, MOST_SAMPLED))
            lines = [started(RowLife(key, clock, about, row)) for part in parts for key, row in part]
        source = ReadFrom(database=self._options.database, table=table.oid, key=[], publication=[], slot="")
        if lines:
            self._pages.append(lines, ChangesMark(source=source, lsn=0, time=clock), now)
