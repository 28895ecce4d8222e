"""The use of an organisation's quotas by its runs, and the stored bytes of each binding."""

import logging
from collections.abc import Sequence
from typing import Final

import redis
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Sum

from streaming.storage.blobs import LocalFolder
from streaming.storage.stored import stored_after
from streaming.wire import keys
from webapp.accounts.limits.disk_room import check_disk_room, counts_beside, disk_usage
from webapp.accounts.limits.quotas import QUOTAS, Usage, check_room, counts, limits
from webapp.core.context import current_organisation
from webapp.runs.kept_folders import rows_folder, shared_folder
from webapp.runs.models import Binding, Run, StoredBytes, VersionChange

logger = logging.getLogger(__name__)

KEPT: Final = ("result_bytes", "quarantine_bytes")
"""The storage quotas, each named as the field of `StoredBytes` that counts for it."""


@counts("runs")
def open_runs() -> int:
    """Return how many runs are open, including those that wait for a retry or catch up next to another run."""
    beside = VersionChange.objects.filter(ended_at__isnull=True)
    return Run.objects.filter(ended_at__isnull=True).count() + beside.count()


@counts("dedicated_runs")
def open_dedicated_runs() -> int:
    """Return how many open runs have a streaming query of their own."""
    return Run.objects.filter(ended_at__isnull=True, dedicated=True).count()


@counts("events_per_second")
def events_per_second() -> int:
    """Return how many events per second all runs together read, as their runner reports; 0 without a report."""
    try:
        with redis.Redis.from_url(settings.REDIS_URL) as connection:
            rate = connection.get(keys.rate(str(current_organisation())))
    except redis.exceptions.RedisError:
        return 0
    return 0 if rate is None else int(rate)


@counts("result_bytes")
def result_bytes() -> int:
    """Return how many bytes of results all bindings keep, deleted bindings included."""
    return _stored_bytes()["result_bytes"]


@counts("quarantine_bytes")
def quarantine_bytes() -> int:
    """Return how many bytes of quarantine all bindings keep, deleted bindings included."""
    return _stored_bytes()["quarantine_bytes"]


@counts_beside
def bytes_on_a_store() -> int:
    """Return how many bytes of results and quarantine are on an object store, and so in no folder here."""
    return 0 if isinstance(shared_folder(), LocalFolder) else sum(_stored_bytes().values())


def _stored_bytes() -> dict[str, int]:
    found = StoredBytes.objects.aggregate(**{name: Sum(name, default=0) for name in KEPT})
    return {name: int(value) for name, value in found.items()}


def check_room_for_run(*, dedicated: bool) -> None:
    """Check that one more run may be started; `dedicated`: with a streaming query of its own.

    Raises `OverQuota`, and `StorageFull` while only the disk's reserve is left; the caller holds the organisation's
    lock.
    """
    check_room("runs", open_runs())
    if dedicated:
        check_room("dedicated_runs", open_dedicated_runs())
    for name, kept in _stored_bytes().items():
        check_room(name, kept)
    check_disk_room(1)


def full() -> Usage | None:
    """Return a storage quota that is used up; None while all have room."""
    most, kept = limits(), _stored_bytes()
    usages = [*(Usage(QUOTAS[name], kept[name], most[name]) for name in KEPT), disk_usage()]
    return next((usage for usage in usages if usage.used >= usage.limit), None)


def measure(binding: Binding) -> StoredBytes:
    """Count the stored bytes of `binding` as of now, and return them."""
    known = StoredBytes.objects.filter(binding=binding.pk).first()
    return _count_on(known or _first(binding), newest=None)


def count_what_aged() -> None:
    """Recount the stored bytes of all bindings if runners delete old rows, which they don't report."""
    if not settings.KEEP_RESULTS_DAYS:
        return
    for stored in StoredBytes.objects.all():
        try:
            count_anew(stored)
        except (OSError, ValueError):
            logger.exception("binding %s: its stored bytes cannot be measured", stored.binding)


def count_anew(stored: StoredBytes) -> None:
    """Recount all stored bytes of a binding; nothing changes if another process has counted further since."""
    found = stored_after(rows_folder(stored.binding), 0, None)
    StoredBytes.objects.filter(pk=stored.pk, batch=stored.batch).update(
        batch=max(found.batch, stored.batch), result_bytes=found.results, quarantine_bytes=found.late
    )


def measure_running(runs: Sequence[Run]) -> None:
    """Count the commits of the bindings of `runs` since the last count, as far as the runs have reported them."""
    known = {each.binding: each for each in StoredBytes.objects.filter(binding__in=[run.binding_id for run in runs])}
    for run in runs:
        newest = None if run.progress is None else int(run.progress["batch"])
        stored = known.get(run.binding_id) or _first(run.binding)
        if newest is None or newest <= stored.batch:
            continue
        try:
            _count_on(stored, newest=newest)
        except (OSError, ValueError):
            logger.exception("binding %s: its stored bytes cannot be measured", run.binding_id)


def _first(binding: Binding) -> StoredBytes:
    try:
        with transaction.atomic():
            made = StoredBytes(binding=binding.pk, name=binding.name)
            made.save()
            return made
    except IntegrityError:  # another process measures it for the first time too
        return StoredBytes.objects.get(binding=binding.pk)


def _count_on(stored: StoredBytes, *, newest: int | None) -> StoredBytes:
    """Add the commits after the counted ones; nothing changes if another process has counted further since."""
    found = stored_after(rows_folder(stored.binding), stored.batch, newest)
    if found.batch > stored.batch:
        StoredBytes.objects.filter(pk=stored.pk, batch=stored.batch).update(
            batch=found.batch,
            result_bytes=F("result_bytes") + found.results,
            quarantine_bytes=F("quarantine_bytes") + found.late,
        )
    return StoredBytes.objects.get(pk=stored.pk)
