"""Members: roles, removal, and ownership.

An organisation always has an owner. An admin never makes, lowers or removes owners; nobody raises their own role. All
of this is checked under the lock of the organisation, so that two owners cannot leave at once.
"""

from collections.abc import Iterable
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from webapp.accounts.models import Membership, Organisation, Token, User
from webapp.accounts.organisations import check_open, lock_organisation
from webapp.accounts.organisations import target as organisation_target
from webapp.accounts.permissions import ALLOWED, Permission, Role, allows
from webapp.audit.recording import Target, record
from webapp.core.context import current_organisation, installation_context
from webapp.core.errors import Conflict, Forbidden, NotFound


def members() -> QuerySet[Membership]:
    """Return the members of the organisation in context with their persons, by address."""
    found = Membership.objects.filter(organisation_id=current_organisation())
    return found.select_related("user").order_by("user__email")


def access_member(member: UUID) -> Membership:
    """Return a member. Raises `NotFound` if absent or not yours."""
    found = members().filter(pk=member).first()
    if found is None:
        raise NotFound
    return found


def standing(user: User) -> Membership:
    """Return the present membership of `user` here. Raises `NotFound` if they were removed a moment ago."""
    found = members().filter(user=user).first()
    if found is None:
        raise NotFound
    return found


def with_second_factor(users: Iterable[User]) -> set[UUID]:
    """Return the ids of those of `users` who have a second factor; recovery codes alone don't count."""
    factors = Authenticator.objects.filter(user__in=list(users)).exclude(type=Authenticator.Type.RECOVERY_CODES)
    return set(factors.values_list("user_id", flat=True))


def check_may_give(role: Role, by: Membership) -> None:
    """Check that `by` may give `role`. Raises `Forbidden`: only owners make owners."""
    if not allows(Role(by.role), Permission.ADMINISTER):
        raise Forbidden(f"Your role {by.role} may not administer here. Ask for the role admin or owner.")
    if not ALLOWED[role] <= ALLOWED[Role(by.role)]:
        raise Forbidden(f"Your role {by.role} may not make a person {role}. Ask an owner.")


def change_role(*, member: UUID, role: Role, by: User) -> Membership:
    """Give a member another role.

    Raises `Forbidden` where `by` may not, `Conflict` where nobody would own the organisation.
    """
    with transaction.atomic():
        lock_organisation()
        found, mine = access_member(member), standing(by)
        check_may_give(role, mine)
        _check_may_touch(found, mine)
        before = Role(found.role)
        if before is role:
            return found
        if before is Role.OWNER:
            _check_not_last_owner(found)
        found.role = role
        found.save(update_fields=["role"])
        record("member.role_changed", target=target(found), before={"role": before}, after={"role": role})
    return found


def remove_member(*, member: UUID, by: User) -> None:
    """Remove a member, or let them leave; their tokens here are revoked, and runs continue.

    Raises `Forbidden` where `by` may not, `Conflict` for the last owner.
    """
    with transaction.atomic():
        lock_organisation()
        found, mine = access_member(member), standing(by)
        leaves = found.pk == mine.pk
        if not leaves:
            if not allows(Role(mine.role), Permission.ADMINISTER):
                raise Forbidden(f"Your role {mine.role} may remove nobody but yourself. Ask an admin or owner.")
            _check_may_touch(found, mine)
        if found.role == Role.OWNER:
            _check_not_last_owner(found)
        ended = Token.objects.filter(user=found.user, revoked_at=None).update(revoked_at=timezone.now())
        before = {"role": found.role, "tokens_ended": ended}
        record("member.left" if leaves else "member.removed", target=target(found), before=before)
        found.delete()


def transfer_organisation(*, member: UUID, by: User) -> Organisation:
    """Make another member owner instead of `by`, who becomes admin.

    Raises `Forbidden` if `by` is not an owner any more, `Conflict` for oneself and for a closed account.
    """
    with transaction.atomic():
        organisation = check_open("it can't be transferred")
        found, mine = access_member(member), standing(by)
        if mine.role != Role.OWNER:
            raise Forbidden(f"Your role {mine.role} may not transfer this organisation. Ask for the role owner.")
        if found.pk == mine.pk:
            raise Conflict("You own this organisation already. Choose another member.")
        if not found.user.is_active:
            raise Conflict(f"The account of {found.user.email} is closed. Choose another member.")
        before = {mine.user.email: mine.role, found.user.email: found.role}
        found.role, mine.role = Role.OWNER, Role.ADMIN
        for each in (found, mine):
            each.save(update_fields=["role"])
        after = {mine.user.email: mine.role, found.user.email: found.role}
        record("organisation.transferred", target=organisation_target(organisation), before=before, after=after)
    return organisation


def target(member: Membership) -> Target:
    """Return the member as audit events name them."""
    return Target("member", member.pk, member.user.email)


def owned_by_nobody_else(user: User) -> list[str]:
    """Return the short names of the organisations that only `user` owns, not counting owners with closed accounts."""
    owners = Membership.objects.filter(role=Role.OWNER)
    others = owners.filter(organisation=OuterRef("organisation"), user__is_active=True).exclude(user=user)
    with installation_context("an account is to be closed that may own several organisations"):
        alone = owners.filter(~Exists(others), user=user).order_by("organisation__slug")
        return list(alone.values_list("organisation__slug", flat=True))


def _check_may_touch(member: Membership, by: Membership) -> None:
    if member.role == Role.OWNER and by.role != Role.OWNER:
        raise Forbidden(f"{member.user.email} is an owner, whom your role {by.role} may not change. Ask an owner.")


def _check_not_last_owner(member: Membership) -> None:
    """Raise `Conflict` for the last owner. Owners with closed accounts do not count: nobody could act for them."""
    others = members().filter(role=Role.OWNER, user__is_active=True).exclude(pk=member.pk)
    if not others.exists():
        raise Conflict(
            f"{member.user.email} is the last owner of this organisation. Assign another owner first, or delete it."
        )
