"""The places where the files of an input are stored: a folder, or an equivalent store."""

from pathlib import Path
from typing import Protocol

from streaming.adapters.file.found import FoundFile, find_files
from streaming.adapters.file.journal import TakenFile
from streaming.adapters.file.options import FileOptions
from streaming.adapters.places import DataFolder


class FileStore(Protocol):
    """Finds files, and finds taken files again."""

    def at(self, now: int) -> None:
        """Record the clock, in ticks, so that a store is not polled too often."""

    def find(self) -> list[FoundFile]:
        """All current files, in order of arrival. Raises `AdapterError`."""

    def taken(self, entry: TakenFile) -> FoundFile:
        """The file as it was when it was taken, wherever it is now."""


class FolderFiles:
    """The files of a folder inside `root`."""

    def __init__(self, root: Path, options: FileOptions) -> None:
        self._folder = DataFolder(root)
        self._options = options

    def at(self, now: int) -> None:
        """Do nothing: a folder is read each time."""

    def find(self) -> list[FoundFile]:
        """All current files. Raises `AdapterError` if the path is missing or leads outside."""
        return find_files(self._folder.root, self._options)

    def taken(self, entry: TakenFile) -> FoundFile:
        """The file as it was when it was taken."""
        return entry.file_in(self._folder)
