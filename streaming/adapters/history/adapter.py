"""An input that reads its history to the end, and then live from its place (T54, T56, T58)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeGuard

from streaming.adapters.contract import AdapterError, BoundedAdapter, InputAdapter, Position, ReplayingAdapter
from streaming.adapters.history.live_places import begin_live
from streaming.adapters.history.overlaps import HistoryIds, Overlaps
from streaming.adapters.history.record import SeamRecord, SeamStore
from streaming.definition.counts import counted
from streaming.wire.execution.case import HISTORY_LANE
from streaming.wire.rows.arrived import Arrived

KEEP_PLACE_TICKS: Final = 10_000_000
"""The interval at which live is polled while history is read: it must not delete what comes after its place."""
IDS_AT_ONCE: Final = 500_000
"""The most rows of history whose ids one planning reads, so that it answers in time."""


class HistoryThenLive:
    """Reads `history` as one lane of its own, then the lanes of `live`; no batch has rows of both.

    The position of the lane of history counts its rows. One more position after the last row is the seam: history has
    ended, and live's lanes are at their places. So a restart resumes at its positions, within or after history.
    """

    def __init__(
        self, history: InputAdapter, live: InputAdapter, overlaps: Overlaps, store: SeamStore, input_id: str
    ) -> None:
        self._history = history
        self._live = live
        self._overlaps = overlaps
        self._store = store
        self._input = input_id
        self._ids = HistoryIds(overlaps)
        self._only = ""
        self._kept_at = 0

    def lanes(self) -> Sequence[str]:
        """The lanes of live, and that of history."""
        return (*self._live.lanes(), HISTORY_LANE)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the end of the next batch: further in history, at the seam, or further in live."""
        record, at = self._begun(now), start.get(HISTORY_LANE, 0)
        if record.end is None:
            reached = self._history.latest(self._within(at), now=now, limit_rows=limit_rows)[self._lane]
            if not self._has_ids_until(at):
                return {}
            if reached > at or not self._history.finished(self._within(at)):
                return {HISTORY_LANE: reached}
            record = self._end_history(record, at)
        end = record.end or 0
        if at > end:
            return self._live.latest(_of_live(start), now=now, limit_rows=limit_rows)
        if at == end:
            return {HISTORY_LANE: end + 1, **record.places}
        return {HISTORY_LANE: min(at + limit_rows, end)}

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """Bounds that end a batch at the end of history and at the seam, and those of the source that is read."""
        record, at = self._read_record(), start.get(HISTORY_LANE, 0)
        if record.end is not None and at > record.end:
            return self._live.bounds(_of_live(start)) if _is_bounded(self._live) else {}
        if at == record.end:
            return {**_of_live(start), HISTORY_LANE: at + 1, **record.places}
        own = self._history.bounds(self._within(at)) if _is_bounded(self._history) else {}
        most = [each for each in (own.get(self._lane), record.end) if each is not None]
        return {**_of_live(start), **({HISTORY_LANE: min(most)} if most else {})}

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True if live has ended."""
        return not self.reads_history(positions.get(HISTORY_LANE, 0)) and self._live.finished(_of_live(positions))

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Yield the rows `[start, end)` of `lane`, with the overlaps marked."""
        record = self._read_record()
        if lane == HISTORY_LANE:
            last = end if record.end is None else min(end, record.end)
            for rows in self._history.read(self._lane, start, last) if start < last else ():
                yield self._overlaps.mark_history(replace(rows, arrival=None))
            return
        first = max(start, record.places.get(lane, 0))
        for rows in self._live.read(lane, first, end) if first < end else ():
            yield self._overlaps.mark_live(rows, self._store.ids)

    def holds(self, lane: str, start: Position, end: Position) -> bool:
        """Return True if `[start, end)` of `lane` can be read again."""
        record = self._read_record()
        source, first, last = self._live, max(start, record.places.get(lane, 0)), end
        if lane == HISTORY_LANE:
            source, lane, first = self._history, self._lane, start
            last = end if record.end is None else min(end, record.end)
        return first >= last or not isinstance(source, ReplayingAdapter) or source.holds(lane, first, last)

    def reads_history(self, at: Position) -> bool:
        """Return True if a batch that begins at position `at` of the lane of history reads history, not live."""
        end = self._read_record().end
        return end is None or at <= end

    @property
    def _lane(self) -> str:
        """The only lane of history. Raises `AdapterError` if it has several."""
        if not self._only:
            lanes = self._history.lanes()
            if len(lanes) != 1:
                raise AdapterError(
                    f"The history of the input {self._input} has {counted(len(lanes), 'lane')}, but it must have one "
                    "order. Use files, an object store or a Delta table."
                )
            self._only = lanes[0]
        return self._only

    def _within(self, at: Position) -> Mapping[str, Position]:
        return {self._lane: at}

    def _read_record(self) -> SeamRecord:
        return self._store.read() or SeamRecord()

    def _begun(self, now: int) -> SeamRecord:
        """Return the record; the first call makes it. Raises `AdapterError` if live can't be read from its place.

        While history is read, live must still have its place, and hold it.
        """
        record = self._store.read()
        if record is not None:
            if record.end is None and now - self._kept_at >= KEEP_PLACE_TICKS:
                self._live.latest(record.places, now=now, limit_rows=1)
                self._kept_at = now
            return record
        places = begin_live(self._overlaps.seam, self._live, self._input, now=now)
        return self._store.write(SeamRecord(places=dict(places)))

    def _has_ids_until(self, at: Position) -> bool:
        """Collect the ids of rows before `at`; return False if there are more than one planning reads."""
        if self._overlaps.id_of is None:
            return True
        until = min(at, self._ids.read_to + IDS_AT_ONCE)
        if until > self._ids.read_to:
            for rows in self._history.read(self._lane, self._ids.read_to, until):
                self._ids.take(rows)
            self._ids.read_to = until
        return until == at

    def _end_history(self, record: SeamRecord, at: Position) -> SeamRecord:
        if self._overlaps.id_of is not None:
            self._store.write_ids(self._ids.read_ids())
        return self._store.write(record.model_copy(update={"end": at}))


def _of_live(positions: Mapping[str, Position]) -> Mapping[str, Position]:
    return {lane: at for lane, at in positions.items() if lane != HISTORY_LANE}


def _is_bounded(adapter: InputAdapter) -> TypeGuard[BoundedAdapter]:
    return hasattr(adapter, "bounds")
