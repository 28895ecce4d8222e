"""Uploads under way: their bytes are stored next to `files/`, so that they outlast a closed tab and a killed server.

The size of the file alone says how much has arrived: an interrupted chunk leaves nothing.
"""

import fcntl
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from streaming.definition.counts import counted
from webapp.core.context import current_organisation
from webapp.core.disk import is_disk_full, is_short
from webapp.core.errors import ApiError, Conflict, NotFound, StorageFull

FOLDER: Final = "uploads"
"""In the organisation's folder, next to `files/`: adapters have no access."""
KEPT_DAYS: Final = 3
"""Days that an upload waits for more of its bytes."""
BLOCK_BYTES: Final = 256 * 1024
MOST_OF_A_CHUNK: Final = 8 << 20
"""Most bytes of a request."""
_ABOUT: Final = "about.json"
_CONTENT: Final = "content"


class UploadBusy(ApiError):
    """Another request writes to the same upload."""

    status = 423
    code = "upload_busy"

    def __init__(self) -> None:
        super().__init__("Another request is writing to this upload. Wait a moment, then request its state.")


@dataclass(frozen=True)
class StagedUpload:
    """An upload of `size` bytes that is to become the file `name`; `by` is who started it."""

    id: UUID
    name: str
    size: int
    by: str
    begun_at: datetime

    @property
    def content(self) -> Path:
        """Return the file with the bytes that have arrived."""
        return _folder() / str(self.id) / _CONTENT

    @property
    def offset(self) -> int:
        """Return how many bytes have arrived. Raises `NotFound` if the upload no longer exists."""
        try:
            return self.content.stat().st_size
        except FileNotFoundError:
            raise NotFound from None


def begin(*, name: str, size: int, by: str) -> StagedUpload:
    """Start an upload; the caller holds the lock of the organisation and has checked the quotas."""
    upload = StagedUpload(uuid.uuid4(), name, size, by, timezone.now())
    folder = upload.content.parent
    with _room():
        folder.mkdir(parents=True)
        about = {"name": name, "size": size, "by": by, "begun_at": upload.begun_at.isoformat()}
        (folder / _ABOUT).write_text(json.dumps(about))
        upload.content.touch()  # last: without content it isn't an upload
    return upload


def access_upload(upload: UUID) -> StagedUpload:
    """Return an upload of the organisation. Raises `NotFound` if absent or not yours."""
    found = _read(_folder() / str(upload))
    if found is None:
        raise NotFound
    return found


def uploads_under_way() -> list[StagedUpload]:
    """Return the uploads of the organisation, the oldest first; remove those that waited too long."""
    oldest = timezone.now() - timedelta(days=KEPT_DAYS)
    found: list[StagedUpload] = []
    for folder in _folder().iterdir() if _folder().exists() else ():
        upload = _read(folder)
        if _is_staging(folder) and _touched(folder) < oldest:
            shutil.rmtree(folder, ignore_errors=True)
        elif upload is not None:  # else it is just being created or removed
            found.append(upload)
    return sorted(found, key=lambda each: (each.begun_at, each.name))


def append(upload: StagedUpload, offset: int, body: IO[bytes] | Any) -> int:
    """Write the bytes of `body` after the first `offset` bytes, and return the new number of bytes.

    All of them or, if the connection ends, none. Raises `Conflict` if `offset` isn't the number of bytes that have
    arrived, or if there are more than announced; `UploadBusy`, `StorageFull`, `NotFound`.
    """
    with _opened_alone(upload) as content:
        arrived = content.seek(0, os.SEEK_END)
        if offset != arrived:
            count = counted(arrived, "byte")
            raise Conflict(f"{count} arrived so far, so no chunk can start at {offset}. Continue from {arrived}.")
        if is_short(min(upload.size - arrived, MOST_OF_A_CHUNK)):
            raise StorageFull
        try:
            with _room():
                _copy(body, content, upload.size - arrived)
        except BaseException:
            content.truncate(arrived)
            raise
        return content.tell()


def remove(upload: StagedUpload) -> None:
    """Remove the bytes of an upload."""
    shutil.rmtree(upload.content.parent, ignore_errors=True)


def _copy(body: Any, content: IO[bytes], room: int) -> None:
    while block := body.read(BLOCK_BYTES):
        room -= len(block)
        if room < 0:
            raise Conflict("The body has more bytes than announced. Start the upload again with the correct size.")
        content.write(block)
    content.flush()
    os.fsync(content.fileno())


@contextmanager
def _opened_alone(upload: StagedUpload) -> Iterator[IO[bytes]]:
    try:
        content = upload.content.open("r+b")
    except FileNotFoundError:
        raise NotFound from None
    with content:
        try:
            fcntl.flock(content, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UploadBusy from None
        yield content


@contextmanager
def _room() -> Iterator[None]:
    """Raise `StorageFull` if the disk is full."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise StorageFull from None
        raise


def _folder() -> Path:
    root: Path = settings.PUNCTUAL_DATA
    return root / str(current_organisation()) / FOLDER


def _read(folder: Path) -> StagedUpload | None:
    try:
        about = json.loads((folder / _ABOUT).read_text())
        begun = datetime.fromisoformat(about["begun_at"])
        upload = StagedUpload(UUID(folder.name), about["name"], about["size"], about["by"], begun)
    except (OSError, ValueError, KeyError):
        return None
    return upload if upload.content.exists() else None


def _is_staging(folder: Path) -> bool:
    """Return whether `begin` made the folder: its name is an id, and it contains only parts of an upload."""
    try:
        UUID(folder.name)
        return {each.name for each in folder.iterdir()} <= {_ABOUT, _CONTENT}
    except (OSError, ValueError):
        return False


def _touched(folder: Path) -> datetime:
    """Return when the last bytes arrived; without content, when its folder was made."""
    for path in (folder / _CONTENT, folder):
        with suppress(OSError):
            return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
    return timezone.now()
