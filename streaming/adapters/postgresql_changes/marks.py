"""What is noted beside the lines that are kept: how far the log was read with them, and what it was read by."""

from pathlib import Path
from typing import Final, Literal

from streaming.adapters.postgresql.pages import PageNote, RowPages
from streaming.definition.strict import Strict
from streaming.wire.results import write_atomically

_NAME_FILE: Final = "slot"


class SeenSnapshot(Strict):
    """The snapshot in which the table was read, and the place in the log after which it says nothing more.

    A transaction whose commit stands before `until` and that `text` shows as done is in the table as it was read.
    """

    text: str
    until: int

    def shows(self, lsn: int, xid: int) -> bool:
        """Whether the transaction `xid` (32 bits) whose commit stands at `lsn` was done."""
        if lsn >= self.until:
            return False
        low, high, running = self.text.split(":")
        newest = int(high)
        whole = (newest & ~0xFFFFFFFF) | xid
        whole += ((whole < newest - (1 << 31)) - (whole > newest + (1 << 31))) << 32
        return whole < int(low) or (whole < newest and str(whole) not in running.split(","))


class ReadFrom(Strict):
    """What the log is read by; where one of these is another, nobody knows what was missed."""

    database: str
    table: int
    key: list[str]
    publication: list[int]
    slot: str


class ChangesMark(Strict):
    """All that committed before `lsn` is kept, and nothing will be kept before or at `time` (ticks).

    `unit` is what the last lines belong to: none when all is whole, else a `transaction` or a comparison with the
    `table`, of which more lines follow those from the position `begun` on.
    """

    source: ReadFrom
    lsn: int
    time: int
    seen: SeenSnapshot | None = None
    unit: Literal["transaction", "table"] | None = None
    begun: int = 0


ChangePages = RowPages[ChangesMark]
"""The lines that are kept."""


def change_pages(folder: Path | None) -> ChangePages:
    """Those in `folder`, else in memory."""
    return RowPages(folder, PageNote[ChangesMark])


def slot_name(folder: Path, fresh: str) -> str:
    """The name of the slot, kept for good before there is one; `fresh` is taken where there is none yet.

    Raises `OSError`.
    """
    file = folder / _NAME_FILE
    if not file.exists():
        write_atomically(file, fresh.encode())
    return file.read_text()
