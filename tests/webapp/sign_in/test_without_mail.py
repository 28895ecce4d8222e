"""An installation without a mail server: links are for who may have them, and no address counts as proved."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from tests.webapp.conftest import Person
from tests.webapp.sign_in.browser import Browser
from webapp.environment import mail as settings_of_mail

NEW = "new@acme.example"


@pytest.fixture(autouse=True)
def _no_mail_server(settings: Any) -> None:
    for name, value in settings_of_mail({}).items():
        if name != "EMAIL_BACKEND":
            setattr(settings, name, value)
    settings.SIGN_UP = "invitation"
    settings.ADDRESS_OF_PAGES = "http://127.0.0.1:8000"


def sent(browser: Browser, what: str, link: str) -> Any:
    body = {"token": link.partition("#")[2]}
    return browser.client.post(f"/api/invitations/{what}/", body, content_type="application/json")


def test_the_inviter_is_given_the_link_once_and_who_has_it_joins(alice: Person) -> None:
    browser = Browser()
    invited = alice.post("invitations/", {"email": NEW, "role": "viewer"}).json()
    link = invited["link"]
    assert link.startswith("http://127.0.0.1:8000/invitation#inv_")
    assert "no mail server" in invited["message"]
    assert (invited["sent_at"], mail.outbox) == (None, [])
    assert [each["link"] for each in alice.get("invitations/").json()] == [None]
    again = alice.post(f"invitations/{invited['id']}/resend/").json()["link"]
    assert again != link
    assert sent(browser, "look", link).status_code == 404
    assert sent(browser, "look", again).status_code == 200
    assert browser.sign_up(NEW).status_code == 200
    assert sent(browser, "accept", again).json()["slug"] == alice.organisation.slug
    assert EmailAddress.objects.get(email=NEW).verified is False


def test_a_link_of_another_address_is_not_accepted(alice: Person, bob: Person) -> None:
    link = alice.post("invitations/", {"email": NEW, "role": "viewer"}).json()["link"]
    browser = Browser()
    browser.client = bob.client
    assert sent(browser, "accept", link).status_code == 403


def test_the_pages_know_and_no_answer_contains_a_reset_link(alice: Person) -> None:
    browser = Browser()
    assert browser.client.get("/api/sign-in/").json()["mail"] is False
    asked = browser.post("auth/password/request", {"email": alice.user.email})
    assert asked.status_code == 200
    (printed,) = mail.outbox  # what the console's backend prints into the log of the server
    key = str(printed.body).partition("/reset-password/")[2].split()[0]
    assert key
    assert key not in asked.content.decode()
