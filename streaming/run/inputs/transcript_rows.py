"""JSON lines in the form of transcripts: events with `lane` and `arrival`, heartbeats and CTIs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.journal import RecordMark
from streaming.adapters.file.json_lines import JsonLines
from streaming.adapters.file.records import Records, read_records
from streaming.adapters.formats.text.split import split_lines
from streaming.definition.payload.reading import read_object
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.run.inputs.files import InputFiles
from streaming.run.inputs.sources import BufferedItems, Item
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import Tick, TimeTextError, parse_instant
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.execution.interface import ArrivedRows, ClockReading
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.row_json import MalformedRow

BLOCK_ROWS: Final = 10_000
_ALL: Final = 1 << 62
_WORDS: Final = (b'"lane"', b'"arrival"', b'"heartbeat"', b'"stream"', b'"bad"')
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class RowsSource:
    """Reads transcript rows of one input.

    A row may name its `stream` (or input); a row of another stream is a bad row. So is a row that names a lane that the
    stream does not list, or no lane if it lists several; the first lane takes it. `arrival` and `heartbeat` are ticks
    or ISO text; a heartbeat is also the arrival of the following rows. A key that is a field of the stream is that
    field, unless the row has a `payload`.
    """

    def __init__(self, node: str, name: str, stream: StreamDefinition, files: InputFiles) -> None:
        self.node = node
        self._names = {node, name}
        self._stream = stream
        self._files = files
        self._lanes: Sequence[str] = stream.lanes or [ONLY_LANE]
        self._decoder = JsonLines(stream, {})
        self._buffered = BufferedItems(self._items())

    def take(self, rows: int) -> Sequence[Item]:
        """Return the next rows; see `InputSource`."""
        return self._buffered.take(rows)

    def again(self) -> Iterator[ArrivedRows]:
        """Yield all rows again; see `InputSource`."""
        return (item for item in self._items() if isinstance(item, ArrivedRows))

    def _items(self) -> Iterator[Item]:
        reading = _RowsRead()
        for file in self._files.files:
            for records in read_records(file, _begin(file), (0, _ALL), BLOCK_ROWS, ("lines", split_lines)):
                yield from self._block(records, reading)

    def _block(self, records: Records, reading: "_RowsRead") -> Iterator[Item]:
        content = bytes(records.body())
        plain = len(self._lanes) == 1 and reading.clock is None and self._stream.rowtime is not Rowtime.IMPLICIT
        if plain and b"\\u00" not in content and not any(word in content for word in _WORDS):
            first = reading.count(self._lanes[0], len(records.starts))
            positions = np.arange(first, first + len(records.starts), dtype=np.int64)
            yield ArrivedRows(self.node, self._lanes[0], self._decoder.decode(records, positions))
            return
        lane, rows = self._lanes[0], list[JudgedRow]()
        for index in range(len(records.starts)):
            text = records.text(index)
            row = read_object(records.record(index))
            if row is not None and (at := self._heartbeat(row)) is not None:
                yield from self._chunk(lane, rows)
                rows, reading.clock = [], at
                yield ClockReading(self.node, at)
                continue
            found, judged = self._judge(row, text, reading)
            if found != lane:
                yield from self._chunk(lane, rows)
                lane, rows = found, []
            rows.append(judged)
        yield from self._chunk(lane, rows)

    def _chunk(self, lane: str, rows: list[JudgedRow]) -> Iterator[Item]:
        if rows:
            yield ArrivedRows(self.node, lane, arrived_of(rows, self._stream))

    def _key_value(self, row: Mapping[str, Any], word: str) -> Any:
        """Return the value of a transcript key in `row`; None if it is a field there."""
        return None if word in self._stream.fields and "payload" not in row else row.get(word)

    def _heartbeat(self, row: Mapping[str, Any]) -> Tick | None:
        return _instant(self._key_value(row, "heartbeat"))

    def _judge(self, row: Mapping[str, Any] | None, text: str, reading: "_RowsRead") -> tuple[str, JudgedRow]:
        if row is None:
            return self._bad(text, reading)
        named = self._key_value(row, "lane")
        lane = self._lanes[0] if named is None and len(self._lanes) == 1 else named
        stream = self._key_value(row, "stream")
        if lane not in self._lanes or (stream is not None and stream not in self._names):
            return self._bad(text, reading)
        arrival = _instant(self._key_value(row, "arrival"))
        arrival = reading.clock if arrival is None else arrival
        raw = row["bad"] if isinstance(row.get("bad"), str) and "bad" not in self._stream.fields else text
        element = self._decoder.judge(row, arrival)
        return lane, JudgedRow(reading.count(lane), element, raw, arrival)

    def _bad(self, text: str, reading: "_RowsRead") -> tuple[str, JudgedRow]:
        lane = self._lanes[0]
        return lane, JudgedRow(reading.count(lane), MalformedRow(Reason.BAD_ROW), text, reading.clock)


class _RowsRead:
    """The state of a reading: the wall clock of the last heartbeat, and the rows of each lane so far."""

    def __init__(self) -> None:
        self.clock: Tick | None = None
        self._rows: dict[str, int] = defaultdict(int)

    def count(self, lane: str, rows: int = 1) -> int:
        """Count `rows` rows of `lane`, and return the position of the first."""
        first = self._rows[lane]
        self._rows[lane] += rows
        return first


def _begin(file: FoundFile) -> RecordMark:
    with file.open() as handle:
        marked = handle.read(len(_BYTE_ORDER_MARK)) == _BYTE_ORDER_MARK
    return RecordMark(row=0, offset=len(_BYTE_ORDER_MARK) if marked else 0)


def _instant(value: object) -> Tick | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return parse_instant(value)
    except TimeTextError:
        return None
