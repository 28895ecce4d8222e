"""The `push` adapter: an inbox as one lane, whose positions are the numbers of its rows."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.file.json_lines import JsonLines
from streaming.adapters.push.inbox import PushInbox
from streaming.adapters.push.options import PushOptions
from streaming.adapters.seeking import BegunJournal, BegunLanes, LaneHeld, positions_within
from streaming.adapters.stored_lines import records_between
from streaming.definition.counts import counted
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.storage.results import write_atomically
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived

BATCH_BYTES: Final = 64 << 20
"""The approximate limit of bytes of lines in a batch."""


_FIRST: Final = "first.json"
"""The oldest row that was stored when the first batch was planned: rows deleted before it were never read."""


class PushAdapter:
    """Reads an inbox as the lane "0"; position p is its row number p. It never ends.

    An adapter with a journal is a reader: its unread rows, and the previous batch, stay in the inbox.
    """

    def __init__(self, options: PushOptions, stream: StreamDefinition, root: Path, journal: Path | None = None) -> None:
        self._inbox = PushInbox.of(root, options.inbox)
        self._name = options.inbox
        self._reader = None if journal is None else hashlib.sha256(str(journal).encode()).hexdigest()
        self._begun = BegunJournal(journal)
        self._first = None if journal is None else journal / _FIRST
        self._lines = JsonLines(stream, {})
        self._implicit = stream.rowtime is Rowtime.IMPLICIT

    def lanes(self) -> Sequence[str]:
        """The one lane "0"."""
        return (ONLY_LANE,)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the position `limit_rows` rows further, if they were pushed; from 0 reading starts at the oldest row.

        Raises `AdapterError` if rows after `start` were deleted, `OSError` if the journal can't be written.
        """
        reached = start.get(ONLY_LANE, 0)
        if self._reader is not None:
            self._inbox.note_reader(self._reader, reached, now)
        state = self._inbox.state()
        if reached > state.next:
            raise AdapterError(
                f"The inbox '{self._name}' holds {counted(state.next, 'row')}, but {reached} were already read: it was "
                "deleted and created again. Start the binding from the beginning."
            )
        if reached == 0:
            self._note_first(state.oldest)
        elif reached < state.oldest:
            raise AdapterError(
                f"The inbox '{self._name}' no longer holds the rows {reached} to {state.oldest}: the binding was "
                "stopped for longer than the inbox waits for it. Start the binding from the beginning."
            )
        return {ONLY_LANE: max(reached, min(max(reached, state.oldest) + limit_rows, state.next))}

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """The bounds set by BATCH_BYTES: whole pushes, at least one."""
        end, total = None, 0
        for following, size in self._inbox.sizes(start.get(ONLY_LANE, 0)):
            if end is not None and total + size > BATCH_BYTES:
                return {ONLY_LANE: end}
            end, total = following, total + size
        return {}

    def finished(self, positions: Mapping[str, Position]) -> bool:  # noqa: ARG002
        """Always False: more rows may be pushed."""
        return False

    def holds(self, lane: str, start: Position, end: Position) -> bool:  # noqa: ARG002
        """Return True if all of these rows are stored; from 0, counted from the oldest row at the first batch."""
        state, begun = self._inbox.state(), max(start, self._began_with())
        return end <= state.next and (begun >= state.oldest or begun >= end)

    def _note_first(self, oldest: Position) -> None:
        if self._first is not None and not self._first.exists():
            self._first.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._first, json.dumps(oldest).encode())

    def _began_with(self) -> Position:
        """The first row that the owner of this journal can have read; 0 if unknown."""
        if self._first is None or not self._first.exists():
            return 0
        try:
            return int(json.loads(self._first.read_bytes()))
        except ValueError:
            raise AdapterError(
                f"The journal {_FIRST} of the inbox '{self._name}' is damaged. Start the binding from the beginning."
            ) from None

    @property
    def time_means(self) -> str:
        """The meaning of arrival times: when the row's batch was accepted."""
        return "was pushed then or later"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Start at a row number, or before the first batch that was accepted at a time or later."""

        def find() -> BegunLanes:
            state = self._inbox.state()
            if isinstance(place, BeginAtPositions):
                found = positions_within(place, input_id, {ONLY_LANE: (state.oldest, state.next)})
            else:
                at = self._inbox.since(place.at) if isinstance(place, BeginAtTime) else state.next
                found = BegunLanes({ONLY_LANE: at}, at > state.oldest)
            if self._reader is not None:
                self._inbox.note_reader(self._reader, found.positions[ONLY_LANE], now)
            return found

        return self._begun.at(place, find)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """The stored rows."""
        state = self._inbox.state()
        at = None if since is None else self._inbox.since(since)
        return [
            LaneHeld(
                ONLY_LANE,
                earliest=state.oldest,
                end=state.next,
                at_time=at,
                from_at=self._inbox.first_arrival(),
                until_at=state.newest,
                rows=state.next - state.oldest,
                bytes=state.stored,
                rows_since=None if at is None else state.next - at,
            )
        ]

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:  # noqa: ARG002
        """Yield the stored rows of `[start, end)`, in the order in which they were stored."""
        for records, positions in records_between(self._inbox.between(start, end), start, end):
            if not self._implicit:
                yield self._lines.decode(records, positions)
            elif len(positions):
                arrivals = self._inbox.arrivals(int(positions[0]), int(positions[-1]) + 1)
                yield self._lines.decode_arrived(records, positions, arrivals)
