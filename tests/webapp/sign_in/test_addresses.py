"""Addresses: changing one's own, and those of people who were there before addresses were verified."""

from importlib import import_module
from typing import Any

from allauth.account.models import EmailAddress
from django.apps import apps

from tests.webapp.sign_in.browser import PASSWORD, Browser, codes, key_in_mail, subjects
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User

NEW = "dora.new@acme.example"


def ask(browser: Browser, email: str) -> Any:
    browser.post("auth/reauthenticate", {"password": PASSWORD})
    return browser.post("account/email", {"email": email})


def test_an_address_changes_when_the_link_in_the_mail_to_it_is_opened(browser: Browser, dora: User) -> None:
    assert ask(browser, NEW).status_code == 200
    assert browser.client.get("/api/me/").json()["email"] == EMAIL
    browser.post("auth/email/verify", {"key": key_in_mail("verify-email")})
    assert browser.client.get("/api/me/").json()["email"] == NEW
    assert "Your address was changed" in subjects()
    assert Browser().sign_in(EMAIL).status_code == 400
    assert Browser().sign_in(NEW).status_code == 200


def test_an_address_is_changed_only_after_signing_in_again(browser: Browser) -> None:
    assert browser.post("account/email", {"email": NEW}).status_code == 401
    assert not EmailAddress.objects.filter(email=NEW).exists()


def test_taking_the_address_of_another_person_reveals_nothing_and_has_no_effect(browser: Browser, dora: User) -> None:
    User.objects.create_user("erin@acme.example", PASSWORD)
    answered = ask(browser, "erin@acme.example")
    assert answered.status_code == 200
    opened = Browser().post("auth/email/verify", {"key": key_in_mail("verify-email")})
    assert (opened.status_code, codes(opened)) == (400, ["email_taken"])
    assert browser.client.get("/api/me/").json()["email"] == EMAIL


def test_addresses_of_people_who_were_there_before_are_verified(db: None) -> None:
    people = [User.objects.create(email=email) for email in ("Alice@acme.example", "bob@acme.example")]
    twin = User.objects.create(email="alice@acme.example")
    migration = import_module("webapp.accounts.migrations.0005_verified_addresses")
    for _ in range(2):
        migration.verify(apps, None)
    found = {each.user: (each.email, each.primary, each.verified) for each in EmailAddress.objects.all()}
    assert found == {each: (each.email.lower(), True, True) for each in people}
    assert twin not in found, "one of two people whose addresses differ in capitals alone"
