"""Incidents: opened by a rule or a person, taken by a person, and resolved."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from webapp.accounts.organisations import lock_organisation
from webapp.alerts.models import Incident
from webapp.alerts.rules.evaluation import Phase
from webapp.alerts.services.alerts import acknowledge, listed_alerts
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, NotFound
from webapp.runs.access import access_binding
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding

NOT_OPEN = "This incident is resolved. Reload the page."


def incidents() -> QuerySet[Incident]:
    """Return the incidents of the organisation in context, newest first."""
    return Incident.objects.select_related("binding")


def open_incidents() -> dict[UUID | None, Incident]:
    """Return the open incidents by binding; None: that of the organisation."""
    return {each.binding_id: each for each in incidents().filter(resolved_at__isnull=True)}


def lock_open_incidents() -> dict[UUID | None, Incident]:
    """Return the open incidents; until the end of the transaction nobody else opens, takes or resolves one."""
    lock_organisation()
    return open_incidents()


def access_incident(incident: UUID) -> Incident:
    """Return an incident. Raises `NotFound` if absent or not yours."""
    found = incidents().filter(pk=incident).first()
    if found is None:
        raise NotFound
    return found


def opened(*, binding: UUID | None, title: str, begin: int, opened_at: int, **more: str) -> Incident:
    """Return a new incident, stored under the next number; the caller has locked the open ones."""
    number = (Incident.objects.aggregate(last=Max("number"))["last"] or 0) + 1
    made = Incident(number=number, binding_id=binding, title=title, begin=begin, opened_at=opened_at, **more)
    made.save()
    return made


def open_incident(*, binding: UUID | None, title: str, begin: int | None) -> Incident:
    """Open an incident by hand; `begin` None: now. Raises `NotFound`, and `Conflict` if one is open."""
    about: Binding | None = None if binding is None else access_binding(binding)
    now, label = ticks_of(timezone.now()), current_actor().label
    with transaction.atomic():
        found = lock_open_incidents().get(binding)
        if found is not None:
            raise Conflict(f"Incident #{found.number} is open there. Add a note to it, or resolve it first.")
        since = now if begin is None else min(begin, now)
        made = opened(binding=binding, title=title, begin=since, opened_at=now, opened_by=label)
        made.binding = about
        record("incident.opened", target=target_of(made), after=_audited(made))
    return made


def take_incident(*, incident: UUID) -> Incident:
    """Let the current person work on an incident, and acknowledge its alerts that nobody has acknowledged.

    Somebody else's incident is taken over. Raises `NotFound`, and `Conflict` unless it is open.
    """
    with transaction.atomic():
        found = _locked(incident)
        before = _audited(found)
        found.taken_by = current_actor().label
        found.save(update_fields=["taken_by"])
        record("incident.taken", target=target_of(found), before=before, after=_audited(found))
        for each in listed_alerts(Q(binding=found.binding, phase=Phase.FIRING), timezone.now()):
            if each.acknowledgement is None:
                acknowledge(alert=each.row.pk, note=f"Incident #{found.number}")
    return found


def resolve_incident(*, incident: UUID, resolution: str) -> Incident:
    """Resolve an incident, also while a rule fires. Raises `NotFound`, and `Conflict` unless it is open."""
    with transaction.atomic():
        found = _locked(incident)
        before = _audited(found)
        found.resolved_at = max(ticks_of(timezone.now()), found.opened_at)
        found.resolved_by, found.resolution = current_actor().label, resolution
        found.save(update_fields=["resolved_at", "resolved_by", "resolution"])
        record("incident.resolved", target=target_of(found), before=before, after=_audited(found))
    return found


def _locked(incident: UUID) -> Incident:
    lock_organisation()
    found = access_incident(incident)
    if found.resolved_at is not None:
        raise Conflict(NOT_OPEN)
    return found


def target_of(row: Incident) -> Target:
    """Return the incident as the audit log names it."""
    of = "" if row.binding is None else f" of {row.binding.name}"
    return Target("incident", row.pk, f"#{row.number} {row.title}{of}")


def _audited(row: Incident) -> dict[str, Any]:
    binding = None if row.binding is None else row.binding.name
    state = {"taken_by": row.taken_by, "resolved_at": row.resolved_at, "resolution": row.resolution}
    return {"number": row.number, "binding": binding, "title": row.title, "begin": row.begin, **state}
