"""The invitation that this session opened; if sign-up is not open, only its holder may sign up."""

from datetime import datetime
from typing import Final, Protocol

from django.http import HttpRequest

SESSION_KEY: Final = "invitation"
"""Session key where `POST /api/invitations/look/` stores the text of a valid invitation."""


class SignUpInvitation(Protocol):
    """The part of an invitation that sign-up needs: its address, and when it was mailed there, if it was."""

    email: str
    sent_at: datetime | None


def find(text: str) -> SignUpInvitation | None:
    """Return the invitation that `text` opens; None if absent, expired, revoked or accepted."""
    from webapp.accounts import invitations  # models, which are not loaded while settings import the adapters

    return invitations.find(text)


def invited(request: HttpRequest) -> SignUpInvitation | None:
    """Return the current invitation of this session; None without a valid one."""
    text = request.session.get(SESSION_KEY)
    return find(text) if isinstance(text, str) else None


def is_invited(request: HttpRequest, email: str) -> bool:
    """Return whether this session's invitation is for `email`."""
    found = invited(request)
    return found is not None and found.email.lower() == email.lower()


def has_read_mail(request: HttpRequest, email: str) -> bool:
    """Return whether this session's invitation was mailed to `email`; a link that was handed over proves no address."""
    found = invited(request)
    return found is not None and found.sent_at is not None and found.email.lower() == email.lower()
