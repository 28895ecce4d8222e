"""Authenticator apps and recovery codes."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken

from tests.webapp.sign_in.browser import HALF_MINUTE, PASSWORD, Browser, code_of_app, codes, pending, subjects
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User
from webapp.accounts.sign_in.second_factors import SecondFactors, seal_anew

TOTP = "account/authenticators/totp"
RECOVERY = "account/authenticators/recovery-codes"


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.yield_hotp_counters_from_time", lambda: iter([HALF_MINUTE]))


@pytest.fixture
def secure(browser: Browser) -> Browser:
    """A browser in which dora has just given her password again."""
    assert browser.post("auth/reauthenticate", {"password": PASSWORD}).status_code == 200
    return browser


@pytest.fixture
def secret(secure: Browser) -> str:
    """The secret of dora's authenticator app, which is set up; what is in its code now was used to do so."""
    found: str = secure.get(TOTP).json()["meta"]["secret"]
    assert secure.post(TOTP, {"code": code_of_app(found)}).status_code == 200
    return found


@pytest.fixture
def recovery(secure: Browser, secret: str) -> list[str]:
    found: list[str] = secure.get(RECOVERY).json()["data"]["unused_codes"]
    return found


def at_second_factor() -> Browser:
    browser = Browser()
    answered = browser.sign_in(EMAIL)
    assert (answered.status_code, pending(answered)) == (401, ["mfa_authenticate"])
    assert not browser.is_signed_in()
    return browser


def give(browser: Browser, code: str) -> Any:
    return browser.post("auth/2fa/authenticate", {"code": code})


def test_an_app_is_named_for_the_account_and_required_after_the_password(secret: str) -> None:
    browser = at_second_factor()
    assert give(browser, code_of_app(secret)).status_code == 200
    assert browser.is_signed_in()


def test_a_new_app_and_new_recovery_codes_are_mailed(secure: Browser, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert secure.post(TOTP, {"code": code_of_app(secure.get(TOTP).json()["meta"]["secret"])}).status_code == 200
        assert secure.post(RECOVERY).status_code == 200
    assert subjects() == ["An authenticator app was added", "New recovery codes were made"]


def test_the_address_for_the_app_names_punctual_and_the_person(secure: Browser) -> None:
    assert secure.get(TOTP).json()["meta"]["totp_url"].startswith("otpauth://totp/dora%40acme.example?")
    assert "issuer=Punctual" in secure.get(TOTP).json()["meta"]["totp_url"]


def test_a_code_is_good_once(secret: str) -> None:
    code = code_of_app(secret)
    assert give(at_second_factor(), code).status_code == 200
    again = give(at_second_factor(), code)
    assert (again.status_code, codes(again)) == (400, ["incorrect_code"])


@pytest.mark.parametrize("steps", [-2, 2])
def test_a_code_of_another_minute_is_refused(steps: int, secret: str) -> None:
    assert give(at_second_factor(), code_of_app(secret, steps=steps)).status_code == 400


def test_codes_are_tried_five_times_from_wherever_and_then_the_right_one_is_refused_too(secret: str) -> None:
    for turn in range(5):
        browser = Browser(REMOTE_ADDR=f"203.0.113.{turn}")
        browser.sign_in(EMAIL)
        assert codes(give(browser, "000000")) == ["incorrect_code"]
    assert codes(give(at_second_factor(), code_of_app(secret))) == ["too_many_login_attempts"]


def test_a_recovery_code_is_good_once(recovery: list[str]) -> None:
    assert len(set(recovery)) == 10
    assert give(at_second_factor(), recovery[3]).status_code == 200
    assert give(at_second_factor(), recovery[3]).status_code == 400
    assert give(at_second_factor(), recovery[4]).status_code == 200


def test_new_recovery_codes_void_the_old_ones(recovery: list[str], secure: Browser) -> None:
    assert secure.post(RECOVERY).status_code == 200
    assert give(at_second_factor(), recovery[0]).status_code == 400


@pytest.mark.parametrize(("method", "path"), [("get", RECOVERY), ("post", RECOVERY), ("delete", TOTP)])
def test_second_factors_are_shown_and_changed_only_after_signing_in_again(method: str, path: str, secret: str) -> None:
    browser = at_second_factor()
    give(browser, code_of_app(secret))
    answered = getattr(browser, method)(path)
    assert (answered.status_code, answered.json()["meta"]["is_authenticated"]) == (401, True)
    assert [flow["id"] for flow in answered.json()["data"]["flows"]] == ["reauthenticate", "mfa_reauthenticate"]
    assert Authenticator.objects.filter(type="totp").exists()


def test_an_app_that_was_removed_is_not_asked_for_and_its_recovery_codes_are_gone(
    recovery: list[str], secure: Browser
) -> None:
    assert secure.delete(TOTP).status_code == 200
    assert Browser().sign_in(EMAIL).status_code == 200
    assert not Authenticator.objects.exists()
    assert "The authenticator app was removed" in subjects()


def test_a_reset_of_the_password_does_not_go_around_the_second_factor(secret: str) -> None:
    from tests.webapp.sign_in.test_passwords import OTHER, reset_key

    Browser().post("auth/password/reset", {"key": reset_key(), "password": OTHER})
    assert pending(Browser().sign_in(EMAIL, OTHER)) == ["mfa_authenticate"]


def test_the_database_keeps_no_secret_of_an_app_and_no_recovery_code(secret: str, recovery: list[str]) -> None:
    kept = " ".join(str(each.data) for each in Authenticator.objects.all())
    assert secret not in kept
    assert not any(code in kept for code in recovery)


def test_second_factors_are_reencrypted_under_a_new_key_and_the_old_key_may_go(
    secret: str, settings: Any, dora: User
) -> None:
    old = settings.SECRETS_KEYS
    settings.SECRETS_KEYS = ["n" * 40, *old]
    assert seal_anew() == 2
    settings.SECRETS_KEYS = ["n" * 40]
    assert SecondFactors().decrypt(Authenticator.objects.get(type="totp").data["secret"]) == secret
    settings.SECRETS_KEYS = old
    with pytest.raises(InvalidToken):
        SecondFactors().decrypt(Authenticator.objects.get(type="totp").data["secret"])
