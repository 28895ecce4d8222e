"""Invitations: made, sent, sent again, revoked, read, accepted.

The text in the mail reads `inv_<key id>_<secret>`. Its holder may see the organisation and sign up with the invited
address. Only a person who has verified that address can join.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from streaming.definition.faults import FaultCode
from webapp.accounts import mail
from webapp.accounts.limits.quotas import check_room, counts
from webapp.accounts.members import check_may_give, members, standing
from webapp.accounts.models import Invitation, Membership, User
from webapp.accounts.organisations import check_open, lock_organisation
from webapp.accounts.permissions import Role
from webapp.accounts.secret_texts import SecretPurpose
from webapp.audit.recording import Target, record
from webapp.core.context import installation_context, organisation_context
from webapp.core.errors import ApiError, Conflict, Faulty, Forbidden, NotFound, fault
from webapp.core.tenancy import TenantQuerySet

INVITATION: Final = SecretPurpose("inv", "webapp.accounts.invitations")
DAYS: Final = 7
FORGOTTEN_AFTER_DAYS: Final = 30
"""Days until a closed or expired invitation is deleted; its audit events stay."""
NOBODY_JOINS: Final = "nobody is invited and nobody joins"


@dataclass(frozen=True)
class InvitationDelivery:
    """An invitation that was made or renewed; `link` is for the inviting person if there is no mail server."""

    invitation: Invitation
    link: str | None = None


class InvitationOver(ApiError):
    """The text opens no invitation: forged, used, revoked, replaced or expired; deliberately one sentence for all."""

    status = 404
    code = "not_found"

    def __init__(self) -> None:
        super().__init__(
            f"This invitation is not valid: it was used, revoked or replaced, or it is older than {DAYS} days. "
            "Ask the person who invited you for a new one."
        )


def invitations() -> QuerySet[Invitation]:
    """Return the open and expired invitations of the organisation in context, newest first."""
    return Invitation.objects.filter(accepted_at=None, revoked_at=None)


def access_invitation(invitation: UUID) -> Invitation:
    """Return an open or expired invitation. Raises `NotFound` if absent or not yours."""
    found = invitations().filter(pk=invitation).first()
    if found is None:
        raise NotFound
    return found


@counts("members")
def places_taken() -> int:
    """Return the number of members plus invitations that can still be accepted."""
    return members().count() + invitations().filter(expires_at__gt=timezone.now()).count()


def invite(*, email: str, role: Role, by: User) -> InvitationDelivery:
    """Invite `email`, and send the mail; `sent_at` stays None if the mail server did not accept it.

    Raises `Faulty` for an invalid address, `Forbidden` for a role above one's own, `Conflict` for a member or an open
    invitation, `OverQuota`. It never checks for an account of that address: the answer must not reveal one.
    """
    address = _address(email)
    with transaction.atomic():
        check_open(NOBODY_JOINS)
        check_may_give(role, standing(by))
        if members().filter(user__email__iexact=address).exists():
            raise Conflict(f"{address} is already a member. Change the role in the list of members.")
        _void_expired(address)
        check_room("members", places_taken())
        made, now = INVITATION.make(), timezone.now()
        invitation = Invitation(
            email=address,
            role=role,
            key_id=made.key_id,
            digest=made.digest,
            invited_by=by.email,
            created_at=now,
            expires_at=now + timedelta(days=DAYS),
        )
        invitation.save()
        record("invitation.created", target=target(invitation), after={"role": role})
    return _deliver(invitation, made.text)


def resend(*, invitation: UUID, by: User) -> InvitationDelivery:
    """Send an invitation again with a new secret and new days; the earlier text becomes invalid.

    Raises `NotFound`, `Forbidden` if its role is above one's own, `OverQuota` if it had expired.
    """
    with transaction.atomic():
        check_open(NOBODY_JOINS)
        found = access_invitation(invitation)
        check_may_give(Role(found.role), standing(by))
        made, now = INVITATION.make(), timezone.now()
        if found.expires_at <= now:
            check_room("members", places_taken())
        found.key_id, found.digest, found.sent_at = made.key_id, made.digest, None
        found.expires_at = now + timedelta(days=DAYS)
        found.save(update_fields=["key_id", "digest", "sent_at", "expires_at"])
        record("invitation.resent", target=target(found), after={"role": found.role})
    return _deliver(found, made.text)


def change_role(*, invitation: UUID, role: Role, by: User) -> Invitation:
    """Change the role in which the invited person joins; the text that was sent stays valid.

    Raises `NotFound`, `Forbidden` if the old or new role is above one's own, `Conflict`.
    """
    with transaction.atomic():
        check_open(NOBODY_JOINS)
        found, mine = access_invitation(invitation), standing(by)
        for each in (Role(found.role), role):
            check_may_give(each, mine)
        before, found.role = found.role, role.value
        if before != found.role:
            found.save(update_fields=["role"])
            record("invitation.role_changed", target=target(found), before={"role": before}, after={"role": found.role})
    return found


def revoke(*, invitation: UUID, by: User) -> None:
    """Revoke an invitation. Raises `NotFound`, `Forbidden` if its role is above one's own."""
    with transaction.atomic():
        lock_organisation()
        found = access_invitation(invitation)
        check_may_give(Role(found.role), standing(by))
        found.revoked_at = timezone.now()
        found.save(update_fields=["revoked_at"])
        record("invitation.revoked", target=target(found), before={"role": found.role})


def find(text: str) -> Invitation | None:
    """Return the invitation that `text` opens, with its organisation; None if absent, expired, revoked or accepted.

    Takes the same time for known and unknown texts.
    """
    found = _opened(text)
    if found is None or found.accepted_at is not None or not _in_force(found):
        return None
    return found


def accept(*, text: str, by: User) -> Membership:
    """Let `by` join with the invitation; accepting twice has the effect of once, and members keep their role.

    Raises `InvitationOver`, `Forbidden` for another address than the invited one, `Conflict` while the organisation is
    to be deleted, `OverQuota`.
    """
    found = _opened(text)
    if found is None:
        raise InvitationOver
    with organisation_context(found.organisation_id), transaction.atomic():
        lock_organisation()
        invitation = Invitation.objects.filter(pk=found.pk, digest=found.digest).first()
        if invitation is None or not _in_force(invitation):
            raise InvitationOver
        _check_address(invitation, by)
        member = members().filter(user=by).first()
        if invitation.accepted_at is None:
            member = _join(invitation, by, member)
        elif member is None:
            raise InvitationOver
        member.organisation = found.organisation
    return member


def forget_old(now: datetime) -> int:
    """Delete the invitations of the organisation in context that ended long ago, and return how many.

    The quota of members limits open invitations; expired ones would pile up in the list.
    """
    over = Invitation.objects.filter(expires_at__lt=now - timedelta(days=FORGOTTEN_AFTER_DAYS))
    return over.delete()[0]


def target(invitation: Invitation) -> Target:
    """Return the invitation as audit events name it."""
    return Target("invitation", invitation.pk, invitation.email)


def _join(invitation: Invitation, by: User, member: Membership | None) -> Membership:
    organisation = check_open(NOBODY_JOINS)
    if member is None:
        check_room("members", members().count())
        member = Membership.objects.create(organisation=organisation, user=by, role=invitation.role)
        after = {"role": invitation.role, "invited_by": invitation.invited_by}
        record("member.joined", target=Target("member", member.pk, by.email), after=after)
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_at"])
    record("invitation.accepted", target=target(invitation), after={"role": member.role})
    return member


def _address(email: str) -> str:
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        remedy = "Write it as name@example.org."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "This isn't an e-mail address.", remedy, field="email")]) from None
    return address


def _void_expired(address: str) -> None:
    """Make room for a new invitation of `address`. Raises `Conflict` if one can still be accepted."""
    now = timezone.now()
    old = invitations().filter(email=address)
    if old.filter(expires_at__gt=now).exists():
        raise Conflict(f"{address} is already invited. Send that invitation again, or revoke it first.")
    old.update(revoked_at=now)


def _deliver(invitation: Invitation, text: str) -> InvitationDelivery:
    """Send the mail, after the transaction: a mail for a row that was rolled back would open nothing."""
    if not settings.MAIL_GOES_OUT:
        return InvitationDelivery(invitation, f"{settings.ADDRESS_OF_PAGES}/invitation#{text}")
    context = {"invitation": invitation, "organisation": invitation.organisation, "text": text}
    if mail.send("invitation", invitation.email, context):
        invitation.sent_at = timezone.now()
        Invitation.objects.filter(pk=invitation.pk, digest=invitation.digest).update(sent_at=invitation.sent_at)
    return InvitationDelivery(invitation)


def _opened(text: str) -> Invitation | None:
    """Return the invitation with the secret in `text`, in any state, with its organisation."""
    key_id = INVITATION.key_id(text)
    rows: TenantQuerySet[Invitation] = TenantQuerySet(Invitation)
    with installation_context("the text of an invitation determines its organisation"):
        found = rows.filter(key_id=key_id).select_related("organisation").first() if key_id else None
    return found if INVITATION.opens(text, found.digest if found else None) else None


def _in_force(invitation: Invitation) -> bool:
    """Return whether the invitation isn't revoked and is accepted or can still be."""
    if invitation.revoked_at is not None:
        return False
    return invitation.accepted_at is not None or invitation.expires_at > timezone.now()


def _check_address(invitation: Invitation, by: User) -> None:
    own = EmailAddress.objects.filter(user=by, email__iexact=invitation.email)
    if settings.MAIL_GOES_OUT:  # without mail nobody can verify an address; the link's secret is proof enough
        own = own.filter(verified=True)
    if not own.exists():
        raise Forbidden(
            f"This invitation is for {invitation.email}, which your account has not verified. "
            "Sign in with that address, or add it to your account and verify it."
        )
