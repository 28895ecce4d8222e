"""What an organisation's runs use of its quotas, and what each binding keeps on disk."""

import logging
from collections.abc import Sequence
from typing import Final

import redis
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Sum

from streaming.wire import keys
from streaming.wire.stored import stored_after
from webapp.accounts.quotas import QUOTAS, Usage, check_room, counts, limits
from webapp.core.context import current_organisation
from webapp.runs.kept_folders import rows_folder
from webapp.runs.models import Binding, Run, StoredBytes, VersionChange

logger = logging.getLogger(__name__)

KEPT: Final = ("result_bytes", "quarantine_bytes")
"""The quotas of what is kept, each named as the field of `StoredBytes` that counts for it."""


@counts("runs")
def open_runs() -> int:
    """Return how many runs have not ended, also those that wait to be tried again, or catch up beside another."""
    beside = VersionChange.objects.filter(ended_at__isnull=True)
    return Run.objects.filter(ended_at__isnull=True).count() + beside.count()


@counts("dedicated_runs")
def open_dedicated_runs() -> int:
    """Return how many runs that have not ended have a query of their own."""
    return Run.objects.filter(ended_at__isnull=True, dedicated=True).count()


@counts("events_per_second")
def events_per_second() -> int:
    """Return how many events all runs together read each second, as their runner told; 0 while it tells nothing."""
    try:
        with redis.Redis.from_url(settings.REDIS_URL) as connection:
            told = connection.get(keys.rate(str(current_organisation())))
    except redis.exceptions.RedisError:
        return 0
    return 0 if told is None else int(told)


@counts("result_bytes")
def result_bytes() -> int:
    """Return how many bytes of results all bindings keep, those of deleted bindings too."""
    return _kept()["result_bytes"]


@counts("quarantine_bytes")
def quarantine_bytes() -> int:
    """Return how many bytes of quarantine all bindings keep, those of deleted bindings too."""
    return _kept()["quarantine_bytes"]


def _kept() -> dict[str, int]:
    found = StoredBytes.objects.aggregate(**{name: Sum(name, default=0) for name in KEPT})
    return {name: int(value) for name, value in found.items()}


def check_room_for_run(*, dedicated: bool) -> None:
    """Check that one more run may be started, `dedicated`: with a query of its own.

    Raises `OverQuota`; the caller holds the lock of the organisation.
    """
    check_room("runs", open_runs())
    if dedicated:
        check_room("dedicated_runs", open_dedicated_runs())
    for name, kept in _kept().items():
        check_room(name, kept)


def full() -> Usage | None:
    """Return the quota of what is kept that has no more room; None while both have."""
    most, kept = limits(), _kept()
    usages = (Usage(QUOTAS[name], kept[name], most[name]) for name in KEPT)
    return next((usage for usage in usages if usage.used >= usage.limit), None)


def measure(binding: Binding) -> StoredBytes:
    """Count what `binding` keeps as it is now, and return it."""
    known = StoredBytes.objects.filter(binding=binding.pk).first()
    return _count_on(known or _first(binding), newest=None)


def count_what_aged() -> None:
    """Count anew what all bindings keep, where runners delete what is old: nothing else tells how much that was."""
    if not settings.KEEP_RESULTS_DAYS:
        return
    for stored in StoredBytes.objects.all():
        try:
            count_anew(stored)
        except (OSError, ValueError):
            logger.exception("binding %s: what it keeps cannot be measured", stored.binding)


def count_anew(stored: StoredBytes) -> None:
    """Count the whole of what a binding keeps; nothing changes where somebody else has counted on meanwhile."""
    found = stored_after(rows_folder(stored.binding), 0, None)
    StoredBytes.objects.filter(pk=stored.pk, batch=stored.batch).update(
        batch=max(found.batch, stored.batch), result_bytes=found.results, quarantine_bytes=found.late
    )


def measure_running(runs: Sequence[Run]) -> None:
    """Count what the bindings of `runs` have committed since they were counted last, as far as they reported it."""
    known = {each.binding: each for each in StoredBytes.objects.filter(binding__in=[run.binding_id for run in runs])}
    for run in runs:
        newest = None if run.progress is None else int(run.progress["batch"])
        stored = known.get(run.binding_id) or _first(run.binding)
        if newest is None or newest <= stored.batch:
            continue
        try:
            _count_on(stored, newest=newest)
        except (OSError, ValueError):
            logger.exception("binding %s: what it keeps cannot be measured", run.binding_id)


def _first(binding: Binding) -> StoredBytes:
    try:
        with transaction.atomic():
            made = StoredBytes(binding=binding.pk, name=binding.name)
            made.save()
            return made
    except IntegrityError:  # somebody else measures it for the first time too
        return StoredBytes.objects.get(binding=binding.pk)


def _count_on(stored: StoredBytes, *, newest: int | None) -> StoredBytes:
    """Add the commits after those that were counted; nothing where somebody else has counted on meanwhile."""
    found = stored_after(rows_folder(stored.binding), stored.batch, newest)
    if found.batch > stored.batch:
        StoredBytes.objects.filter(pk=stored.pk, batch=stored.batch).update(
            batch=found.batch,
            result_bytes=F("result_bytes") + found.results,
            quarantine_bytes=F("quarantine_bytes") + found.late,
        )
    return StoredBytes.objects.get(pk=stored.pk)
