"""The computing time of previews: what is run for who designs, before anything is started, added up by UTC day."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from webapp.accounts.models import PreviewUse
from webapp.accounts.quotas import QUOTAS, OverQuota, Usage, counts, limit

NAME = "preview_seconds"


@contextmanager
def previewing() -> Iterator[None]:
    """Measure what the block computes and add it to the present day, also if it fails.

    Raises `OverQuota` before the block when the day's time is used up. What is computed runs in limited processes, of
    which an organisation has few at once: those that come together overrun the limit by no more than their time.
    """
    day = _today()
    _check_time_left(day)
    began = monotonic()
    try:
        yield
    finally:
        _add(day, math.ceil((monotonic() - began) * 1000))


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
