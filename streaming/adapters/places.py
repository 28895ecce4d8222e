"""Bounds the files that an adapter may use to one folder, despite symbolic links and concurrent changes.

A path is resolved first and refused if it leads outside. It is then opened part by part from the folder down without
following links, so that a link created in between opens nothing. Messages show paths relative to the folder, as its
user knows them.
"""

import io
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.definition.plain_names import hidden_character

FILES: Final = "files"
"""The folder of an organisation's data, inside its own; an adapter can access nothing next to it."""
EVERYWHERE: Final = Path("/")
_ROOT: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe without a writer must not block


def why(error: BaseException) -> str:
    """Return the system's text for `error`, without the path that it names."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def refuse_hidden(path: str) -> None:
    """Refuse a path or key that looks like another one. Raises `AdapterError`."""
    hidden = hidden_character(path)
    if hidden is not None:
        raise AdapterError(
            f"The path contains the character {hidden}, which is invisible or reverses the text around it. Remove it, "
            "and rename the file if it has that character."
        )


@dataclass(frozen=True, order=True)
class DataFolder:
    """The folder `root`. Its methods take and return paths relative to it, or absolute ones if it is EVERYWHERE.

    `streaming.run` may read all that its user may read: its folder is EVERYWHERE.
    """

    root: Path

    def inside(self, path: str) -> str:
        """The real path of `path` (relative to the folder, or absolute inside it); it need not exist.

        Raises `AdapterError` if it leads outside, by `..`, an absolute path or a symbolic link.
        """
        if "\x00" in path:
            raise AdapterError("The path contains a null character. Remove it.")
        folder = self.root.resolve()
        try:
            real = (folder / self._without_own_name(path)).resolve()
            within = real == folder or folder in real.parents
            if within:
                real.exists()  # refuses invalid lengths and characters
        except (OSError, ValueError, RuntimeError):  # RuntimeError: a link to itself
            raise AdapterError("The path is invalid on this machine. Use a shorter or simpler one.") from None
        if not within:
            raise AdapterError(f"'{path}' is outside the folder of this organisation. Choose a path inside it.")
        return str(real) if folder == EVERYWHERE else str(real.relative_to(folder))

    def status(self, path: str) -> os.stat_result | None:
        """The current status of `path`, which `inside` returned; None if it does not exist. A link is not followed."""
        try:
            with self._opened_parent(path) as (parent, name):
                return os.stat(name, dir_fd=parent, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def open(self, path: str) -> io.FileIO:
        """Open the file `path`, which `inside` returned, for reading, without a buffer.

        Raises `AdapterError` if it is not a file, or has another name outside the folder; `OSError`.
        """
        with self._opened_parent(path) as (parent, name):
            file = io.FileIO(os.open(name, _FILE, dir_fd=parent), "rb")
        try:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise AdapterError(f"'{path}' isn't a file. Choose a file, or a folder of files.")
            if found.st_nlink > 1 and self._names_of(found) < found.st_nlink:
                raise AdapterError(
                    f"The file '{path}' has another name outside the folder of this organisation (a hard link). "
                    "Replace it by a copy."
                )
        except BaseException:
            file.close()
            raise
        return file

    def listed(self, path: str) -> list[os.DirEntry[str]]:
        """The entries of the folder `path`, which `inside` returned. Raises `OSError`."""
        with self._opened_parent(path) as (parent, name):
            handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        try:
            with os.scandir(handle) as entries:
                found = list(entries)
            for entry in found:
                entry.is_dir(follow_symlinks=False)  # cached by the entry, while the handle is open
            return found
        finally:
            os.close(handle)

    def write(self, path: str, content: bytes) -> None:
        """Write the file `path`, which `inside` returned, complete or not at all; creates folders. Raises `OSError`."""
        with self._opened_parent(path, make=True) as (parent, name):
            staged = f".{uuid.uuid4().hex}.tmp"
            handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(handle)
                os.replace(staged, name, src_dir_fd=parent, dst_dir_fd=parent)
                _settle(parent)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(staged, dir_fd=parent)
                raise

    def adopt(self, file: Path, path: str) -> None:
        """Move `file`, on the same disk and written by us, to `path`, which `inside` returned, in one step.

        Replaces an existing file. Raises `FileNotFoundError` if `file` no longer exists, `OSError`.
        """
        with self._opened_parent(path, make=True) as (parent, name):
            with file.open("rb") as content:
                os.fsync(content.fileno())
            os.replace(file, name, dst_dir_fd=parent)
            _settle(parent)

    def remove(self, path: str) -> None:
        """Remove the file `path`, which `inside` returned. Raises `OSError`."""
        with self._opened_parent(path) as (parent, name):
            os.unlink(name, dir_fd=parent)
            _settle(parent)

    @property
    def around(self) -> Path:
        """The folder for an adapter's own files, which no path can name: the organisation's folder, otherwise
        `root`.
        """
        return self.root.parent if self.root.name == FILES else self.root

    def _without_own_name(self, path: str) -> str:
        """Read `files/cars.csv` as `cars.csv`: users see it like that from outside, and old paths were written so."""
        first, _, rest = path.partition("/")
        return (rest or ".") if first == FILES == self.root.name else path

    @contextmanager
    def _opened_parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The folder of `path` as a handle, and the name in it; `.` for the root itself. Raises `OSError`."""
        *folders, name = Path(path).relative_to(EVERYWHERE if Path(path).is_absolute() else "").parts or (".",)
        if make:
            self.root.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.root, _ROOT)
        try:
            for folder in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(folder, dir_fd=handle)
                inner = os.open(folder, _ROOT | os.O_NOFOLLOW, dir_fd=handle)
                os.close(handle)
                handle = inner
            yield handle, name
        finally:
            os.close(handle)

    def _names_of(self, found: os.stat_result) -> int:
        """The number of names of a file inside the folder; all its names if the folder is EVERYWHERE."""
        if self.root.resolve() == EVERYWHERE:
            return found.st_nlink
        count = 0
        for folder, _, names in os.walk(self.root.resolve()):
            for name in names:
                with suppress(OSError):
                    each = Path(folder, name).stat(follow_symlinks=False)
                    count += os.path.samestat(each, found)
        return count


def _settle(folder: int) -> None:
    """Make a rename survive a power failure."""
    handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
