"""Grants an organisation a runner of its own with a size, and revokes it."""

from typing import Any
from uuid import UUID

from django.db import transaction

from webapp.audit.recording import Target, record
from webapp.core.context import current_organisation
from webapp.runs.lifecycle.turn_requests import reconcile_soon
from webapp.runs.runner_models import OwnRunner

SIZES = ("heap_mb", "worker_mb", "cores")


def give_own_runner(*, heap_mb: int | None, worker_mb: int | None, cores: int | None) -> None:
    """Grant the organisation in context a runner of its own; null sizes are the installation's. Writes an audit event.

    Its runs move there by savepoints. A runner of another size is ended, and the next one resumes its runs.
    """
    size = {"heap_mb": heap_mb, "worker_mb": worker_mb, "cores": cores}
    with transaction.atomic():
        before = own_runner()
        OwnRunner.objects.update_or_create(defaults=size)
        _record_change("runner.given", before, size)


def take_back_own_runner() -> None:
    """Return the organisation in context to a pooled runner, if there are any. Writes an audit event."""
    with transaction.atomic():
        before = own_runner()
        OwnRunner.objects.all().delete()
        _record_change("runner.taken_back", before, None)


def own_runner() -> dict[str, int | None] | None:
    """Return the granted size of the own runner of the organisation in context; None without a grant."""
    found = OwnRunner.objects.values(*SIZES).first()
    return None if found is None else dict(found)


def _record_change(action: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
    organisation: UUID = current_organisation()
    record(action, target=Target("runner", organisation, "its own runner"), before=before, after=after)
    reconcile_soon(organisation)
