"""Reads records of text files from any row, decompressed; consecutive reads don't read data twice."""

import atexit
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.journal import RecordMark
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES, Split, Splitter
from streaming.adapters.places import why
from streaming.adapters.times.columns import Bools
from streaming.wire.rows.arrived import Int64s

FIRST_BLOCK_BYTES = 1 << 20
LARGEST_BLOCK_BYTES = 1 << 25
ROWS_BETWEEN_MARKS = 65_536
MAX_OPEN_READERS = 4
SHOWN_OF_TOO_LONG = 1_000
"""The bytes that are kept of a record that is larger than the limit."""


@dataclass(frozen=True)
class Records:
    """Records `[starts, ends)` of `block`; the first is row `first` of its file.

    `beside` are columns that are not in the text, for example keys of messages, by name.
    """

    block: bytes
    starts: Int64s
    ends: Int64s
    broken: Bools
    first: int
    beside: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """The number of records."""
        return len(self.starts)

    def part(self, low: int, high: int) -> "Records":
        """The records `low` to `high` of these."""
        cut = slice(low, high)
        beside = {name: values[cut] for name, values in self.beside.items()}
        return Records(self.block, self.starts[cut], self.ends[cut], self.broken[cut], self.first + low, beside)

    def body(self) -> memoryview:
        """All bytes from the start of the first record to the end of the last."""
        return memoryview(self.block)[int(self.starts[0]) : int(self.ends[-1])]

    def record(self, index: int) -> bytes:
        """The bytes of one record."""
        return self.block[int(self.starts[index]) : int(self.ends[index])]

    def text(self, index: int) -> str:
        """The original text of one record, truncated if too long; bytes that are not UTF-8 are replaced."""
        start, end = int(self.starts[index]), int(self.ends[index])
        if end - start <= MAX_RECORD_BYTES:
            return self.record(index).decode(errors="replace")
        shown = self.block[start : start + SHOWN_OF_TOO_LONG].decode(errors="replace")
        return f"{shown} ... (longer than {MAX_RECORD_BYTES} bytes)"


Opening = Callable[[FoundFile], IO[bytes]]
"""Opens a file for a splitter, if the stored bytes have to be rewritten."""


class RecordReader:
    """An open file between two reads; the next row is `row`."""

    def __init__(self, file: FoundFile, start: RecordMark, split: Splitter, opened: Opening = FoundFile.open) -> None:
        self._file = file
        self._handle: IO[bytes] = opened(file)
        self._handle.seek(start.offset)
        self._split_block = split
        self._block_bytes = FIRST_BLOCK_BYTES
        self._offset = start.offset
        self._dropped = 0
        self._block = b""
        self._split = Split(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_), 0)
        self._index = 0
        self._ended = False
        self._due = self.row = start.row

    def take(self, first: int, last: int, chunk_rows: int) -> Iterator[Records]:
        """Yield the records of the rows `[first, last)`, at most `chunk_rows` at once. `first` is not before `row`."""
        while self.row < last:
            available = len(self._split.starts) - self._index
            if not available:
                if not self._fill():
                    return
                continue
            low = self._index
            count = min(available, first - self.row if self.row < first else min(last - self.row, chunk_rows))
            self._index += count
            self.row += count
            if self.row > first:
                whole = Records(
                    self._block, self._split.starts, self._split.ends, self._split.broken, self.row - self._index
                )
                yield whole.part(low, low + count)

    def count(self, rows: int) -> list[RecordMark]:
        """Read until `row` is at least `rows`, or to the end; return a mark for every ROWS_BETWEEN_MARKS of these rows.

        Used instead of `take`, from the first row on.
        """
        found: list[RecordMark] = []
        while self.row < rows and self._fill():
            count = len(self._split.starts)
            while self._due < self.row + count:
                found.append(
                    RecordMark(row=self._due, offset=self._offset + int(self._split.starts[self._due - self.row]))
                )
                self._due += ROWS_BETWEEN_MARKS
            self.row += count
        return found

    @property
    def ended(self) -> bool:
        """True if the file was read to its end."""
        return self._ended

    def close(self) -> None:
        """Close the file."""
        self._handle.close()

    def _fill(self) -> bool:
        """Split the next block that holds a record; False at the end of the file."""
        while not self._ended:
            rest = self._block[self._split.consumed :]
            self._offset += self._split.consumed + self._dropped
            self._dropped = 0
            read = self._read()
            self._ended = len(read) < self._block_bytes
            self._block_bytes = min(self._block_bytes * 2, LARGEST_BLOCK_BYTES)
            self._block = rest + read
            self._split = self._split_block(self._block, self._ended)
            self._index = 0
            if len(self._split.starts):
                return True
            if len(self._block) - self._split.consumed > MAX_RECORD_BYTES + 1:  # 1 more for a carriage return
                self._skip_oversized()
                return True
        return False

    def _skip_oversized(self) -> None:
        """Make one broken record of data larger than the record limit, and continue after the end of its line.

        Only its first bytes are kept: otherwise a file without line ends would be held in memory as a whole.
        """
        start = self._split.consumed
        kept = self._block[start : start + MAX_RECORD_BYTES + 2]
        passed = len(self._block) - start
        while (read := self._read()) and (line_end := read.find(b"\n")) < 0:
            passed += len(read)
        rest = read[line_end:] if read else b""
        self._dropped = passed + len(read) - len(rest) - len(kept)
        self._offset += start
        self._block = kept + rest
        ones = np.array([0], np.int64)
        self._split = Split(ones, ones + len(kept), np.ones(1, np.bool_), len(kept))

    def _read(self) -> bytes:
        try:
            return self._handle.read(self._block_bytes)
        except (OSError, EOFError, zlib.error) as error:
            raise AdapterError(
                f"The file '{self._file.path}' can't be read ({why(error)}): it is damaged or incomplete. Replace it."
            ) from None


_open: OrderedDict[tuple[FoundFile, str], RecordReader] = OrderedDict()


def read_records(
    file: FoundFile,
    mark: RecordMark,
    span: tuple[int, int],
    chunk_rows: int,
    split: tuple[str, Splitter],
    opened: Opening = FoundFile.open,
) -> Iterator[Records]:
    """Yield the records of the rows `span` of `file`; `mark` is a place before them, `split` a splitter with its name.

    An open reader at or before the span is reused, so that reading on needs no second decompression.
    """
    first, last = span
    key = (file, split[0])
    reader = _open.pop(key, None)
    if reader is None or not mark.row <= reader.row <= first:
        if reader is not None:
            reader.close()
        reader = RecordReader(file, mark, split[1], opened)
    try:
        yield from reader.take(first, last, chunk_rows)
    finally:
        _open[key] = reader
        while len(_open) > MAX_OPEN_READERS:
            _open.popitem(last=False)[1].close()


@atexit.register
def close_readers() -> None:
    """Close all files that are kept open between reads."""
    while _open:
        _open.popitem()[1].close()
