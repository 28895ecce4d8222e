"""Checks of `manage.py check --deploy`: settings with which nobody could sign up on a public installation."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, register
from django.core.checks import Warning as Advice


@register(deploy=True)
def mails_arrive(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:  # noqa: ARG001
    """Return a warning for mail that is only printed, and for links in mails without TLS."""
    found: list[CheckMessage] = []
    if settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        found.append(Advice("Mail is printed and not sent.", hint="Set PUNCTUAL_SMTP_URL.", id="punctual.W001"))
    if urlsplit(settings.ADDRESS_OF_PAGES).scheme != "https":
        hint = "Set PUNCTUAL_ADDRESS_OF_PAGES to where people open the pages, with https://."
        found.append(Advice("Links in mails have an address without TLS.", hint=hint, id="punctual.W002"))
    return found
