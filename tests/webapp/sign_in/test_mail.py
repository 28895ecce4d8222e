"""Mail: sent by a real SMTP server with what the settings say; every mail of ours reads as plain text."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from django.core import mail
from django.template.loader import render_to_string

from tests.conftest import ROOT
from tests.ports import free_port
from tests.webapp.sign_in.browser import Browser
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User
from webapp.accounts.sign_in.checks import mails_arrive

TEMPLATES = ROOT / "webapp" / "accounts" / "sign_in" / "templates"
MAIL = ("BACKEND", "HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_SSL", "USE_TLS")


@dataclass
class Post:
    """An SMTP server that takes mail from who signs in as `punctual`."""

    port: int
    letters: list[Any] = field(default_factory=list)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if not session.authenticated:
            return "530 5.7.0 Sign in first"
        self.letters.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


@pytest.fixture
def post() -> Iterator[Post]:
    made = Post(free_port())

    def sign_in(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        return AuthResult(success=(data.login, data.password) == (b"punctual", b"p@ss/word"))

    controller = Controller(
        made,
        hostname="127.0.0.1",
        port=made.port,
        authenticator=sign_in,
        auth_require_tls=False,
    )
    controller.start()
    try:
        yield made
    finally:
        controller.stop()


def settings_with(folder: Path, printed: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PUNCTUAL_")}
    env = {**kept, "PUNCTUAL_DATA": str(folder), **environment}
    program = f"from webapp import settings as s; print(*({printed}), sep='\\n')"
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


def mail_settings(folder: Path, url: str) -> list[str]:
    names = ", ".join(f"s.EMAIL_{name}" for name in MAIL)
    return settings_with(folder, names, PUNCTUAL_SMTP_URL=url).stdout.splitlines()


def test_mail_goes_through_the_server_that_the_settings_name(
    post: Post, dora: User, settings: Any, tmp_path: Path
) -> None:
    settings_read = mail_settings(tmp_path, f"smtp://punctual:p%40ss%2Fword@127.0.0.1:{post.port}")
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = (
        settings_read[0],
        settings_read[1],
        int(settings_read[2]),
    )
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = settings_read[3], settings_read[4]
    settings.DEFAULT_FROM_EMAIL = "Punctual <no-reply@acme.example>"
    assert Browser().post("auth/password/request", {"email": EMAIL}).status_code == 200
    (letter,) = post.letters
    assert (letter["To"], letter["From"]) == (EMAIL, "Punctual <no-reply@acme.example>")
    assert letter["Subject"] == "Set a new password"
    assert f"{settings.ADDRESS_OF_PAGES}/reset-password/" in letter.get_content()


@pytest.mark.parametrize("email", [EMAIL, "nobody@acme.example"])
def test_a_server_that_takes_no_mail_is_logged_and_answered_alike(
    email: str, dora: User, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    answered = Browser().post("auth/password/request", {"email": email})
    assert (answered.status_code, answered.json()) == (200, {"status": 200})
    assert "was not sent" in caplog.text
    assert email not in caplog.text


@pytest.mark.parametrize(
    ("url", "host", "port", "flags"),
    [
        ("smtps://mail.example", "mail.example", "465", ["True", "False"]),
        ("smtp+starttls://mail.example", "mail.example", "587", ["False", "True"]),
        ("smtps://u:p@mail.example:4650", "mail.example", "4650", ["True", "False"]),
    ],
)
def test_the_scheme_says_how_the_line_is_encrypted(
    url: str, host: str, port: str, flags: list[str], tmp_path: Path
) -> None:
    settings_read = mail_settings(tmp_path, url)
    assert (settings_read[0].rsplit(".", 2)[1], settings_read[1], settings_read[2], settings_read[5:]) == (
        "smtp",
        host,
        port,
        flags,
    )


def test_without_a_server_mail_is_printed(tmp_path: Path) -> None:
    assert settings_with(tmp_path, "s.EMAIL_BACKEND,").stdout.strip().endswith("console.EmailBackend")


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("PUNCTUAL_SMTP_URL", "http://mail.example", "must start with one of smtps://, smtp+starttls://, smtp://"),
        ("PUNCTUAL_SIGN_UP", "closed", "set it to open or invitation"),
        ("PUNCTUAL_ADDRESS_OF_PAGES", "punctual.example", "set it to an address"),
        ("PUNCTUAL_OIDC_ISSUER", "https://id.example", "PUNCTUAL_OIDC_CLIENT_ID"),
        ("PUNCTUAL_OIDC_ISSUER", "http://id.example", "must start with https://"),
    ],
)
def test_a_setting_that_cannot_be_read_stops_the_start_with_a_sentence(
    name: str, value: str, complaint: str, tmp_path: Path
) -> None:
    done = settings_with(tmp_path, "1,", **{name: value})
    assert done.returncode != 0
    assert complaint in done.stderr.splitlines()[-1]


def test_sign_up_is_by_invitation_unless_it_is_ones_own_machine(tmp_path: Path) -> None:
    assert settings_with(tmp_path, "s.SIGN_UP,").stdout == "invitation\n"
    assert settings_with(tmp_path, "s.SIGN_UP,", PUNCTUAL_EMBEDDED="1").stdout == "open\n"


def test_the_address_of_the_pages_is_the_port_of_this_machine_or_what_is_set(tmp_path: Path) -> None:
    addresses = "s.ADDRESS_OF_PAGES, s.HEADLESS_FRONTEND_URLS['account_confirm_email']"
    own = settings_with(tmp_path, addresses, PORT="8123").stdout.split()
    assert own == ["http://127.0.0.1:8123", "http://127.0.0.1:8123/verify-email/{key}"]
    text = settings_with(tmp_path, addresses, PUNCTUAL_ADDRESS_OF_PAGES="https://punctual.example/").stdout.split()
    assert text == ["https://punctual.example", "https://punctual.example/verify-email/{key}"]


def test_no_runner_inherits_the_passwords_of_mail_and_provider(tmp_path: Path) -> None:
    given = {"PUNCTUAL_SMTP_URL": "smtp://u:planted-1@mail.example", "PUNCTUAL_OIDC_CLIENT_SECRET": "planted-2"}
    text = settings_with(tmp_path, "s.RUNNER_ENVIRONMENT,", **given).stdout
    assert "PATH" in text
    assert "planted" not in text


def test_check_deploy_says_that_mail_is_only_printed(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert [each.id for each in mails_arrive(None)] == ["punctual.W001", "punctual.W002"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.ADDRESS_OF_PAGES = "https://punctual.example"
    assert mails_arrive(None) == []


SUBJECTS = sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*_subject.txt"))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_mail_is_plain_text_from_punctual_and_says_nothing_of_hosts(subject: str) -> None:
    fields = {
        "address_of_pages": "https://punctual.example",
        "email": "o'dora@acme.example",
        "user_agent": "<b>Browser</b>",
        "provider": {"name": "Company & Co"},
    }
    title = render_to_string(subject, fields).strip()
    text = render_to_string(subject.replace("_subject", "_message"), fields)
    assert 10 < len(title) < 60
    assert "https://punctual.example" in text
    assert "&" not in title.replace("Company & Co", "")
    assert not any(sign in text for sign in ("&#", "&lt;", "&amp;", "example.com"))
    assert text.startswith("Hello,\n")


def test_every_mail_that_allauth_sends_here_is_one_of_ours() -> None:
    import allauth

    theirs = Path(allauth.__file__).parent / "templates"
    sent = {str(path.relative_to(theirs)) for path in theirs.rglob("email/*_subject.txt")}
    by_code = {f"account/email/{name}_subject.txt" for name in ("login_code", "password_reset_code")}
    assert sent - by_code == set(SUBJECTS)


def test_the_mailbox_of_the_tests_is_empty_at_first() -> None:
    assert mail.outbox == []
