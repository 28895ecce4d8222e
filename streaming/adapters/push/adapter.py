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
from streaming.definition.streams import Rowtime, StreamDefinition
from streaming.wire.arrived import Arrived
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.case import ONLY_LANE
from streaming.wire.results import write_atomically

BATCH_BYTES: Final = 64 << 20
"""A batch reads about so many bytes of lines at most."""


_FIRST: Final = "first.json"
"""The oldest row that was kept when the first batch was planned: what was deleted before it was never read."""


class PushAdapter:
    """Reads an inbox as the lane "0"; position p is its row number p. It never ends.

    Who keeps a journal is a reader: what it has yet to read, and the batch before, stay in the inbox.
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
        """`limit_rows` rows further, as far as rows were pushed; who begins at 0 begins with the oldest that is kept.

        Raises `AdapterError` when rows beyond `start` are gone, `OSError` where the journal cannot be written.
        """
        reached = start.get(ONLY_LANE, 0)
        if self._reader is not None:
            self._inbox.note_reader(self._reader, reached, now)
        state = self._inbox.state()
        if reached > state.next:
            raise AdapterError(
                f"The inbox '{self._name}' holds {counted(state.next, 'row')}, but {reached} were read: it was "
                "deleted and begun anew. Start the binding from the beginning."
            )
        if reached == 0:
            self._note_first(state.oldest)
        elif reached < state.oldest:
            raise AdapterError(
                f"The inbox '{self._name}' no longer holds the rows {reached} to {state.oldest}: the binding did not "
                "run for longer than the inbox waits for it. Start the binding from the beginning."
            )
        return {ONLY_LANE: max(reached, min(max(reached, state.oldest) + limit_rows, state.next))}

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """Whole pushes of BATCH_BYTES together, and at least one."""
        end, total = None, 0
        for following, size in self._inbox.sizes(start.get(ONLY_LANE, 0)):
            if end is not None and total + size > BATCH_BYTES:
                return {ONLY_LANE: end}
            end, total = following, total + size
        return {}

    def finished(self, positions: Mapping[str, Position]) -> bool:  # noqa: ARG002
        """Never: somebody may push more."""
        return False

    def holds(self, lane: str, start: Position, end: Position) -> bool:  # noqa: ARG002
        """Whether all of these rows are kept; from 0 on, whether what was kept when they were first read still is."""
        state, begun = self._inbox.state(), max(start, self._began_with())
        return end <= state.next and (begun >= state.oldest or begun >= end)

    def _note_first(self, oldest: Position) -> None:
        if self._first is not None and not self._first.exists():
            self._first.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._first, json.dumps(oldest).encode())

    def _began_with(self) -> Position:
        """The first row that whoever keeps this journal can have read; 0 where that is not known."""
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
        """When its batch was accepted."""
        return "was pushed then or later"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """At a row number, or in front of the first batch that was accepted at a time or later."""

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
        """The rows that are kept."""
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
        """The rows `[start, end)` that are kept, in the order in which they were stored."""
        for records, positions in records_between(self._inbox.between(start, end), start, end):
            if not self._implicit:
                yield self._lines.decode(records, positions)
            elif len(positions):
                arrivals = self._inbox.arrivals(int(positions[0]), int(positions[-1]) + 1)
                yield self._lines.decode_arrived(records, positions, arrivals)
