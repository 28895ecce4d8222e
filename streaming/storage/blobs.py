"""A folder that several processes share, on a file system or an object store, with one small interface.

A *location* is either a path, or `s3://<bucket>/<prefix>` with options of the store after `?`, for example
`s3://punctual/org-1?endpoint_override=127.0.0.1:9000&scheme=http&region=eu-west-1`. It never contains credentials: they
come from the places where the store's own tools find them.
"""

import errno
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

Tag = tuple[int, int]
"""Size in bytes and time of change: two contents of one name with the same tag count as the same."""


class StoreUnreachable(OSError):
    """The object store doesn't answer, or refuses: a problem of the machine, not of one binding."""


class BlobWriting(Protocol):
    """A blob that is being written piece by piece; nobody sees it before `finish`."""

    def add(self, pieces: Iterable[bytes]) -> None:
        """Append `pieces`. Raises `OSError`."""

    def finish(self) -> None:
        """Store the whole blob under its name, replacing an old one. Raises `OSError`."""

    def abandon(self) -> None:
        """Discard the added pieces instead of finishing. Raises `OSError`."""


class BlobFolder(Protocol):
    """Named blobs. A name is a relative path with `/`; writing replaces the whole blob or leaves the old one.

    Once one process has written a blob, every process reads and lists it. A name is never both a blob and the folder of
    other names.
    """

    def read(self, name: str) -> bytes | None:
        """Return the content of `name`, None if it doesn't exist. Raises `OSError`."""

    def write(self, name: str, content: bytes) -> None:
        """Store `content` as `name`, atomically. Raises `OSError`."""

    def create(self, name: str, content: bytes) -> bool:
        """Store `content` as `name` unless it exists; return whether it was stored. Of concurrent calls one succeeds.

        Raises `OSError`.
        """

    def writing(self, name: str) -> BlobWriting:
        """Start a large blob `name`; one process at a time. Nobody sees a blob that isn't finished."""

    def opened(self, name: str) -> BinaryIO | None:
        """Open `name` for reading with seeks, None if it doesn't exist. Raises `OSError`."""

    def size(self, name: str) -> int:
        """Return the size of `name` in bytes, 0 if it doesn't exist. Raises `OSError`."""

    def numbers(self, name: str) -> Sequence[int]:
        """Return the numbers, ascending, of the blobs `<name>/<number>.*`. Raises `OSError`."""

    def names(self, name: str) -> Sequence[str]:
        """Return the names, without prefix, of the blobs directly in `name`, in any order. Raises `OSError`."""

    def tags(self, name: str) -> Mapping[str, Tag]:
        """Return the blobs directly in `name`, each with a tag that changes with its content."""

    def folders(self, name: str) -> Sequence[str]:
        """Return the names of the folders directly in `name`, ascending. Raises `OSError`."""

    def clear(self, name: str) -> None:
        """Delete all blobs whose names start with `<name>/`, if any. Raises `OSError`."""

    def remove(self, name: str) -> None:
        """Delete `name`; it may be absent. Raises `OSError`."""

    def within(self, name: str) -> "BlobFolder":
        """Return the folder `name` inside this one."""


class LocalFolder:
    """A folder of the local (or a shared, mounted) file system.

    Paths are concatenated as strings, for speed: a batch of a thousand bindings writes two files for each of them.
    """

    def __init__(self, path: Path | str) -> None:
        self._at = os.path.normpath(path)

    @property
    def path(self) -> Path:
        """Return its path."""
        return Path(self._at)

    def read(self, name: str) -> bytes | None:
        """Return the content of the file, None if it doesn't exist."""
        try:
            with open(f"{self._at}/{name}", "rb", buffering=0) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Write a hidden file and rename it: a reader sees the old content or the new, never a part."""
        staged = self._stage(name, content)
        try:
            os.replace(staged, f"{self._at}/{name}")
        except BaseException:
            _unlink(staged)
            raise

    def create(self, name: str, content: bytes) -> bool:
        """Write a hidden file and link it: of concurrent calls the file system lets one succeed."""
        staged = self._stage(name, content)
        try:
            os.link(staged, f"{self._at}/{name}")
        except FileExistsError:
            return False
        finally:
            _unlink(staged)
        return True

    def writing(self, name: str) -> "LocalWriting":
        """Start a hidden file next to `name`."""
        return LocalWriting(f"{self._at}/{name}")

    def opened(self, name: str) -> BinaryIO | None:
        """Open the file, None if it doesn't exist."""
        try:
            return open(f"{self._at}/{name}", "rb")
        except FileNotFoundError:
            return None

    def size(self, name: str) -> int:
        """Return the size of the file, 0 if it doesn't exist."""
        try:
            return os.stat(f"{self._at}/{name}").st_size
        except FileNotFoundError:
            return 0

    def numbers(self, name: str) -> Sequence[int]:
        """Return the numbers of the files `<name>/<number>.<suffix>`, without staged files."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                return numbers_of(entry.name for entry in entries)
        except FileNotFoundError:
            return []

    def names(self, name: str) -> Sequence[str]:
        """Return the files of the folder `name`, without hidden files, which are staged ones."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                return [entry.name for entry in entries if entry.name[0] != "." and entry.is_file()]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def tags(self, name: str) -> Mapping[str, Tag]:
        """Return the tags of the files of the folder `name`, without hidden files, which are staged ones."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                found = {entry.name: entry.stat() for entry in entries if entry.is_file() and entry.name[0] != "."}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return {each: (stat.st_size, stat.st_mtime_ns) for each, stat in found.items()}

    def folders(self, name: str) -> Sequence[str]:
        """Return the names of the folders in `name`, ascending."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                return sorted(entry.name for entry in entries if entry.is_dir())
        except FileNotFoundError:
            return []

    def clear(self, name: str) -> None:
        """Delete the folder `name` with its content."""
        with suppress(FileNotFoundError):
            shutil.rmtree(f"{self._at}/{name}")

    def remove(self, name: str) -> None:
        """Delete the file; it may be absent."""
        _unlink(f"{self._at}/{name}")

    def within(self, name: str) -> "LocalFolder":
        """Return the folder `name` inside this one."""
        return LocalFolder(f"{self._at}/{name}")

    def _stage(self, name: str, content: bytes) -> str:
        """Write a hidden file next to `name` with a unique name: an abandoned attempt may still be alive."""
        staged = _hidden_path(f"{self._at}/{name}", f".{os.urandom(8).hex()}")
        try:
            with _open_to_write(staged, "xb") as file:
                file.write(content)
        except BaseException:
            _unlink(staged)
            raise
        return staged


class LocalWriting:
    """Writes a hidden file next to the target; `finish` renames it to the target.

    An attempt starts with a new file and detects when a later attempt has replaced it. All attempts write the same
    bytes, so a file as long as this attempt's output has the same content, whichever attempt wrote it.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._staged = _hidden_path(target, "")
        self._written: int | None = None

    def add(self, pieces: Iterable[bytes]) -> None:
        """Append `pieces`. Raises `OSError`, also when another attempt has started since."""
        if self._written is None:
            if os.path.isfile(self._staged):
                _unlink(self._staged)
            self._written = 0
            mode = "wb"
        else:
            self._require_mine()
            mode = "ab"
        with _open_to_write(self._staged, mode) as file:
            file.writelines(pieces)
            self._written = file.tell()

    def finish(self) -> None:
        """Rename the hidden file; without any added piece, the blob is empty."""
        if self._written is None:
            self.add(())
        self._require_mine()
        os.replace(self._staged, self._target)

    def abandon(self) -> None:
        """Delete the hidden file, if this attempt has written one."""
        if self._written is not None:
            _unlink(self._staged)

    def _require_mine(self) -> None:
        if os.stat(self._staged).st_size != self._written:
            raise OSError(errno.ESTALE, "another attempt writes this file", self._staged)


def numbers_of(names: Iterable[str]) -> list[int]:
    """Return the distinct numbers before the first dot of `names`, ascending; names without a number are skipped."""
    stems = {name.partition(".")[0] for name in names}
    return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit())


def _hidden_path(path: str, word: str) -> str:
    """Return the path of the hidden file that is later renamed to `path`."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}{word}.staged"


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _open_to_write(path: str, mode: str) -> BinaryIO:
    """Open `path` for writing; create its folder if it is missing."""
    try:
        return open(path, mode)  # type: ignore[return-value]
    except FileNotFoundError:
        os.makedirs(path.rpartition("/")[0], exist_ok=True)
        return open(path, mode)  # type: ignore[return-value]
