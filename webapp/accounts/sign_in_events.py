"""Audit events of people's own accounts: signing in and out, passwords, second factors, addresses.

They belong to the installation and not to an organisation, because a person may be in many: the installation's
administrators read them. A failed sign-in records the address as typed only if an account has it; otherwise only the
first letter and the domain, because people type passwords into the wrong field.
"""

from typing import Any, Final

from allauth.account import signals as account
from allauth.account.models import EmailAddress
from allauth.mfa import signals as second_factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as providers
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.dispatch import receiver
from django.http import HttpRequest

from webapp.accounts.actors import IMPERSONATOR, person
from webapp.accounts.models import User
from webapp.audit.recording import Target, record
from webapp.core.context import acting, organisation_context

UNKNOWN: Final = "unknown address"
_OF_PASSWORDS: Final = {
    account.password_set: "person.password_set",
    account.password_changed: "person.password_changed",
    account.password_reset: "person.password_reset",
}
_OF_FACTORS: Final = {
    second_factors.authenticator_added: "second_factor.added",
    second_factors.authenticator_removed: "second_factor.removed",
    second_factors.authenticator_reset: "second_factor.made_anew",
}


def _record(action: str, request: HttpRequest | None, user: User, **states: dict[str, Any] | None) -> None:
    """Record what `user` did to their own account."""
    session = getattr(request, "session", None)
    impersonator = None if session is None else session.get(IMPERSONATOR)
    address = None if request is None else request.META.get("REMOTE_ADDR") or None
    with organisation_context(None), acting(person(user, address, impersonator)):
        record(action, target=_target(user), **states)


def _target(user: User) -> Target:
    return Target("person", user.pk, user.email)


@receiver(account.user_signed_up)
def _signed_up(request: HttpRequest, user: User, **_: Any) -> None:
    _record("person.signed_up", request, user)


@receiver(account.user_logged_in)
def _signed_in(request: HttpRequest, user: User, **_: Any) -> None:
    used = [each.get("method") for each in request.session.get("account_authentication_methods", [])]
    _record("person.signed_in", request, user, after={"by": used})


@receiver(user_logged_out)
def _signed_out(request: HttpRequest, user: User | None, **_: Any) -> None:
    if user is not None:
        _record("person.signed_out", request, user)


@receiver(user_login_failed)
def _not_signed_in(credentials: dict[str, Any], **_: Any) -> None:
    """Record a failed sign-in. The actor is nobody: the middleware has set nobody with the network address."""
    typed = str(credentials.get("email") or credentials.get("username") or "")
    found = User.objects.filter(email__iexact=typed.replace("\0", "")).first()
    target = Target("person", None, UNKNOWN) if found is None else _target(found)
    with organisation_context(None):
        record("person.sign_in_failed", target=target, after=None if found else {"address": outline(typed)})


def outline(typed: str) -> str | None:
    """Return the first letter and the domain of an e-mail address; None for other texts."""
    try:
        validate_email(typed)
    except ValidationError:
        return None
    return f"{typed[0]}…@{typed.rpartition('@')[2]}"


@receiver(list(_OF_PASSWORDS))
def _password_changed(signal: Any, request: HttpRequest, user: User, **_: Any) -> None:
    _record(_OF_PASSWORDS[signal], request, user)


@receiver(account.email_added)
def _address_added(request: HttpRequest, user: User, email_address: EmailAddress, **_: Any) -> None:
    _record("person.address_added", request, user, after={"address": email_address.email})


@receiver(account.email_removed)
def _address_removed(request: HttpRequest, user: User, email_address: EmailAddress, **_: Any) -> None:
    _record("person.address_removed", request, user, before={"address": email_address.email})


@receiver(account.email_confirmed)
def _address_confirmed(request: HttpRequest, email_address: EmailAddress, **_: Any) -> None:
    _record("person.address_verified", request, email_address.user, after={"address": email_address.email})


@receiver(account.email_changed)
def _address_changed(
    request: HttpRequest,
    user: User,
    to_email_address: EmailAddress,
    from_email_address: EmailAddress | None = None,
    **_: Any,
) -> None:
    before = None if from_email_address is None else {"address": from_email_address.email}
    _record("person.address_changed", request, user, before=before, after={"address": to_email_address.email})


@receiver(list(_OF_FACTORS))
def _factor_changed(signal: Any, request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    kind = {"kind": authenticator.type}
    removed = signal is second_factors.authenticator_removed
    _record(_OF_FACTORS[signal], request, user, **({"before": kind} if removed else {"after": kind}))


@receiver(second_factors.authentication_failed)
def _factor_refused(user: User, **_: Any) -> None:
    """Record a refused second factor. Only a password was right, so the actor is nobody."""
    with organisation_context(None):
        record("second_factor.refused", target=_target(user))


@receiver(providers.social_account_added)
def _provider_added(request: HttpRequest, sociallogin: Any, **_: Any) -> None:
    _record("provider.connected", request, sociallogin.user, after={"provider": sociallogin.account.provider})


@receiver(providers.social_account_removed)
def _provider_removed(request: HttpRequest, socialaccount: SocialAccount, **_: Any) -> None:
    _record("provider.disconnected", request, socialaccount.user, before={"provider": socialaccount.provider})
