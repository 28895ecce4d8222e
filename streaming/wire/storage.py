"""A folder that several processes share, behind one small interface: on a file system or an object store.

A *location* names either: a path, or `s3://<bucket>/<prefix>` with options of the store after `?`, such as
`s3://punctual/org-1?endpoint_override=127.0.0.1:9000&scheme=http&region=eu-west-1`. Credentials never stand in it: they
are found where the store's own tools look for them.
"""

import errno
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

Tag = tuple[int, int]
"""Size in bytes and time of change: two contents of one name that are told apart by neither count as the same."""


class StoreUnreachable(OSError):
    """The object store does not answer, or refuses: a fault of the machine and not of one binding."""


class BlobWriting(Protocol):
    """A blob that is being written piece by piece; nobody sees it before `finish`."""

    def add(self, pieces: Iterable[bytes]) -> None:
        """Append `pieces`. Raises `OSError`."""

    def finish(self) -> None:
        """Put the blob in its place, whole; what was there is replaced. Raises `OSError`."""


class BlobFolder(Protocol):
    """Named blobs. A name is a relative path with `/`; writing replaces the whole blob or leaves the old one.

    What one process has written, every process reads and lists from then on. A name is never both a blob and the
    beginning of other names.
    """

    def read(self, name: str) -> bytes | None:
        """The content of `name`, None where there is none. Raises `OSError`."""

    def write(self, name: str, content: bytes) -> None:
        """Store `content` as `name`, atomically. Raises `OSError`."""

    def create(self, name: str, content: bytes) -> bool:
        """Store `content` as `name` unless it is there; whether it was stored. Of many who try one succeeds.

        Raises `OSError`.
        """

    def writing(self, name: str) -> BlobWriting:
        """Begin a large blob `name`; one process at a time. Of one that is given up nothing is seen."""

    def opened(self, name: str) -> BinaryIO | None:
        """The content of `name` to be read piece by piece from anywhere, None where there is none. Raises `OSError`."""

    def size(self, name: str) -> int:
        """The size of `name` in bytes, 0 where there is none. Raises `OSError`."""

    def numbers(self, name: str) -> Sequence[int]:
        """The numbers, ascending, of the blobs `<name>/<number>.*`. Raises `OSError`."""

    def names(self, name: str) -> Sequence[str]:
        """The blobs `<name>/<blob>`, not those deeper, without the beginning, in any order. Raises `OSError`."""

    def tags(self, name: str) -> Mapping[str, Tag]:
        """The blobs `<name>/<blob>`, not those deeper, each with what tells its content from another."""

    def folders(self, name: str) -> Sequence[str]:
        """The names of the folders right below `name`, ascending. Raises `OSError`."""

    def clear(self, name: str) -> None:
        """Forget all blobs whose names begin with `<name>/`; there may be none. Raises `OSError`."""

    def remove(self, name: str) -> None:
        """Forget `name`; it may be absent. Raises `OSError`."""

    def within(self, name: str) -> "BlobFolder":
        """The folder whose names begin with `<name>/` here."""


class LocalFolder:
    """A folder of the local (or a shared, mounted) file system.

    Paths are put together as texts: a batch of a thousand bindings writes two files for each of them.
    """

    def __init__(self, path: Path | str) -> None:
        self._at = os.path.normpath(path)

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self._at)

    def read(self, name: str) -> bytes | None:
        """The content of the file, None where there is none."""
        try:
            with open(f"{self._at}/{name}", "rb", buffering=0) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Write beside the file and rename: a reader sees the old content or the new, never a part."""
        staged = self._stage(name, content)
        try:
            os.replace(staged, f"{self._at}/{name}")
        except BaseException:
            _unlink(staged)
            raise

    def create(self, name: str, content: bytes) -> bool:
        """Write beside the file, then link it: the file system lets one of many do so."""
        staged = self._stage(name, content)
        try:
            os.link(staged, f"{self._at}/{name}")
        except FileExistsError:
            return False
        finally:
            _unlink(staged)
        return True

    def writing(self, name: str) -> "LocalWriting":
        """A file beside the place of `name`."""
        return LocalWriting(f"{self._at}/{name}")

    def opened(self, name: str) -> BinaryIO | None:
        """The file, None where there is none."""
        try:
            return open(f"{self._at}/{name}", "rb")
        except FileNotFoundError:
            return None

    def size(self, name: str) -> int:
        """The size of the file, 0 where there is none."""
        try:
            return os.stat(f"{self._at}/{name}").st_size
        except FileNotFoundError:
            return 0

    def numbers(self, name: str) -> Sequence[int]:
        """The numbers of the files `<name>/<number>.<suffix>`; staged files do not count."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                return numbers_of(entry.name for entry in entries)
        except FileNotFoundError:
            return []

    def names(self, name: str) -> Sequence[str]:
        """The files of the folder `name`; hidden files are staged ones, and do not count."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                return [entry.name for entry in entries if entry.name[0] != "." and entry.is_file()]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def tags(self, name: str) -> Mapping[str, Tag]:
        """The files of the folder `name`; hidden ones are staged ones, and do not count."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                found = {entry.name: entry.stat() for entry in entries if entry.is_file() and entry.name[0] != "."}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return {each: (stat.st_size, stat.st_mtime_ns) for each, stat in found.items()}

    def folders(self, name: str) -> Sequence[str]:
        """The names of the folders in `name`."""
        try:
            with os.scandir(f"{self._at}/{name}") as entries:
                return sorted(entry.name for entry in entries if entry.is_dir())
        except FileNotFoundError:
            return []

    def clear(self, name: str) -> None:
        """Delete the folder `name` with all that is in it."""
        with suppress(FileNotFoundError):
            shutil.rmtree(f"{self._at}/{name}")

    def remove(self, name: str) -> None:
        """Delete the file; it may be absent."""
        _unlink(f"{self._at}/{name}")

    def within(self, name: str) -> "LocalFolder":
        """The folder `name` of this one."""
        return LocalFolder(f"{self._at}/{name}")

    def _stage(self, name: str, content: bytes) -> str:
        """A hidden file beside `name` that no other process writes: an attempt that was given up may still be alive."""
        staged = _hidden(f"{self._at}/{name}", f".{os.urandom(8).hex()}")
        try:
            with _opened(staged, "xb") as file:
                file.write(content)
        except BaseException:
            _unlink(staged)
            raise
        return staged


class LocalWriting:
    """Writes a hidden file beside the file from the first piece on; `finish` renames it to its place.

    An attempt begins with a file of its own, and finds out when a later one has taken its place. All attempts write
    the same bytes, so a file that is as long as what this one has written holds that, whoever wrote it.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._staged = _hidden(target, "")
        self._written: int | None = None

    def add(self, pieces: Iterable[bytes]) -> None:
        """Append. Raises `OSError`, also when another attempt has begun since."""
        if self._written is None:
            if os.path.isfile(self._staged):
                _unlink(self._staged)
            self._written = 0
            mode = "wb"
        else:
            self._require_mine()
            mode = "ab"
        with _opened(self._staged, mode) as file:
            file.writelines(pieces)
            self._written = file.tell()

    def finish(self) -> None:
        """Rename the hidden file; one to which nothing was added is empty."""
        if self._written is None:
            self.add(())
        self._require_mine()
        os.replace(self._staged, self._target)

    def _require_mine(self) -> None:
        if os.stat(self._staged).st_size != self._written:
            raise OSError(errno.ESTALE, "another attempt writes this file", self._staged)


def numbers_of(names: Iterable[str]) -> list[int]:
    """The numbers before the first point of `names`, ascending and each once; names without one do not count."""
    stems = {name.partition(".")[0] for name in names}
    return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit())


def _hidden(path: str, word: str) -> str:
    """Where the file at `path` is written before it is renamed to there."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}{word}.staged"


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _opened(path: str, mode: str) -> BinaryIO:
    """`path` opened for writing; its folder is made where it is missing."""
    try:
        return open(path, mode)  # type: ignore[return-value]
    except FileNotFoundError:
        os.makedirs(path.rpartition("/")[0], exist_ok=True)
        return open(path, mode)  # type: ignore[return-value]
