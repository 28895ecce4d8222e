"""An append-only list of what an input has read, which keeps the meaning of positions across restarts."""

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import ValidationError

from streaming.wire.message import Message


class JournalEntry(Message):
    """Something that was read: its rows are the positions `[first, end)` of the lane."""

    first: int

    @property
    def end(self) -> int:
        """The position after its last row."""
        raise NotImplementedError


Entry = TypeVar("Entry", bound=JournalEntry)


class EntryJournal(Generic[Entry]):
    """Entries in the order of their positions, in a file or (without one) in memory. One process writes, others read.

    A subclass names its `file_name` and the model of its entries.
    """

    file_name: ClassVar[str]
    model: ClassVar[type[JournalEntry]]

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / self.file_name if folder else None
        self._entries: list[Entry] = []
        self._read_bytes = 0
        self._first_line = b""

    @classmethod
    def at(cls, folder: Path | None) -> Self:
        """The journal of `folder`, shared in this process so that it is read once; without `folder` a new one."""
        if folder is None:
            return cls(None)
        kind: Any = cls
        journal: Self = shared_journal(kind, folder)
        return journal

    def entries(self) -> Sequence[Entry]:
        """All entries, including those that another process has appended; a torn last line is ignored."""
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
                entry = self._entry(line)
                if entry is None:
                    break
                self._entries.append(entry)
                self._read_bytes += len(line)
                self._first_line = first
        return self._entries

    def last(self) -> Entry | None:
        """The newest entry."""
        entries = self.entries()
        return entries[-1] if entries else None

    def rows(self) -> int:
        """The number of rows of all entries."""
        last = self.last()
        return 0 if last is None else last.end

    def append(self, taken: Sequence[Entry]) -> None:
        """Store `taken` durably before a position counts it. Raises `OSError`."""
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

    def between(self, start: int, end: int) -> Iterator[Entry]:
        """The entries with rows in `[start, end)`, in order."""
        entries = self.entries()
        index = max(bisect_right(entries, start, key=lambda entry: entry.first) - 1, 0)
        for entry in entries[index:]:
            if entry.first >= end:
                return
            if entry.end > max(start, entry.first):
                yield entry

    def before(self, position: int) -> Entry | None:
        """The last entry whose rows are all before `position`."""
        entries = self.entries()
        index = bisect_right(entries, position, key=lambda entry: entry.end)
        return entries[index - 1] if index else None

    def _forget(self) -> None:
        """Drop all entries, or a recreated checkpoint would be read as the deleted one."""
        self._entries, self._read_bytes, self._first_line = [], 0, b""

    def _entry(self, line: bytes) -> Entry | None:
        if not line.endswith(b"\n"):
            return None
        try:
            entry: Any = self.model.model_validate_json(line)
        except ValidationError:
            return None
        read: Entry = entry
        return read


@lru_cache(maxsize=128)
def shared_journal(kind: type[Any], folder: Path) -> Any:
    """The journal of that kind in `folder`, one per process."""
    return kind(folder)
