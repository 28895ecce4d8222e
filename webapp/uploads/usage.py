"""The files in the organisation's `files/`, and the streams that read them."""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.places import DataFolder
from webapp.accounts.limits.disk_room import counts_beside
from webapp.accounts.limits.quotas import counts
from webapp.core.errors import NotFound
from webapp.streams.adapters import adapter_root
from webapp.streams.models import Stream
from webapp.uploads.staging import StagedUpload, uploads_under_way

MOST_LISTED: Final = 1_000
OWN_NOTES: Final = "_punctual"
NAME: Final = "file_bytes"


@dataclass(frozen=True)
class KeptFile:
    """A file of the organisation: its path inside `files/`, its size in bytes, when it was written."""

    path: str
    size: int
    modified_at: datetime


def kept_files() -> list[KeptFile]:
    """Return all files by path, including delivered ones.

    Links, unfinished files (names that start with a dot) and the notes of outputs are left out. The notes still count
    for the quota: without them a delivery would repeat all files.
    """
    return sorted((each for each in _walked() if is_listed(each.path)), key=lambda each: each.path)


def is_listed(path: str) -> bool:
    """Return whether the name of a file is that of a listed one: not of an unfinished file, and not of a note."""
    return not path.rpartition("/")[2].startswith((".", OWN_NOTES))


@counts(NAME)
def file_bytes() -> int:
    """Return the bytes of all files plus the full size of the uploads under way."""
    return sum(each.size for each in _walked()) + sum(each.size for each in uploads_under_way())


@counts_beside
def announced_bytes() -> int:
    """Return how many bytes the uploads under way still need: they are reserved."""
    return sum(max(each.size - _arrived(each), 0) for each in uploads_under_way())


def _arrived(upload: StagedUpload) -> int:
    try:
        return upload.offset
    except NotFound:  # it has just finished
        return upload.size


def _walked() -> Iterator[KeptFile]:
    root = adapter_root()
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in names:
            path = Path(folder, name)
            try:
                found = path.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISREG(found.st_mode) and not name.startswith("."):
                modified = datetime.fromtimestamp(found.st_mtime, UTC)
                yield KeptFile(str(path.relative_to(root)), found.st_size, modified)


def streams_by_place() -> Mapping[str, list[Stream]]:
    """Return the streams that read files, by the file or folder that each names ("." for all)."""
    places: dict[str, list[Stream]] = {}
    folder = DataFolder(adapter_root())
    for stream in Stream.objects.all():
        adapter = stream.read_adapter()
        named = adapter.options.get("path")
        if adapter.kind not in ("file", "rows") or not isinstance(named, str):
            continue
        try:
            places.setdefault(folder.inside(named), []).append(stream)
        except AdapterError:  # its path is invalid, so it reads nothing
            continue
    return places


def readers(path: str, places: Mapping[str, list[Stream]]) -> list[Stream]:
    """Return the streams that read the file `path`: they name it, or a folder that contains it."""
    parts = path.split("/")
    around = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return [stream for place in (*around, ".") for stream in places.get(place, ())]
