"""Lines on their way into the pages, with the mark that says where to go on after a kill."""

from collections.abc import Iterable
from typing import Final, Literal

from streaming.adapters.postgresql_changes.marks import ChangePages, ChangesMark

WRITTEN_BYTES: Final = 4 << 20
"""So much is written at once."""


class LineKeeper:
    """Adds lines to `pages`, behind those there; `mark` is of all that is whole so far."""

    def __init__(self, pages: ChangePages, mark: ChangesMark) -> None:
        last = pages.last()
        self._pages = pages
        self._lines: list[bytes] = []
        self._bytes = 0
        self.end = 0 if last is None else last.end
        self.mark = mark
        self.now = 0

    def unit(self, kind: Literal["transaction", "table"], lines: Iterable[bytes], mark: ChangesMark) -> None:
        """Add the lines of one whole thing, after which `mark` counts; those that an earlier attempt kept are skipped.

        Raises `OSError`.
        """
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
        """Add a last line, and write all that waits. Raises `OSError`."""
        self._lines.append(line)
        self.end += 1
        self._write(mark)
        self.mark = mark

    def _write(self, mark: ChangesMark) -> None:
        self._pages.append(self._lines, mark, self.now)
        self._lines, self._bytes = [], 0
