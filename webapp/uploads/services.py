"""Bringing files into the organisation's folder, and taking them away."""

import os
import re
import stat
import uuid
from typing import Final

from django.db import transaction

from streaming.adapters.contract import AdapterError
from streaming.adapters.places import DataFolder, why
from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from webapp.accounts.organisations import lock_organisation
from webapp.accounts.quotas import check_room, used
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor, current_organisation
from webapp.core.errors import ApiError, Conflict, Faulty, NotFound, fault
from webapp.streams.adapters import adapter_root
from webapp.uploads.examining import examined
from webapp.uploads.staging import StagedUpload, begin, remove, uploads_under_way
from webapp.uploads.usage import NAME, KeptFile, kept_files, readers, streams_by_place

MOST_UPLOADS: Final = 50
"""Under way at the same time."""
LONGEST_NAME: Final = 180
_NAME: Final = re.compile(r"[^\x00-\x1f\x7f/\\]+")


class FileExists(ApiError):
    """A file of that name is there already."""

    status = 409
    code = "file_exists"


class FileRead(ApiError):
    """Streams read the file."""

    status = 409
    code = "in_use"


def begin_upload(*, name: str, size: int) -> StagedUpload:
    """Begin to bring a file of `size` bytes. Raises `Faulty` for a name that cannot be one, `OverQuota`, `Conflict`."""
    _check_name(name)
    if size <= 0:
        raise Faulty(
            [fault(FaultCode.BAD_SHAPE, f"{name} is empty.", "Bring a file with rows.", field="Upload-Length")]
        )
    with transaction.atomic():
        lock_organisation()
        if len(uploads_under_way()) >= MOST_UPLOADS:
            raise Conflict(f"{MOST_UPLOADS} uploads are under way. Finish or cancel some of them first.")
        check_room(NAME, used(NAME), size)
        return begin(name=name, size=size, by=current_actor().label)


def finish_upload(*, upload: StagedUpload, replace: bool) -> KeptFile:
    """Make a file of an upload all of whose bytes have arrived; with `replace` also where one of its name is.

    Raises `Conflict` while bytes are missing, `Faulty` for what is no file of rows (the upload is removed then),
    `FileExists`, `TooMuchWork`, `Busy`.
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
            raise FileExists(f"There is a file {place} already. Replace it, or bring this one under another name.")
        action = "file.brought" if before is None else "file.replaced"
        told = {"size": upload.size}
        record(action, target=target_of(place), before=None if before is None else {"size": before.st_size}, after=told)
        try:
            folder.adopt(upload.content, place)
        except FileNotFoundError:
            raise NotFound from None  # another request has finished it
        except OSError as error:
            raise Conflict(f"{place} cannot be written ({why(error)}). Bring it under another name.") from None
    remove(upload)
    return next(each for each in kept_files() if each.path == place)


def cancel_upload(*, upload: StagedUpload) -> None:
    """Remove what has arrived of an upload."""
    with transaction.atomic():
        record("upload.cancelled", target=Target("upload", upload.id, upload.name), before={"size": upload.size})
        remove(upload)


def delete_file(*, path: str, even_if_read: bool) -> None:
    """Delete a file. Raises `NotFound`, and `FileRead` where streams read it, unless `even_if_read`."""
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
        raise FileRead(
            f"{place} is read by {', '.join(reading)}. Change these streams first, or delete it all the same."
        )
    with transaction.atomic():
        record("file.deleted", target=target_of(place), before={"size": found.st_size})
        try:
            folder.remove(place)
        except FileNotFoundError:
            raise NotFound from None
        except OSError as error:
            raise Conflict(f"{place} cannot be deleted ({why(error)}). Tell whoever runs this installation.") from None


def target_of(path: str) -> Target:
    """Return the file as the audit log names it: by the organisation and its path."""
    return Target("file", uuid.uuid5(current_organisation(), path), path)


def _place(folder: DataFolder, name: str) -> str:
    """Where a file of that name lies. Raises `Faulty`."""
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
        wrong = "holds slashes, control characters or spaces at its ends"
    elif name.startswith((".", "_")) or name.lower().endswith((".tmp", ".part")):
        wrong = "begins with a dot or underscore, or ends in .tmp or .part: such files are taken for unfinished ones"
    elif len(name.encode(errors="surrogatepass")) > LONGEST_NAME:
        wrong = f"is longer than {LONGEST_NAME} bytes"
    if wrong:
        message = f"The name {name[:80]!r} {wrong}."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Give the file another name.", field="name")])
