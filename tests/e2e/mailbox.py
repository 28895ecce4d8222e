"""The mails of an installation, which prints them into the log of its web server when no SMTP server is set."""

import re

from tests.e2e.installation import Installation


def link_of_mail(installation: Installation, receiver: str, path: str) -> str:
    """Return the path with which the last mail to `receiver` names a page below `path`, such as `/verify-email/`."""
    log = (installation.var / "logs" / "web.log").read_text()
    mails = log.split("Content-Type: text/plain")
    found = [
        link for mail in mails if f"To: {receiver}" in mail for link in re.findall(rf"http://\S+?({path}\S+)", mail)
    ]
    assert found, f"no mail to {receiver} names {path}"
    return str(found[-1])
