"""Where the files of an input lie: in a folder, or in a store that knows the same of them."""

from pathlib import Path
from typing import Protocol

from streaming.adapters.file.found import FoundFile, find_files
from streaming.adapters.file.journal import TakenFile
from streaming.adapters.file.options import FileOptions
from streaming.adapters.places import DataFolder


class FileStore(Protocol):
    """Finds files, and finds again those that were taken."""

    def at(self, now: int) -> None:
        """Take note of the clock, in ticks: a store need not be asked more often than it should be."""

    def find(self) -> list[FoundFile]:
        """All files there are, in order of arrival. Raises `AdapterError`."""

    def taken(self, entry: TakenFile) -> FoundFile:
        """The file as it was when it was taken, wherever it is now."""


class FolderFiles:
    """The files of a folder inside `root`."""

    def __init__(self, root: Path, options: FileOptions) -> None:
        self._folder = DataFolder(root)
        self._options = options

    def at(self, now: int) -> None:
        """A folder is looked at each time."""

    def find(self) -> list[FoundFile]:
        """All files there are now. Raises `AdapterError` when the path is missing or leads outside."""
        return find_files(self._folder.root, self._options)

    def taken(self, entry: TakenFile) -> FoundFile:
        """The file as it was when it was taken."""
        return entry.found(self._folder)
