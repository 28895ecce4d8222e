"""Uploads into the organisation's folder, and deletion of files."""

import io
import os
import re
import stat
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from streaming.adapters.contract import AdapterError
from streaming.adapters.places import DataFolder, why
from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from streaming.definition.plain_names import hidden_character
from webapp.accounts.limits.disk_room import check_disk_room, measure_again
from webapp.accounts.limits.quotas import check_room, used
from webapp.accounts.organisations import lock_organisation
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor, current_organisation
from webapp.core.errors import ApiError, Conflict, Faulty, NotFound, fault
from webapp.streams.adapters import adapter_root
from webapp.uploads.examining import examined
from webapp.uploads.modules import keep_module
from webapp.uploads.staging import BLOCK_BYTES, StagedUpload, begin, remove, uploads_under_way
from webapp.uploads.usage import NAME, KeptFile, is_listed, kept_files, readers, streams_by_place

MOST_UPLOADS: Final = 50
"""Uploads under way at the same time."""
LONGEST_NAME: Final = 180
_NAME: Final = re.compile(r"[^\x00-\x1f\x7f/\\]+")


class FileExists(ApiError):
    """A file of that name already exists."""

    status = 409
    code = "file_exists"


class FileRead(ApiError):
    """Streams read the file."""

    status = 409
    code = "in_use"


def begin_upload(*, name: str, size: int) -> StagedUpload:
    """Start an upload of `size` bytes. Raises `Faulty` for an invalid name, `OverQuota`, `Conflict`."""
    _check_name(name)
    if size <= 0:
        raise Faulty(
            [fault(FaultCode.BAD_SHAPE, f"{name} is empty.", "Upload a file with rows.", field="Upload-Length")]
        )
    with transaction.atomic():
        lock_organisation()
        if len(uploads_under_way()) >= MOST_UPLOADS:
            raise Conflict(f"{MOST_UPLOADS} uploads are under way. Finish or cancel some of them first.")
        check_room(NAME, used(NAME), size)
        check_disk_room(size)
        return begin(name=name, size=size, by=current_actor().label)


def finish_upload(*, upload: StagedUpload, replace: bool) -> KeptFile:
    """Make a file of a complete upload; with `replace` even if a file of its name exists.

    Raises `Conflict` while bytes are missing, `Faulty` for content that isn't a file of rows (the upload is then
    removed), `FileExists`, `TooMuchWork`, `Busy`.
    """
    if upload.offset < upload.size:
        raise Conflict(f"{upload.offset} of {counted(upload.size, 'byte')} have arrived. Send the rest first.")
    found = examined(str(upload.content), upload.name)
    if found.faults:
        remove(upload)
        raise Faulty(found.faults, f"{found.faults[0].message} {found.faults[0].remedy}")
    folder = DataFolder(adapter_root())
    with transaction.atomic():
        lock_organisation()
        place = _place(folder, found.name)
        before = folder.status(place)
        if before is not None and not replace:
            raise FileExists(f"A file {place} already exists. Replace it, or upload this one under another name.")
        action = "file.brought" if before is None else "file.replaced"
        after = {"size": upload.size}
        record(
            action, target=target_of(place), before=None if before is None else {"size": before.st_size}, after=after
        )
        try:
            if found.module is not None:
                keep_module(upload.content.read_bytes(), found.module)
            folder.adopt(upload.content, place)
        except FileNotFoundError:
            raise NotFound from None  # another request has finished it
        except OSError as error:
            raise Conflict(f"{place} cannot be written ({why(error)}). Upload it under another name.") from None
    remove(upload)
    return next(each for each in kept_files() if each.path == place)


def cancel_upload(*, upload: StagedUpload) -> None:
    """Remove the bytes of an upload."""
    with transaction.atomic():
        record("upload.cancelled", target=Target("upload", upload.id, upload.name), before={"size": upload.size})
        remove(upload)
    measure_again()


def delete_file(*, path: str, even_if_read: bool) -> None:
    """Delete a file. Raises `NotFound`, and `FileRead` if streams read it, unless `even_if_read`."""
    folder = DataFolder(adapter_root())
    try:
        place = folder.inside(path)
    except AdapterError:
        raise NotFound from None
    found = folder.status(place)
    if found is None or not stat.S_ISREG(found.st_mode):
        raise NotFound
    reading = sorted(each.name for each in readers(place, streams_by_place()))
    if reading and not even_if_read:
        raise FileRead(f"{place} is read by {', '.join(reading)}. Change these streams first, or delete it anyway.")
    with transaction.atomic():
        record("file.deleted", target=target_of(place), before={"size": found.st_size})
        try:
            folder.remove(place)
        except FileNotFoundError:
            raise NotFound from None
        except OSError as error:
            raise Conflict(f"{place} cannot be deleted ({why(error)}). Contact your administrator.") from None
    measure_again()


@dataclass(frozen=True)
class OpenedFile:
    """A file opened for a download: its `name` without folders, and its size when it was opened."""

    name: str
    size: int
    content: io.FileIO

    def pieces(self) -> Iterator[bytes]:
        """Yield `size` bytes; fewer if the file was shortened since, which breaks the transfer off."""
        left = self.size
        with self.content:
            while left and (piece := self.content.read(min(left, BLOCK_BYTES))):
                left -= len(piece)
                yield piece


def open_file(*, path: str) -> OpenedFile:
    """Open a listed file for a download. Raises `NotFound` if it is absent, not listed or not yours."""
    folder = DataFolder(adapter_root())
    try:
        place = folder.inside(path)
        content = folder.open(place) if is_listed(place) else None
    except (AdapterError, OSError):
        content = None
    if content is None:
        raise NotFound
    try:
        size = os.fstat(content.fileno()).st_size
        record("file.downloaded", target=target_of(place), after={"size": size})
    except BaseException:
        content.close()
        raise
    return OpenedFile(place.rpartition("/")[2], size, content)


def target_of(path: str) -> Target:
    """Return the file as the audit log names it: by the organisation and its path."""
    return Target("file", uuid.uuid5(current_organisation(), path), path)


def _place(folder: DataFolder, name: str) -> str:
    """Return the place of a file of that name. Raises `Faulty`."""
    try:
        place = folder.inside(name)
    except AdapterError as error:
        raise Faulty([fault(FaultCode.BAD_SHAPE, str(error), "Give it another name.", field="name")]) from None
    if os.sep in place or place == ".":
        message = f"{name!r} is a folder, or a link to another place, in the organisation's files."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Give it another name.", field="name")])
    return place


def _check_name(name: str) -> None:
    wrong = ""
    if not _NAME.fullmatch(name) or name.strip() != name:
        wrong = "contains slashes, control characters or spaces at its ends"
    elif (hidden := hidden_character(name)) is not None:
        wrong = f"has the character {hidden}, which is invisible or changes the direction of text"
    elif name.startswith((".", "_")) or name.lower().endswith((".tmp", ".part")):
        wrong = "starts with a dot or underscore, or ends in .tmp or .part: such names mark unfinished files"
    elif len(name.encode(errors="surrogatepass")) > LONGEST_NAME:
        wrong = f"is longer than {LONGEST_NAME} bytes"
    if wrong:
        message = f"The name {name[:80]!r} {wrong}."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Give the file another name.", field="name")])
