"""Writes lines to the pages, with the mark for resuming after a crash."""

from collections.abc import Iterable
from typing import Final, Literal

from streaming.adapters.postgresql_changes.marks import ChangePages, ChangesMark

WRITTEN_BYTES: Final = 4 << 20
"""The size in bytes from which lines are written."""


class LineKeeper:
    """Appends lines to `pages`; `mark` describes everything that is complete so far."""

    def __init__(self, pages: ChangePages, mark: ChangesMark) -> None:
        last = pages.last()
        self._pages = pages
        self._lines: list[bytes] = []
        self._bytes = 0
        self.end = 0 if last is None else last.end
        self.mark = mark
        self.now = 0

    def unit(self, kind: Literal["transaction", "table"], lines: Iterable[bytes], mark: ChangesMark) -> None:
        """Add the lines of one complete unit with its new `mark`; lines stored by an earlier attempt are skipped."""
        begun, skipped = self.end, 0
        if self.mark.unit == "transaction":
            begun, skipped = self.mark.begun, self.end - self.mark.begun
        partly = self.mark.model_copy(update={"unit": kind, "begun": begun})
        for number, line in enumerate(lines):
            if number < skipped:
                continue
            self._lines.append(line)
            self._bytes += len(line)
            self.end += 1
            if self._bytes >= WRITTEN_BYTES:
                self._write(partly)
        self.mark = mark

    def finish(self, line: bytes, mark: ChangesMark) -> None:
        """Add a last line, and write all pending lines. Raises `OSError`."""
        self._lines.append(line)
        self.end += 1
        self._write(mark)
        self.mark = mark

    def _write(self, mark: ChangesMark) -> None:
        self._pages.append(self._lines, mark, self.now)
        self._lines, self._bytes = [], 0
