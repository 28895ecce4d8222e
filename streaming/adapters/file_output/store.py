"""A folder of the organisation as a folder of results."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FoundFile, find_files
from streaming.adapters.file.options import FileOptions
from streaming.adapters.places import DataFolder, why

TRIAL: Final = "_punctual.test"


class ResultFolder:
    """The files below `path`, in `folder`. Raises `AdapterError` for a path that leads outside."""

    def __init__(self, folder: DataFolder, path: str) -> None:
        self._folder = folder
        self._path = path
        self._known: bytes | None = None
        self._place("")

    def put(self, name: str, content: bytes) -> None:
        """Write a file, complete or not at all. Raises `AdapterError`."""
        with self._reporting_errors():
            self._folder.write(self._place(name), content)

    def folders(self) -> Sequence[str]:
        """The direct subfolders, and the empty name. Raises `AdapterError`."""
        base = self._place("")
        if self._folder.status(base) is None:
            return []
        with self._reporting_errors():
            found = self._folder.listed(base)
        return ["", *(each.name for each in found if each.is_dir(follow_symlinks=False))]

    def files(self, folder: str) -> Sequence[FoundFile]:
        """The files in a folder. Raises `AdapterError`."""
        return find_files(self._folder.root, FileOptions(path=self._place(folder), pattern="*"))

    def names(self) -> Iterator[str]:
        """The names of all files. Raises `AdapterError`."""
        base = self._place("")
        options = FileOptions(path=base, pattern="**/*")
        for found in find_files(self._folder.root, options) if self._folder.status(base) is not None else ():
            yield found.path.removeprefix(f"{base}/") if base != "." else found.path

    def remove(self, name: str) -> None:
        """Remove a file. Raises `AdapterError`."""
        with self._reporting_errors():
            if self._folder.status(self._place(name)) is not None:
                self._folder.remove(self._place(name))

    def read_mark(self, name: str) -> bytes | None:
        """Read the current mark. Raises `AdapterError`."""
        with self._reporting_errors():
            self._known = self._now(name)
        return self._known

    def write_mark(self, name: str, content: bytes) -> None:
        """Write the mark, unless another process has changed it since we read it. Raises `AdapterError`."""
        with self._reporting_errors():
            if self._now(name) != self._known:
                raise AdapterError("Another process delivers the same batches.", domain="external")
            self._folder.write(self._place(name), content)
        self._known = content

    def check(self) -> None:
        """Write a file and remove it. Raises `AdapterError`."""
        self.put(TRIAL, b"")
        self.remove(TRIAL)

    def close(self) -> None:
        """Do nothing: nothing stays open between two calls."""

    def _now(self, name: str) -> bytes | None:
        place = self._place(name)
        if self._folder.status(place) is None:
            return None
        with self._folder.open(place) as file:
            return file.read()

    def _place(self, name: str) -> str:
        return self._folder.inside(f"{self._path}/{name}")

    @contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise AdapterError(
                f"The folder '{self._path}' can't be written ({why(error)}). Check that it is a folder, that it is "
                "writable, and that the disk has free space. The delivery is retried.",
                domain="external",
            ) from None
