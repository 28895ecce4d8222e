"""Deleting an organisation for good, when the time of grace has passed."""

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

from streaming.wire import keys
from streaming.wire.binding_homes import pools_of
from streaming.wire.result_location import forget_remote_results
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
"""For so long an organisation is not deleted while a server is away on which its inputs have left something."""
logger = logging.getLogger(__name__)


def delete_if_due(organisation: Organisation, now: datetime) -> bool:
    """Delete `organisation` if its time has come and nothing of it runs any more; whether that was done.

    What its inputs have left on other servers goes first, for which it waits seven days at most; then what Redis and
    the disk hold, so that a turn that breaks off is made again as long as there are rows. The audit events stay, and
    say what was left elsewhere.
    """
    key = organisation.pk
    with organisation_context(key):
        if not Organisation.objects.filter(pk=key, delete_after__lte=now).exists():
            return False  # read again: it may have been taken back since it was listed
        if Run.objects.filter(ended_at__isnull=True).exists() or not _runner_is_gone(key):
            logger.info("organisation %s waits for what runs to end before it is deleted", key)
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
    """Whether no runner has the lease, and no pool serves it or keeps anything; one of this machine is asked to end.

    What a pool keeps it lets go by itself: the reconciler tells it to, once nothing runs any more.
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
    """Delete the rows of every tenant model; what is protected waits until what points at it is gone."""
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
            raise RuntimeError(f"organisation {current_organisation()}: the tables {left} protect one another")
        waiting = left
