"""Attempts to become another user: second factors, impersonation, forged answers of an identity provider."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx

from tests.attacks.stage import PASSWORD, Stage, counted, manage
from tests.attacks.walls import judged

EMAIL: Final = "careful@example.com"
TRIES: Final = 8
BROWSERS: Final = 5
CAREFUL: Final = f"""
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from webapp.accounts.models import User
from webapp.core.context import installation_context
with installation_context("an attack is prepared"):
    user = User.objects.create_user({EMAIL!r}, {PASSWORD!r})
    EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={{"verified": True, "primary": True}})
    TOTP.activate(user, generate_totp_secret())
"""
STAFF: Final = f"""
from allauth.account.models import EmailAddress
from webapp.accounts.models import User
from webapp.core.context import installation_context
from webapp.runs.demo import EMAIL
with installation_context("an attack is prepared"):
    User.objects.create_user("clerk@example.com", {PASSWORD!r}, is_staff=True)
    for user in User.objects.filter(email__in=["clerk@example.com", "mallory@evil.example"]):
        EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={{"verified": True, "primary": True}})
    print(User.objects.get(email=EMAIL).pk)
"""
SIGN_IN: Final = "/_allauth/browser/v1/auth/login"


@contextmanager
def browser(stage: Stage, forged: str) -> Iterator[httpx.Client]:
    """Open a session with the forged source address `forged`."""
    headers = {"X-Forwarded-For": forged}
    with httpx.Client(base_url=stage.installation.address.rstrip("/"), timeout=60, headers=headers) as client:
        client.get("/_allauth/browser/v1/config")
        yield client


def post(client: httpx.Client, path: str, **body: Any) -> httpx.Response:
    """Send JSON with the session's CSRF token."""
    return client.post(path, json=body, headers={"X-CSRFToken": client.cookies.get("csrftoken") or ""})


def codes_of_a_second_factor(stage: Stage) -> str:
    """Guess the codes of a person's app with the known password, in several sessions with forged addresses."""
    manage(stage.installation, "shell", "-v0", "-c", CAREFUL)
    answers = []
    for number in range(BROWSERS):
        with browser(stage, f"203.0.113.{number}") as client:
            signing_in = post(client, SIGN_IN, email=EMAIL, password=PASSWORD)
            if not answers and signing_in.status_code != 401:  # 401: a second factor is asked for
                return f"no code is asked for: {judged(signing_in)}"
            for attempt in range(TRIES):
                code = f"{number * TRIES + attempt:06}"
                answers.append(judged(post(client, "/_allauth/browser/v1/auth/2fa/authenticate", code=code)))
            answers += ["signed in"] if client.get("/api/me/").status_code == 200 else []
    return counted(answers)


def acting_as_the_demo(stage: Stage) -> str:
    """Impersonate the demo's owner, as an owner of another organisation and as staff without superuser rights."""
    victim = manage(stage.installation, "shell", "-v0", "-c", STAFF).splitlines()[-1]
    answers = []
    for email in ("mallory@evil.example", "clerk@example.com"):
        with browser(stage, "203.0.113.99") as client:
            post(client, SIGN_IN, email=email, password=PASSWORD).raise_for_status()
            form = {"user_pk": victim, "csrfmiddlewaretoken": client.cookies.get("csrftoken") or ""}
            answered = client.post("/installation/impersonation/acquire/", data=form)
            me = client.get("/api/me/").json().get("email")
            answers.append(f"{answered.status_code}" if me == email else f"{answered.status_code}, now {me}")
    return ", ".join(answers)


def answers_of_an_unasked_provider(stage: Stage) -> str:
    """Return from an identity provider without a request, and send an unsigned ID token."""
    claims = {"sub": "1", "email": "demo@punctual.example", "email_verified": True, "iss": "https://evil.example"}
    parts = [base64.urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in ({"alg": "none"}, claims)]
    token = b".".join([*parts, b""]).decode()
    with browser(stage, "203.0.113.98") as client:
        answers = [str(client.get("/_allauth/oidc/oidc/callback/?code=x&state=y").status_code)]
        handed = {"provider": "oidc", "process": "login", "token": {"client_id": "punctual", "id_token": token}}
        answers.append(str(post(client, "/_allauth/browser/v1/auth/provider/token", **handed).status_code))
        answers += ["signed in"] if client.get("/api/me/").status_code == 200 else []
    return ", ".join(answers)
