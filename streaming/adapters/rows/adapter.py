"""The `rows` adapter: positions are batch numbers, so a transcript is cut where it says."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.file.split import MAX_RECORD_BYTES
from streaming.adapters.places import DataFolder, why
from streaming.adapters.rows.options import RowsOptions
from streaming.adapters.seeking import (
    BegunJournal,
    BegunLanes,
    LaneHeld,
    SoughtWay,
    positions_within,
    require_way,
)
from streaming.adapters.selections import judge_facets
from streaming.definition.payload import read_object
from streaming.definition.streams import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.wire.arrived import Arrived, RecordedItem
from streaming.wire.arrived_rows import JudgedRow, arrived_of
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.case import ONLY_LANE
from streaming.wire.rows import MalformedRow

_NO_TIMES: Final = (
    "Not every row of this transcript says when it came, in rising order, so that no time divides them. Begin at a "
    "micro-batch by its number (positions), or at the beginning."
)
MOST_BYTES: Final = 16 << 20
"""Of a file, which is held in memory, and ten times as large there: in the web's process too, for a sample."""


class RowsAdapter:
    """Reads transcript rows. Every lane's position is the number of micro-batches read, common to all lanes."""

    def __init__(self, options: RowsOptions, stream: StreamDefinition, root: Path, journal: Path | None = None) -> None:
        self._options = options
        self._stream = stream
        self._folder = DataFolder(root)
        self._begun = BegunJournal(journal)
        self._lanes = tuple(stream.lanes or [ONLY_LANE])

    def lanes(self) -> Sequence[str]:
        """The lanes that the stream lists, else the one lane "0"."""
        return self._lanes

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:  # noqa: ARG002
        """One micro-batch further, whatever its size, up to the last that the file names."""
        reached = min((start.get(lane, 0) for lane in self._lanes), default=0)
        return {lane: max(start.get(lane, 0), min(reached + 1, self._batches())) for lane in self._lanes}

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Whether every lane was read to the last batch of the file."""
        return all(positions.get(lane, 0) >= self._batches() for lane in self._lanes)

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """The rows of the batches `[start, end)` of `lane`; `positions` count the rows of the lane from 0."""
        mine = [line for line in self._lines() if line.beat is None and self._lane_of(line) == lane]
        rows = [
            JudgedRow(position, self._judge(line), line.raw, line.arrival)
            for position, line in enumerate(mine)
            if start <= line.batch < end
        ]
        if rows:
            yield arrived_of(rows, self._stream)

    @property
    def time_means(self) -> str:
        """When its line says that it came."""
        return "came then or later, as its line says; its whole micro-batch is read"

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """At a time, unless every line says when its row came, in rising order. Raises `AdapterError`."""
        arrivals = [line.arrival for line in self._lines() if line.beat is None]
        known = [at for at in arrivals if at is not None]
        return {} if len(known) == len(arrivals) and known == sorted(known) else {"time": _NO_TIMES}

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:  # noqa: ARG002
        """Behind all micro-batches, in front of the first with a row that came at a time or later, or of a number."""
        require_way(self, place)

        def find() -> BegunLanes:
            if isinstance(place, BeginAtPositions):
                return positions_within(place, input_id, dict.fromkeys(self._lanes, (0, self._batches())))
            at = self._batch_at(place.at) if isinstance(place, BeginAtTime) else self._batches()
            return BegunLanes(dict.fromkeys(self._lanes, at), at > 0)

        return self._begun.at(place, find)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """The micro-batches of the file and their rows. Raises `AdapterError`."""
        at = None if since is None or self.cannot_begin() else self._batch_at(since)
        found = []
        for lane in self._lanes:
            mine = [line for line in self._lines() if line.beat is None and self._lane_of(line) == lane]
            times = [line.arrival for line in mine if line.arrival is not None]
            found.append(
                LaneHeld(
                    lane,
                    earliest=0,
                    end=self._batches(),
                    at_time=at,
                    from_at=min(times, default=None),
                    until_at=max(times, default=None),
                    rows=len(mine),
                    rows_since=None if at is None else sum(line.batch >= at for line in mine),
                    unit="batch",
                )
            )
        return found

    @property
    def in_order(self) -> bool:
        """Whether the lines say their place among those of all inputs."""
        lines = self._lines()
        return bool(lines) and all(line.order is not None for line in lines)

    def recorded(self, start: Position, end: Position) -> Iterator[RecordedItem]:
        """The batches `[start, end)` of all lanes row by row, in the order of the file, heartbeats among them."""
        positions = dict.fromkeys(self._lanes, 0)
        for line in self._lines():
            lane = self._lane_of(line)
            wanted = start <= line.batch < end
            order = 0 if line.order is None else line.order
            if line.beat is not None:
                if wanted:
                    yield RecordedItem(order, beat=line.beat)
                continue
            position = positions[lane]
            positions[lane] += 1
            if wanted:
                row = JudgedRow(position, self._judge(line), line.raw, line.arrival)
                yield RecordedItem(order, lane, arrived_of([row], self._stream))

    def _lines(self) -> Sequence["_Line"]:
        path = self._folder.inside(self._options.path)
        try:
            with self._folder.open(path) as file:
                stat = os.fstat(file.fileno())
            if stat.st_size > MOST_BYTES:
                raise AdapterError(
                    f"The file '{self._options.path}' is larger than {MOST_BYTES >> 20} MiB, and is read whole here. "
                    "Choose the adapter `file`, which reads in parts."
                )
            return _read_lines(self._folder, path, stat.st_mtime_ns, stat.st_size)
        except OSError as error:
            raise AdapterError(f"The file '{self._options.path}' cannot be read ({why(error)}).") from None

    def _batch_at(self, tick: int) -> Position:
        """The first micro-batch with a row that came at `tick` or later; behind all where there is none."""
        later = (line.batch for line in self._lines() if line.beat is None and (line.arrival or 0) >= tick)
        return next(later, self._batches())

    def _batches(self) -> int:
        lines = self._lines()
        return lines[-1].batch + 1 if lines else 0

    def _lane_of(self, line: "_Line") -> str:
        return line.lane if line.lane in self._lanes else self._lanes[0]

    def _judge(self, line: "_Line") -> Any:
        if line.fields is None or (line.lane is not None and line.lane not in self._lanes):
            return MalformedRow(Reason.BAD_ROW)
        return judge_facets(line.fields, self._stream, line.arrival)


@dataclass(frozen=True)
class _Line:
    """One row; `fields` None when it cannot be parsed, `lane` None when it names none.

    With `beat` it is none: the wall clock reached that time. `order` is its place among the lines of all inputs, None
    where it does not say it.
    """

    fields: Mapping[str, Any] | None
    lane: Any
    batch: int
    raw: str
    arrival: int | None
    order: int | None
    beat: int | None = None


@lru_cache(maxsize=8)
def _read_lines(folder: DataFolder, path: str, modified_ns: int, size: int) -> Sequence[_Line]:  # noqa: ARG001 (part of the key of the cache)
    lines: list[_Line] = []
    batch, heartbeat = 0, None
    with folder.open(path) as file:
        content = file.read().decode("utf-8", errors="surrogateescape")
    for text in content.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if not text.strip():
            continue
        fields = read_object(text) if len(text) <= MAX_RECORD_BYTES else None
        number = (fields or {}).get("batch", batch)
        if isinstance(number, bool) or not isinstance(number, int) or number < batch:
            fields, number = None, batch
        batch = number
        order = (fields or {}).get("order")
        if fields is not None and "heartbeat" in fields:
            heartbeat = fields["heartbeat"]
            lines.append(_Line(None, None, batch, text, None, order, heartbeat if isinstance(heartbeat, int) else None))
            continue
        lines.append(_line(fields, batch, text, heartbeat, order))
    return tuple(lines)


def _line(fields: Mapping[str, Any] | None, batch: int, text: str, heartbeat: int | None, order: int | None) -> _Line:
    if fields is None:
        raw = text[:MAX_RECORD_BYTES].encode(errors="surrogateescape").decode(errors="replace")
        return _Line(None, None, batch, raw, heartbeat, order)
    raw = fields["bad"] if isinstance(fields.get("bad"), str) else text
    arrival = fields.get("arrival", heartbeat)
    return _Line(fields, fields.get("lane"), batch, raw, arrival if isinstance(arrival, int) else None, order)
