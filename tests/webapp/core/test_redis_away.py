"""While Redis is unreachable, counted requests are refused with a sentence; all others continue."""

import logging
from typing import Any

import pytest

from tests.webapp.conftest import Person
from tests.webapp.sign_in.browser import PASSWORD, Browser
from webapp.accounts.models import Invitation, User
from webapp.core.context import organisation_context

NOWHERE = "redis://127.0.0.1:1/0"
COUNTED: list[tuple[str, Any]] = [
    ("/api/organisations/", {"slug": "beta", "name": "Beta"}),
    ("/api/t/acme/invitations/", {"email": "guest@people.example", "role": "viewer"}),
    ("/api/invitations/look/", {"token": "inv_1_secret"}),
    ("/api/invitations/accept/", {"token": "inv_1_secret"}),
]


@pytest.fixture
def redis_away(settings: Any) -> None:
    settings.REDIS_URL = NOWHERE
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": NOWHERE}}


@pytest.mark.parametrize(("path", "body"), COUNTED)
def test_what_is_counted_is_refused_in_words(
    path: str, body: Any, alice: Person, redis_away: None, caplog: pytest.LogCaptureFixture
) -> None:
    answered = alice.client.post(path, body, content_type="application/json")
    assert (answered.status_code, answered.headers["Retry-After"]) == (503, "60")
    assert answered.json() == {
        "code": "unavailable",
        "message": "Redis cannot be reached, and this request must be counted there. Try again in a minute.",
        "faults": [],
    }
    assert "webapp.core.errors" in {each.name for each in caplog.records if each.levelno == logging.ERROR}


def test_nothing_was_done_of_what_was_refused(alice: Person, redis_away: None) -> None:
    alice.client.post(*COUNTED[1], content_type="application/json")
    with organisation_context(alice.organisation.pk):
        assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("auth/login", {"email": "dora@acme.example", "password": PASSWORD}),
        ("auth/signup", {"email": "new@acme.example", "password": PASSWORD}),
        ("auth/password/request", {"email": "dora@acme.example"}),
        ("auth/email/verify", {"key": "x"}),
    ],
)
def test_the_sign_in_says_so_too(path: str, body: Any, db: None, redis_away: None) -> None:
    User.objects.create_user("dora@acme.example", PASSWORD)
    browser = Browser()
    answered = browser.post(path, body)
    assert (answered.status_code, answered.headers["Retry-After"]) == (503, "60")
    [error] = answered.json()["errors"]
    assert error["code"] == "unavailable"
    assert error["message"].endswith("Try again in a minute.")
    assert not browser.is_signed_in()


def test_who_is_signed_in_reads_on(alice: Person, redis_away: None) -> None:
    assert alice.get("streams/").status_code == 200
    assert alice.client.get("/_allauth/browser/v1/auth/session").status_code == 200
