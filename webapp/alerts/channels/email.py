"""E-mail, over the mail server of the installation."""

import re
from smtplib import SMTPException
from typing import Annotated, Final

from django.conf import settings
from django.core.mail import EmailMessage
from pydantic import AfterValidator, Field

from streaming.definition.strict import Strict
from webapp.alerts.channels.requests import NotSent, Sending
from webapp.alerts.notifications import Notification

MOST: Final = 20
_ADDRESS: Final = re.compile(r"[^@\s<>,;:\"()\[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
NO_SERVER: Final = (
    "This installation sends no mail. Ask your administrator to set PUNCTUAL_SMTP_URL and PUNCTUAL_MAIL_FROM."
)


def _recipients(text: str) -> str:
    found = addresses_in(text)
    if not found or len(found) > MOST:
        raise ValueError(f"{len(found)} addresses are given; write 1 to {MOST}, separated by commas")
    for each in found:
        if not _ADDRESS.fullmatch(each):
            raise ValueError("this isn't an e-mail address; write it as name@example.org")
    return text


def addresses_in(text: str) -> list[str]:
    """Return the addresses that are separated by commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


class EmailOptions(Strict):
    """Notifications as plain text mails."""

    to: Annotated[
        str,
        AfterValidator(_recipients),
        Field(max_length=5_000, title="Recipients", description=f"Up to {MOST} addresses, separated by commas."),
    ]


def send(options: EmailOptions, notification: Notification, sending: Sending) -> None:
    """Send one mail to all recipients. Raises `NotSent`."""
    if not settings.MAIL_GOES_OUT:
        raise NotSent(NO_SERVER)
    subject = " ".join(notification.headline.split())
    body = "\n\n".join([*notification.lines, f"Alerts: {notification.link}"]) + "\n"
    headers = {"Message-ID": f"<{sending.id}@punctual>", "Auto-Submitted": "auto-generated"}
    try:
        EmailMessage(subject, body, to=addresses_in(options.to), headers=headers).send()
    except (OSError, SMTPException) as error:
        raise NotSent(
            f"The mail server did not accept the mail ({type(error).__name__}). Check the recipients; if they are "
            "correct, ask your administrator to check PUNCTUAL_SMTP_URL."
        ) from None
