"""The computing time of previews, replays and repairs, added up by UTC day and person.

Previews are computations for designers before a start. Replays and repairs have their own time, so that designers and
viewers never use up the time of an operator who repairs results.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import F, Sum
from django.utils import timezone

from webapp.accounts.limits.quotas import QUOTAS, OverQuota, Usage, counts, limit
from webapp.accounts.models import PreviewUse
from webapp.core.context import current_actor

PREVIEW: Final = "preview"
REPLAY: Final = "replay"
REPAIR: Final = "repair"
OF_ALL: Final = "preview_seconds"
OF_PERSON: Final = "person_preview_seconds"
OF_REPLAYS: Final = "replay_seconds"
OF_REPAIRS: Final = "repair_seconds"


@contextmanager
def previewing() -> Iterator[None]:
    """Measure the computing time of the block and add it to today and this person, also if the block fails.

    Raises `OverQuota` before the block if the day's time of the person or of the organisation is used up. The
    computation runs in limited processes, and an organisation has few at once: concurrent ones overrun the limit by no
    more than their own time.
    """
    day = _today()
    _check_time_left(OF_PERSON, day, _of_person(day))
    _check_time_left(OF_ALL, day, _of_all(PREVIEW, day))
    with _measured(PREVIEW, day):
        yield


@contextmanager
def replaying() -> Iterator[None]:
    """Measure a replay, which everybody may request. Raises `OverQuota`."""
    day = _today()
    _check_time_left(OF_PERSON, day, _of_person(day))
    _check_time_left(OF_REPLAYS, day, _of_all(REPLAY, day))
    with _measured(REPLAY, day):
        yield


@contextmanager
def repairing() -> Iterator[None]:
    """Measure a repair, which only operators may request. Raises `OverQuota`."""
    day = _today()
    _check_time_left(OF_REPAIRS, day, _of_all(REPAIR, day))
    with _measured(REPAIR, day):
        yield


@contextmanager
def _measured(kind: str, day: date) -> Iterator[None]:
    began = monotonic()
    try:
        yield
    finally:
        _add(kind, day, math.ceil((monotonic() - began) * 1000))


def monotonic() -> float:
    """Return seconds of a monotonic clock."""
    return time.monotonic()


def now() -> datetime:
    """Return the time of day."""
    return timezone.now()


def _today() -> date:
    return now().astimezone(UTC).date()


def _person() -> str:
    return current_actor().id or ""


def _of_all(kind: str, day: date) -> int:
    """Return the milliseconds that everybody used together."""
    return PreviewUse.objects.filter(day=day, kind=kind).aggregate(all=Sum("milliseconds"))["all"] or 0


def _of_person(day: date) -> int:
    """Return the milliseconds of previews and replays that the present person used."""
    mine = PreviewUse.objects.filter(day=day, kind__in=(PREVIEW, REPLAY), person=_person())
    return mine.aggregate(all=Sum("milliseconds"))["all"] or 0


def _check_time_left(quota: str, day: date, used: int) -> None:
    most = limit(quota)
    if used < most * 1000:
        return
    usage = Usage(QUOTAS[quota], used // 1000, most)
    raise OverQuota(
        f"{usage.sentence}. It starts again at {day + timedelta(days=1)} 00:00 UTC. "
        "Wait until then, or ask your administrator for more."
    )


def _add(kind: str, day: date, milliseconds: int) -> None:
    mine = PreviewUse.objects.filter(day=day, kind=kind, person=_person())
    more = F("milliseconds") + milliseconds
    if mine.update(milliseconds=more):
        return
    try:
        with transaction.atomic():
            PreviewUse(day=day, kind=kind, person=_person(), milliseconds=milliseconds).save()
    except IntegrityError:  # another preview was the first of the day
        mine.update(milliseconds=more)


@counts(OF_ALL)
def _seconds_used() -> int:
    return _of_all(PREVIEW, _today()) // 1000


@counts(OF_PERSON)
def _seconds_of_person() -> int:
    return _of_person(_today()) // 1000


@counts(OF_REPLAYS)
def _seconds_of_replays() -> int:
    return _of_all(REPLAY, _today()) // 1000


@counts(OF_REPAIRS)
def _seconds_of_repairs() -> int:
    return _of_all(REPAIR, _today()) // 1000
