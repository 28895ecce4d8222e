"""Making an account: by oneself where it is open, else by an invitation; nobody enters without a verified address."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from tests.webapp.sign_in.browser import PASSWORD, Browser, codes, key_in_mail, pending, subjects
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User

NEW = "erin@acme.example"


def test_who_signed_up_enters_after_opening_the_link_in_the_mail(open_sign_up: None) -> None:
    browser = Browser()
    answered = browser.sign_up(NEW)
    assert (answered.status_code, pending(answered)) == (401, ["verify_email"])
    assert not browser.is_signed_in()
    key = key_in_mail("verify-email")
    assert browser.get("auth/email/verify", **{"X-Email-Verification-Key": key}).json()["data"]["email"] == NEW
    assert browser.post("auth/email/verify", {"key": key}).status_code == 401
    assert browser.sign_in(NEW).status_code == 200
    assert browser.is_signed_in()


def test_signing_in_with_an_address_that_is_not_verified_asks_for_it_again(open_sign_up: None) -> None:
    Browser().sign_up(NEW)
    browser = Browser()
    answered = browser.sign_in(NEW)
    assert (answered.status_code, pending(answered)) == (401, ["verify_email"])
    assert not browser.is_signed_in()


def test_a_link_of_verification_that_was_tampered_with_is_refused(open_sign_up: None) -> None:
    Browser().sign_up(NEW)
    answered = Browser().post("auth/email/verify", {"key": key_in_mail("verify-email")[:-1]})
    assert (answered.status_code, codes(answered)) == (400, ["invalid_or_expired_key"])
    assert not EmailAddress.objects.get(email=NEW).verified


def test_a_password_that_is_short_or_common_or_the_address_is_refused(open_sign_up: None) -> None:
    for password in ("short", "1qaz2wsx3edc", "erinacmeexample", NEW):
        assert Browser().sign_up(NEW, password).status_code == 400, password
    assert not User.objects.exists()


def test_sign_up_answers_alike_for_an_address_that_is_taken(open_sign_up: None, dora: User) -> None:
    taken, free = Browser().sign_up(EMAIL), Browser().sign_up(NEW)
    assert (taken.status_code, taken.json()) == (free.status_code, free.json())
    assert [(each.to, each.subject) for each in mail.outbox] == [
        ([EMAIL], "You already have an account"),
        ([NEW], "Confirm your address"),
    ]
    assert User.objects.count() == 2


def test_sign_up_of_a_taken_address_changes_no_password(open_sign_up: None, dora: User) -> None:
    Browser().sign_up(EMAIL, "another long password")
    assert Browser().sign_in(EMAIL, "another long password").status_code == 400
    assert Browser().sign_in(EMAIL).status_code == 200


def test_nobody_signs_up_without_an_invitation_where_one_is_needed(by_invitation: None, db: None) -> None:
    answered = Browser().sign_up(NEW)
    assert (answered.status_code, codes(answered)) == (403, ["forbidden"])
    assert answered.json()["errors"][0]["message"].startswith("You need an invitation")
    assert not User.objects.exists()


def test_who_was_invited_signs_up_and_the_invitation_verifies_the_address(
    by_invitation: None, db: None, invite: Any
) -> None:
    browser = Browser()
    invite(browser, NEW)
    assert browser.sign_up(NEW.upper()).status_code == 200
    assert browser.is_signed_in()
    assert mail.outbox == []
    assert EmailAddress.objects.get(email=NEW).verified


def test_an_invitation_opens_sign_up_for_its_address_alone(by_invitation: None, db: None, invite: Any) -> None:
    browser = Browser()
    invite(browser, NEW)
    answered = browser.sign_up("mallory@acme.example")
    assert (answered.status_code, codes(answered)) == (400, ["not_invited"])
    assert not User.objects.exists()


def test_an_invitation_revoked_since_then_opens_nothing(
    by_invitation: None, db: None, invite: Any, invitations: dict[str, str]
) -> None:
    browser = Browser()
    invite(browser, NEW)
    invitations.clear()
    assert browser.sign_up(NEW).status_code == 403


def test_where_sign_up_is_open_an_invitation_verifies_no_other_address(open_sign_up: None, invite: Any) -> None:
    browser = Browser()
    invite(browser, NEW)
    assert pending(browser.sign_up("frank@acme.example")) == ["verify_email"]


def test_the_sign_in_page_knows_whether_sign_up_is_open(by_invitation: None, db: None, invite: Any) -> None:
    browser = Browser()
    assert browser.client.get("/api/sign-in/").json() == {"sign_up": False, "mail": True, "providers": []}
    invite(browser, NEW)
    assert browser.client.get("/api/sign-in/").json()["sign_up"] is True


def test_who_is_deactivated_does_not_enter_and_an_open_session_ends(browser: Browser, dora: User) -> None:
    dora.is_active = False
    dora.save()
    assert not browser.is_signed_in()
    again = Browser()
    assert again.sign_in(EMAIL).status_code == 401
    assert not again.is_signed_in()


@pytest.mark.parametrize("make", [User.objects.create_user, User.objects.create_superuser])
def test_addresses_of_people_whom_the_installation_made_are_verified(make: Any, db: None) -> None:
    make(NEW, PASSWORD)
    assert Browser().sign_in(NEW).status_code == 200


def test_addresses_in_mails_come_from_the_settings_and_not_from_the_host_header(
    open_sign_up: None, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    for email in (NEW, "frank@acme.example"):
        browser = Browser(SERVER_NAME="evil.example")
        browser.sign_up(email)
        browser.post("auth/password/request", {"email": email})
    assert len(subjects()) == 4
    for each in mail.outbox:
        assert settings.ADDRESS_OF_PAGES in str(each.body)
        assert "evil" not in f"{each.subject} {each.body}"


def test_sign_up_needs_the_csrf_token(open_sign_up: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    body = {"email": NEW, "password": PASSWORD}
    answered = strict.post("/_allauth/browser/v1/auth/signup", body, content_type="application/json")
    assert answered.status_code == 403
    assert not User.objects.exists()
