"""Which files an input has, in arrival order."""

import gzip
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Final, Literal, cast

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.options import FileOptions
from streaming.adapters.places import inside

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


@dataclass(frozen=True, order=True)
class FoundFile:
    """A file as it was found; the order of these is the arrival order (T14)."""

    modified_ns: int
    path: str
    size: int

    def open(self) -> IO[bytes]:
        """The bytes of the file, decompressed."""
        if self.path.endswith(".gz"):
            return cast("IO[bytes]", gzip.open(self.path, "rb"))
        return Path(self.path).open("rb")

    def is_unchanged(self) -> bool:
        """Whether the file still has the size and the modification time with which it was found."""
        stat = Path(self.path).stat()
        return (stat.st_mtime_ns, stat.st_size) == (self.modified_ns, self.size)


def find_files(root: Path, options: FileOptions) -> list[FoundFile]:
    """All files there are now. Raises `AdapterError` when the path is missing or leads outside `root`."""
    place = inside(root, options.path)
    if place.is_file():
        return [_found(place)]
    if not place.is_dir():
        raise AdapterError(f"There is no file or folder '{options.path}'; create it, or correct the path.")
    _check_pattern(options.pattern)
    try:
        paths = {inside(root, str(path)) for path in place.glob(options.pattern) if _is_wanted(path)}
    except (ValueError, NotImplementedError) as error:
        raise AdapterError(
            f"The pattern '{options.pattern}' cannot be used ({error}); write for example *.csv."
        ) from None
    return sorted(_found(path) for path in paths)


def _check_pattern(pattern: str) -> None:
    """Raises `AdapterError` for a pattern that walks out of the folder, or through it more than once.

    What lies outside must not even be listed: the refusal of a file that was found there would name it.
    """
    parts = PurePath(pattern).parts
    if ".." in parts:
        raise AdapterError(f"The pattern '{pattern}' leads outside the folder; write it without '..', such as *.csv.")
    if parts.count("**") > 1 or len(parts) > MOST_PARTS:
        raise AdapterError(
            f"The pattern '{pattern}' cannot be used: it may hold ** once, and {MOST_PARTS} folders; write **/*.csv."
        )


def _is_wanted(path: Path) -> bool:
    return path.is_file() and not path.name.startswith((".", "_")) and not path.name.endswith(_UNFINISHED)


def _found(path: Path) -> FoundFile:
    stat = path.stat()
    return FoundFile(stat.st_mtime_ns, str(path), stat.st_size)


def format_of(path: str, options: FileOptions) -> FileFormat:
    """The format that the options say, else the name. Raises `AdapterError` for a name that says nothing."""
    if options.format != "auto":
        return options.format
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    if suffix not in _SUFFIXES:
        raise AdapterError(
            f"The format of '{Path(path).name}' cannot be told from its name; let that end in .csv, .jsonl or "
            ".parquet. The adapter's options can name the format, and a pattern that leaves the file out."
        )
    return _SUFFIXES[suffix]
