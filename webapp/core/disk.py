"""Room on the disk of the installation: a reserve is kept free for the platform, so that a full disk stops only writes.

Code that stores data of an organisation checks first. Below the reserve it is refused with 507, while sign-in, reads,
the audit log and deletions still have room. Runs are then parked (`webapp/runs/turns`).
"""

import os
from pathlib import Path
from typing import Final

import redis
from django.conf import settings
from django.db import Error

from streaming.storage.disk import FULL

RESUMES_ABOVE: Final = 1.1
"""Stopped writes resume once this many times the reserve is free, so that they don't stop again at once."""
NO_ROOM: Final = (
    "The disk of this installation is full, so nothing can be stored now. This request stored nothing. Delete files, "
    "results or quarantine, or contact your administrator. Then try again."
)
_OF_DATABASES: Final = ("database or disk is full", "No space left on device")
_OF_SQLITE: Final = "disk I/O error"
_OF_REDIS: Final = "MISCONF"


def data_folder() -> Path:
    """Return the folder of the installation's data, or its nearest parent that exists."""
    folder: Path = settings.PUNCTUAL_DATA
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def free_bytes() -> int:
    """Return how many bytes may still be written to the disk of the data."""
    found = os.statvfs(data_folder())
    return found.f_bavail * found.f_frsize


def is_short(more: int = 0) -> bool:
    """Return whether `more` bytes would be taken from the reserve."""
    return free_bytes() - more < settings.DISK_RESERVE_BYTES


def has_room_again() -> bool:
    """Return whether work that was stopped for lack of room may resume."""
    return free_bytes() >= settings.DISK_RESERVE_BYTES * RESUMES_ABOVE


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether `error` is a write without room on the disk: of a file, the database or Redis."""
    if isinstance(error, OSError):
        return error.errno in FULL
    if isinstance(error, Error):
        words = str(error)
        return any(each in words for each in _OF_DATABASES) or (_OF_SQLITE in words and is_short())
    return isinstance(error, redis.exceptions.ResponseError) and _OF_REDIS in str(error)


def folder_bytes(folder: Path) -> int:
    """Return the disk usage of all files below `folder`; links are not followed."""
    total, waiting = 0, [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                        continue
                    found = entry.stat(follow_symlinks=False)
                    total += max(found.st_size, found.st_blocks * 512)
        except FileNotFoundError:  # deleted while it is measured
            continue
    return total
