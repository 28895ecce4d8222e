"""Alerts: listed with their silences and who has them, acknowledged, silenced."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from streaming.definition.faults import FaultCode
from webapp.alerts.models import Acknowledgement, AlertSilence, AlertState, BindingMemory
from webapp.alerts.rules.evaluation import Phase
from webapp.alerts.rules.minutes import MINUTE
from webapp.alerts.rules.table import RULES
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, Faulty, NotFound, fault
from webapp.runs.access import access_binding
from webapp.runs.lifecycle.starting import ticks_of

LONGEST_SILENCE: Final = timedelta(days=30)
MOST_SILENCES: Final = 200
UNDECIDED: Final = 3 * MINUTE
"""The rules of a binding are unknown if its last minute was decided so long ago."""


@dataclass(frozen=True)
class ListedAlert:
    """A rule that is not ok, with the acknowledgement of its firing, and the silence in force."""

    row: AlertState
    acknowledgement: Acknowledgement | None
    silence: AlertSilence | None


def listed_alerts(condition: Q, now: datetime) -> list[ListedAlert]:
    """Return the alerts that meet `condition`: firing first (those that page before others), then pending, resolved."""
    rows = list(AlertState.objects.filter(condition).select_related("binding"))
    fired = {row.fired_at for row in rows if row.fired_at is not None}
    taken = {
        (each.rule, each.binding_id, each.fired_at): each
        for each in Acknowledgement.objects.filter(fired_at__in=fired).order_by("at")
    }
    silences = list(silences_in_force(now))
    listed = [
        ListedAlert(row, taken.get((row.rule, row.binding_id, row.fired_at or 0)), _silence(silences, row))
        for row in rows
    ]
    order = {Phase.FIRING: 0, Phase.PENDING: 1, Phase.RESOLVED: 2, Phase.OK: 3}
    return sorted(
        listed,
        key=lambda each: (order[Phase(each.row.phase)], each.row.level != "page", -(each.row.since or 0), each.row.pk),
    )


def undecided(now: datetime) -> dict[UUID, int]:
    """Return the bindings whose rules on rows are unknown now, each with the tick up to which they were decided."""
    late = BindingMemory.objects.filter(binding__isnull=False, until__lt=ticks_of(now) - UNDECIDED)
    return {binding: until for binding, until in late.values_list("binding_id", "until") if binding is not None}


def access_alert(alert: UUID) -> AlertState:
    """Return the state of a rule. Raises `NotFound` if absent or not yours."""
    found = AlertState.objects.select_related("binding").filter(pk=alert).first()
    if found is None:
        raise NotFound
    return found


def acknowledge(*, alert: UUID, note: str) -> Acknowledgement:
    """Take a firing alert. Raises `NotFound`, and `Conflict` unless it fires."""
    with transaction.atomic():
        row = access_alert(alert)
        if row.phase != Phase.FIRING or row.fired_at is None:
            raise Conflict("This alert no longer fires. Reload the list.")
        made = Acknowledgement(
            rule=row.rule,
            binding=row.binding,
            fired_at=row.fired_at,
            at=timezone.now(),
            by_label=current_actor().label,
            note=note,
        )
        made.save()
        record("alert.acknowledged", target=target_of(row), after={"rule": row.rule, "note": note})
    return made


def target_of(row: AlertState) -> Target:
    """Return the alert as the audit log names it: by its rule and binding."""
    of = "" if row.binding is None else f" of {row.binding.name}"
    return Target("alert", row.pk, f"{RULES[row.rule].title}{of}")


def silences_in_force(now: datetime) -> Any:
    """Return the silences that have not ended, those that end last first."""
    return AlertSilence.objects.select_related("binding").filter(ends_at__gt=now)


def create_silence(*, rule: str, binding: UUID | None, ends_at: datetime, reason: str) -> AlertSilence:
    """Silence notifications from now on. Raises `Faulty` for an unknown rule or an end that makes no sense."""
    now = timezone.now()
    if rule and rule not in RULES:
        remedy = f"Choose one of {', '.join(RULES)}, or leave it empty for all."
        raise Faulty([fault(FaultCode.BAD_SHAPE, f"There is no rule {rule}.", remedy, field="rule")])
    if not now < ends_at <= now + LONGEST_SILENCE:
        message = "The silence must end in the future, within 30 days."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Choose another end.", field="ends_at")])
    found = None if binding is None else access_binding(binding)
    with transaction.atomic():
        if silences_in_force(now).count() >= MOST_SILENCES:
            raise Conflict(f"There already are {MOST_SILENCES} silences. End one first.")
        made = AlertSilence(
            rule=rule, binding=found, begins_at=now, ends_at=ends_at, reason=reason, by_label=current_actor().label
        )
        made.save()
        record("silence.created", target=_target(made), after=_audited(made))
    return made


def end_silence(*, silence: UUID) -> None:
    """End a silence now: what fires then is notified. Raises `NotFound`."""
    now = timezone.now()
    with transaction.atomic():
        found = AlertSilence.objects.select_related("binding").filter(pk=silence, ends_at__gt=now).first()
        if found is None:
            raise NotFound
        before = _audited(found)
        found.ends_at = now
        found.save(update_fields=["ends_at"])
        record("silence.ended", target=_target(found), before=before)


def _silence(silences: list[AlertSilence], row: AlertState) -> AlertSilence | None:
    return next(
        (
            each
            for each in silences
            if each.rule in {"", row.rule} and (each.binding_id is None or each.binding_id == row.binding_id)
        ),
        None,
    )


def _target(silence: AlertSilence) -> Target:
    rule = RULES[silence.rule].title if silence.rule else "all rules"
    return Target("silence", silence.pk, rule if silence.binding is None else f"{rule} of {silence.binding.name}")


def _audited(silence: AlertSilence) -> dict[str, Any]:
    binding = None if silence.binding is None else silence.binding.name
    return {"rule": silence.rule, "binding": binding, "ends_at": silence.ends_at.isoformat(), "reason": silence.reason}
