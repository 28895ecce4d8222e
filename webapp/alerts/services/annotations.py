"""Notes about a binding or the whole organisation, at a time or over a range: written by people and programs."""

from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from webapp.accounts.organisations import lock_organisation
from webapp.alerts.models import Annotation
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, Faulty, NotFound, fault
from webapp.runs.access import access_binding
from webapp.runs.lifecycle.starting import ticks_of

MOST_ANNOTATIONS: Final = 10_000


def annotations_in(binding: UUID | None, begin: int | None, end: int | None) -> QuerySet[Annotation]:
    """Return the notes that touch the ticks `[begin, end)`, the one that begins last first; None: without a border.

    With a `binding`: those about it and about all bindings. A note at a tick touches a range that contains the tick.
    """
    rows = Annotation.objects.select_related("binding")
    if binding is not None:
        rows = rows.filter(Q(binding=binding) | Q(binding__isnull=True))
    if end is not None:
        rows = rows.filter(begin__lt=end)
    if begin is not None:
        rows = rows.filter(Q(end__isnull=True, begin__gte=begin) | Q(end__gt=begin))
    return rows


def create_annotation(*, binding: UUID | None, begin: int | None, end: int | None, text: str) -> Annotation:
    """Write a note; `begin` None: now. Raises `NotFound`, `Conflict` at the limit, `Faulty` for an empty range."""
    now = timezone.now()
    begin = ticks_of(now) if begin is None else begin
    if end is not None and end <= begin:
        message, remedy = "The note ends before it begins.", "Choose a later end, or leave it out."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="end")])
    about = None if binding is None else access_binding(binding)
    with transaction.atomic():
        lock_organisation()
        if Annotation.objects.count() >= MOST_ANNOTATIONS:
            raise Conflict(f"There already are {counted(MOST_ANNOTATIONS, 'note')}. Delete old ones first.")
        label = current_actor().label
        made = Annotation(binding=about, begin=begin, end=end, text=text, by_label=label, created_at=now)
        made.save()
        record("annotation.created", target=_target(made), after=_audited(made))
    return made


def delete_annotation(*, annotation: UUID) -> None:
    """Delete a note. Raises `NotFound` if absent or not yours."""
    with transaction.atomic():
        found = Annotation.objects.select_related("binding").filter(pk=annotation).first()
        if found is None:
            raise NotFound
        target = _target(found)
        found.delete()
        record("annotation.deleted", target=target, before=_audited(found))


def _target(annotation: Annotation) -> Target:
    about = "all bindings" if annotation.binding is None else annotation.binding.name
    return Target("annotation", annotation.pk, about)


def _audited(annotation: Annotation) -> dict[str, Any]:
    about = None if annotation.binding is None else annotation.binding.name
    return {"binding": about, "begin": annotation.begin, "end": annotation.end, "text": annotation.text}
