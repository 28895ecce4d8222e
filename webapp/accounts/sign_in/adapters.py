"""Answers to allauth's questions about accounts and mail."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.httpkit import get_client_ip
from django.conf import settings
from django.http import HttpRequest

from webapp.accounts.sign_in.invited import has_read_mail, invited
from webapp.accounts.sign_in.known_devices import attempts_key

logger = logging.getLogger(__name__)

NO_ADDRESS = "0.0.0.0"  # nosec B104 # means no address; nothing listens on it


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts: who may make one, how attempts are counted, and how mail goes out."""

    error_messages = {  # noqa: RUF012 - allauth reads it from the class
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "The address or the password is wrong. Try again, or reset your password.",  # nosec B105 # a name or a sentence, no password
        "too_many_login_attempts": "Too many attempts failed. Wait five minutes and try again.",
        "rate_limited": "Too many attempts. Wait a minute and try again.",
        "incorrect_password": "This is not your password. Try again.",  # nosec B105 # a name or a sentence, no password
        "enter_current_password": "This is not your current password. Try again.",  # nosec B105 # a name or a sentence, no password
        "invalid_or_expired_key": "This link has been used, or is too old. Sign in to be sent a new one.",
        "invalid_password_reset": "This link has been used, or is too old. Ask for a new one.",  # nosec B105 # a name or a sentence, no password
        "incorrect_code": "This code is wrong or was already used. Enter the current one.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether this session may make an account: always if sign-up is open, else with an invitation."""
        return settings.SIGN_UP == "open" or invited(request) is not None

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """Return whether `email` needs no mail to verify it: a mailed invitation verifies it too."""
        return has_read_mail(request, email) or super().is_email_verified(request, email)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that the ASGI server reports. Without one (a Unix socket) all share one limit."""
        return get_client_ip(request) or NO_ADDRESS

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Return the key under which failed sign-ins of an account are counted.

        allauth's own contains the Host header; its port is free, so each made-up port would get new attempts.
        """
        return attempts_key(request, str(credentials.get("email", "")))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail, with addresses from the settings and none from the request.

        A failed mail is logged and not reported: a password change holds even if its notice is lost, and an error for
        known addresses alone would reveal them. A person who waits for a mail requests it again.
        """
        known = {
            **context,
            "email": email,
            "address_of_pages": settings.ADDRESS_OF_PAGES,
            "by_invitation": settings.SIGN_UP != "open",
        }
        try:
            self.render_mail(template_prefix, email, known).send()
        except (OSError, SMTPException) as error:
            logger.error("The mail %s was not sent (%s). Check PUNCTUAL_SMTP_URL.", template_prefix, type(error))
