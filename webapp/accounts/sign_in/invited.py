"""Whether this session was shown a valid invitation; only its holder signs up where sign-up is not open."""

from datetime import datetime
from typing import Final, Protocol

from django.http import HttpRequest

SESSION_KEY: Final = "invitation"
"""Where `POST /api/invitations/look/` keeps the text of an invitation that it found."""


class SignUpInvitation(Protocol):
    """What sign-up asks of an invitation: the address that it is for, and when it was mailed there, if it was."""

    email: str
    sent_at: datetime | None


def find(text: str) -> SignUpInvitation | None:
    """Return the invitation that `text` opens; None if it is none, expired, revoked or accepted."""
    from webapp.accounts import invitations  # models, which are not loaded while settings import the adapters

    return invitations.find(text)


def invited(request: HttpRequest) -> SignUpInvitation | None:
    """Return the invitation of this session as it is now; None without a valid one."""
    text = request.session.get(SESSION_KEY)
    return find(text) if isinstance(text, str) else None


def is_invited(request: HttpRequest, email: str) -> bool:
    """Return whether this session's invitation is for `email`."""
    found = invited(request)
    return found is not None and found.email.lower() == email.lower()


def has_read_mail(request: HttpRequest, email: str) -> bool:
    """Return whether this session's invitation was mailed to `email`; one that was handed over proves no address."""
    found = invited(request)
    return found is not None and found.sent_at is not None and found.email.lower() == email.lower()
