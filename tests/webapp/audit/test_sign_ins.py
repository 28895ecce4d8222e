"""Actions on people's own accounts are events of the installation, and no event contains a password."""

import json
from typing import Any

import pytest

from tests.webapp.audit.conftest import every_event
from tests.webapp.conftest import Person
from tests.webapp.sign_in.browser import HALF_MINUTE, PASSWORD, Browser, code_of_app, key_in_mail
from tests.webapp.sign_in.conftest import EMAIL, browser, dora
from webapp.accounts.models import User
from webapp.accounts.sign_in_events import outline
from webapp.audit.models import AuditEvent

__all__ = ["browser", "dora"]


def account_events() -> list[AuditEvent]:
    """Return the events, oldest first; none is of an organisation, none holds the password."""
    found = every_event()
    assert {each.organisation_id for each in found} <= {None}
    assert PASSWORD not in json.dumps([vars(each) for each in found], default=str)
    return found


def brief(event: AuditEvent) -> tuple[str, str, str]:
    return event.action, event.actor_label, event.target_label


def test_signing_in_and_out_are_events(browser: Browser, dora: User) -> None:
    assert browser.delete("auth/session").status_code == 401
    signed_in, signed_out = account_events()
    assert brief(signed_in) == ("person.signed_in", EMAIL, EMAIL)
    assert (signed_in.actor_kind, signed_in.target_id, signed_in.address) == ("person", str(dora.pk), "127.0.0.1")
    assert signed_in.after == {"by": ["password"]}
    assert brief(signed_out) == ("person.signed_out", EMAIL, EMAIL)
    assert signed_in.request_id != signed_out.request_id


def test_a_wrong_password_is_an_event_of_nobody_against_the_account(dora: User) -> None:
    answered = Browser().sign_in(EMAIL.upper(), "not the password at all")
    assert answered.status_code == 400
    [event] = account_events()
    assert brief(event) == ("person.sign_in_failed", "nobody signed in", EMAIL)
    assert (event.actor_kind, event.target_id, event.before, event.after) == ("system", str(dora.pk), None, None)
    assert (event.address, event.request_id) == ("127.0.0.1", answered.headers["X-Request-ID"])


def test_of_an_address_without_an_account_only_an_outline_is_kept(dora: User) -> None:
    assert Browser().sign_in("nobody.in.particular@evil.example").status_code == 400
    [event] = account_events()
    assert brief(event) == ("person.sign_in_failed", "nobody signed in", "unknown address")
    assert event.after == {"address": "n…@evil.example"}


@pytest.mark.parametrize("typed", ["a long enough password", "p@ssw0rd", "", "\ud800@x.example"])
def test_what_is_no_address_may_be_a_password_and_is_not_kept(typed: str) -> None:
    assert outline(typed) is None


def test_a_changed_password_is_an_event(browser: Browser) -> None:
    answered = browser.post(
        "account/password/change", {"current_password": PASSWORD, "new_password": "another good one!"}
    )
    assert answered.status_code in {200, 401}
    assert "person.password_changed" in {each.action for each in account_events() if each.actor_label == EMAIL}
    assert "another good one!" not in json.dumps([vars(each) for each in account_events()], default=str)


def test_a_password_that_was_reset_is_an_event(dora: User, django_capture_on_commit_callbacks: Any) -> None:
    browser = Browser()
    with django_capture_on_commit_callbacks(execute=True):
        browser.post("auth/password/request", {"email": EMAIL})
    key = key_in_mail("reset-password")
    browser.post("auth/password/reset", {"key": key, "password": "another good one!"})
    events = account_events()
    assert ("person.password_reset", EMAIL, EMAIL) in [brief(each) for each in events]
    assert key not in json.dumps([vars(each) for each in events], default=str)


def test_second_factors_are_events(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.yield_hotp_counters_from_time", lambda: iter([HALF_MINUTE]))
    assert browser.post("auth/reauthenticate", {"password": PASSWORD}).status_code == 200
    secret = browser.get("account/authenticators/totp").json()["meta"]["secret"]
    with django_capture_on_commit_callbacks(execute=True):
        assert browser.post("account/authenticators/totp", {"code": code_of_app(secret)}).status_code == 200
    codes = browser.get("account/authenticators/recovery-codes").json()["data"]["unused_codes"]
    with django_capture_on_commit_callbacks(execute=True):
        assert browser.post("account/authenticators/recovery-codes").status_code == 200
    other = Browser()
    other.sign_in(EMAIL)
    assert other.post("auth/2fa/authenticate", {"code": "000000"}).status_code == 400
    assert browser.delete("account/authenticators/totp").status_code == 200
    events = account_events()
    factors = [(each.action, each.actor_label, each.before, each.after) for each in events if each.area != "person"]
    assert sorted(factors[:2], key=str) == [
        ("second_factor.added", EMAIL, None, {"kind": "recovery_codes"}),
        ("second_factor.added", EMAIL, None, {"kind": "totp"}),
    ]
    assert factors[2:3] == [
        ("second_factor.made_anew", EMAIL, None, {"kind": "recovery_codes"}),
    ]
    assert ("second_factor.refused", "nobody signed in", None, None) in factors
    assert ("second_factor.removed", EMAIL, {"kind": "totp"}, None) in factors
    written = json.dumps([vars(each) for each in events], default=str)
    assert not any(each in written for each in (secret, *codes))


def test_a_sign_in_is_in_nobodys_organisation(alice: Person) -> None:
    assert Browser().sign_in("alice@acme.example").status_code == 200
    assert alice.get("audit/").json()["events"] == []
    assert [each.action for each in account_events()] == ["person.signed_in"]
