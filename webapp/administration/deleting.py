"""Deletion of an organisation for good, after the days of grace."""

import logging
import shutil
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import redis
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError

from streaming.storage.result_location import forget_remote_results
from streaming.wire import keys
from streaming.wire.binding_homes import pools_of
from webapp.accounts.models import Organisation
from webapp.administration.exporting import exports_folder
from webapp.audit.models import AuditEvent
from webapp.audit.recording import Target, record
from webapp.core.context import current_organisation, organisation_context
from webapp.core.tenancy import TenantModel
from webapp.runs.inputs.footprints import audited, removed_all, target_of
from webapp.runs.models import Run
from webapp.runs.runner_models import RunnerLaunch, SeatInPool
from webapp.runs.runners.launching import end_runner
from webapp.runs.runners.redis_users import dismiss_runner

WAITED_FOR_SERVERS: Final = timedelta(days=7)
"""The longest wait for an unreachable server that still has footprints of the organisation's inputs."""
logger = logging.getLogger(__name__)


def delete_if_due(organisation: Organisation, now: datetime) -> bool:
    """Delete `organisation` if its grace period is over and none of its runs is open; return whether it did.

    Footprints on other servers are removed first, with retries for seven days at most. Then come Redis and the disk;
    the rows are deleted last, so that an interrupted deletion is repeated. The audit events stay, and name the
    footprints that could not be removed.
    """
    key = organisation.pk
    with organisation_context(key):
        if not Organisation.objects.filter(pk=key, delete_after__lte=now).exists():
            return False  # read again: the deletion may have been cancelled since it was listed
        if Run.objects.filter(ended_at__isnull=True).exists() or not _runner_is_gone(key):
            logger.info("organisation %s is deleted once its runs have ended", key)
            return False
        left = removed_all(now)
        if left and Organisation.objects.filter(pk=key, delete_after__gt=now - WAITED_FOR_SERVERS).exists():
            logger.warning("organisation %s is deleted later: %s", key, "; ".join(each.where for each in left))
            return False
        _forget_in_redis(key)
        forget_remote_results(settings.PUNCTUAL_DATA / str(key))
        for folder in (settings.PUNCTUAL_DATA / str(key), exports_folder(settings.PUNCTUAL_DATA, key)):
            shutil.rmtree(folder, ignore_errors=True)
        with transaction.atomic():
            Organisation.objects.select_for_update().get(pk=key, delete_after__lte=now)
            _delete_rows()
            for each in left:
                record("footprint.left", target=target_of(each), before=audited(each))
            record("organisation.deleted", target=Target("organisation", key, organisation.slug))
            organisation.delete()
    return True


def _runner_is_gone(organisation: UUID) -> bool:
    """Return whether no runner has the lease and no pool serves it or stores anything; end its runner on this machine.

    A pool releases its stored data automatically: the reconciler orders it to, once no run is open.
    """
    for launch in RunnerLaunch.objects.all():
        end_runner(organisation, launch.pid)
    if SeatInPool.objects.exists() or pools_of(settings.PUNCTUAL_DATA / str(organisation)):
        return False
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        return not connection.exists(keys.lease(str(organisation)))


def _forget_in_redis(organisation: UUID) -> None:
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        for key in connection.scan_iter(f"punctual:{organisation}:*", count=1_000):
            connection.delete(key)
        dismiss_runner(connection, organisation)


def _delete_rows() -> None:
    """Delete the rows of every tenant model; a protected row waits until the rows that refer to it are deleted."""
    waiting = [model for model in apps.get_models() if issubclass(model, TenantModel) and model is not AuditEvent]
    while waiting:
        left = []
        for model in waiting:
            try:
                with transaction.atomic():
                    model._default_manager.all().delete()
            except ProtectedError:
                left.append(model)
        if len(left) == len(waiting):
            raise RuntimeError(f"organisation {current_organisation()}: the tables {left} protect each other")
        waiting = left
