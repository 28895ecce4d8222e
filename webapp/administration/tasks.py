"""Celery tasks of administration: exports, cleanup, and deletion of organisations."""

import logging
from datetime import datetime, timedelta
from importlib import import_module
from typing import Final
from uuid import UUID

from allauth.usersessions.models import UserSession
from celery import shared_task
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from webapp.accounts.invitations import forget_old
from webapp.accounts.models import Organisation
from webapp.administration.deleting import delete_if_due
from webapp.administration.exporting import LONGEST, expire_exports, write_export
from webapp.administration.models import Export
from webapp.core.context import installation_context
from webapp.core.tasks import tenant_task
from webapp.monitoring.rollups import forget_old as forget_old_rollups
from webapp.runs.storage.storage_cleanup import forget_left_over
from webapp.runs.storage.usage import count_what_aged

MOST_S: Final = int(LONGEST.total_seconds())
"""Time limit of a task that writes or deletes everything of an organisation."""
JUST_BEGUN: Final = timedelta(hours=1)
"""A sign-in is listed a moment before its session is written."""
logger = logging.getLogger(__name__)


@tenant_task
def write_export_file(*, organisation: str, export: str) -> None:  # noqa: ARG001
    """Write the file of a requested export; the list shows why it failed."""
    found = Export.objects.filter(pk=export, state="requested").first()
    if found is None:
        return
    try:
        write_export(found)
    except OSError as error:
        logger.exception("export %s cannot be written", export)
        found.state = "failed"
        found.message = f"The file cannot be written ({error.strerror}). Contact your administrator."
        found.save(update_fields=["state", "message"])


@tenant_task
def tidy(*, organisation: str) -> None:
    """Delete the organisation if its grace period is over; else remove expired and left-over data."""
    found = Organisation.objects.filter(pk=organisation).first()
    if found is not None and not delete_if_due(found, timezone.now()):
        expire_exports()
        forget_old(timezone.now())
        forget_old_rollups(timezone.now())
        forget_left_over()
        count_what_aged()


@shared_task
def keep_house() -> None:
    """Clean up every hour: each organisation in a task of its own, so that none delays another."""
    forget_sessions(timezone.now())
    with installation_context("the hourly cleanup covers every organisation"):
        organisations = list(Organisation.objects.values_list("pk", flat=True))
    for organisation in organisations:
        tidy.apply_async(kwargs={"organisation": str(organisation)}, time_limit=MOST_S)


def forget_sessions(now: datetime) -> None:
    """Delete the expired sessions, and the rows in which allauth lists people's sessions.

    Nothing else of allauth expires in the database: its links and codes are signed or stored in sessions.
    """
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    gone = UserSession.objects.exclude(session_key__in=Session.objects.values("session_key"))
    gone.filter(created_at__lt=now - JUST_BEGUN).delete()


def write_soon(organisation: UUID, export: UUID) -> None:
    """Write an export once the transaction is committed; without a broker it is marked as failed after an hour."""
    wanted = {"organisation": str(organisation), "export": str(export)}
    transaction.on_commit(lambda: write_export_file.apply_async(kwargs=wanted, time_limit=MOST_S), robust=True)
