"""Celery tasks of administration: exports, and the end of organisations."""

import logging
from uuid import UUID

from celery import shared_task
from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import Organisation
from webapp.administration.deleting import delete_if_due
from webapp.administration.exporting import expire_exports, write_export
from webapp.administration.models import Export
from webapp.core.context import installation_context, organisation_context
from webapp.core.tasks import tenant_task

logger = logging.getLogger(__name__)


@tenant_task
def write_export_file(*, organisation: str, export: str) -> None:  # noqa: ARG001
    """Write the file of an export that was asked for; what stops it is told in the list."""
    found = Export.objects.filter(pk=export, state="requested").first()
    if found is None:
        return
    try:
        write_export(found)
    except OSError as error:
        logger.exception("export %s cannot be written", export)
        found.state = "failed"
        found.message = f"The file cannot be written ({error.strerror}). Tell whoever runs this installation."
        found.save(update_fields=["state", "message"])


@tenant_task
def expire_exports_of(*, organisation: str) -> None:  # noqa: ARG001
    """Remove the files of exports whose time has passed."""
    expire_exports()


@shared_task
def keep_house() -> None:
    """Every hour: expire exports, and delete the organisations whose time of grace has passed."""
    with installation_context("every organisation is looked at"):
        organisations = list(Organisation.objects.all())
    for organisation in organisations:
        with organisation_context(None):
            if not delete_if_due(organisation, timezone.now()):
                expire_exports_of.delay(organisation=str(organisation.pk))


def write_soon(organisation: UUID, export: UUID) -> None:
    """Write an export once the present transaction is committed."""
    transaction.on_commit(lambda: write_export_file.delay(organisation=str(organisation), export=str(export)))
