"""`punctual-serve backup FILE`: database, data folder, keys and pools of a live installation at one cut."""

import fcntl
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from deploy.backup.cloning import Clone, bytes_in, places_in
from deploy.backup.databases import SQLITE, DatabaseSnapshot, PostgresqlSnapshot, SqliteSnapshot, require_dumpable
from deploy.backup.holding import RunnerHosts, held
from deploy.backup.manifest import FORMAT, KEYS, MANIFEST, PLACES, InstallationManifest, fingerprint
from streaming.adapters.places import FILES
from streaming.definition.counts import counted
from streaming.spark.errors import DamagedCheckpoint
from streaming.spark.query.damage import require_whole
from streaming.spark.query.layout import LAYOUT, SETTINGS_FILE, is_aside
from streaming.storage.archive import ArchiveWriter, BackupProgress, BackupRefused, Tell, open_to_write
from streaming.storage.blobs import LocalFolder
from streaming.storage.result_location import noted_location
from streaming.wire.binding_homes import CARRIERS
from streaming.wire.message import RELEASE

STAGED: Final = ".backup"
LOCK: Final = "backup.lock"
_KEPT: Final = ("demo_password",)
EXISTS: Final = "{file} exists. Name another file, or delete it."
TWO: Final = "Another backup of this installation is being taken. Wait until it has ended."
NO_ROOM: Final = (
    "{folder} has {free:,.0f} MB free, and the backup may need {needed:,.0f} MB. Make room, then try again."
)
ON_STORES: Final = (
    "Results of {count} are on an object store and not in this backup: {at}. Keep the versions of its objects from "
    "{taken_at} on: a restore needs the results as they were then."
)
WITHOUT_KEYS: Final = "The keys are not in this backup. Keep them elsewhere: without them all secrets are lost."
FAILED: Final = "{path}: {why}. Nothing was saved, and all runs continue."


@dataclass(frozen=True)
class Installation:
    """The source of a backup. `database_url` is empty for the SQLite database in `data`."""

    data: Path
    database_url: str
    secret_key: str
    secrets_keys: Sequence[str]
    hosts: RunnerHosts


def take(of: Installation, file: Path, *, with_keys: bool, wait_s: float, tell: Tell) -> None:
    """Write a backup of the live installation `of` to `file`, which appears once it is complete.

    Raises `BackupRefused`; then nothing was saved, and all runs continue.
    """
    if file.exists():
        raise BackupRefused(EXISTS.format(file=file))
    written = file.with_name(f"{file.name}.part")
    try:
        with _alone(of.data) as stage:
            _require_room(of, file.parent)
            manifest = _cut(of, stage, wait_s, tell)
            if with_keys:
                _write_keys(of, stage)
            _archive(stage, written, manifest, tell)
            written.replace(file)
            _sync(file.parent)
    except (OSError, sqlite3.Error) as error:
        path = getattr(error, "filename", None) or file
        raise BackupRefused(FAILED.format(path=path, why=getattr(error, "strerror", None) or error)) from None
    tell(f"The backup is complete: {file}, {file.stat().st_size / 1e6:,.1f} MB.")
    if not with_keys:
        tell(WITHOUT_KEYS)
    if manifest.stores:
        at = ", ".join(sorted(set(manifest.stores.values())))
        tell(ON_STORES.format(count=counted(len(manifest.stores), "organisation"), at=at, taken_at=manifest.taken_at))


@contextmanager
def _alone(data: Path) -> Iterator[Path]:
    """Yield an empty folder on the disk of `data`, which only this backup uses; delete it at the end.

    Remains of a backup that was killed are deleted first. Raises `BackupRefused`, `OSError`.
    """
    with (data / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupRefused(TWO) from None
        stage = data / STAGED
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(mode=0o700)
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def _require_room(of: Installation, target: Path) -> None:
    """Raise `BackupRefused` if the archive, at worst as large as its content, doesn't fit."""
    sqlite = of.data / SQLITE
    database = require_dumpable(of.database_url) if of.database_url else sqlite.stat().st_size
    copied = database + sum(size for place in places_in(of.data) for size in bytes_in(place / FILES))
    needed = database + sum(size for place in places_in(of.data) for size in bytes_in(place))
    free = shutil.disk_usage(target).free
    if free < needed:
        raise BackupRefused(NO_ROOM.format(folder=target, free=free / 1e6, needed=needed / 1e6))
    if (free := shutil.disk_usage(of.data).free) < copied:
        raise BackupRefused(NO_ROOM.format(folder=of.data, free=free / 1e6, needed=copied / 1e6))


def _cut(of: Installation, stage: Path, wait_s: float, tell: Tell) -> InstallationManifest:
    """Fill `stage` with the installation at one cut. Raises `BackupRefused`, `OSError`, `sqlite3.Error`."""
    (stage / PLACES).mkdir(mode=0o700)
    places, clone = places_in(of.data), Clone(stage / PLACES)
    database: DatabaseSnapshot | None = None
    asked = time.monotonic()
    try:
        with held(of.data, places, of.hosts, wait_s) as holding:
            still = time.monotonic()
            database = PostgresqlSnapshot(of.database_url) if of.database_url else SqliteSnapshot(of.data / SQLITE)
            taken_at = datetime.now(UTC).isoformat(timespec="seconds")
            for place in places:
                clone.add(place)
            holding.require()
        ended = time.monotonic()
        tell(f"Runs paused for {ended - asked:.1f} s: {still - asked:.1f} s to end batches, the rest to clone.")
        manifest = _described(of, database.migrations(), taken_at)
        database.dump(stage)
        clone.finish()
    finally:
        clone.close()
        if database is not None:
            database.close()
    _require_consistent(stage / PLACES)
    clone.require_unchanged()
    for name in _KEPT:
        if (of.data / name).exists():
            shutil.copy2(of.data / name, stage / name)
    return manifest


def _described(of: Installation, migrations: list[str], taken_at: str) -> InstallationManifest:
    located = {place.name: noted_location(place) for place in places_in(of.data)}
    return InstallationManifest(
        format=FORMAT,
        files={},
        taken_at=taken_at,
        release=RELEASE,
        layout=LAYOUT,
        migrations=migrations,
        secret_key=fingerprint(of.secret_key),
        secrets_keys=[fingerprint(key) for key in of.secrets_keys],
        stores={name: at for name, at in located.items() if at is not None},
    )


def _require_consistent(places: Path) -> None:
    """Raise `BackupRefused` if files of a carrier don't fit together. A query that died leaves a batch in flight."""
    for settings in places.glob(f"*/{CARRIERS}/*/{SETTINGS_FILE}"):
        carrier = settings.parent
        if is_aside(carrier.name):
            continue
        try:
            require_whole(LocalFolder(carrier), carrier / "spark")
        except DamagedCheckpoint as damage:
            raise BackupRefused(f"{carrier.relative_to(places)}: {damage}") from None


def _write_keys(of: Installation, stage: Path) -> None:
    file = stage / KEYS
    file.touch(mode=0o600)
    file.write_text(json.dumps({"secret_key": of.secret_key, "secrets_keys": list(of.secrets_keys)}))


def _archive(stage: Path, file: Path, manifest: InstallationManifest, tell: Tell) -> None:
    done = BackupProgress("saved", tell)
    file.unlink(missing_ok=True)
    with open_to_write(file) as archive:
        writer = ArchiveWriter(archive, stage, done)
        digests = writer.add_content()
        writer.add_manifest(MANIFEST, manifest.model_copy(update={"files": digests}))
    tell(f"{done}.")


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
