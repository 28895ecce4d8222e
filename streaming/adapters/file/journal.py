"""Which files were taken, in which order, with how many rows: what makes a position mean the same after a restart."""

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from streaming.adapters.file.found import FoundFile
from streaming.adapters.places import DataFolder
from streaming.definition.strict import Strict

FILE_NAME = "files.jsonl"


class RecordMark(Strict):
    """The record `row` of a file begins at `offset` of its decompressed bytes."""

    row: int
    offset: int


class TakenFile(Strict):
    """A file that was taken: its rows are the positions `[first, first + rows)` of the lane.

    `path` is relative to the folder of the data; in journals of before 2026-11-22 absolute.
    """

    path: str
    modified_ns: int
    size: int
    first: int
    rows: int
    columns: list[str]
    marks: list[RecordMark]

    def found(self, folder: DataFolder) -> FoundFile:
        """The file of `folder` as it was when it was taken."""
        return FoundFile(self.modified_ns, folder.as_journaled(self.path), self.size, folder)

    def mark_before(self, row: int) -> RecordMark:
        """The last mark at or before `row`."""
        return self.marks[bisect_right(self.marks, row, key=lambda mark: mark.row) - 1]


class Journal:
    """An append-only list of entries, in a file or (without one) in memory. One process writes, others read."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / FILE_NAME if folder else None
        self._entries: list[TakenFile] = []
        self._read_bytes = 0
        self._first_line = b""

    @staticmethod
    def at(folder: Path | None) -> "Journal":
        """The journal of `folder`, shared in this process, so that a long one is read once; else a new one."""
        return Journal(None) if folder is None else _shared(folder)

    def entries(self) -> Sequence[TakenFile]:
        """All entries, those that another process appended since included; a torn last line is not one."""
        if self._file is None:
            return self._entries
        if not self._file.exists():
            self._forget()
            return self._entries
        with self._file.open("rb") as file:
            first = file.readline()
            if first != self._first_line or os.fstat(file.fileno()).st_size < self._read_bytes:
                self._forget()
            file.seek(self._read_bytes)
            for line in file:
                entry = _entry(line)
                if entry is None:
                    break
                self._entries.append(entry)
                self._read_bytes += len(line)
                self._first_line = first
        return self._entries

    def _forget(self) -> None:
        """Without this, a checkpoint that was deleted and begun anew would be read as the old one."""
        self._entries, self._read_bytes, self._first_line = [], 0, b""

    def rows(self) -> int:
        """The number of rows of all entries."""
        entries = self.entries()
        return entries[-1].first + entries[-1].rows if entries else 0

    def append(self, entry: TakenFile) -> None:
        """Keep `entry` for good before it is used. Raises `OSError`."""
        if self._file is None:
            self._entries.append(entry)
            return
        self.entries()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("r+b" if self._file.exists() else "w+b") as file:
            file.truncate(self._read_bytes)
            file.seek(self._read_bytes)
            file.write(entry.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.entries()

    def replace_last(self, entry: TakenFile) -> None:
        """Put `entry` in place of the last one; only of a journal in memory, which is read by nobody else."""
        assert self._file is None  # nosec B101 # a slip of the programmer, found by the first test
        self._entries[-1] = entry

    def bound(self, start: int, files: int | None, size: int | None) -> int | None:
        """How far one may read from `start`: of `files` files and about `size` bytes, a row at least; None: any."""
        if files is None and size is None:
            return None
        with_rows = (entry for entry in self.between(start, self.rows()) if entry.rows)
        for number, entry in enumerate(with_rows, 1):
            begin = max(start, entry.first)
            rows = entry.first + entry.rows - begin
            if size is not None:
                if rows * entry.size > size * entry.rows:
                    return max(begin + size * entry.rows // entry.size, start + 1)
                size -= -(-rows * entry.size // entry.rows)
            if number == files:
                return begin + rows
        return None

    def between(self, start: int, end: int) -> Iterator[TakenFile]:
        """The entries with rows in `[start, end)`, in order."""
        entries = self.entries()
        index = max(bisect_right(entries, start, key=lambda entry: entry.first) - 1, 0)
        for entry in entries[index:]:
            if entry.first >= end:
                return
            if entry.first + entry.rows > start:
                yield entry


@lru_cache(maxsize=64)
def _shared(folder: Path) -> Journal:
    return Journal(folder)


def _entry(line: bytes) -> TakenFile | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return TakenFile.model_validate_json(line)
    except ValidationError:
        return None
