"""Storage of an organisation: one quota for all of it, and the reserve of the disk, checked before each write.

Everything in the organisation's folder counts: inboxes, uploads, files, results, quarantine, checkpoints, journals. The
folder is measured by a walk and cached for `MEASURED_FOR_S`; writes in between are added before they are made.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.cache import cache

from webapp.accounts.limits.quotas import QUOTAS, Usage, check_room, counts, limit, used
from webapp.core.context import current_organisation
from webapp.core.disk import folder_bytes, is_short
from webapp.core.errors import REDIS_AWAY, StorageFull

NAME: Final = "disk_bytes"
MEASURED_FOR_S: Final = 10
Counted = Callable[[], int]
_beside: list[Counted] = []


def counts_beside(count: Counted) -> Counted:
    """Register a function that counts bytes of the organisation in context that aren't in its folder."""
    _beside.append(count)
    return count


@counts(NAME)
def disk_bytes() -> int:
    """Return how many bytes the organisation in context stores, at most `MEASURED_FOR_S` old."""
    try:
        known = cache.get(_key())
        if known is not None:
            return int(known)
        found = _measured()
        cache.set(_key(), found, timeout=MEASURED_FOR_S)
    except REDIS_AWAY:
        return _measured()
    return found


def measure_again() -> None:
    """Discard the measurement, because something was deleted."""
    try:
        cache.delete(_key())
    except REDIS_AWAY:
        return


def check_disk_room(more: int) -> None:
    """Check that `more` bytes may be written, and count them. Raises `StorageFull`, `OverQuota`."""
    if is_short(more):
        raise StorageFull
    check_room(NAME, used(NAME), more)
    try:
        cache.incr(_key(), more)
    except (*REDIS_AWAY, ValueError):  # it will be measured again
        return


def disk_usage() -> Usage:
    """Return the quota with its usage."""
    return Usage(QUOTAS[NAME], used(NAME), limit(NAME))


def _measured() -> int:
    folder: Path = settings.PUNCTUAL_DATA / str(current_organisation())
    return folder_bytes(folder) + sum(count() for count in _beside)


def _key() -> str:
    return f"disk-bytes:{current_organisation()}"
