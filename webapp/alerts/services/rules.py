"""Settings of rules: for the organisation or one binding, with the reason why a rule is off."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from streaming.definition.faults import FaultCode
from webapp.accounts.organisations import lock_organisation
from webapp.alerts.models import AlertRule
from webapp.alerts.rules.evaluation import Threshold, Thresholds
from webapp.alerts.rules.table import RULES, Rule, Scope
from webapp.alerts.thresholds import stored, thresholds_of
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor
from webapp.core.errors import Faulty, fault
from webapp.runs.access import access_binding


def change_rule(
    *, rule: str, binding: UUID | None, thresholds: Thresholds | None, enabled: bool, reason: str
) -> AlertRule:
    """Set a rule for the organisation or one binding; `thresholds` None: the built-in ones.

    Raises `Faulty` for limits that make no sense and for a rule that is switched off without a reason, `NotFound` for a
    binding that is absent.
    """
    known = _rule(rule, binding)
    _check(known, thresholds, enabled=enabled, reason=reason)
    with transaction.atomic():
        lock_organisation()
        row = AlertRule.objects.filter(rule=rule, binding=binding).first()
        before = None if row is None else audited(row)
        row = row or AlertRule(rule=rule, binding_id=binding)
        row.warn = None if thresholds is None else stored(thresholds.warn)
        row.page = None if thresholds is None else stored(thresholds.page)
        row.enabled, row.reason = enabled, reason
        row.changed_by, row.changed_at = current_actor().label, timezone.now()
        row.save()
        record("alert_rule.changed", target=_target(known, row.pk), before=before, after=audited(row))
    return row


def reset_rule(*, rule: str, binding: UUID | None) -> None:
    """Return a rule to what applies without settings of its own: the organisation's, else the built-in ones."""
    known = _rule(rule, binding)
    with transaction.atomic():
        lock_organisation()
        row = AlertRule.objects.filter(rule=rule, binding=binding).first()
        if row is not None:
            target, before = _target(known, row.pk), audited(row)
            row.delete()
            record("alert_rule.reset", target=target, before=before)


def _rule(rule: str, binding: UUID | None) -> Rule:
    if rule not in RULES:
        remedy = f"Choose one of {', '.join(RULES)}."
        raise Faulty([fault(FaultCode.BAD_SHAPE, f"There is no rule {rule}.", remedy, field="rule")])
    known = RULES[rule]
    if binding is not None:
        access_binding(binding)
        if known.scope is Scope.ORGANISATION:
            message = f"The rule {known.title} is about the organisation."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Leave the binding out.", field="binding")])
    return known


def _check(rule: Rule, thresholds: Thresholds | None, *, enabled: bool, reason: str) -> None:
    if not enabled and not reason.strip():
        message, remedy = "The rule is switched off without a reason.", "Write the reason, so that others know it."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="reason")])
    if thresholds is None:
        return
    levels = {"warn": thresholds.warn, "page": thresholds.page}
    if thresholds.warn is None and thresholds.page is None:
        message, remedy = "The rule has no limit.", "Set a limit, or switch the rule off."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="thresholds")])
    faults = [
        fault(FaultCode.BAD_SHAPE, wrong, remedy, field=f"thresholds.{level}.at")
        for level, limit in levels.items()
        if limit is not None
        for wrong, remedy in _wrong(rule, limit)
    ]
    if faults:
        raise Faulty(faults)


def _wrong(rule: Rule, limit: Threshold) -> list[tuple[str, str]]:
    if limit.at <= 0:
        return [("The limit is 0 or less, so the rule would always fire.", "Set a limit above 0.")]
    if rule.most is not None and limit.at > rule.most:
        return [(f"The limit is above {rule.most:g}, so the rule would never fire.", "Set a share of at most 1.")]
    return []


def _target(rule: Rule, pk: UUID) -> Target:
    return Target("alert_rule", pk, rule.title)


def audited(row: AlertRule) -> dict[str, Any]:
    """Return the settings for the audit log."""
    limits = {"warn": row.warn, "page": row.page, "enabled": row.enabled, "reason": row.reason}
    return {"binding": None if row.binding_id is None else str(row.binding_id), **limits}


def limits_of(row: AlertRule) -> Thresholds:
    """Return the thresholds that a row sets."""
    return thresholds_of(RULES[row.rule], row)
