"""The joined data of streams with history: history's rows, then live's, each overlap marked (T54, T55, T56)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import History, StreamDefinition
from streaming.planning.checked import expression
from streaming.reference.expressions.evaluation import evaluate
from streaming.temporal.events import Cti, Event
from streaming.temporal.open_edges import payload_key
from streaming.temporal.tables import MalformedVersion, Snapshot, Version
from streaming.temporal.ticks import FIRST_TICK, parse_duration, parse_instant
from streaming.transcripts.load import TranscriptError
from streaming.wire.execution.case import HISTORY_LANE, CaseRow
from streaming.wire.rows.row_json import Element, read_row

Source = Literal["history", "live"]


@dataclass(frozen=True)
class SourcedRow:
    """A row of a case with its source, and its place in live if the transcript gives one."""

    row: CaseRow
    source: Source
    position: int | None = None


def joined_rows(rows: Iterable[SourcedRow], streams: Mapping[str, StreamDefinition]) -> list[CaseRow]:
    """Return the rows of a case in the order in which they are read.

    Of a stream with history, live rows wait for the end of history wherever they stand, and are not read without it.
    Raises `TranscriptError` for rows of history after its end.
    """
    seams = {name: _SeamReader(name, stream) for name, stream in streams.items() if stream.history is not None}
    written = list(rows)
    found = [seam.beginning([each for each in written if each.row.stream == name]) for name, seam in seams.items()]
    for each in written:
        seam = seams.get(each.row.stream)
        found += [each.row] if seam is None else seam.take(each)
    return found


class _SeamReader:
    """Reads one stream with history."""

    def __init__(self, name: str, stream: StreamDefinition) -> None:
        self._name = name
        if stream.history is None:
            raise TypeError("the stream has no history")
        self._stream = stream
        self._history: History = stream.history
        self._ended = False
        self._sorted: list[tuple[CaseRow, Element]] = []
        self._live: list[SourcedRow] = []
        self._ids: list[tuple[str, int]] = []
        self._known: frozenset[str] = frozenset()
        seam = stream.history.seam
        self._id = None if seam.id is None else expression(seam.id, parse_fields(stream.fields))

    def beginning(self, rows: Sequence[SourcedRow]) -> CaseRow:
        """Return the mark with which the history begins: the lanes that it has in `rows` exist from then on (T14)."""
        mine = [each for each in rows if each.source == "history" and not each.row.marks_history]
        lanes = dict.fromkeys(each.row.lane for each in mine if not self._is_lives(each, self._read(each.row)))
        return CaseRow(self._name, HISTORY_LANE, 0, {"history": list(lanes)})

    def take(self, sourced: SourcedRow) -> Sequence[CaseRow]:
        """Return the rows that can be read after `sourced` has arrived."""
        row = sourced.row
        if row.marks_history:
            return self._end(row)
        if sourced.source == "history":
            if self._ended:
                raise TranscriptError(
                    f"a row of the history of {row.stream!r} follows its end; write it before the end"
                )
            return self._of_history(sourced)
        if not self._ended:
            self._live.append(sourced)
            return ()
        return self._of_live(sourced)

    def _of_history(self, sourced: SourcedRow) -> Sequence[CaseRow]:
        row, element = sourced.row, self._read(sourced.row)
        if self._is_lives(sourced, element):
            if "cti" in row.fields:
                return ()
            row = _overlap(row)
        elif self._id is not None and isinstance(element, Event | Version):
            self._ids.append((self._id_of(element), _sync(element)))
        if self._history.order == "arrival":
            return [row]
        self._sorted.append((row, element))
        return ()

    def _end(self, end: CaseRow) -> Sequence[CaseRow]:
        if self._ended:
            raise TranscriptError(f"the history of {end.stream!r} ends twice; write its end once")
        self._ended = True
        over = self._history.seam.over
        last = max((sync for _, sync in self._ids), default=0)
        self._known = frozenset(
            key for key, sync in self._ids if key and (over is None or sync > last - parse_duration(over))
        )
        ordered = [row for row, _ in sorted(self._sorted, key=lambda each: _sync(each[1]))]
        live = [row for each in self._live for row in self._of_live(each)]
        return [CaseRow(row.stream, row.lane, end.batch, row.fields, row.arrival) for row in (*ordered, end, *live)]

    def _of_live(self, sourced: SourcedRow) -> Sequence[CaseRow]:
        if not self._is_historys(sourced):
            return [sourced.row]
        return () if "cti" in sourced.row.fields else [_overlap(sourced.row)]

    def _is_lives(self, sourced: SourcedRow, element: Element) -> bool:
        """Return whether a row of history is an overlap, because live has it."""
        seam = self._history.seam
        if seam.position is not None:
            place = self._place(sourced.row.lane)
            return place is not None and sourced.position is not None and sourced.position >= place
        return seam.time is not None and _is_timed(element) and _sync(element) >= parse_instant(seam.time)

    def _is_historys(self, sourced: SourcedRow) -> bool:
        """Return whether a row of live is an overlap, because history had it."""
        seam = self._history.seam
        if seam.position is not None:
            place = self._place(sourced.row.lane)
            return place is not None and sourced.position is not None and sourced.position < place
        element = self._read(sourced.row)
        if seam.time is not None:
            return _is_timed(element) and _sync(element) < parse_instant(seam.time)
        return isinstance(element, Event | Version) and self._id_of(element) in self._known

    def _place(self, lane: str) -> int | None:
        """Return the place of the seam in a lane; None for the lane of history, which has no rows of live."""
        places = self._history.seam.position
        if isinstance(places, dict):
            return None if lane == HISTORY_LANE else places.get(lane, 0)
        return places

    def _read(self, row: CaseRow) -> Element:
        return read_row(row.fields, self._stream, row.arrival)

    def _id_of(self, event: Event | Version) -> str:
        """Return a text that is equal for equal ids; empty for null, which equals nothing."""
        if self._id is None:
            return ""
        value: Any = evaluate(self._id, event.payload, lambda _: None)
        return "" if value is None else payload_key({"id": value})


def _overlap(row: CaseRow) -> CaseRow:
    return CaseRow(row.stream, row.lane, row.batch, {**row.fields, "overlap": True}, row.arrival)


def _is_timed(element: Element) -> bool:
    return isinstance(element, Event | Version | Snapshot | MalformedVersion)


def _sync(element: Element) -> int:
    """Return the time for `order: time`; rows that can't be read come first."""
    match element:
        case Event():
            return element.sync
        case Version() | Snapshot() | MalformedVersion():
            return element.start
        case Cti(at):
            return at
        case _:
            return FIRST_TICK
