"""The `rows` adapter: positions are batch numbers, so a transcript defines its own batches."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
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
from streaming.adapters.times.selections import judge_facets
from streaming.definition.payload.reading import read_object
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.execution.case import listed_lanes
from streaming.wire.rows.arrived import Arrived, RecordedItem
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.row_json import MalformedRow

_NO_TIMES: Final = (
    "Not every row of this transcript has an arrival time, in rising order, so you can't start at a time. Start at a "
    "micro-batch by its number (positions), or at the beginning."
)
MOST_BYTES: Final = 16 << 20
"""The size limit of a file, which takes ten times its size in memory, for a sample also in the web process."""


class RowsAdapter:
    """Reads transcript rows. A lane's position is the number of micro-batches read, the same for all lanes."""

    def __init__(self, options: RowsOptions, stream: StreamDefinition, root: Path, journal: Path | None = None) -> None:
        self._options = options
        self._stream = stream
        self._folder = DataFolder(root)
        self._begun = BegunJournal(journal)
        self._lanes = tuple(listed_lanes(stream))

    def lanes(self) -> Sequence[str]:
        """The lanes that the stream lists, otherwise the one lane "0"."""
        return self._lanes

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:  # noqa: ARG002
        """Return the next micro-batch, whatever its size, up to the last in the file."""
        reached = min((start.get(lane, 0) for lane in self._lanes), default=0)
        return {lane: max(start.get(lane, 0), min(reached + 1, self._batches())) for lane in self._lanes}

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True if every lane was read to the last batch of the file."""
        return all(positions.get(lane, 0) >= self._batches() for lane in self._lanes)

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Yield the rows of the batches `[start, end)` of `lane`; `positions` count the rows of the lane from 0."""
        mine = [line for line in self._lines() if line.is_row and self._lane_of(line) == lane]
        rows = [
            JudgedRow(position, self._judge(line), line.raw, line.arrival)
            for position, line in enumerate(mine)
            if start <= line.batch < end
        ]
        if rows:
            yield arrived_of(rows, self._stream)

    @property
    def time_means(self) -> str:
        """The meaning of arrival times: the time in the row's line."""
        return "arrived then or later according to its line; its whole micro-batch is read"

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """A time can be a start position only if every line has an arrival time, in rising order. Raises
        `AdapterError`.
        """
        arrivals = [line.arrival for line in self._lines() if line.is_row]
        known = [at for at in arrivals if at is not None]
        return {} if len(known) == len(arrivals) and known == sorted(known) else {"time": _NO_TIMES}

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:  # noqa: ARG002
        """Start after all micro-batches, before the first with a row that arrived at a time or later, or at a
        number.
        """
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
            mine = [line for line in self._lines() if line.is_row and self._lane_of(line) == lane]
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
        """True if every line has its place among the lines of all inputs."""
        lines = self._lines()
        return bool(lines) and all(line.order is not None for line in lines)

    def recorded(self, start: Position, end: Position) -> Iterator[RecordedItem]:
        """Yield the batches `[start, end)` of all lanes row by row, in file order, including heartbeats."""
        positions = dict.fromkeys(self._lanes, 0)
        for line in self._lines():
            lane = self._lane_of(line)
            wanted = start <= line.batch < end
            order = 0 if line.order is None else line.order
            if not line.is_row:
                if wanted:
                    yield RecordedItem(order, beat=line.beat, marks_history=line.marks_history, history=line.history)
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
                    f"The file '{self._options.path}' is larger than {MOST_BYTES >> 20} MiB, which this adapter would "
                    "read as a whole. Choose the adapter `file`, which reads in parts."
                )
            return _read_lines(self._folder, path, stat.st_mtime_ns, stat.st_size)
        except OSError as error:
            raise AdapterError(
                f"The file '{self._options.path}' can't be read ({why(error)}). Make it readable."
            ) from None

    def _batch_at(self, tick: int) -> Position:
        """The first micro-batch with a row that arrived at `tick` or later; after all if there is no such row."""
        later = (line.batch for line in self._lines() if line.is_row and (line.arrival or 0) >= tick)
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
    """One row; `fields` is None if it can't be parsed, `lane` is None if it has none.

    With `beat` it is a heartbeat instead: the wall clock reached that time. With `marks_history` a history begins with
    the lanes `history`, or ends (None). `order` is its place among the lines of all inputs, None if the line has none.
    """

    fields: Mapping[str, Any] | None
    lane: Any
    batch: int
    raw: str
    arrival: int | None
    order: int | None
    beat: int | None = None
    marks_history: bool = False
    history: Sequence[str] | None = None

    @property
    def is_row(self) -> bool:
        """Return True unless it is a heartbeat, or a mark of a history."""
        return self.beat is None and not self.marks_history


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
        if fields is not None and "history" in fields:
            lines.append(_Line(None, None, batch, text, None, order, marks_history=True, history=fields["history"]))
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
