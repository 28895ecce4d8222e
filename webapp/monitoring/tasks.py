"""Celery tasks of monitoring."""

from uuid import UUID

import redis
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from webapp.accounts.models import Organisation
from webapp.core.context import installation_context
from webapp.core.tasks import tenant_task
from webapp.monitoring.rollups import roll_up


@shared_task
def roll_up_all() -> None:
    """Roll up what the runs of every organisation have reported, each in a task of its own."""
    with installation_context("every organisation has a turn"):
        organisations: list[UUID] = list(Organisation.objects.values_list("pk", flat=True))
    for organisation in organisations:
        roll_up_organisation.apply_async(kwargs={"organisation": str(organisation)}, expires=10)


@tenant_task
def roll_up_organisation(*, organisation: str) -> None:  # noqa: ARG001 - it is in context
    """Roll up what the organisation's runs have reported."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        roll_up(connection, timezone.now())
