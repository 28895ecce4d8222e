"""Which files were taken, in which order, with how many rows: what makes a position mean the same after a restart."""

from bisect import bisect_right

from streaming.adapters.entry_journal import EntryJournal, JournalEntry
from streaming.adapters.file.found import FoundFile
from streaming.adapters.places import DataFolder
from streaming.definition.strict import Strict

FILE_NAME = "files.jsonl"


class RecordMark(Strict):
    """The record `row` of a file begins at `offset` of its decompressed bytes."""

    row: int
    offset: int


class TakenFile(JournalEntry):
    """A file that was taken: its rows are the positions `[first, first + rows)` of the lane.

    `path` is relative to the folder of the data; in journals of before 2026-11-22 absolute.
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
        """The position behind its last row."""
        return self.first + self.rows

    def found(self, folder: DataFolder) -> FoundFile:
        """The file of `folder` as it was when it was taken."""
        return FoundFile(self.modified_ns, folder.as_journaled(self.path), self.size, folder)

    def mark_before(self, row: int) -> RecordMark:
        """The last mark at or before `row`."""
        return self.marks[bisect_right(self.marks, row, key=lambda mark: mark.row) - 1]


class Journal(EntryJournal[TakenFile]):
    """The files that an input has taken."""

    file_name = FILE_NAME
    model = TakenFile

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
