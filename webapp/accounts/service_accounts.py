"""Service accounts: programs that work in an organisation under a name of their own."""

import re
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from streaming.definition.faults import FaultCode
from webapp.accounts.members import standing
from webapp.accounts.models import Membership, ServiceAccount, User
from webapp.accounts.organisations import lock_organisation
from webapp.accounts.permissions import ALLOWED, Permission, Role, allows
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, Faulty, Forbidden, NotFound, fault

MOST_ACCOUNTS: Final = 50
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}")
"""No `@`: a program must not pass for a person where only the name is shown."""


def service_accounts() -> QuerySet[ServiceAccount]:
    """Return the service accounts by name, each with `tokens_in_force` and the last use of its tokens, `used_at`."""
    in_force = Q(tokens__revoked_at=None, tokens__expires_at__gt=timezone.now())
    return ServiceAccount.objects.annotate(
        tokens_in_force=Count("tokens", filter=in_force), used_at=Max("tokens__last_used_at")
    )


def access_service_account(account: UUID) -> ServiceAccount:
    """Return a service account. Raises `NotFound` if absent or not yours."""
    found = service_accounts().filter(pk=account).first()
    if found is None:
        raise NotFound
    return found


def check_may_rule(role: Role, by: Membership) -> None:
    """Check that `by` may manage a service account of `role`. Raises `Forbidden` if it may do more than they."""
    if not allows(Role(by.role), Permission.ADMINISTER):
        raise Forbidden(f"Your role {by.role} may not administer here. Ask for the role admin or owner.")
    if not ALLOWED[role] <= ALLOWED[Role(by.role)]:
        raise Forbidden(f"A service account with the role {role} may do more than your role {by.role}. Ask an owner.")


def create_service_account(*, name: str, role: Role, disabled: bool, by: User) -> ServiceAccount:
    """Make a service account. Raises `Faulty` for its name, `Forbidden` for a role above one's own, `Conflict`."""
    with transaction.atomic():
        lock_organisation()
        check_may_rule(role, standing(by))
        _check_name(name)
        if ServiceAccount.objects.count() >= MOST_ACCOUNTS:
            raise Conflict(f"There are {MOST_ACCOUNTS} service accounts. Delete those that are no longer used.")
        now = timezone.now()
        made = ServiceAccount(
            name=name,
            role=role,
            created_at=now,
            created_by=current_actor().label,
            disabled_at=now if disabled else None,
        )
        made.save()
        record("service_account.created", target=target(made), after=_state(made))
    return access_service_account(made.pk)


def replace_service_account(*, account: UUID, name: str, role: Role, disabled: bool, by: User) -> ServiceAccount:
    """Replace name, role and state of a service account; its tokens follow at once.

    Raises `NotFound`, `Faulty` for the name, `Forbidden` if the old or new role is above one's own.
    """
    with transaction.atomic():
        lock_organisation()
        found, mine = access_service_account(account), standing(by)
        for each in (Role(found.role), role):
            check_may_rule(each, mine)
        _check_name(name, found)
        before = _state(found)
        found.name, found.role = name, role
        if disabled is (found.disabled_at is None):
            found.disabled_at = timezone.now() if disabled else None
        if _state(found) != before:
            found.save(update_fields=["name", "role", "disabled_at"])
            record("service_account.replaced", target=target(found), before=before, after=_state(found))
    return found


def delete_service_account(*, account: UUID, by: User) -> None:
    """Delete a service account and its tokens; the audit log keeps its name. Raises `NotFound`, `Forbidden`."""
    with transaction.atomic():
        lock_organisation()
        found = access_service_account(account)
        check_may_rule(Role(found.role), standing(by))
        before = {**_state(found), "tokens": [str(each) for each in found.tokens.all()]}
        record("service_account.deleted", target=target(found), before=before)
        found.delete()


def target(account: ServiceAccount) -> Target:
    """Return the service account as audit events name it."""
    return Target("service_account", account.pk, account.name)


def _state(account: ServiceAccount) -> dict[str, object]:
    return {"name": account.name, "role": account.role, "disabled": account.disabled_at is not None}


def _check_name(name: str, own: ServiceAccount | None = None) -> None:
    if NAME.fullmatch(name) is None:
        remedy = "Use up to 80 letters, digits, spaces, dots, hyphens and underscores; start with a letter or digit."
        message = "This isn't a valid name for a service account."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="name")])
    same = ServiceAccount.objects.filter(name__iexact=name)
    if (same if own is None else same.exclude(pk=own.pk)).exists():
        message = f"A service account {name} already exists."
        raise Faulty([fault(FaultCode.DUPLICATE_NAME, message, "Choose another name.", field="name")])
