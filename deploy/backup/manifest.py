"""The description of an installation's backup, and what of it a restore requires."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import webapp
from streaming.spark.query.layout import LAYOUT
from streaming.storage.archive import NO_BACKUP, ArchiveManifest, BackupRefused

MANIFEST: Final = "installation.json"
FORMAT: Final = 1
KEYS: Final = "keys.json"
PLACES: Final = "places"
"""The folder of organisations and pools in an archive."""
ANOTHER_LAYOUT: Final = (
    "This backup was taken by release {release}, whose checkpoints have another layout ({found}; release {ours} reads "
    "{known}). Restore it with release {release}, then update. Nothing was changed."
)
NEWER: Final = (
    "This backup was taken by the newer release {release}: its database has the migration {migration}, which this "
    "release doesn't know. Restore it with release {release}. Nothing was changed."
)


class InstallationManifest(ArchiveManifest):
    """The description of a backup of a whole installation.

    `migrations` are those of its database, as `app.name`. `secret_key` and `secrets_keys` are fingerprints. `stores`:
    by organisation, the location of results on an object store, which are not in the archive.
    """

    taken_at: str
    release: str
    layout: int
    migrations: list[str]
    secret_key: str
    secrets_keys: list[str]
    stores: dict[str, str]


def fingerprint(key: str) -> str:
    """Return a text that identifies a key and reveals nothing of it."""
    return sha256(f"punctual/backup/{key}".encode()).hexdigest()[:16]


def require_readable(manifest: InstallationManifest, file: Path, ours: str) -> None:
    """Raise `BackupRefused` for a backup that release `ours` can't read."""
    if manifest.format != FORMAT:
        raise BackupRefused(NO_BACKUP.format(file=file))
    if manifest.layout != LAYOUT:
        raise BackupRefused(
            ANOTHER_LAYOUT.format(release=manifest.release, found=manifest.layout, ours=ours, known=LAYOUT)
        )
    unknown = sorted(set(_of_ours(manifest.migrations)) - known_migrations())
    if unknown:
        raise BackupRefused(NEWER.format(release=manifest.release, migration=unknown[-1]))


def known_migrations() -> set[str]:
    """Return the migrations of this release's own apps, as `app.name`."""
    files = Path(str(webapp.__file__)).parent.glob("*/migrations/[0-9]*.py")
    return {f"{file.parent.parent.name}.{file.stem}" for file in files}


def pending_migrations(manifest: InstallationManifest) -> int:
    """Return how many migrations of this release the backup's database lacks."""
    return len(known_migrations() - set(manifest.migrations))


def _of_ours(migrations: Sequence[str]) -> list[str]:
    apps = {each.partition(".")[0] for each in known_migrations()}
    return [each for each in migrations if each.partition(".")[0] in apps]
