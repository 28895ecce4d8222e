"""Uploads under way: their bytes on disk beside `files/`, so that they outlast a closed tab and a killed server.

How much has arrived is the size of the file, and nothing else: a chunk that was cut off left nothing behind.
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
from webapp.core.errors import ApiError, Conflict, NotFound

FOLDER: Final = "uploads"
"""In the organisation's folder, beside `files/`: no adapter reaches it."""
KEPT_DAYS: Final = 3
"""So long an upload waits for more of its bytes."""
BLOCK_BYTES: Final = 256 * 1024
_ABOUT: Final = "about.json"
_CONTENT: Final = "content"


class StorageFull(ApiError):
    """The disk has no room."""

    status = 507
    code = "storage_full"

    def __init__(self) -> None:
        super().__init__("There is no room on the disk of this installation. Tell whoever runs it, then go on.")


class UploadBusy(ApiError):
    """Another request writes to the same upload."""

    status = 423
    code = "upload_busy"

    def __init__(self) -> None:
        super().__init__("Another request is writing to this upload. Wait a moment and ask how much has arrived.")


@dataclass(frozen=True)
class StagedUpload:
    """An upload of `size` bytes that is to become the file `name`; `by` is who began it."""

    id: UUID
    name: str
    size: int
    by: str
    begun_at: datetime

    @property
    def content(self) -> Path:
        """The file with the bytes that have arrived."""
        return _folder() / str(self.id) / _CONTENT

    @property
    def offset(self) -> int:
        """How many bytes have arrived. Raises `NotFound` when it is gone."""
        try:
            return self.content.stat().st_size
        except FileNotFoundError:
            raise NotFound from None


def begin(*, name: str, size: int, by: str) -> StagedUpload:
    """Begin an upload; the caller holds the lock of the organisation and has asked for room."""
    upload = StagedUpload(uuid.uuid4(), name, size, by, timezone.now())
    folder = upload.content.parent
    with _room():
        folder.mkdir(parents=True)
        about = {"name": name, "size": size, "by": by, "begun_at": upload.begun_at.isoformat()}
        (folder / _ABOUT).write_text(json.dumps(about))
        upload.content.touch()  # last: what has no content is no upload
    return upload


def access_upload(upload: UUID) -> StagedUpload:
    """Return an upload of the organisation. Raises `NotFound` if absent or not yours."""
    found = _read(_folder() / str(upload))
    if found is None:
        raise NotFound
    return found


def uploads_under_way() -> list[StagedUpload]:
    """Return the uploads of the organisation, the oldest first; those that waited too long are removed."""
    oldest = timezone.now() - timedelta(days=KEPT_DAYS)
    found: list[StagedUpload] = []
    for folder in _folder().iterdir() if _folder().exists() else ():
        upload = _read(folder)
        if _touched(folder) < oldest:
            shutil.rmtree(folder, ignore_errors=True)
        elif upload is not None:  # else it is begun, or removed, at this moment
            found.append(upload)
    return sorted(found, key=lambda each: (each.begun_at, each.name))


def append(upload: StagedUpload, offset: int, body: IO[bytes] | Any) -> int:
    """Write what `body` holds behind the first `offset` bytes, and return how many there are then.

    All of it or, where it breaks off, nothing more than before. Raises `Conflict` when `offset` is not how much has
    arrived, or when there is more than was announced; `UploadBusy`, `StorageFull`, `NotFound`.
    """
    with _opened_alone(upload) as content:
        arrived = content.seek(0, os.SEEK_END)
        if offset != arrived:
            told = counted(arrived, "byte")
            raise Conflict(f"{told} arrived so far, so that nothing can begin at {offset}. Go on from {arrived}.")
        try:
            with _room():
                _copy(body, content, upload.size - arrived)
        except BaseException:
            content.truncate(arrived)
            raise
        return content.tell()


def remove(upload: StagedUpload) -> None:
    """Remove what has arrived of an upload."""
    shutil.rmtree(upload.content.parent, ignore_errors=True)


def _copy(body: Any, content: IO[bytes], room: int) -> None:
    while block := body.read(BLOCK_BYTES):
        room -= len(block)
        if room < 0:
            raise Conflict("More bytes come than were announced. Begin the upload again with its true size.")
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
    """Say that the disk is full where it is."""
    try:
        yield
    except OSError as error:
        if error.errno in (28, 122):  # no space left, or none of this user's
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


def _touched(folder: Path) -> datetime:
    """When the last bytes came; of one without content when its folder was made."""
    for path in (folder / _CONTENT, folder):
        with suppress(OSError):
            return datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
    return timezone.now()
