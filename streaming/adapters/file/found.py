"""Which files an input has, in arrival order."""

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

FileFormat = Literal["csv", "json_lines", "parquet"]
_SUFFIXES: dict[str, FileFormat] = {
    ".csv": "csv",
    ".json": "json_lines",
    ".jsonl": "json_lines",
    ".ndjson": "json_lines",
    ".parquet": "parquet",
    ".pq": "parquet",
}
MOST_PARTS: Final = 32
"""Of a pattern, between slashes."""
_UNFINISHED = (".tmp", ".part")


_ANYWHERE: Final = DataFolder(EVERYWHERE)


@dataclass(frozen=True, order=True)
class FoundFile:
    """A file as it was found; the order of these is the arrival order (T14). `path` is relative to its folder.

    `tag` tells one content from another where the store of the files says so.
    """

    modified_ns: int
    path: str
    size: int
    folder: DataFolder = _ANYWHERE
    tag: str = ""

    def open(self) -> IO[bytes]:
        """The bytes of the file, decompressed. Raises `AdapterError`, `OSError`."""
        file = self.open_stored()
        if self.path.endswith(".gz"):
            return cast("IO[bytes]", _Gunzipped(file))
        return io.BufferedReader(ZstandardFile(file) if self.path.endswith(".zst") else file)

    def open_stored(self) -> io.RawIOBase:
        """The bytes of the file as they lie on the disk, without a buffer. Raises `AdapterError`, `OSError`."""
        return self.folder.open(self.path)

    def is_unchanged(self) -> bool:
        """Whether the file still has the size and the modification time with which it was found. Raises `OSError`."""
        found = self.folder.status(self.path)
        if found is None:
            raise FileNotFoundError(2, "No such file or directory")
        return (found.st_mtime_ns, found.st_size) == (self.modified_ns, self.size)


class _Gunzipped(gzip.GzipFile):
    """Lets go of the file under it too, which `GzipFile` leaves open where it was handed one."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._stored = io.BufferedReader(file)
        super().__init__(fileobj=self._stored, mode="rb")

    def close(self) -> None:
        super().close()
        self._stored.close()


class ZstandardFile(io.RawIOBase):
    """What a file compressed with Zstandard holds; a place before the present one is found by reading anew."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._stored = file
        self._unpacked = self._opened()
        self._at = 0

    def _opened(self) -> Any:
        self._stored.seek(0)
        return pa.CompressedInputStream(pa.PythonFile(_Unclosed(self._stored), mode="r"), "zstd")

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is, for those who can wait."""
        return True

    def tell(self) -> int:
        """How many bytes were read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to `offset` from the beginning; only the beginning is measured from. Raises `OSError`."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("only places from the beginning are known")
        if offset < self._at:
            self._unpacked, self._at = self._opened(), 0
        while self._at < offset and self.read(min(offset - self._at, 1 << 20)):
            pass
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read what comes next into `buffer`. Raises `OSError` for what is damaged."""
        try:
            read = self._unpacked.read(len(buffer))
        except pa.ArrowInvalid as error:
            raise OSError(str(error)) from None
        buffer[: len(read)] = read
        self._at += len(read)
        return len(read)

    def close(self) -> None:
        """Let go of the file under it too."""
        self._stored.close()
        super().close()


class _Unclosed:
    """A file for Arrow, which would close it when it lets go of it."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._file = file
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size) or b""

    def close(self) -> None:
        self.closed = True


def find_files(root: Path, options: FileOptions) -> list[FoundFile]:
    """All files there are now. Raises `AdapterError` when the path is missing or leads outside `root`."""
    folder = DataFolder(root)
    place = folder.inside(options.path)
    found = _status(folder, place)
    if found is not None and stat.S_ISREG(found.st_mode):
        return [FoundFile(found.st_mtime_ns, place, found.st_size, folder)]
    if found is None or not stat.S_ISDIR(found.st_mode):
        raise AdapterError(f"There is no file or folder '{options.path}'; create it, or correct the path.")
    parts = pattern_parts(options.pattern)
    return sorted({file for path in _matching(folder, place, parts) for file in _as_file(folder, path)})


def pattern_parts(pattern: str) -> list[str]:
    """The parts of a pattern. Raises `AdapterError` for one that walks out of the folder, or through it twice."""
    parts = list(PurePath(pattern).parts)
    if ".." in parts:
        raise AdapterError(f"The pattern '{pattern}' leads outside the folder; write it without '..', such as *.csv.")
    if parts.count("**") > 1 or len(parts) > MOST_PARTS:
        raise AdapterError(
            f"The pattern '{pattern}' cannot be used: it may hold ** once, and {MOST_PARTS} folders; write **/*.csv."
        )
    odd = any("**" in part and part != "**" for part in parts)
    if not parts or parts[0] == "/" or odd or "\x00" in pattern:
        raise AdapterError(f"The pattern '{pattern}' cannot be used; write for example *.csv or **/*.csv.")
    return parts


def _matching(folder: DataFolder, place: str, parts: list[str]) -> Iterator[str]:
    """The paths below `place` that `parts` name. No link is followed out of the folder, nor by `**`.

    Raises `AdapterError` for such a link that is named: it tells where the link is, and nothing of what lies behind.
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
    """What lies in `place`, and whether it is a folder; of links those alone whose name is to be followed."""
    try:
        entries = folder.listed(place)
    except OSError as error:
        raise AdapterError(f"The folder '{place}' cannot be read ({why(error)}); see that it can be.") from None
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
    """Where the link `path` leads. Raises `AdapterError` where that is outside."""
    try:
        return folder.inside(path)
    except AdapterError:
        raise AdapterError(
            f"'{path}' is a link that leads outside the folder of this organisation; put the files themselves there."
        ) from None


def _join(place: str, name: str) -> str:
    return name if place == "." else str(Path(place, name))


def is_wanted(name: str) -> bool:
    """Whether a name is that of a file that is complete, and not put aside."""
    return not name.startswith((".", "_")) and not name.endswith(_UNFINISHED)


def _status(folder: DataFolder, path: str) -> os.stat_result | None:
    try:
        return folder.status(path)
    except OSError as error:
        raise AdapterError(f"'{path}' cannot be read ({why(error)}); see that it can be.") from None


def _as_file(folder: DataFolder, path: str) -> Iterator[FoundFile]:
    found = _status(folder, path)
    if found is not None and stat.S_ISREG(found.st_mode):
        yield FoundFile(found.st_mtime_ns, path, found.st_size, folder)


def format_of(path: str, options: FileOptions) -> FileFormat:
    """The format that the options say, else the name. Raises `AdapterError` for a name that says nothing."""
    if options.format != "auto":
        return options.format
    suffix = Path(path.removesuffix(".gz").removesuffix(".zst")).suffix.lower()
    if suffix not in _SUFFIXES:
        raise AdapterError(
            f"The format of '{Path(path).name}' cannot be told from its name; let that end in .csv, .jsonl or "
            ".parquet. The adapter's options can name the format, and a pattern that leaves the file out."
        )
    return _SUFFIXES[suffix]
