"""Where an adapter may read and write: inside one folder, whatever links lie in it and whoever changes them meanwhile.

A path is resolved first and refused where it leads out. What is opened then is opened part by part from the folder
down, no link followed, so that a link which was put there in between opens nothing. Messages name paths as the folder's
user knows them: relative to it.
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

FILES: Final = "files"
"""The folder of an organisation's data, in its own; nothing beside it is within reach of an adapter."""
EVERYWHERE: Final = Path("/")
_ROOT: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe that nobody writes must not block


def why(error: BaseException) -> str:
    """Return what the system says of `error`, without the path that it names."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@dataclass(frozen=True, order=True)
class DataFolder:
    """The folder `root`. Paths that its methods return and take are relative to it, absolute where it is all there is.

    `streaming.run` reads wherever its user may read: its folder is EVERYWHERE.
    """

    root: Path

    def inside(self, path: str) -> str:
        """The real path of `path` (relative to the folder, or absolute inside it); it need not exist.

        Raises `AdapterError` when it leads outside, be it by `..`, an absolute path or a symbolic link.
        """
        if "\x00" in path:
            raise AdapterError("The path holds a null character; write it without.")
        folder = self.root.resolve()
        try:
            real = (folder / self._without_own_name(path)).resolve()
            within = real == folder or folder in real.parents
            if within:
                real.exists()  # refuses what the checks of a path leave open: lengths, characters
        except (OSError, ValueError, RuntimeError):  # RuntimeError: a link to itself
            raise AdapterError("This machine can have no such path; write a shorter or simpler one.") from None
        if not within:
            raise AdapterError(f"'{path}' is outside the folder of this organisation; choose a path inside it.")
        return str(real) if folder == EVERYWHERE else str(real.relative_to(folder))

    def status(self, path: str) -> os.stat_result | None:
        """What `path`, which `inside` returned, is now; None where nothing is. A link is not followed."""
        try:
            with self._opened_parent(path) as (parent, name):
                return os.stat(name, dir_fd=parent, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def open(self, path: str) -> io.FileIO:
        """Open the file `path`, which `inside` returned, for reading, without a buffer.

        Raises `AdapterError` for what is no file, or has another name outside of the folder; `OSError`.
        """
        with self._opened_parent(path) as (parent, name):
            file = io.FileIO(os.open(name, _FILE, dir_fd=parent), "rb")
        try:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise AdapterError(f"'{path}' is no file; name one, or a folder of files.")
            if found.st_nlink > 1 and self._names_of(found) < found.st_nlink:
                raise AdapterError(
                    f"The file '{path}' has another name outside the folder of this organisation (a hard link); "
                    "put a copy of it there instead."
                )
        except BaseException:
            file.close()
            raise
        return file

    def listed(self, path: str) -> list[os.DirEntry[str]]:
        """What the folder `path`, which `inside` returned, holds. Raises `OSError`."""
        with self._opened_parent(path) as (parent, name):
            handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        try:
            with os.scandir(handle) as entries:
                found = list(entries)
            for entry in found:
                entry.is_dir(follow_symlinks=False)  # kept by the entry, where the system did not say it at once
            return found
        finally:
            os.close(handle)

    def write(self, path: str, content: bytes) -> None:
        """Write the file `path`, which `inside` returned, whole or not at all; folders are made. Raises `OSError`."""
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
        """Make `file`, of the same disk and written by us, the file `path`, which `inside` returned, in one step.

        What was there is replaced. Raises `FileNotFoundError` where `file` is no more, `OSError`.
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
        """Where an adapter keeps what no path may name: the organisation's folder; `root` where that is none."""
        return self.root.parent if self.root.name == FILES else self.root

    def as_journaled(self, path: str) -> str:
        """The path that a journal holds: until 2026-11-22 absolute, and in the folder around this one."""
        if self.root != EVERYWHERE and path.startswith("/"):
            for folder in (self.root.resolve(), self.root.parent.resolve()):
                if folder in Path(path).parents:
                    return str(Path(path).relative_to(folder))
        return path

    def _without_own_name(self, path: str) -> str:
        """`files/cars.csv` is the file `cars.csv`: so its user sees it from outside, and paths were written once."""
        first, _, rest = path.partition("/")
        return (rest or ".") if first == FILES == self.root.name else path

    @contextmanager
    def _opened_parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The folder of `path` as a handle, and its name there; `.` for the root itself. Raises `OSError`."""
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
        """How many names a file has in the folder; as many as it has where the folder is all there is."""
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
    """Make a rename outlast a loss of power."""
    handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
