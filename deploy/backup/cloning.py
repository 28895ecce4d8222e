"""A clone of the folders of organisations and pools, by hard links: all programs replace files by renaming others.

Copied instead are the files that are changed in place: journals of inputs, unfinished uploads, and the databases of
inboxes. Files of users are kept open and copied after the runs have resumed, because adapters refuse a file with a
second name. An open file keeps its content when it is replaced or deleted. Files that only concern one machine or
process are left out.
"""

import os
import re
import resource
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import BinaryIO, Final, cast

from streaming.adapters.places import FILES
from streaming.adapters.push.inbox import INBOXES
from streaming.storage.archive import A_LINK, BackupRefused
from streaming.storage.backup_hold import ANSWER_FILE
from streaming.wire.keys import pool_number
from streaming.wire.runner_record import RECORD

CHANGED: Final = (
    "{path} was changed after it had been cloned, so this backup would not be consistent. Nothing was saved. Report "
    "this as a defect of Punctual."
)
OPEN_OTHERS: Final = 256
"""The files that this process opens for other purposes, with room to spare."""
MOST_OPEN: Final = 100_000
_BLOCK: Final = 1 << 20
_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OF_THE_MACHINE: Final = frozenset({"runner.lock", RECORD, ANSWER_FILE, ".lock"})
_FOLDERS_OF_THE_MACHINE: Final = frozenset({"logs", "places"})
_STAGED: Final = re.compile(r"\..*\.(staged|tmp)|.*\.staged")
_WORKING: Final = "working"
_JOURNALS: Final = "journals"
_UPLOADS: Final = "uploads"
_SQLITE: Final = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")


def places_in(root: Path) -> list[Path]:
    """Return the folders of organisations and pools in the data folder `root`, sorted."""
    found = [folder for folder in root.iterdir() if folder.is_dir() and not folder.is_symlink()]
    return sorted(folder for folder in found if _ID.fullmatch(folder.name) or _is_pool(folder.name))


def _is_pool(name: str) -> bool:
    with suppress(ValueError):
        return pool_number(name) is not None
    return False


@dataclass
class SqliteAtCut:
    """The content of an SQLite database at the moment when this was opened; writers continue."""

    path: Path
    _connection: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        """Open it. Raises `sqlite3.Error`."""
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        self._connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=10.0)
        self._connection.execute("BEGIN")
        self._connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()

    def rows(self, query: str) -> list[tuple[str, ...]]:
        """Return the rows of `query`."""
        return self._connection.execute(query).fetchall()

    def copy(self, to: Path) -> None:
        """Write the content to the new file `to`, then close it. Raises `sqlite3.Error`."""
        to.touch(mode=0o600)
        copied = sqlite3.connect(to)
        try:
            self._connection.backup(copied)
        finally:
            copied.close()
            self.close()

    def close(self) -> None:
        """Close it."""
        self._connection.close()


@dataclass
class PinnedFile:
    """A file that is kept open, with its size at the cut: rows that are appended later are not copied."""

    content: BinaryIO
    size: int

    @classmethod
    def of(cls, path: Path) -> "PinnedFile":
        """Open the file. Raises `OSError`."""
        content = path.open("rb", buffering=0)
        return cls(cast(BinaryIO, content), os.fstat(content.fileno()).st_size)

    def copy(self, to: Path) -> None:
        """Write the content to the new file `to`, then close it. Raises `OSError`."""
        status, left = os.fstat(self.content.fileno()), self.size
        with self.content, to.open("xb") as copied:
            while left and (block := self.content.read(min(left, _BLOCK))):
                left -= copied.write(block)
        to.chmod(stat.S_IMODE(status.st_mode))
        os.utime(to, ns=(status.st_atime_ns, status.st_mtime_ns))

    def close(self) -> None:
        """Close it without a copy."""
        self.content.close()


@dataclass
class Clone:
    """The clone of an installation's folders in `target`; `later` is copied once runs have resumed."""

    target: Path
    linked: dict[Path, tuple[int, int]] = field(default_factory=dict)
    later: list[tuple[SqliteAtCut | PinnedFile, Path]] = field(default_factory=list)

    def add(self, source: Path) -> None:
        """Clone the folder `source`. Raises `BackupRefused`, `OSError`."""
        self._add(source, self.target / source.name, PurePath())

    def finish(self) -> None:
        """Copy what is open. Raises `OSError`, `sqlite3.Error`."""
        for content, to in self.later:
            content.copy(to)
        self.later.clear()

    def close(self) -> None:
        """Close what wasn't copied."""
        for content, _ in self.later:
            content.close()

    def require_unchanged(self) -> None:
        """Raise `BackupRefused` if a linked file was changed in place since it was cloned."""
        for path, seen in self.linked.items():
            found = path.stat()
            if (found.st_size, found.st_mtime_ns) != seen:
                raise BackupRefused(CHANGED.format(path=path.relative_to(self.target)))

    def _add(self, source: Path, target: Path, inside: PurePath) -> None:
        target.mkdir(mode=0o700)
        for entry in sorted(source.iterdir()):
            path = inside / entry.name
            with suppress(FileNotFoundError):  # deleted at this moment by a person
                kind = entry.lstat().st_mode
                if stat.S_ISDIR(kind):
                    if str(path) not in _FOLDERS_OF_THE_MACHINE:
                        self._add(entry, target / entry.name, path)
                elif stat.S_ISREG(kind):
                    self._add_file(entry, target / entry.name, path)
                elif not stat.S_ISSOCK(kind):
                    raise BackupRefused(A_LINK.format(path=entry))

    def _add_file(self, source: Path, target: Path, inside: PurePath) -> None:
        if _is_left_out(inside):
            return
        if inside.parts[0] == INBOXES and source.name.endswith(_SQLITE):
            if source.suffix == _SQLITE[0]:
                self.later.append((SqliteAtCut(source), target))
            return
        if inside.parts[0] == FILES:
            self._pin(source, target)
            return
        if _is_changed_in_place(inside):
            shutil.copy2(source, target)
            return
        try:
            target.hardlink_to(source)
        except FileNotFoundError:
            raise
        except OSError:  # this file system has no hard links
            shutil.copy2(source, target)
        found = target.stat()
        self.linked[target] = (found.st_size, found.st_mtime_ns)

    def _pin(self, source: Path, target: Path) -> None:
        """Keep a file of users open, or copy it at once where this process may open no more."""
        pinned = PinnedFile.of(source)
        if len(self.later) < _may_open() - OPEN_OTHERS:
            self.later.append((pinned, target))
        else:
            pinned.copy(target)


def _may_open() -> int:
    """Return how many files this process may open, after raising its limit as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard if hard != resource.RLIM_INFINITY else MOST_OPEN


def _is_left_out(inside: PurePath) -> bool:
    if inside.parts[0] == FILES:
        return False
    pages = inside.parent.name == _WORKING and inside.name.isdigit()
    return pages or inside.name in _OF_THE_MACHINE or _STAGED.fullmatch(inside.name) is not None


def _is_changed_in_place(inside: PurePath) -> bool:
    journal = _JOURNALS in inside.parts and inside.suffix == ".jsonl"
    return journal or inside.parts[0] == _UPLOADS


def bytes_in(folder: Path) -> Iterator[int]:
    """Yield the sizes of all files in `folder`."""
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            found = path.lstat()
            if stat.S_ISREG(found.st_mode):
                yield found.st_size
