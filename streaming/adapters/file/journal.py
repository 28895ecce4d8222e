"""The files that were taken, in order, with their row counts, which keep the meaning of positions across restarts."""

from bisect import bisect_right

from streaming.adapters.entry_journal import EntryJournal, JournalEntry
from streaming.adapters.file.found import FoundFile
from streaming.adapters.places import DataFolder
from streaming.wire.message import Message

FILE_NAME = "files.jsonl"


class RecordMark(Message):
    """The record `row` of a file begins at `offset` of its decompressed bytes."""

    row: int
    offset: int


class TakenFile(JournalEntry):
    """A file that was taken: its rows are the positions `[first, first + rows)` of the lane.

    `path` is relative to the folder of the data; in journals from before 2026-11-22 it is absolute.
    """

    path: str
    modified_ns: int
    size: int
    rows: int
    columns: list[str]
    marks: list[RecordMark]
    tag: str = ""

    @property
    def end(self) -> int:
        """The position after its last row."""
        return self.first + self.rows

    def file_in(self, folder: DataFolder) -> FoundFile:
        """The file in `folder` as it was when it was taken."""
        return FoundFile(self.modified_ns, self.path, self.size, folder)

    def mark_before(self, row: int) -> RecordMark:
        """The last mark at or before `row`."""
        return self.marks[bisect_right(self.marks, row, key=lambda mark: mark.row) - 1]


class Journal(EntryJournal[TakenFile]):
    """The files that an input has taken."""

    file_name = FILE_NAME
    model = TakenFile

    def replace_last(self, entry: TakenFile) -> None:
        """Replace the last entry by `entry`; only in a journal in memory, which no other process reads."""
        assert self._file is None  # nosec B101 # a programming error, caught by the first test
        self._entries[-1] = entry

    def bound(self, start: int, files: int | None, size: int | None) -> int | None:
        """The furthest end from `start` within `files` files and about `size` bytes, at least one row; None: no
        bound.
        """
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
