"""Backup and restore of an organisation's folder as one file, while no runner uses the folder.

The file is an archive (`streaming.storage.archive`) with the manifest `backup.json`.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from streaming.runtime.process.single import AnotherRunner, SingleRunner
from streaming.spark.query.layout import LAYOUT, LAYOUT_FILE, mark_examined
from streaming.storage.archive import (
    NO_BACKUP,
    ArchiveManifest,
    ArchiveWriter,
    BackupProgress,
    BackupRefused,
    Tell,
    open_to_write,
    unpacked,
)
from streaming.storage.result_location import noted_location
from streaming.wire.binding_homes import CARRIERS, pools_of
from streaming.wire.runner_record import RECORD

FORMAT: Final = 1
MANIFEST: Final = "backup.json"
_OF_THE_MACHINE: Final = frozenset({"runner.lock", RECORD})
RUNS: Final = "Its runner is alive. Stop the worker, then the runners (manage.py stoprunners), and try again."
IN_A_POOL: Final = (
    "{pools} has state of its bindings. Give the organisation a runner of its own, wait until it has moved, and try "
    "again."
)
ON_A_STORE: Final = (
    "Its results are at {at}, so a backup can't contain them together with the checkpoints. "
    "Use the versions of that store."
)
ANOTHERS: Final = "This is a backup of the organisation {found}, not of {wanted}. Nothing was changed."
ANOTHER_LAYOUT: Final = (
    "Its checkpoints were written by another version of Punctual (layout {found}, this one reads {known}). "
    "Restore it with that version. Nothing was changed."
)
FAILED: Final = "{path}: {why}. Nothing was changed."


class BackupManifest(ArchiveManifest):
    """The description of a backup of one organisation."""

    organisation: str
    taken_at: str
    layout: int


def take(folder: Path, file: Path, tell: Tell) -> None:
    """Write a backup of `folder` to `file`, which appears once it is complete. Raises `BackupRefused`.

    Rows and uploads that arrive during the backup may be missing.
    """
    require_here(folder)
    staged = file.with_name(f"{file.name}.part")
    done = BackupProgress("saved", tell)
    try:
        with held(folder), open_to_write(staged) as archive:
            writer = ArchiveWriter(archive, folder, done)
            digests = writer.add_content(_OF_THE_MACHINE)
            manifest = BackupManifest(
                format=FORMAT,
                organisation=folder.name,
                taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
                layout=LAYOUT,
                files=digests,
            )
            writer.add_manifest(MANIFEST, manifest)
        staged.replace(file)
    except OSError as error:
        raise BackupRefused(FAILED.format(path=error.filename or file, why=error.strerror or error)) from None
    tell(f"{done}: {file}, {file.stat().st_size / 1e6:,.1f} MB.")


def restore(folder: Path, file: Path, tell: Tell) -> Path | None:
    """Replace `folder` by the backup `file`; return the new place of the old content, None if there was no content.

    Raises `BackupRefused`, and then leaves `folder` unchanged.
    """
    require_here(folder)
    fresh = folder.with_name(f"{folder.name}.restoring")
    done = BackupProgress("restored", tell)
    with held(folder):
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            require_fitting(unpacked(file, fresh, done, MANIFEST, BackupManifest), folder, file)
            for layout in fresh.glob(f"{CARRIERS}/*/{LAYOUT_FILE}"):
                mark_examined(layout.parent)
            return _exchanged(folder, fresh, tell, done)
        except OSError as error:
            raise BackupRefused(FAILED.format(path=error.filename or fresh, why=error.strerror or error)) from None
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def require_here(folder: Path) -> None:
    """Raise `BackupRefused` if data of the organisation is elsewhere."""
    if pools := pools_of(folder):
        raise BackupRefused(IN_A_POOL.format(pools=", ".join(sorted(pools))))
    if (at := noted_location(folder)) is not None:
        raise BackupRefused(ON_A_STORE.format(at=at))


def require_fitting(manifest: BackupManifest, folder: Path, file: Path) -> None:
    """Raise `BackupRefused` for a backup of another organisation, or of another version of the program."""
    if manifest.format != FORMAT:
        raise BackupRefused(NO_BACKUP.format(file=file))
    if manifest.organisation != folder.name:
        raise BackupRefused(ANOTHERS.format(found=manifest.organisation, wanted=folder.name))
    if manifest.layout != LAYOUT:
        raise BackupRefused(ANOTHER_LAYOUT.format(found=manifest.layout, known=LAYOUT))


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the runner's lock of `folder`. Raises `BackupRefused`."""
    try:
        single = SingleRunner(folder)
    except AnotherRunner:
        raise BackupRefused(RUNS) from None
    try:
        single.end_predecessor()
        yield
    finally:
        single.release()


def _exchanged(folder: Path, fresh: Path, tell: Tell, done: BackupProgress) -> Path | None:
    has_content = any(path.name not in _OF_THE_MACHINE for path in folder.iterdir())
    aside = folder.with_name(f"{folder.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}")
    folder.rename(aside)
    try:
        fresh.rename(folder)
    except OSError:
        aside.rename(folder)
        raise
    tell(f"{done}.")
    if not has_content:
        shutil.rmtree(aside)
        return None
    tell(f"The previous content is in {aside}. Delete it when you don't need it any more.")
    return aside
