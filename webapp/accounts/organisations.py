"""Organisations: creation, naming, and requested deletion.

Code that changes the members of an organisation, or starts something in it, locks its row first. So counts and values
read under the lock still hold when the change is committed.
"""

import re
from datetime import timedelta
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import IntegrityError, transaction
from django.dispatch import Signal
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from webapp.accounts import mail
from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Role
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor, current_organisation, installation_context, organisation_context
from webapp.core.errors import Conflict, Faulty, Forbidden, fault

SHORT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,38}[a-z0-9]")
_WORDS: Final = """
about account accounts admin administration api app assets audit auth billing blog callback dashboard demo docs download
downloads health help home installation invitation invitations login logout mail me new none null organisation
organisations organization organizations owner permissions public punctual root security settings sign-in sign-out
sign-up static status support system test undefined user users webhook webhooks www
"""
RESERVED: Final = frozenset(_WORDS.split())
"""Short names that would be mistaken for a page or for the installation itself."""

deletion_asked: Final = Signal()
"""Sent in the organisation's context, in the transaction that requests its deletion, so that other apps stop runs."""


def lock_organisation() -> Organisation:
    """Return the organisation in context, locked until the end of the transaction.

    Only PostgreSQL has such locks; on SQLite a transaction runs alone from its start.
    """
    return Organisation.objects.select_for_update(no_key=True).get(pk=current_organisation())


def check_open(consequence: str) -> Organisation:
    """Return the organisation in context, locked. Raises `Conflict` with `consequence` if it is to be deleted."""
    organisation = lock_organisation()
    if organisation.delete_after is not None:
        until = f"{organisation.delete_after:%Y-%m-%d}"
        raise Conflict(
            f"{organisation.name} is to be deleted on {until}; until then {consequence}. "
            "Ask an owner to cancel the deletion."
        )
    return organisation


def may_create_organisations(user: User) -> bool:
    """Return whether `user` may make an organisation: staff; others with open sign-up and a verified address.

    Without outgoing mail no address can be verified, so everybody who may sign up may also make an organisation.
    """
    if user.is_staff:
        return True
    proved = not settings.MAIL_GOES_OUT or EmailAddress.objects.filter(user=user, verified=True).exists()
    return settings.SIGN_UP == "open" and proved


def create_organisation(*, slug: str, name: str, by: User) -> Organisation:
    """Make an organisation that `by` owns.

    Raises `Forbidden`, `Faulty` for an invalid short name, `Conflict` if it is taken or `by` owns too many.
    """
    if not may_create_organisations(by):
        raise Forbidden("You may not make organisations here. Ask your administrator to make one.")
    _check_short_name(slug)
    _check_owns_few(by)
    made = Organisation(slug=slug, name=name, created_by=current_actor().label)
    try:
        with organisation_context(made.pk), transaction.atomic():
            made.save(force_insert=True)
            Membership.objects.create(organisation=made, user=by, role=Role.OWNER)
            record("organisation.created", target=target(made), after={"slug": slug, "name": name})
    except IntegrityError:
        taken = fault(FaultCode.DUPLICATE_NAME, f"The short name {slug} is taken.", "Choose another.", field="slug")
        raise Conflict(f"The short name {slug} is taken. Choose another.", faults=[taken]) from None
    return made


def rename_organisation(*, name: str) -> Organisation:
    """Rename the organisation in context; its short name stays, because addresses contain it."""
    with transaction.atomic():
        organisation = lock_organisation()
        before, organisation.name = organisation.name, name
        if before != name:
            organisation.save(update_fields=["name"])
            record("organisation.renamed", target=target(organisation), before={"name": before}, after={"name": name})
    return organisation


def ask_for_deletion(*, slug: str) -> Organisation:
    """Schedule the deletion of the organisation in context after the days of grace, and stop all runs.

    `slug` is typed by the person who asks. Raises `Faulty` if it is another. Asking again changes nothing. All owners
    get a mail.
    """
    with transaction.atomic():
        organisation = lock_organisation()
        if slug != organisation.slug:
            remedy = f"Type {organisation.slug}, exactly."
            message = "This is not the short name of this organisation."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="slug")])
        if organisation.delete_after is not None:
            return organisation
        organisation.delete_after = timezone.now() + timedelta(days=settings.DELETION_GRACE_DAYS)
        organisation.save(update_fields=["delete_after"])
        after = {"delete_after": organisation.delete_after.isoformat()}
        record("organisation.deletion_asked", target=target(organisation), after=after)
        deletion_asked.send(sender=Organisation)
        mail_owners("deletion_asked", organisation)
    return organisation


def cancel_deletion() -> Organisation:
    """Cancel the deletion of the organisation in context; runs stay stopped. Raises `Conflict` if none is scheduled."""
    with transaction.atomic():
        organisation = lock_organisation()
        if organisation.delete_after is None:
            raise Conflict(f"No deletion of {organisation.name} is scheduled, so there is nothing to cancel.")
        before = {"delete_after": organisation.delete_after.isoformat()}
        organisation.delete_after = None
        organisation.save(update_fields=["delete_after"])
        record("organisation.deletion_taken_back", target=target(organisation), before=before)
        mail_owners("deletion_taken_back", organisation)
    return organisation


def mail_owners(template: str, organisation: Organisation) -> None:
    """Send the mail `template` to every owner of the organisation once the transaction is committed."""
    owners = Membership.objects.filter(organisation=organisation, role=Role.OWNER, user__is_active=True)
    addresses = list(owners.values_list("user__email", flat=True))
    context = {"organisation": organisation, "actor": current_actor().label}

    def send() -> None:
        for address in addresses:
            mail.send(template, address, context)

    transaction.on_commit(send, robust=True)


def target(organisation: Organisation) -> Target:
    """Return the organisation as audit events name it."""
    return Target("organisation", organisation.pk, organisation.slug)


def _check_short_name(slug: str) -> None:
    if SHORT_NAME.fullmatch(slug) is None:
        remedy = "Use 3 to 40 small letters, digits and hyphens, with no hyphen at either end."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "This isn't a valid short name.", remedy, field="slug")])
    if slug in RESERVED:
        message = f"The short name {slug} is reserved."
        raise Faulty([fault(FaultCode.RESERVED_NAME, message, "Choose another.", field="slug")])


def _check_owns_few(user: User) -> None:
    with installation_context("how many organisations a person owns"):
        owned = Membership.objects.filter(user=user, role=Role.OWNER).count()
    if owned >= settings.MOST_ORGANISATIONS and not user.is_staff:
        raise Conflict(
            f"You own {counted(owned, 'organisation')}, and a person may own {settings.MOST_ORGANISATIONS:,}. "
            "Delete or transfer one of them, or ask your administrator for more (PUNCTUAL_MOST_ORGANISATIONS)."
        )
