"""The computing time of previews: what is run for who designs, before anything is started, added up by UTC day."""

import math
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from threading import Lock
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from webapp.accounts.models import PreviewUse
from webapp.accounts.quotas import QUOTAS, OverQuota, Usage, counts, limit
from webapp.core.context import current_organisation
from webapp.core.errors import Busy

NAME = "preview_seconds"
AT_ONCE: Final = 4
"""Previews of one organisation that a server process computes at the same time."""
_computing: Final[Counter[UUID]] = Counter()
_counting: Final = Lock()


@contextmanager
def previewing() -> Iterator[None]:
    """Measure what the block computes and add it to the present day, also if it fails.

    Raises `OverQuota` before the block when the day's time is used up, `Busy` while `AT_ONCE` others are computed: so
    those that come together overrun the limit by no more than so many time-outs, and leave others threads to answer.
    """
    with _place():
        day = _today()
        _check_time_left(day)
        began = monotonic()
        try:
            yield
        finally:
            _add(day, math.ceil((monotonic() - began) * 1000))


@contextmanager
def _place() -> Iterator[None]:
    organisation = current_organisation()
    with _counting:
        if _computing[organisation] >= AT_ONCE:
            raise Busy("Other previews of this organisation are being computed. Try again in a moment.")
        _computing[organisation] += 1
    try:
        yield
    finally:
        with _counting:
            _computing[organisation] -= 1
            if not _computing[organisation]:
                del _computing[organisation]


def monotonic() -> float:
    """Return seconds of a clock that only rises."""
    return time.monotonic()


def now() -> datetime:
    """Return the time of day."""
    return timezone.now()


def _today() -> date:
    return now().astimezone(UTC).date()


def _milliseconds(day: date) -> int:
    return PreviewUse.objects.filter(day=day).values_list("milliseconds", flat=True).first() or 0


def _check_time_left(day: date) -> None:
    most, used = limit(NAME), _milliseconds(day)
    if used < most * 1000:
        return
    usage = Usage(QUOTAS[NAME], used // 1000, most)
    raise OverQuota(
        f"{usage.sentence}. It begins anew at {day + timedelta(days=1)} 00:00 UTC. "
        "Wait until then, or ask whoever runs this installation for more."
    )


def _add(day: date, milliseconds: int) -> None:
    mine = PreviewUse.objects.filter(day=day)
    more = F("milliseconds") + milliseconds
    if mine.update(milliseconds=more):
        return
    try:
        with transaction.atomic():
            PreviewUse(day=day, milliseconds=milliseconds).save()
    except IntegrityError:  # another preview was the first of the day
        mine.update(milliseconds=more)


@counts(NAME)
def _seconds_used() -> int:
    return _milliseconds(_today()) // 1000
