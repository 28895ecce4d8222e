"""The files of an input, in arrival order."""

import fnmatch
import gzip
import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, Final, Literal, cast

import pyarrow as pa

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.options import FileOptions
from streaming.adapters.places import EVERYWHERE, DataFolder, why

FileFormat = Literal["csv", "json_lines", "json", "parquet"]
_SUFFIXES: dict[str, FileFormat] = {
    ".csv": "csv",
    ".json": "json_lines",
    ".jsonl": "json_lines",
    ".ndjson": "json_lines",
    ".parquet": "parquet",
    ".pq": "parquet",
}
MOST_PARTS: Final = 32
"""The most parts in a pattern, separated by slashes."""
_UNFINISHED = (".tmp", ".part")


_ANYWHERE: Final = DataFolder(EVERYWHERE)


@dataclass(frozen=True, order=True)
class FoundFile:
    """A file as it was found; these sort in arrival order (T14). `path` is relative to the folder.

    `tag` identifies the content if the store of the files provides one.
    """

    modified_ns: int
    path: str
    size: int
    folder: DataFolder = _ANYWHERE
    tag: str = ""

    def open(self) -> IO[bytes]:
        """Open the file's decompressed bytes. Raises `AdapterError`, `OSError`."""
        file = self.open_stored()
        if self.path.endswith(".gz"):
            return cast("IO[bytes]", _Gunzipped(file))
        return io.BufferedReader(ZstandardFile(file) if self.path.endswith(".zst") else file)

    def open_stored(self) -> io.RawIOBase:
        """Open the file's stored bytes, without a buffer. Raises `AdapterError`, `OSError`."""
        return self.folder.open(self.path)

    def is_unchanged(self) -> bool:
        """Return True if the file still has the size and modification time with which it was found.

        Raises `OSError`.
        """
        found = self.folder.status(self.path)
        if found is None:
            raise FileNotFoundError(2, "No such file or directory")
        return (found.st_mtime_ns, found.st_size) == (self.modified_ns, self.size)


class _Gunzipped(gzip.GzipFile):
    """Also closes the underlying file, which `GzipFile` leaves open if it was passed one."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._stored = io.BufferedReader(file)
        super().__init__(fileobj=self._stored, mode="rb")

    def close(self) -> None:
        super().close()
        self._stored.close()


class ZstandardFile(io.RawIOBase):
    """The content of a Zstandard file; seeking backwards reads it again from the start."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._stored = file
        self._unpacked = self._opened()
        self._at = 0

    def _opened(self) -> Any:
        self._stored.seek(0)
        return pa.CompressedInputStream(pa.PythonFile(_Unclosed(self._stored), mode="r"), "zstd")

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True, although seeking backwards is slow."""
        return True

    def tell(self) -> int:
        """The number of bytes read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Seek to `offset` from the start; other origins are not supported. Raises `OSError`."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("only offsets from the start are supported")
        if offset < self._at:
            self._unpacked, self._at = self._opened(), 0
        while self._at < offset and self.read(min(offset - self._at, 1 << 20)):
            pass
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into `buffer`. Raises `OSError` for damaged data."""
        try:
            read = self._unpacked.read(len(buffer))
        except pa.ArrowInvalid as error:
            raise OSError(str(error)) from None
        buffer[: len(read)] = read
        self._at += len(read)
        return len(read)

    def close(self) -> None:
        """Close the underlying file too."""
        self._stored.close()
        super().close()


class _Unclosed:
    """A file for Arrow, which would otherwise close it when it is done."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._file = file
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size) or b""

    def close(self) -> None:
        self.closed = True


def find_files(root: Path, options: FileOptions) -> list[FoundFile]:
    """Find all current files. Raises `AdapterError` if the path is missing or leads outside `root`."""
    folder = DataFolder(root)
    place = folder.inside(options.path)
    found = _status(folder, place)
    if found is not None and stat.S_ISREG(found.st_mode):
        return [FoundFile(found.st_mtime_ns, place, found.st_size, folder)]
    if found is None or not stat.S_ISDIR(found.st_mode):
        raise AdapterError(f"There is no file or folder '{options.path}'. Create it, or correct the path.")
    parts = pattern_parts(options.pattern)
    return sorted({file for path in _matching(folder, place, parts) for file in _as_file(folder, path)})


def pattern_parts(pattern: str) -> list[str]:
    """Split a pattern. Raises `AdapterError` for one that leads outside the folder or contains `**` twice."""
    parts = list(PurePath(pattern).parts)
    if ".." in parts:
        raise AdapterError(
            f"The pattern '{pattern}' leads outside the folder. Write it without '..', for example *.csv."
        )
    if parts.count("**") > 1 or len(parts) > MOST_PARTS:
        raise AdapterError(
            f"The pattern '{pattern}' is invalid: it may contain ** once, and {MOST_PARTS} folders. Example: **/*.csv."
        )
    odd = any("**" in part and part != "**" for part in parts)
    if not parts or parts[0] == "/" or odd or "\x00" in pattern:
        raise AdapterError(f"The pattern '{pattern}' is invalid. Use for example *.csv or **/*.csv.")
    return parts


def _matching(folder: DataFolder, place: str, parts: list[str]) -> Iterator[str]:
    """Yield the paths below `place` that match `parts`. Links out of the folder are never followed, nor links by `**`.

    Raises `AdapterError` if `parts` match a link that leads outside: it names the link, and nothing of its target.
    """
    first, *rest = parts
    if first == "**":
        for each in _with_all_below(folder, place) if rest else ():
            yield from _matching(folder, each, rest)
        return
    matches = re.compile(fnmatch.translate(first)).match

    def wanted(name: str) -> bool:
        return matches(name) is not None and (bool(rest) or is_wanted(name))

    for name, is_folder in _names(folder, place, wanted):
        path = _join(place, name)
        if wanted(name) and rest and is_folder:
            yield from _matching(folder, folder.inside(path), rest)
        elif wanted(name) and not rest:
            yield folder.inside(path)


def _with_all_below(folder: DataFolder, place: str) -> Iterator[str]:
    waiting = [place]
    while waiting:
        place = waiting.pop()
        yield place
        waiting += [_join(place, name) for name, is_folder in _names(folder, place, lambda _: False) if is_folder]


def _names(folder: DataFolder, place: str, follows: Callable[[str], bool]) -> list[tuple[str, bool]]:
    """The names in `place`, each with True for a folder; of links, only those whose name is to be followed."""
    try:
        entries = folder.listed(place)
    except OSError as error:
        raise AdapterError(f"The folder '{place}' can't be read ({why(error)}). Make it readable.") from None
    found = []
    for entry in entries:
        path = _join(place, entry.name)
        if not entry.is_symlink():
            found.append((entry.name, entry.is_dir(follow_symlinks=False)))
        elif follows(entry.name):
            status = _status(folder, _led(folder, path))
            found.append((entry.name, status is not None and stat.S_ISDIR(status.st_mode)))
    return found


def _led(folder: DataFolder, path: str) -> str:
    """The target of the link `path`. Raises `AdapterError` if it is outside."""
    try:
        return folder.inside(path)
    except AdapterError:
        raise AdapterError(
            f"'{path}' is a link to a place outside the folder of this organisation. Copy the files into the folder."
        ) from None


def _join(place: str, name: str) -> str:
    return name if place == "." else str(Path(place, name))


def is_wanted(name: str) -> bool:
    """Return True for the name of a complete file that is not hidden."""
    return not name.startswith((".", "_")) and not name.endswith(_UNFINISHED)


def _status(folder: DataFolder, path: str) -> os.stat_result | None:
    try:
        return folder.status(path)
    except OSError as error:
        raise AdapterError(f"'{path}' can't be read ({why(error)}). Make it readable.") from None


def _as_file(folder: DataFolder, path: str) -> Iterator[FoundFile]:
    found = _status(folder, path)
    if found is not None and stat.S_ISREG(found.st_mode):
        yield FoundFile(found.st_mtime_ns, path, found.st_size, folder)


def format_of(path: str, options: FileOptions) -> FileFormat:
    """The format in the options, otherwise from the name. Raises `AdapterError` if the name has no such ending."""
    if options.format != "auto":
        return options.format
    suffix = Path(path.removesuffix(".gz").removesuffix(".zst")).suffix.lower()
    if suffix not in _SUFFIXES:
        raise AdapterError(
            f"The format of '{Path(path).name}' can't be determined from its name. Use a name that "
            "ends in .csv, .jsonl "
            "or .parquet, set the format in the adapter's options, or set a pattern that excludes the file."
        )
    return _SUFFIXES[suffix]
