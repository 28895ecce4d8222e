"""Celery tasks of alerts."""

from uuid import UUID

import redis
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from webapp.accounts.models import Organisation
from webapp.alerts.outbox import deliver, forget_sent
from webapp.alerts.turns.turn import turn
from webapp.core.context import installation_context
from webapp.core.tasks import tenant_task


@shared_task
def decide_all() -> None:
    """Decide the rules of every organisation, each in a task of its own."""
    with installation_context("every organisation has a turn"):
        organisations: list[UUID] = list(Organisation.objects.values_list("pk", flat=True))
    for organisation in organisations:
        decide_organisation.apply_async(kwargs={"organisation": str(organisation)}, expires=10)


@tenant_task
def decide_organisation(*, organisation: str) -> None:
    """Decide the organisation's rules up to now, then send what is due."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        turn(connection, timezone.now())
    send_notifications.apply_async(kwargs={"organisation": organisation}, expires=60)


@tenant_task
def send_notifications(*, organisation: str) -> None:  # noqa: ARG001 - it is in context
    """Send the due entries of the organisation's outbox."""
    now = timezone.now()
    deliver(now)
    forget_sent(now)
