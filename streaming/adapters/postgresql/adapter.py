"""The `postgresql` adapter: rows of a table as one lane, in the order in which they were read and stored."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError, Position, RecordSample
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.decoding import RowDecoder
from streaming.adapters.postgresql.options import PostgreSQLOptions
from streaming.adapters.postgresql.paged_lane import PagedLane
from streaming.adapters.postgresql.pages import PageNote, RowPages, TableMark
from streaming.adapters.postgresql.reading import CursorSpan, TableReader
from streaming.adapters.postgresql.sampling import sample_of_rows
from streaming.adapters.seeking import BegunJournal, BegunLanes, LaneHeld, SoughtWay, require_way
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.execution.case import ONLY_LANE

_NO_TIME: Final = (
    "The cursor of {table} is a number, so it has no time to start at. Start now, at the number of a row that was "
    "already read (positions), or at the beginning; or choose a cursor that is a timestamp with time zone."
)


class PostgreSQLAdapter(PagedLane):
    """Reads a table within `reach` as the lane "0"; position p is the p-th row read. It never ends.

    Rows are stored in the journal before their positions are returned, and read only from there. Without a journal
    (previews) they are held in memory, and open transactions are not waited for: rows that commit later may be missed.
    """

    def __init__(
        self, options: PostgreSQLOptions, stream: StreamDefinition, journal: Path | None, reach: Reach
    ) -> None:
        self._decoder = RowDecoder(stream, options)
        self._pages = RowPages(journal, PageNote[TableMark])
        self._begun = BegunJournal(journal)
        self._waits = journal is not None
        self._reader = TableReader(options, reach)
        super().__init__(self._pages, "row", self._reader.shown, options.poll_s)

    @property
    def decoder(self) -> RowDecoder:
        """The decoder for the stream."""
        return self._decoder

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the position `limit_rows` rows further, if they were read; polls the table when that is due."""
        reached = start.get(ONLY_LANE, 0)
        held = self._held(reached)
        wanted = limit_rows - (held - reached)
        if wanted > 0 and self._is_due(now):
            self._asked = now
            last = self._pages.last()
            found = self._reader.take(None if last is None else last.mark, self._decoder.require, wanted, self._waits)
            if found is not None:
                self._pages.append(found.lines, found.mark, now)
                held += len(found.lines)
                self._asked = None if found.more else now
        return {ONLY_LANE: min(reached + max(limit_rows, 0), held)}

    @property
    def time_means(self) -> str:
        """The meaning of a time: the row's cursor."""
        return "has a cursor of then or later"

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """A time can't be a start position if the cursor is a number. Raises `AdapterError`."""
        return {} if self._span.timed else {"time": _NO_TIME.format(table=self._reader.shown)}

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Start after the current rows, after those with a cursor before a time, or at a row that was already read."""
        if isinstance(place, BeginAtPositions):
            return super().begin_at(place, input_id, now=now)
        require_way(self, place)

        def find() -> BegunLanes:
            last = self._pages.last()
            if last is not None:  # found before, but a crash prevented writing the note of it
                return BegunLanes({ONLY_LANE: 0}, skips=True)
            mark = self._reader.before(place.at) if isinstance(place, BeginAtTime) else self._reader.newest()
            if mark is not None:
                self._pages.append([], mark, now)
            return BegunLanes({ONLY_LANE: 0}, mark is not None)

        return self._begun.at(place, find)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """The first and last cursor of its rows, if they are times; its rows are not counted."""
        span = self._span
        return [LaneHeld(ONLY_LANE, earliest=0, from_at=span.oldest, until_at=span.newest)]

    @cached_property
    def _span(self) -> CursorSpan:
        return self._reader.span()

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:  # noqa: ARG002
        """The oldest and the newest rows of the table. Raises `AdapterError`."""
        oldest, newest, columns, whole = self._reader.ends(max(most_records // 2, 1), most_bytes // 2)
        if not oldest:
            raise AdapterError(
                f"{self._reader.shown} is still empty, so no stream can be proposed from it. Add rows, or define the "
                "fields yourself."
            )
        return sample_of_rows(oldest, newest, columns, self._reader.shown, whole=whole)
