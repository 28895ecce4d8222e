"""Marks stored with the lines: the point reached in the log, and the source it was read from."""

from pathlib import Path
from typing import Final, Literal

from streaming.adapters.postgresql.pages import PageNote, RowPages
from streaming.storage.results import write_atomically
from streaming.wire.message import Message

_NAME_FILE: Final = "slot"


class SeenSnapshot(Message):
    """The snapshot in which the table was read, and the log position from which it is irrelevant.

    A transaction that committed before `until` and is complete in `text` is included in the table as it was read.
    """

    text: str
    until: int

    def shows(self, lsn: int, xid: int) -> bool:
        """Return True if the transaction `xid` (32 bits), committed at `lsn`, is in the snapshot."""
        if lsn >= self.until:
            return False
        low, high, running = self.text.split(":")
        newest = int(high)
        whole = (newest & ~0xFFFFFFFF) | xid
        whole += ((whole < newest - (1 << 31)) - (whole > newest + (1 << 31))) << 32
        return whole < int(low) or (whole < newest and str(whole) not in running.split(","))


class ReadFrom(Message):
    """The source of the log; if any part of it changes, missed changes can't be determined."""

    database: str
    table: int
    key: list[str]
    publication: list[int]
    slot: str


class ChangesMark(Message):
    """Everything committed before `lsn` is stored, and nothing will be stored at or before `time` (ticks).

    `unit` is the kind of the incomplete unit of the last lines: None if all is complete, otherwise a `transaction` or a
    comparison with the `table`, which began at the position `begun` and has more lines to come.
    """

    source: ReadFrom
    lsn: int
    time: int
    seen: SeenSnapshot | None = None
    unit: Literal["transaction", "table"] | None = None
    begun: int = 0


ChangePages = RowPages[ChangesMark]
"""The stored lines."""


def change_pages(folder: Path | None) -> ChangePages:
    """The pages in `folder`, otherwise in memory."""
    return RowPages(folder, PageNote[ChangesMark])


def slot_name(folder: Path, fresh: str) -> str:
    """The name of the slot, stored before the slot is created; `fresh` is the name if none is stored yet."""
    file = folder / _NAME_FILE
    if not file.exists():
        write_atomically(file, fresh.encode())
    return file.read_text()
