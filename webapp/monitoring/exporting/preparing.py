"""Prepares an export as a whole file before its first byte is sent, within the storage of the organisation.

A file that is sent while it is written would be torn whenever a part is damaged, deleted or merged at that moment, or a
limit is reached, and a torn CSV looks whole. A whole file also frees the limited process before the first byte is
sent, however slowly its reader reads, and has a length that the reader can check.
"""

import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from django.conf import settings

from streaming.definition.faults import FaultCode
from streaming.storage.blobs import LocalFolder
from streaming.storage.newest_copied import copy_newest
from streaming.storage.result_columns import COLUMNS
from webapp.accounts.limits.disk_room import NAME, check_disk_room, measure_again
from webapp.accounts.limits.quotas import limit, used
from webapp.core.context import current_actor, current_organisation
from webapp.core.disk import folder_bytes, free_bytes
from webapp.core.errors import ApiError, Faulty, fault
from webapp.core.limited.fair import Claim, FairPlaces, Share
from webapp.monitoring.exporting.job import FILE, LIMITS, ExportOutcome, ExportWork, write_export
from webapp.runs.kept_folders import own_folder, rows_folder
from webapp.runs.models import Binding

FOLDER: Final = ".exports"
"""In the organisation's folder, next to `files/`."""
LEFT_OVER_S: Final = LIMITS.wall_s + 3_600
"""The age of files that a killed server has left behind."""
BUSY: Final = (
    "Too many exports are prepared or downloaded at this moment, by you or in this organisation. Wait until one is "
    "complete, then request this one again."
)
EXPORTS: Final = FairPlaces(Share(places=12, reserved=3, organisation=4, person=2, waiting=4, waits_s=0.0), BUSY)
"""Exports from their request until their last byte is sent: two of a person, four of an organisation."""
COMPUTED: Final = FairPlaces(Share(places=3, reserved=1, organisation=2, person=2, waiting=4, waits_s=3.0), BUSY)
"""Exports that are being written, so that half of the limited processes stay free for requests that people wait for."""


class ExportFailed(ApiError):
    """The stored rows cannot be written as the requested file."""

    status = 409
    code = "export_failed"


@dataclass(frozen=True)
class PreparedExport:
    """A whole file at `path`; `leave` deletes it and frees its place, once it is sent."""

    path: Path
    outcome: ExportOutcome
    claim: Claim

    def leave(self) -> None:
        """Delete the file and free the place."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
        EXPORTS.leave(self.claim)


def prepare_export(binding: Binding, work: ExportWork) -> PreparedExport:
    """Write the export `work` of the results of `binding`; its folders and its room are set here.

    Raises `Busy`, `TooMuchWork`, `Faulty`, `ExportFailed`, `OverQuota`, `StorageFull`, `OSError`.
    """
    claim = Claim(current_organisation(), current_actor().id)
    EXPORTS.enter(claim)
    try:
        prepared = PreparedExport(_scratch() / FILE, ExportOutcome(), claim)
        try:
            return replace(prepared, outcome=_computed(binding, work, prepared.path.parent, claim))
        except BaseException:
            shutil.rmtree(prepared.path.parent, ignore_errors=True)
            raise
        finally:
            measure_again()
    except BaseException:
        EXPORTS.leave(claim)
        raise


def _computed(binding: Binding, work: ExportWork, scratch: Path, claim: Claim) -> ExportOutcome:
    check_disk_room(1)
    room = room_left()
    with COMPUTED.place(claim), local_rows(binding, room) as rows:
        mine = replace(work, folder=rows.folder, scratch=str(scratch), most_bytes=room - rows.copied_bytes)
        outcome = write_export(mine)
    if outcome.problem is None:
        return outcome
    if outcome.field is not None:
        raise Faulty([fault(FaultCode.BAD_SHAPE, outcome.problem, outcome.remedy, field=outcome.field)])
    raise ExportFailed(f"{outcome.problem} {outcome.remedy}")


def room_left() -> int:
    """Return the bytes that the organisation may still store."""
    return min(limit(NAME) - used(NAME), free_bytes() - settings.DISK_RESERVE_BYTES)


@dataclass(frozen=True)
class LocalRows:
    """A folder of results on this machine; `copied_bytes` of it are a copy for one request."""

    folder: str
    copied_bytes: int = 0


@contextmanager
def local_rows(binding: Binding, room: int) -> Iterator[LocalRows]:
    """Provide the folder of the results on this machine; from an object store, copy all of them first."""
    rows = rows_folder(binding.pk)
    if isinstance(rows, LocalFolder):
        yield LocalRows(str(rows.path))
        return
    copied = _scratch()
    try:
        if copy_newest(rows, "results", copied, most_bytes=room, most_commits=None) >= 0:
            raise ExportFailed(
                "The results are on an object store, and the organisation has too little storage left for the copy "
                "that this needs. Delete files, results or quarantine first."
            )
        for name in rows.names(COLUMNS):
            content = rows.read(f"{COLUMNS}/{name}")
            if content is not None:
                LocalFolder(copied).write(f"{COLUMNS}/{name}", content)
        yield LocalRows(str(copied), folder_bytes(copied))
    finally:
        shutil.rmtree(copied, ignore_errors=True)


@contextmanager
def rows_to_read(binding: Binding) -> Iterator[LocalRows]:
    """Provide the folder of the results on this machine; a copy counts as an export that is being written.

    Raises `Busy`, `ExportFailed`, `OverQuota`, `StorageFull`, `OSError`.
    """
    with ExitStack() as held:
        if not isinstance(rows_folder(binding.pk), LocalFolder):
            check_disk_room(1)
            held.enter_context(COMPUTED.place(Claim(current_organisation(), current_actor().id)))
            held.callback(measure_again)
        yield held.enter_context(local_rows(binding, room_left()))


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide an empty folder of the organisation for temporary files. Raises `OSError`."""
    made = _scratch()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _scratch() -> Path:
    """Return a new, empty folder, after deleting those that a killed server has left behind."""
    every = own_folder() / FOLDER
    every.mkdir(parents=True, exist_ok=True)
    for each in every.iterdir():
        with suppress(FileNotFoundError):  # its own request has just deleted it
            if time.time() - each.stat().st_mtime > LEFT_OVER_S:
                shutil.rmtree(each, ignore_errors=True)
    made = every / str(uuid.uuid4())
    made.mkdir()
    return made
