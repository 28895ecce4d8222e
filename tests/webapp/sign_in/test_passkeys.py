"""Passkeys: made, used to sign in and as second factor, refused from another page; by a software authenticator."""

import json
from typing import Any

import pytest
from fido2.utils import websafe_decode, websafe_encode

from tests.webapp.sign_in.browser import PASSWORD, Browser, codes, pending, subjects
from tests.webapp.sign_in.conftest import EMAIL
from tests.webapp.sign_in.passkeys import SoftwareKey
from webapp.accounts.models import User

HERE = {"SERVER_NAME": "localhost"}


def options(browser: Browser, path: str, kind: str = "request_options") -> dict[str, Any]:
    answered = browser.get(path)
    assert answered.status_code == 200, answered.content
    found: dict[str, Any] = answered.json()["data"][kind]
    return found


def add(browser: Browser, key: SoftwareKey) -> Any:
    asked = options(browser, "account/authenticators/webauthn?passwordless", "creation_options")
    return browser.post("account/authenticators/webauthn", {"name": "Laptop", "credential": key.make(asked)})


def sign_in(browser: Browser, key: SoftwareKey) -> Any:
    return browser.post("auth/webauthn/login", {"credential": key.sign(options(browser, "auth/webauthn/login"))})


@pytest.fixture
def here(dora: User) -> Browser:
    """A browser at localhost in which dora has just given her password again."""
    browser = Browser(**HERE)
    browser.sign_in(EMAIL)
    browser.post("auth/reauthenticate", {"password": PASSWORD})
    return browser


@pytest.fixture
def key(here: Browser) -> SoftwareKey:
    """A passkey of dora's."""
    made = SoftwareKey()
    assert add(here, made).status_code == 200
    return made


def test_a_passkey_signs_in_alone_and_its_creation_is_mailed(key: SoftwareKey, here: Browser) -> None:
    browser = Browser(**HERE)
    assert sign_in(browser, key).status_code == 200
    assert browser.client.get("/api/me/").json()["email"] == EMAIL
    listed = {each["type"]: each for each in here.get("account/authenticators").json()["data"]}
    assert (listed["webauthn"]["name"], listed["webauthn"]["is_passwordless"]) == ("Laptop", True)
    assert "A passkey was added" in subjects()


def test_a_passkey_is_required_after_the_password(key: SoftwareKey) -> None:
    browser = Browser(**HERE)
    assert pending(browser.sign_in(EMAIL)) == ["mfa_authenticate"]
    assert not browser.is_signed_in()
    signed = key.sign(options(browser, "auth/webauthn/authenticate"))
    assert browser.post("auth/webauthn/authenticate", {"credential": signed}).status_code == 200
    assert browser.is_signed_in()


def test_a_new_passkey_asks_for_the_password_again(dora: User) -> None:
    browser = Browser(**HERE)
    browser.sign_in(EMAIL)
    answered = browser.get("account/authenticators/webauthn?passwordless")
    assert (answered.status_code, answered.json()["meta"]["is_authenticated"]) == (401, True)
    assert [flow["id"] for flow in answered.json()["data"]["flows"]] == ["reauthenticate"]


@pytest.mark.parametrize("origin", ["http://evil.example", "https://localhost.evil.example", "http://127.0.0.1"])
def test_a_passkey_that_was_used_on_another_page_is_refused(origin: str, key: SoftwareKey) -> None:
    key.origin = origin
    browser = Browser(**HERE)
    answered = sign_in(browser, key)
    assert (answered.status_code, codes(answered)) == (400, ["incorrect_code"])
    assert not browser.is_signed_in()


def test_an_answer_to_an_older_challenge_is_refused(key: SoftwareKey) -> None:
    browser = Browser(**HERE)
    old = key.sign(options(browser, "auth/webauthn/login"))
    options(browser, "auth/webauthn/login")
    assert browser.post("auth/webauthn/login", {"credential": old}).status_code == 400


def test_a_signature_by_another_key_is_refused(key: SoftwareKey) -> None:
    other = SoftwareKey()
    other.user, other.host, other.id = key.user, key.host, key.id
    browser = Browser(**HERE)
    assert sign_in(browser, other).status_code == 400


def test_a_passkey_enters_no_account_but_its_own(key: SoftwareKey) -> None:
    erin = User.objects.create_user("erin@acme.example", PASSWORD)
    key.user = websafe_encode(str(erin.pk).replace("-", "").encode())
    browser = Browser(**HERE)
    assert sign_in(browser, key).status_code == 400
    assert not browser.is_signed_in()


def test_the_passkey_of_a_deactivated_person_does_not_enter(key: SoftwareKey, dora: User) -> None:
    dora.is_active = False
    dora.save()
    browser = Browser(**HERE)
    assert sign_in(browser, key).status_code == 401
    assert not browser.is_signed_in()


def test_a_passkey_that_was_removed_does_not_enter_any_more(key: SoftwareKey, here: Browser) -> None:
    listed = here.get("account/authenticators").json()["data"]
    made = next(each["id"] for each in listed if each["type"] == "webauthn")
    assert here.delete("account/authenticators/webauthn", {"authenticators": [made]}).status_code == 200
    assert sign_in(Browser(**HERE), key).status_code == 400
    assert "A passkey was removed" in subjects()


def test_passkeys_of_a_public_installation_are_made_for_the_host_of_its_pages(here: Browser, settings: Any) -> None:
    settings.OWN_MACHINE = False
    settings.ADDRESS_OF_PAGES = "https://punctual.example"
    asked = options(here, "account/authenticators/webauthn?passwordless", "creation_options")["publicKey"]
    assert asked["rp"] == {"id": "punctual.example", "name": "Punctual"}
    assert asked["authenticatorSelection"]["userVerification"] == "required"


def test_what_a_browser_sends_that_is_no_credential_is_refused(here: Browser) -> None:
    for credential in ({}, "x", {"id": "x", "rawId": "x", "type": "public-key", "response": {}}, [1]):
        answered = here.post("account/authenticators/webauthn", {"name": "n", "credential": credential})
        assert answered.status_code == 400, credential
        assert Browser(**HERE).post("auth/webauthn/login", {"credential": credential}).status_code == 400, credential


def test_the_software_key_says_where_it_is() -> None:
    made = SoftwareKey("http://x.example")._client("webauthn.get", "YWJj")
    assert json.loads(websafe_decode(made.b64))["origin"] == "http://x.example"
