"""Mails of organisations, from templates; addresses come from the settings, never from a request."""

import logging
from collections.abc import Mapping
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)


def send(template: str, address: str, context: Mapping[str, Any]) -> bool:
    """Send the mail `template`, named as allauth names its own. Returns whether the mail server accepted it.

    A failure is logged without address and content, because the content may hold a secret.
    """
    known = {**context, "address_of_pages": settings.ADDRESS_OF_PAGES}
    subject, body = (render_to_string(f"accounts/{template}_{part}.txt", known) for part in ("subject", "message"))
    try:
        EmailMessage(" ".join(subject.split()), body.strip() + "\n", to=[address]).send()
    except (OSError, SMTPException) as error:
        logger.error("The mail %s was not sent (%s). Check PUNCTUAL_SMTP_URL.", template, type(error).__name__)
        return False
    return True
