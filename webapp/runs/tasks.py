"""Celery tasks of runs. Each works for one organisation and refuses without it."""

from random import SystemRandom
from typing import Final
from uuid import UUID

import redis
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from webapp.accounts.models import Organisation
from webapp.core.context import installation_context
from webapp.core.disk import is_short
from webapp.core.tasks import tenant_task
from webapp.runs.inputs.footprints import tend_footprints
from webapp.runs.turns import reconciler
from webapp.runs.turns.quiet import unquiet

AGAIN_S: Final = 0.2


@shared_task
def reconcile_all() -> None:
    """Reconcile every organisation that is not quiet, each in a task of its own.

    The order is random: an overloaded worker drops expired tasks, and would always drop those of the last
    organisations.
    """
    with installation_context("every organisation has a turn"):
        organisations = list(Organisation.objects.values_list("pk", flat=True))
    SystemRandom().shuffle(organisations)
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        waiting = organisations if is_short() else list(unquiet(connection, organisations))
    for organisation in waiting:
        reconcile.apply_async(kwargs={"organisation": str(organisation)}, expires=3)


@tenant_task
def reconcile(*, organisation: str, again: int = 0) -> None:
    """Drive the observed state of the organisation's runs to the desired one.

    If another turn is under way, this is retried up to `again` times: that turn may have started before a change.
    """
    if not reconciler.reconcile_installation(UUID(organisation)) and again:
        reconcile.apply_async(kwargs={"organisation": organisation, "again": again - 1}, countdown=AGAIN_S)


@shared_task
def reconcile_pools() -> None:
    """Send every pool the organisations that it serves, and launch the pools that are missing."""
    reconciler.reconcile_pools()


@shared_task
def keep_standbys() -> None:
    """Keep as many standby runners on this machine as are wanted."""
    reconciler.keep_standbys()


@shared_task
def tend_all() -> None:
    """Check the footprints of every organisation's inputs on other servers, each in a task of its own."""
    with installation_context("every organisation has a turn"):
        organisations = list(Organisation.objects.values_list("pk", flat=True))
    for organisation in organisations:
        tend.apply_async(kwargs={"organisation": str(organisation)}, expires=30)


@tenant_task
def tend(*, organisation: str) -> None:  # noqa: ARG001 - it is in context
    """Check the due footprints of the organisation's inputs on other servers."""
    tend_footprints(timezone.now())
