"""`punctual-serve restore FILE`: an installation from its backup, in another folder, database and Redis."""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from deploy.backup.databases import DUMP, FORMS, OTHER_SYSTEM, SQLITE, fill, require_empty
from deploy.backup.holding import RunnerHosts
from deploy.backup.manifest import (
    KEYS,
    MANIFEST,
    PLACES,
    InstallationManifest,
    fingerprint,
    pending_migrations,
    require_readable,
)
from streaming.definition.counts import counted
from streaming.spark.query.layout import LAYOUT_FILE, mark_examined
from streaming.storage.archive import NO_BACKUP, BackupProgress, BackupRefused, Tell, unpacked
from streaming.storage.deliveries_paused import pause_deliveries
from streaming.wire.binding_homes import CARRIERS
from streaming.wire.message import RELEASE

STAGED: Final = ".restoring"
SECRET_KEY: Final = "secret_key"  # nosec B105 # the name of a file
SECRETS_KEYS: Final = "secrets_keys"
NOT_EMPTY: Final = (
    "{folder} isn't empty ({found}). Name an empty or absent folder as PUNCTUAL_DATA. Nothing was changed."
)
TWO: Final = "Another restore into {folder} is running. Wait until it has ended. Nothing was changed."
OTHER_KEYS: Final = (
    "{name} has other keys than the installation of the backup (fingerprint {missing}). Set it to the keys of that "
    "installation, or unset it to use those of the backup. Nothing was changed."
)
NO_KEYS: Final = (
    "This backup has no keys. Set {name} to those of its installation (fingerprint {missing}). Nothing was changed."
)
OTHERS_REDIS: Final = (
    "REDIS_URL is the Redis of a live installation with these organisations (a runner on {host}). Set it to another "
    "one. Nothing was changed."
)
ON_STORES: Final = (
    "Results of {count} are on an object store: {at}. First restore its objects as they were at {taken_at}, and "
    "make sure that the original installation doesn't write there any more. Then add --results-restored. Nothing was "
    "changed."
)
FAILED: Final = "{path}: {why}. Nothing was changed."
DELIVERIES: Final = (
    "Deliveries to outputs are paused, because the original installation may still deliver the same rows. Once it has "
    "ended, run punctual-serve manage resumedeliveries."
)
KEYS_WRITTEN: Final = (
    "The keys are in {folder}/{secret} and {folder}/{secrets}. Set PUNCTUAL_SECRET_KEY_FILE and "
    "PUNCTUAL_SECRETS_KEYS_FILE to these files."
)
PENDING: Final = "{count} of this release {verb} pending. Run punctual-serve migrate before any other process starts."
ROLES: Final = "Run punctual-serve manage databaseroles, which gives the application's role its rights."
ALIVE: Final = (
    "Desired states of runs are as they were: runs resume when the worker starts. Inputs that only one reader may have "
    "(replication slots, client names) would be taken from the original: end it first, or stop those bindings."
)


@dataclass(frozen=True)
class RestoreTarget:
    """The place of a restored installation: variables of the environment, empty where they aren't set."""

    data: Path
    database_url: str
    secret_key: str
    secrets_keys: Sequence[str]
    hosts: RunnerHosts


def restore(to: RestoreTarget, file: Path, *, resume: bool, results_restored: bool, tell: Tell) -> None:
    """Restore the backup `file`. Raises `BackupRefused`; then nothing was changed."""
    made = not to.data.exists()
    done = BackupProgress("restored", tell)
    with _alone(to.data):
        manifest = _restored(to, file, done, resume=resume, results_restored=results_restored, made=made)
    tell(f"{done}: the installation as of {manifest.taken_at}.")
    for line in _next_steps(to, manifest, resume=resume):
        tell(line)


@contextmanager
def _alone(data: Path) -> Iterator[None]:
    """Hold the folder against a second restore: each empties it when it fails. Raises `BackupRefused`."""
    try:
        data.mkdir(parents=True, mode=0o700, exist_ok=True)
        folder = os.open(data, os.O_RDONLY)
    except OSError as error:
        raise BackupRefused(FAILED.format(path=data, why=error.strerror or error)) from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BackupRefused(TWO.format(folder=data)) from None
    finally:
        os.close(folder)


def _restored(
    to: RestoreTarget, file: Path, done: BackupProgress, *, resume: bool, results_restored: bool, made: bool
) -> InstallationManifest:
    """Restore everything, or empty the folder again."""
    found = sorted(path.name for path in to.data.iterdir() if path.name != STAGED)
    if found:
        raise BackupRefused(NOT_EMPTY.format(folder=to.data, found=found[0]))
    stage = to.data / STAGED
    try:
        if to.database_url:
            require_empty(to.database_url)
        shutil.rmtree(stage, ignore_errors=True)
        manifest = unpacked(file, stage, done, MANIFEST, InstallationManifest)
        require_readable(manifest, file, RELEASE)
        _require_system(to, stage)
        _require_keys(to, stage, manifest)
        if live := to.hosts([place.name for place in (stage / PLACES).iterdir()]):
            raise BackupRefused(OTHERS_REDIS.format(host=sorted(live.values())[0]))
        _require_stores(manifest, results_restored=results_restored)
        _settle(to, stage, resume=resume)
    except BaseException as error:
        _undo(to.data, made=made)
        if isinstance(error, OSError):
            path, why = error.filename or stage, error.strerror or error
            raise BackupRefused(FAILED.format(path=path, why=why)) from None
        raise
    return manifest


def _require_system(to: RestoreTarget, stage: Path) -> None:
    there = next((name for name in FORMS if (stage / name).exists()), None)
    wanted = DUMP if to.database_url else SQLITE
    if there is None:
        raise BackupRefused(NO_BACKUP.format(file=stage))
    if there != wanted:
        remedy = "Unset DATABASE_URL." if there == SQLITE else "Set DATABASE_URL to an empty database."
        raise BackupRefused(OTHER_SYSTEM.format(found=FORMS[there], wanted=FORMS[wanted], remedy=remedy))


def _require_keys(to: RestoreTarget, stage: Path, manifest: InstallationManifest) -> None:
    """Raise `BackupRefused` if secrets or sessions of the backup couldn't be read with the keys that are set."""
    has_keys = (stage / KEYS).exists()
    for name, needed, given in (
        ("PUNCTUAL_SECRETS_KEYS", manifest.secrets_keys, to.secrets_keys),
        ("PUNCTUAL_SECRET_KEY", [manifest.secret_key], [to.secret_key] if to.secret_key else []),
    ):
        missing = sorted(set(needed) - {fingerprint(key) for key in given})
        if missing and (given or not has_keys):
            raise BackupRefused((OTHER_KEYS if given else NO_KEYS).format(name=name, missing=", ".join(missing)))


def _require_stores(manifest: InstallationManifest, *, results_restored: bool) -> None:
    if manifest.stores and not results_restored:
        at = ", ".join(sorted(set(manifest.stores.values())))
        count = counted(len(manifest.stores), "organisation")
        raise BackupRefused(ON_STORES.format(count=count, at=at, taken_at=manifest.taken_at))


def _settle(to: RestoreTarget, stage: Path, *, resume: bool) -> None:
    """Move everything to its place; the database is last, in one transaction. Raises `BackupRefused`, `OSError`."""
    if not resume:
        pause_deliveries(to.data)
    keys = _keys_in(stage)
    for name, given in ((SECRET_KEY, to.secret_key), (SECRETS_KEYS, to.secrets_keys)):
        if name in keys and not given:
            value = keys[name]
            (to.data / name).touch(mode=0o600)
            (to.data / name).write_text(value if isinstance(value, str) else ",".join(value))
    (stage / KEYS).unlink(missing_ok=True)
    for place in sorted((stage / PLACES).iterdir()):
        place.rename(to.data / place.name)
    for layout in to.data.glob(f"*/{CARRIERS}/*/{LAYOUT_FILE}"):
        mark_examined(layout.parent)
    (stage / PLACES).rmdir()
    for path in stage.iterdir():
        if path.name != DUMP:
            path.rename(to.data / path.name)
    if to.database_url:
        fill(to.database_url, stage / DUMP)
    shutil.rmtree(stage)


def _keys_in(stage: Path) -> dict[str, Any]:
    with suppress(FileNotFoundError):
        content: dict[str, Any] = json.loads((stage / KEYS).read_text())
        return content
    return {}


def _undo(data: Path, *, made: bool) -> None:
    """Empty the folder, which was empty before."""
    for path in data.iterdir() if data.exists() else ():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if made:
        with suppress(OSError):
            data.rmdir()


def _next_steps(to: RestoreTarget, manifest: InstallationManifest, *, resume: bool) -> list[str]:
    steps = []
    if not to.secrets_keys:
        steps.append(KEYS_WRITTEN.format(folder=to.data, secret=SECRET_KEY, secrets=SECRETS_KEYS))
    if pending := pending_migrations(manifest):
        verb = "is" if pending == 1 else "are"
        steps.append(PENDING.format(count=counted(pending, "migration"), verb=verb))
    if to.database_url:
        steps.append(ROLES)
    return [*steps, *([] if resume else [DELIVERIES]), ALIVE]
