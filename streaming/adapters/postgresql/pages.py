"""Rows read from a table, stored durably: pages of JSON lines, and the place in the table where the last one ends.

A page is one file, `rows-<position of its first row>`: a line of JSON (`PageNote`), then its rows, compressed. It is
written complete or not at all. A small last page is replaced by one with its rows and more; other pages never change.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from streaming.adapters.contract import AdapterError
from streaming.adapters.stored_lines import StoredBatch
from streaming.storage.results import write_atomically
from streaming.wire.message import Message
from streaming.wire.rows.arrived import Int64s

PAGE_BYTES: Final = 4 << 20
"""The size in bytes of rows from which no more rows are added to a page."""
BATCH_BYTES: Final = 64 << 20
"""The approximate limit of bytes of rows in a batch."""
_DIGITS: Final = 19


class TableMark(Message):
    """The point up to which the table `table` (id) was read in the `order` of cursor and key; `after` is the last
    row's.

    The last `added` rows came after `before` (None: from the beginning). If no row was read yet, `after` may be a
    cursor alone, after which reading starts. `sequence` is the last value of the cursor's sequence, None if unknown.
    """

    database: str
    table: int
    order: list[str]
    after: list[str]
    before: list[str] | None
    added: int
    sequence: int | None


Mark = TypeVar("Mark", bound=Message)
"""The point in the table at the last row of a page, as defined by the reader of the table."""


class PageNote(Message, Generic[Mark]):
    """The first line of a page: its rows are the positions `[first, first + rows)`, in `bytes` of lines.

    `arrivals`: pairs of the first position and the journaled clock in ticks at which the rows from there were read.
    """

    first: int
    rows: int
    bytes: int
    arrivals: list[tuple[int, int]]
    mark: Mark

    @property
    def end(self) -> int:
        """The position after the last row."""
        return self.first + self.rows


@dataclass
class RowPages(Generic[Mark]):
    """The pages in `folder`; if that is None (previews), in memory. One process appends, others read.

    `prefix` begins the names of their files: other pages may be in the same folder.
    """

    folder: Path | None
    form: type[PageNote[Mark]]
    prefix: str = "rows-"
    _held: dict[int, bytes] = field(default_factory=dict)

    def last(self) -> PageNote[Mark] | None:
        """The note of the last page, None if nothing was read yet. Raises `AdapterError`, `OSError`."""
        firsts = self._firsts()
        return self._note(firsts[-1]) if firsts else None

    def append(self, lines: Sequence[bytes], mark: Mark, now: int) -> None:
        """Store `lines`, without line ends, as the following rows, read at `now`, with `mark` for the last one."""
        last = self.last()
        grows = last is not None and last.bytes < PAGE_BYTES
        new = (self._lines(last) if last is not None and grows else b"") + b"".join(line + b"\n" for line in lines)
        end = 0 if last is None else last.end
        first = last.first if last is not None and grows else end
        arrivals = [*(last.arrivals if last is not None and grows else []), (end, now)]
        rows = end - first + len(lines)
        note = self.form(first=first, rows=rows, bytes=len(new), arrivals=arrivals, mark=mark)
        content = note.model_dump_json().encode() + b"\n" + pa.compress(new, codec="zstd", asbytes=True)
        if self.folder is None:
            self._held[note.first] = content
        else:
            write_atomically(self._file(note.first), content)

    def arrivals(self, start: int, end: int) -> Int64s:
        """The time when each of the rows `[start, end)` was read, in ticks. Raises `AdapterError`, `OSError`."""
        known: list[tuple[int, int]] = []
        for note in self.notes(start):
            if note.first >= end:
                break
            known += note.arrivals
        firsts, times = (np.array(column, dtype=np.int64) for column in zip(*known, strict=True))
        found: Int64s = times[np.searchsorted(firsts, np.arange(start, end), side="right") - 1]
        return found

    def notes(self, start: int) -> Iterator[PageNote[Mark]]:
        """Yield the notes of the pages that have rows from `start` on, ascending. Raises `AdapterError`, `OSError`."""
        firsts = self._firsts()
        for first in firsts[max(bisect_right(firsts, start) - 1, 0) :]:
            note = self._note(first)
            if note.end > start:
                yield note

    def bound(self, start: int) -> int | None:
        """Return the end of a batch from `start`: pages of BATCH_BYTES in total, at least one; None: no bound."""
        end, total = None, 0
        for note in self.notes(start):
            if end is not None and total + note.bytes > BATCH_BYTES:
                return end
            end, total = note.end, total + note.bytes
        return None

    def between(self, start: int, end: int) -> Iterator[StoredBatch]:
        """Yield the pages that have rows of `[start, end)`, ascending. Raises `AdapterError`, `OSError`."""
        for note in self.notes(start):
            if note.first >= end:
                return
            # The page may have grown since: its current content begins with its former content.
            content = self._content(note.first)
            now = self._read(content)
            yield StoredBatch(now.first, now.rows, _lines_of(content, now.bytes))

    def _firsts(self) -> list[int]:
        if self.folder is None:
            return sorted(self._held)
        if not self.folder.is_dir():
            return []
        names = [each.name.removeprefix(self.prefix) for each in self.folder.glob(f"{self.prefix}*")]
        return sorted(int(name) for name in names if name.isdecimal())

    def _file(self, first: int) -> Path:
        assert self.folder is not None  # nosec B101 # a programming error, caught by the first test
        return self.folder / f"{self.prefix}{first:0{_DIGITS}d}"

    def _content(self, first: int) -> bytes:
        return self._held[first] if self.folder is None else self._file(first).read_bytes()

    def _note(self, first: int) -> PageNote[Mark]:
        if self.folder is None:
            return self._read(self._held[first])
        with self._file(first).open("rb") as file:
            return self._read(file.readline())

    def _read(self, content: bytes) -> PageNote[Mark]:
        try:
            return self.form.model_validate_json(content.partition(b"\n")[0])
        except ValidationError:
            raise _damaged() from None

    def _lines(self, note: PageNote[Mark]) -> bytes:
        return _lines_of(self._content(note.first), note.bytes)


def _lines_of(content: bytes, size: int) -> bytes:
    try:
        lines: bytes = pa.decompress(content.partition(b"\n")[2], size, codec="zstd", asbytes=True)
    except (pa.ArrowException, OSError):
        raise _damaged() from None
    return lines


def _damaged() -> AdapterError:
    return AdapterError("The stored rows of a table are damaged. Start the binding from the beginning.")
