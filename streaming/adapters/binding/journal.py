"""Which committed batches were taken, and how many elements each has: what makes a position mean the same for ever."""

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from streaming.definition.strict import Strict

FILE_NAME: Final = "batches.jsonl"


class TakenBatch(Strict):
    """A batch that was taken: its elements are the positions `[first, first + elements)` of the lane.

    They are those of its `rows`, in their order, and then, where it is not None, the CTI `cti` in ticks (INFINITY at
    the end of everything). `run` made it, where that is known.
    """

    batch: int
    first: int
    rows: int
    elements: int
    cti: int | None
    run: str | None

    @property
    def end(self) -> int:
        """The position behind its last element."""
        return self.first + self.elements


class BatchJournal:
    """An append-only list of batches, in a file or (without one) in memory. One process writes, others read."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / FILE_NAME if folder else None
        self._entries: list[TakenBatch] = []
        self._read_bytes = 0
        self._first_line = b""

    @staticmethod
    def at(folder: Path | None) -> "BatchJournal":
        """The journal of `folder`, shared in this process, so that a long one is read once; else a new one."""
        return BatchJournal(None) if folder is None else _shared(folder)

    def entries(self) -> Sequence[TakenBatch]:
        """All entries, those that another process appended since included; a torn last line is not one."""
        if self._file is None:
            return self._entries
        if not self._file.exists():
            self._entries, self._read_bytes, self._first_line = [], 0, b""
            return self._entries
        with self._file.open("rb") as file:
            first = file.readline()
            if first != self._first_line or os.fstat(file.fileno()).st_size < self._read_bytes:
                self._entries, self._read_bytes, self._first_line = [], 0, b""  # another one was begun in its place
            file.seek(self._read_bytes)
            for line in file:
                entry = _entry(line)
                if entry is None:
                    break
                self._entries.append(entry)
                self._read_bytes += len(line)
                self._first_line = first
        return self._entries

    def last(self) -> TakenBatch | None:
        """The newest entry."""
        entries = self.entries()
        return entries[-1] if entries else None

    def append(self, taken: Sequence[TakenBatch]) -> None:
        """Keep `taken` for good before a position counts on it. Raises `OSError`."""
        if self._file is None:
            self._entries.extend(taken)
            return
        self.entries()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("r+b" if self._file.exists() else "w+b") as file:
            file.truncate(self._read_bytes)
            file.seek(self._read_bytes)
            file.write(b"".join(entry.model_dump_json().encode() + b"\n" for entry in taken))
            file.flush()
            os.fsync(file.fileno())
        self.entries()

    def between(self, start: int, end: int) -> Iterator[TakenBatch]:
        """The entries with elements in `[start, end)`, in order."""
        entries = self.entries()
        index = max(bisect_right(entries, start, key=lambda entry: entry.first) - 1, 0)
        for entry in entries[index:]:
            if entry.first >= end:
                return
            if entry.end > start:
                yield entry

    def before(self, position: int) -> TakenBatch | None:
        """The last entry all of whose elements are before `position`."""
        entries = self.entries()
        index = bisect_right(entries, position, key=lambda entry: entry.end)
        return entries[index - 1] if index else None


@lru_cache(maxsize=64)
def _shared(folder: Path) -> BatchJournal:
    return BatchJournal(folder)


def _entry(line: bytes) -> TakenBatch | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return TakenBatch.model_validate_json(line)
    except ValidationError:
        return None
