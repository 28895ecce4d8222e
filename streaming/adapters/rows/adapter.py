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
from streaming.adapters.selections import judge_facets
from streaming.definition.payload import read_object
from streaming.definition.streams import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.wire.arrived import Arrived, RecordedItem
from streaming.wire.arrived_rows import JudgedRow, arrived_of
from streaming.wire.case import ONLY_LANE
from streaming.wire.rows import MalformedRow

MOST_BYTES: Final = 16 << 20
"""Of a file, which is held in memory, and ten times as large there: in the web's process too, for a sample."""


class RowsAdapter:
    """Reads transcript rows. Every lane's position is the number of micro-batches read, common to all lanes."""

    def __init__(self, options: RowsOptions, stream: StreamDefinition, root: Path, journal: Path | None = None) -> None:  # noqa: ARG002
        self._options = options
        self._stream = stream
        self._folder = DataFolder(root)
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
