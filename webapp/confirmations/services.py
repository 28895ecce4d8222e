"""Requests, decisions and their execution, each with its audit event."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from webapp.accounts.access import OrganisationEntry
from webapp.accounts.models import Membership, User
from webapp.accounts.organisations import lock_organisation
from webapp.accounts.permissions import Permission, Role, allows, roles_with
from webapp.audit.recording import Target, record
from webapp.confirmations.models import Confirmation, ConfirmationStatus
from webapp.core.context import current_actor, current_organisation
from webapp.core.errors import Conflict, Forbidden, NotFound

DECIDE_WITHIN: Final = timedelta(hours=1)
CARRY_OUT_WITHIN: Final = timedelta(minutes=15)
"""Time from the confirmation."""
MOST_OPEN: Final = 20
"""Plans of one person or service account that are pending or confirmed."""
KEPT: Final = 200
"""Plans of an organisation that are kept; the oldest closed ones are deleted. The audit log keeps their events."""
OPEN: Final = (ConfirmationStatus.PENDING, ConfirmationStatus.CONFIRMED)


@dataclass(frozen=True)
class PlannedAction:
    """A kind of plan. `plan` returns the unsaved plan of a request, and raises if it is invalid or changes nothing.

    `carry_out` makes the change for a person, with the files of the plan if it has any, and calls its last argument in
    the transaction of the change. It raises `Conflict` unless the state is still the planned one.
    """

    plan: Callable[[Any], Confirmation]
    carry_out: Callable[[Confirmation, User | None, Mapping[str, str], Callable[[], object]], None]


ACTIONS: Final[dict[str, PlannedAction]] = {}
"""The kinds of plans, as `plans` registers them."""


class NotConfirmed(Conflict):
    """No person has confirmed the plan yet."""

    code = "not_confirmed"


def access_confirmation(confirmation: UUID) -> Confirmation:
    """Return a plan. Raises `NotFound` if absent or not yours."""
    found = Confirmation.objects.filter(pk=confirmation).first()
    if found is None:
        raise NotFound
    return found


def status_of(confirmation: Confirmation) -> ConfirmationStatus:
    """Return the status as of now."""
    status = ConfirmationStatus(confirmation.status)
    if status in OPEN and confirmation.expires_at <= timezone.now():
        return ConfirmationStatus.EXPIRED
    return status


def request_confirmation(*, plan: Confirmation, entry: OrganisationEntry) -> Confirmation:
    """Store `plan` for a person to confirm. Raises `Conflict` while too many plans of the holder are open."""
    now, token = timezone.now(), entry.token
    with transaction.atomic():
        lock_organisation()
        still_open = Q(status__in=OPEN, expires_at__gt=now)
        if Confirmation.objects.filter(still_open, holder=entry.holder).count() >= MOST_OPEN:
            raise Conflict(
                f"{MOST_OPEN} of your plans are open. Have them confirmed or refused first, or wait an hour."
            )
        closed = Confirmation.objects.exclude(still_open)
        kept = Confirmation.objects.order_by("-requested_at", "-pk").values_list("pk", flat=True)[: KEPT - 1]
        closed.exclude(pk__in=list(kept)).delete()
        plan.status = ConfirmationStatus.PENDING
        plan.holder, plan.requested_by = entry.holder, current_actor().label
        plan.token = "" if token is None else token.prefix
        plan.requested_at, plan.expires_at = now, now + DECIDE_WITHIN
        plan.save()
        record("confirmation.requested", target=target_of(plan), after=_audited(plan))
    return plan


def decide(*, confirmation: Confirmation, entry: OrganisationEntry, confirm: bool) -> Confirmation:
    """Confirm or refuse a plan as the person of `entry`, who signed in.

    Raises `Forbidden` without the plan's permission, `Conflict` if it is decided already or has expired.
    """
    if entry.person is None or entry.token is not None:
        raise Forbidden("Only a person who signed in can decide this. Sign in in the browser and do it there.")
    permission = Permission(confirmation.permission)
    if permission not in entry.permissions:
        *others, last = roles_with(permission)
        who = f"{', '.join(others)} or {last}"
        raise Forbidden(f"Your role {entry.role} may not decide this. Ask a person with the role {who}.")
    now = timezone.now()
    with transaction.atomic():
        found = _locked(confirmation)
        if status_of(found) is not ConfirmationStatus.PENDING:
            raise Conflict(f"This plan is {_words(found)}, so nothing can be decided. Ask for a new plan.")
        before = _audited(found)
        found.status = ConfirmationStatus.CONFIRMED if confirm else ConfirmationStatus.REFUSED
        found.decided_by, found.decided_by_label, found.decided_at = entry.person, entry.person.email, now
        found.expires_at = now + CARRY_OUT_WITHIN if confirm else found.expires_at
        found.save()
        action = "confirmation.confirmed" if confirm else "confirmation.refused"
        record(action, target=target_of(found), before=before, after=_audited(found))
    return found


def carry_out(*, confirmation: Confirmation, files: Mapping[str, str], entry: OrganisationEntry) -> Confirmation:
    """Carry out a confirmed plan, once, in one transaction; after a refusal it can be tried again.

    Raises `NotFound` for the plan of somebody else, `NotConfirmed` before the confirmation, and `Conflict` if the plan
    is refused, expired or carried out, if its confirmation no longer counts, or if the state is not the planned one.
    """
    if confirmation.holder != entry.holder:
        raise NotFound
    _check_confirmed(confirmation)

    def within() -> None:
        found = _locked(confirmation)
        _check_confirmed(found)
        before = _audited(found)
        found.status, found.carried_out_at = ConfirmationStatus.CARRIED_OUT, timezone.now()
        found.save()
        record("confirmation.carried_out", target=target_of(found), before=before, after=_audited(found))

    ACTIONS[confirmation.kind].carry_out(confirmation, entry.person, files, within)
    return access_confirmation(confirmation.pk)


def _check_confirmed(found: Confirmation) -> None:
    status = status_of(found)
    if status is ConfirmationStatus.PENDING:
        raise NotConfirmed("Nobody has confirmed this plan yet. Ask a person to open its page and to confirm it.")
    if status is not ConfirmationStatus.CONFIRMED:
        raise Conflict(f"This plan is {_words(found)}. Plan again, and ask for a new confirmation.")
    if not _still_counts(found):
        who = found.decided_by_label
        raise Conflict(f"{who} confirmed this plan and may no longer do so. Plan again, and ask somebody else.")


def _still_counts(confirmation: Confirmation) -> bool:
    """Return whether the person who confirmed it is still a member with its permission."""
    person: User | None = confirmation.decided_by
    if person is None or not person.is_active:
        return False
    membership = Membership.objects.filter(user=person, organisation_id=current_organisation()).first()
    return membership is not None and allows(Role(membership.role), Permission(confirmation.permission))


def _locked(confirmation: Confirmation) -> Confirmation:
    found = Confirmation.objects.select_for_update(of=("self",)).filter(pk=confirmation.pk).first()
    if found is None:
        raise NotFound
    return found


def _words(confirmation: Confirmation) -> str:
    status = status_of(confirmation)
    return "carried out already" if status is ConfirmationStatus.CARRIED_OUT else status.value


def target_of(confirmation: Confirmation) -> Target:
    """Return the plan as the audit log names it."""
    return Target("confirmation", confirmation.pk, confirmation.title)


def _audited(confirmation: Confirmation) -> dict[str, Any]:
    changes = [f"{each['action']} {each['kind']} {each['name']}" for each in confirmation.changes]
    return {
        "kind": confirmation.kind,
        "status": confirmation.status,
        "requested_by": confirmation.requested_by,
        "decided_by": confirmation.decided_by_label,
        "effect": [*confirmation.sentences, *changes],
    }
