"""The emails of an installation: an SMTP server of the tests stores them in a file next to its data."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller

from tests.e2e.installation import Installation
from tests.ports import free_port

BETWEEN = "\n=====\n"


class Postbox:
    """An SMTP handler that stores every email."""

    def __init__(self, folder: Path) -> None:
        self.file = letters_of(folder)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """Append a letter to the file."""
        letter = message_from_bytes(envelope.content, policy=default)
        with self.file.open("a") as file:
            file.write(f"To: {letter['To']}\n\n{letter.get_content()}{BETWEEN}")
        return "250 OK"


def letters_of(folder: Path) -> Path:
    """Return the file with the emails of the installation in `folder`, next to it: its content belongs to it."""
    return folder.with_name(f"{folder.name}-letters.txt")


@contextmanager
def mail_server(folder: Path) -> Iterator[str]:
    """Run a mail server for the installation in `folder`; yields its address for the settings."""
    controller = Controller(Postbox(folder), hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield f"smtp://127.0.0.1:{controller.port}"
    finally:
        controller.stop()


def link_of_mail(installation: Installation, receiver: str, path: str) -> str:
    """Return the path of the link below `path` in the last email to `receiver`, for example `/verify-email/`."""
    mails = letters_of(installation.var).read_text().split(BETWEEN)
    found = [
        link for mail in mails if f"To: {receiver}" in mail for link in re.findall(rf"http://\S+?({path}\S+)", mail)
    ]
    assert found, f"no mail to {receiver} names {path}"
    return str(found[-1])
