"""The actor of a request, as the audit log names it."""

from rest_framework.request import Request

from webapp.accounts.models import User
from webapp.accounts.tokens import TokenInUse
from webapp.core.context import Actor

IMPERSONATOR = "impersonator"
"""Session key: the address of the installation's administrator who acts as this person."""
IMPERSONATED_UNTIL = "impersonation_until"
"""Session key: when the impersonation ends, as ISO text in UTC."""


def actor_of(request: Request) -> Actor:
    """Return the actor: a person, a person's token, a service account, or "nobody signed in"."""
    address = request.META.get("REMOTE_ADDR") or None
    if isinstance(request.auth, TokenInUse):
        token = request.auth
        kind = "service" if token.person is None else "token"
        return Actor(kind, token.holder, token.label, token=token.prefix, address=address)  # type: ignore[arg-type]
    if isinstance(request.user, User):
        return person(request.user, address, request.session.get(IMPERSONATOR))
    return Actor("system", None, "nobody signed in", address=address)


def person(user: User, address: str | None = None, impersonator: str | None = None) -> Actor:
    """Return the actor that `user` is."""
    return Actor("person", str(user.pk), user.email, impersonator=impersonator, address=address)
