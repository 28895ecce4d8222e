"""Sign-in by a provider of OpenID Connect, through every redirect, against a real provider on the loopback address."""

import logging
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount

from tests.oidc import SECRET, Provider
from tests.webapp.sign_in.browser import PASSWORD, V1, Browser, codes, pending, subjects
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User
from webapp.core.http.security import content_security_policy
from webapp.environment import origins_of

NEW = "erin@acme.example"


def leave(browser: Browser, process: str = "login") -> str:
    """Return the provider's address that the browser is sent to."""
    body = {"provider": "oidc", "callback_url": "/sign-in", "process": process}
    answered = browser.client.post(f"{V1}auth/provider/redirect", body)
    assert answered.status_code == 302, answered.content
    return str(answered["Location"])


def come_back(browser: Browser, address: str) -> str:
    """Follow the provider's redirect and return the page that is shown then."""
    parts = urlsplit(address)
    answered = browser.client.get(f"{parts.path}?{parts.query}")
    assert answered.status_code == 302, answered.content
    return str(answered["Location"])


def enter(browser: Browser, provider: Provider, subject: str, process: str = "login") -> str:
    return come_back(browser, provider.consent(leave(browser, process), subject))


def error_in(page: str) -> str:
    return parse_qs(urlsplit(page).query).get("error", [""])[0]


def with_query(address: str, **changed: str) -> str:
    parts = urlsplit(address)
    return parts._replace(query=urlencode(dict(parse_qsl(parts.query)) | changed)).geturl()


@pytest.fixture
def erin(provider: Provider) -> Provider:
    provider.knows("e1", email=NEW, email_verified=True, name="Erin", birthdate="1990-01-01")
    return provider


def test_the_sign_in_page_gets_the_provider_and_not_its_secret(provider: Provider, db: None) -> None:
    answered = Browser().client.get("/api/sign-in/")
    assert answered.json()["providers"] == [{"id": "oidc", "name": "Company"}]
    for text in (answered.content, Browser().get("config").content, Browser().get("auth/session").content):
        assert SECRET.encode() not in text


def test_a_verified_address_makes_an_account_that_is_signed_in(erin: Provider, open_sign_up: None) -> None:
    browser = Browser()
    assert enter(browser, erin, "e1") == "/sign-in"
    assert browser.client.get("/api/me/").json()["email"] == NEW
    assert EmailAddress.objects.get(email=NEW).verified
    assert SocialAccount.objects.get().extra_data == {
        "userinfo": {"sub": "e1", "name": "Erin", "email": NEW, "email_verified": True}
    }


def test_the_same_person_comes_back_to_the_same_account_under_a_new_address(erin: Provider, open_sign_up: None) -> None:
    enter(Browser(), erin, "e1")
    erin.knows("e1", email="erin.new@acme.example", email_verified=False)
    browser = Browser()
    assert enter(browser, erin, "e1") == "/sign-in"
    assert browser.client.get("/api/me/").json()["email"] == NEW


@pytest.mark.parametrize("verified", [False, None, "false", "true"])
def test_an_address_that_the_provider_has_not_verified_makes_no_account(
    verified: Any, provider: Provider, open_sign_up: None
) -> None:
    provider.knows("m1", email=NEW, email_verified=verified)
    browser = Browser()
    assert error_in(enter(browser, provider, "m1")) == "email_not_verified"
    assert not browser.is_signed_in()
    assert not User.objects.exists()


def test_where_sign_up_is_by_invitation_the_provider_makes_no_account(
    erin: Provider, by_invitation: None, db: None
) -> None:
    assert error_in(enter(Browser(), erin, "e1")) == "signup_closed"
    assert not User.objects.exists()


def test_who_was_invited_enters_by_the_provider_with_that_address_alone(
    erin: Provider, by_invitation: None, db: None, invite: Any
) -> None:
    browser = Browser()
    invite(browser, "other@acme.example")
    assert error_in(enter(browser, erin, "e1")) == "signup_closed"
    invite(browser, NEW)
    assert enter(browser, erin, "e1") == "/sign-in"
    assert browser.is_signed_in()


def test_an_account_is_connected_if_both_sides_verified_the_address(
    provider: Provider, dora: User, by_invitation: None
) -> None:
    provider.knows("d1", email=EMAIL.title(), email_verified=True)
    browser = Browser()
    assert enter(browser, provider, "d1") == "/sign-in"
    assert browser.client.get("/api/me/").json()["id"] == str(dora.pk)
    assert SocialAccount.objects.get().user == dora
    assert subjects() == ["Company was connected"]
    assert Browser().sign_in(EMAIL).status_code == 200, "the password is still good"


def test_an_account_is_not_connected_if_the_provider_has_not_verified_the_address(
    provider: Provider, dora: User
) -> None:
    provider.knows("d2", email=EMAIL, email_verified=False)
    browser = Browser()
    assert error_in(enter(browser, provider, "d2")) == "email_not_verified"
    assert not browser.is_signed_in()


def test_an_account_is_not_connected_if_its_own_address_is_not_verified(provider: Provider, open_sign_up: None) -> None:
    Browser().sign_up(NEW)
    provider.knows("e2", email=NEW, email_verified=True)
    browser = Browser()
    enter(browser, provider, "e2")
    assert not browser.is_signed_in()
    assert not SocialAccount.objects.exists()


def test_who_runs_the_installation_is_not_connected_by_an_address(provider: Provider, dora: User) -> None:
    dora.is_staff = True
    dora.save()
    provider.knows("d3", email=EMAIL, email_verified=True)
    browser = Browser()
    enter(browser, provider, "d3")
    assert not browser.is_signed_in()
    assert not SocialAccount.objects.exists()


def test_somebody_signed_in_connects_the_provider_and_disconnects_it(provider: Provider, browser: Browser) -> None:
    provider.knows("d4", email="private@home.example", email_verified=False)
    assert browser.post("auth/reauthenticate", {"password": PASSWORD}).status_code == 200
    assert enter(browser, provider, "d4", "connect") == "/sign-in"
    assert [each["uid"] for each in browser.get("account/providers").json()["data"]] == ["d4"]
    other = Browser()
    enter(other, provider, "d4")
    assert other.client.get("/api/me/").json()["email"] == EMAIL
    assert browser.delete("account/providers", {"provider": "oidc", "account": "d4"}).status_code == 200
    assert subjects() == ["Company was connected", "Company was disconnected"]


def test_connecting_asks_for_the_password_again(provider: Provider, browser: Browser) -> None:
    provider.knows("d5", email=EMAIL, email_verified=True)
    assert error_in(enter(browser, provider, "d5", "connect")) == "reauthentication_required"
    assert not SocialAccount.objects.exists()


def test_a_second_factor_is_required_after_the_provider_too(provider: Provider, dora: User) -> None:
    TOTP.activate(dora, generate_totp_secret())
    provider.knows("d6", email=EMAIL, email_verified=True)
    browser = Browser()
    enter(browser, provider, "d6")
    assert not browser.is_signed_in()
    assert pending(browser.get("auth/session")) == ["mfa_authenticate"]


def test_the_provider_is_asked_with_state_nonce_and_pkce_and_the_address_of_the_settings(
    provider: Provider, db: None, settings: Any
) -> None:
    settings.ADDRESS_OF_PAGES = "https://punctual.example"
    asked = dict(parse_qsl(urlsplit(leave(Browser(SERVER_NAME="localhost"))).query))
    assert asked["redirect_uri"] == "https://punctual.example/_allauth/oidc/oidc/callback/"
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert min(len(asked[name]) for name in ("state", "nonce", "code_challenge")) >= 16
    assert SECRET not in str(asked)


def test_a_state_of_another_browser_is_refused(erin: Provider, open_sign_up: None) -> None:
    address = erin.consent(leave(Browser()), "e1")
    victim = Browser()
    leave(victim)
    assert error_in(come_back(victim, address)) == "unknown"
    assert not victim.is_signed_in()


def test_a_state_is_good_once(erin: Provider, open_sign_up: None) -> None:
    browser = Browser()
    address = erin.consent(leave(browser), "e1")
    come_back(browser, address)
    browser.delete("auth/session")
    assert error_in(come_back(browser, address)) == "unknown"
    assert not browser.is_signed_in()


def test_a_code_of_another_session_is_refused_by_pkce(erin: Provider, open_sign_up: None) -> None:
    erin.knows("m1", email="mallory@acme.example", email_verified=True)
    stolen = dict(parse_qsl(urlsplit(erin.consent(leave(Browser()), "m1")).query))["code"]
    victim = Browser()
    address = erin.consent(leave(victim), "e1")
    assert error_in(come_back(victim, with_query(address, code=stolen))) == "unknown"
    assert not victim.is_signed_in()
    assert erin.token_requests()[-1]["code"] == stolen


def test_an_id_token_with_another_nonce_is_refused(erin: Provider, open_sign_up: None) -> None:
    browser = Browser()
    address = with_query(leave(browser), nonce="of-another-session")
    assert error_in(come_back(browser, erin.consent(address, "e1"))) == "unknown"
    assert not browser.is_signed_in()


def test_who_refuses_at_the_provider_comes_back_to_the_sign_in(provider: Provider, db: None) -> None:
    browser = Browser()
    state = dict(parse_qsl(urlsplit(address := leave(browser)).query))["state"]
    assert error_in(come_back(browser, with_query(provider.deny(address), state=state))) == "cancelled"


def test_a_provider_that_does_not_answer_is_an_error_on_the_sign_in_page(
    provider: Provider, db: None, settings: Any
) -> None:
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"]["server_url"] = "http://127.0.0.1:9"
    assert error_in(leave(Browser())) == "unknown"


def test_a_provider_that_names_another_issuer_is_refused(provider: Provider, db: None, settings: Any) -> None:
    other = provider.issuer.replace("127.0.0.1", "localhost")
    described = f"{other}/.well-known/openid-configuration"
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"]["server_url"] = provider.issuer
    assert error_in(leave(Browser())) == ""
    app["settings"]["server_url"] = described
    assert error_in(leave(Browser())) == "unknown"


def test_a_callback_to_a_page_elsewhere_is_refused(provider: Provider, db: None) -> None:
    body = {"provider": "oidc", "callback_url": "https://evil.example/", "process": "login"}
    answered = Browser().client.post(f"{V1}auth/provider/redirect", body)
    assert "evil" not in answered.get("Location", "")


def test_an_id_token_from_elsewhere_is_not_taken(provider: Provider, db: None) -> None:
    body = {"provider": "oidc", "process": "login", "token": {"client_id": "punctual", "id_token": "x.y.z"}}
    answered = Browser().post("auth/provider/token", body)
    assert (answered.status_code, codes(answered)) == (400, ["token_authentication_not_supported"])


def test_a_callback_of_a_provider_that_is_none_is_404(provider: Provider, db: None) -> None:
    assert Browser().client.get("/_allauth/oidc/other/callback/").status_code == 404


def test_the_secret_goes_to_the_provider_and_into_no_log(
    erin: Provider, open_sign_up: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    browser = Browser()
    enter(browser, erin, "e1")
    come_back(browser, with_query(erin.consent(leave(browser), "e1"), code="wrong"))
    assert [asked["client_secret"] for asked in erin.token_requests()[-2:]] == [SECRET, SECRET]
    assert SECRET not in caplog.text


def test_the_policy_of_pages_lets_the_form_lead_on_to_the_provider(settings: Any) -> None:
    apps = [{"settings": {"server_url": "https://id.example:8443/realms/acme"}}]
    settings.FORM_TARGETS = origins_of(apps)
    assert "form-action 'self' https://id.example:8443;" in content_security_policy()
