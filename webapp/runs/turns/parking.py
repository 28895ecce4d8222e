"""Runs wait while the disk has only its reserve left, and resume automatically once it has room."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from streaming.storage.disk import DISK_FULL
from webapp.core.disk import has_room_again, is_short
from webapp.runs.lifecycle.moves import park, unpark
from webapp.runs.models import Run
from webapp.runs.runners.launching import forget_launches_in_vain
from webapp.runs.states import CARRIED, Desired, Observed

_PARKED_FROM: Final = (CARRIED - {Observed.STOPPING}) | {Observed.REQUESTED, Observed.LOST}


def park_or_resume(runs: Sequence[Run], now: datetime) -> None:
    """Park the open `runs` while the disk is short; afterwards resume those that were parked or failed because of it.

    A run that found the disk full first is parked too: it would only fail again.
    """
    wanted = [run for run in runs if run.desired == Desired.RUNNING and run.ended_at is None]
    failed = [run for run in wanted if run.observed == Observed.FAILED and run.message == DISK_FULL]
    if is_short():
        for run in wanted:
            if run.observed in _PARKED_FROM or (run in failed and run.retry_at is not None):
                _park(run, now)
    elif failed and has_room_again():
        forget_launches_in_vain()
        for run in failed:
            unpark(run, now)


def _park(run: Run, now: datetime) -> None:
    if run.observed == Observed.FAILED:
        run.retry_at = None
        run.save(update_fields=["retry_at"])
    else:
        park(run, DISK_FULL, now)
