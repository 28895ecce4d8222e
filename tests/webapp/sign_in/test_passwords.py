"""Resetting and changing a password."""

from django.core import mail

from tests.webapp.sign_in.browser import PASSWORD, Browser, codes, key_in_mail, subjects
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User

OTHER = "another long password"


def reset_key() -> str:
    assert Browser().post("auth/password/request", {"email": EMAIL}).status_code == 200
    return key_in_mail("reset-password")


def test_the_link_in_the_mail_sets_a_new_password_and_ends_all_sessions(browser: Browser) -> None:
    key = reset_key()
    assert Browser().get("auth/password/reset", **{"X-Password-Reset-Key": key}).status_code == 200
    assert Browser().post("auth/password/reset", {"key": key, "password": OTHER}).status_code == 401
    assert not browser.is_signed_in()
    assert Browser().sign_in(EMAIL, OTHER).status_code == 200
    assert subjects() == ["Set a new password", "Your password was reset"]


def test_a_link_of_reset_is_good_once(dora: User) -> None:
    key = reset_key()
    Browser().post("auth/password/reset", {"key": key, "password": OTHER})
    again = Browser().post("auth/password/reset", {"key": key, "password": PASSWORD})
    assert (again.status_code, codes(again)) == (400, ["invalid_password_reset"])


def test_a_link_of_reset_takes_no_weak_password(dora: User) -> None:
    assert Browser().post("auth/password/reset", {"key": reset_key(), "password": "short"}).status_code == 400
    assert Browser().sign_in(EMAIL).status_code == 200


def test_reset_answers_alike_for_an_address_that_nobody_has(dora: User) -> None:
    known = Browser().post("auth/password/request", {"email": EMAIL})
    unknown = Browser().post("auth/password/request", {"email": "nobody@acme.example"})
    assert (known.status_code, known.json()) == (unknown.status_code, unknown.json())
    assert [each.to for each in mail.outbox] == [[EMAIL], ["nobody@acme.example"]]
    assert "reset-password/" not in str(mail.outbox[-1].body)


def test_a_changed_password_ends_all_other_sessions_and_is_mailed(browser: Browser) -> None:
    elsewhere = Browser()
    elsewhere.sign_in(EMAIL)
    answered = browser.post("account/password/change", {"current_password": PASSWORD, "new_password": OTHER})
    assert answered.status_code == 200
    assert browser.is_signed_in()
    assert not elsewhere.is_signed_in()
    assert subjects() == ["Your password was changed"]


def test_a_password_is_changed_only_with_the_present_one(browser: Browser) -> None:
    answered = browser.post("account/password/change", {"current_password": "wrong", "new_password": OTHER})
    assert (answered.status_code, codes(answered)) == (400, ["enter_current_password"])
    assert Browser().sign_in(EMAIL).status_code == 200
