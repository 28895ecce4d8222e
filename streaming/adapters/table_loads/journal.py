"""The loads of a table: their times, and copies of the files, which are overwritten at their place (T51)."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from streaming.adapters.entry_journal import EntryJournal, JournalEntry
from streaming.adapters.file.found import FoundFile

KEPT_LOADS: Final = 50
"""The loads whose copies are kept, for runs that read again what was open."""
_PIECE_BYTES: Final = 1 << 20


class TableLoad(JournalEntry):
    """One load at the tick `at`; null if a column of its rows says it. `copy_of` is the load that made the copy.

    `source`: path, modification time (ns) and size of its files.
    """

    at: int | None
    copy_of: int
    source: list[tuple[str, int, int]]

    @property
    def end(self) -> int:
        """The position after it."""
        return self.first + 1


class LoadJournal(EntryJournal[TableLoad]):
    """The loads in a folder, with the copies of their files next to them."""

    file_name = "loads.jsonl"
    model = TableLoad

    @staticmethod
    def pattern(load: TableLoad) -> str:
        """Return the pattern of the names of its copies."""
        return f"load-{load.copy_of}-*"


def copy_files(folder: Path, number: int, files: Sequence[FoundFile]) -> bool:
    """Copy `files` for load `number`; return False if one of them has changed since then. Raises `OSError`.

    Copies of a load that is in no journal count for nothing, and are overwritten.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f"load-{number}-*"):
        left.unlink()
    for place, file in enumerate(files):
        target = folder / f"load-{number}-{place}-{Path(file.path).name}"
        hidden = target.with_name(f".{target.name}")
        with file.open_stored() as source, hidden.open("wb") as into:
            shutil.copyfileobj(source, into, _PIECE_BYTES)
            into.flush()
            os.fsync(into.fileno())
        hidden.replace(target)
    try:
        return all(file.is_unchanged() for file in files)
    except FileNotFoundError:
        return False


def forget_copies(folder: Path, loads: Sequence[TableLoad]) -> None:
    """Remove the copies that only loads before the last KEPT_LOADS have. Raises `OSError`."""
    kept = {load.copy_of for load in loads[-KEPT_LOADS:]}
    for load in loads[-KEPT_LOADS - 2 : -KEPT_LOADS]:
        if load.copy_of not in kept:
            for left in folder.glob(f"load-{load.copy_of}-*"):
                left.unlink()
