"""Rate limits, counted in the cache, and their refusals in words."""

from typing import Any

import pytest

from tests.webapp.sign_in.browser import PASSWORD, Browser, codes
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User


def test_failed_sign_ins_of_an_account_by_strangers_are_limited_from_wherever_they_come(dora: User) -> None:
    for turn in range(5):
        assert codes(Browser(REMOTE_ADDR=f"203.0.113.{turn}").sign_in(EMAIL, "wrong")) == ["email_password_mismatch"]
    refused = Browser(REMOTE_ADDR="203.0.113.99").sign_in(EMAIL)
    assert codes(refused) == ["too_many_login_attempts"]
    assert refused.json()["errors"][0]["message"].endswith("try again.")


def guessed_elsewhere() -> None:
    for turn in range(6):
        Browser(REMOTE_ADDR=f"203.0.113.{turn}").sign_in(EMAIL, "wrong")
    assert codes(Browser(REMOTE_ADDR="203.0.113.99").sign_in(EMAIL)) == ["too_many_login_attempts"]


def test_guesses_from_elsewhere_lock_nobody_out_of_a_known_device(dora: User) -> None:
    mine = Browser(REMOTE_ADDR="198.51.100.1")
    assert mine.sign_in(EMAIL).status_code == 200
    mine.delete("auth/session")
    guessed_elsewhere()
    mine.client.defaults["REMOTE_ADDR"] = "198.51.100.200"  # the device moves
    assert mine.sign_in(EMAIL).status_code == 200


def test_guesses_from_elsewhere_lock_nobody_out_at_a_known_address(dora: User) -> None:
    assert Browser(REMOTE_ADDR="198.51.100.1").sign_in(EMAIL).status_code == 200
    guessed_elsewhere()
    assert Browser(REMOTE_ADDR="198.51.100.1").sign_in(EMAIL).status_code == 200


def test_a_known_device_and_a_known_address_have_few_attempts_too(dora: User) -> None:
    mine = Browser(REMOTE_ADDR="198.51.100.1")
    mine.sign_in(EMAIL)
    mine.delete("auth/session")
    mine.client.defaults["REMOTE_ADDR"] = "198.51.100.200"
    for browser in (mine, Browser(REMOTE_ADDR="198.51.100.1")):
        for _ in range(5):
            assert codes(browser.sign_in(EMAIL, "wrong")) == ["email_password_mismatch"]
        assert codes(browser.sign_in(EMAIL)) == ["too_many_login_attempts"]


def test_a_cookie_of_another_account_or_of_nobody_makes_no_device_known(dora: User) -> None:
    other = Browser(REMOTE_ADDR="198.51.100.1")
    User.objects.create_user("eve@evil.example", PASSWORD)
    assert other.sign_in("eve@evil.example").status_code == 200
    other.delete("auth/session")
    guessed_elsewhere()
    assert codes(other.sign_in(EMAIL)) == ["too_many_login_attempts"]
    other.client.cookies["device"] = "W10:forged:forged"
    assert codes(other.sign_in(EMAIL)) == ["too_many_login_attempts"]


def test_a_made_up_port_in_the_host_header_gives_no_new_attempts(dora: User) -> None:
    for turn in range(5):
        Browser(REMOTE_ADDR=f"203.0.113.{turn}", HTTP_HOST=f"localhost:{turn + 1}").sign_in(EMAIL, "wrong")
    refused = Browser(REMOTE_ADDR="203.0.113.99", HTTP_HOST="localhost:99").sign_in(EMAIL)
    assert codes(refused) == ["too_many_login_attempts"]


def test_an_address_that_is_only_claimed_gives_no_new_attempts(dora: User) -> None:
    answers = [
        Browser(HTTP_X_FORWARDED_FOR=f"203.0.113.{turn}").sign_in(f"{turn}@acme.example", "wrong") for turn in range(11)
    ]
    assert codes(answers[-1]) == ["too_many_login_attempts"]


@pytest.mark.parametrize(
    ("path", "body", "allowed"),
    [
        ("auth/login", {"email": EMAIL}, 30),
        ("auth/signup", {"email": "x"}, 20),
        ("auth/password/reset", {"key": "x", "password": "y"}, 20),
        ("auth/email/verify", {"key": "x"}, 30),
        ("auth/provider/redirect", {}, 20),
    ],
)
def test_an_address_of_the_sign_in_is_limited_and_says_so_in_words(
    path: str, body: Any, allowed: int, db: None, settings: Any
) -> None:
    settings.SIGN_UP = "open"
    answers = [Browser().post(path, body) for _ in range(allowed + 1)]
    assert all(answered.status_code != 429 for answered in answers[:-1])
    refused = answers[-1]
    assert refused.status_code == 429
    assert refused.json() == {
        "status": 429,
        "errors": [{"code": "too_many_requests", "message": "Too many attempts. Wait a minute and try again."}],
    }
    assert refused.headers["Retry-After"] == "60"


def test_mails_of_reset_to_one_address_are_limited(dora: User) -> None:
    answers = [
        Browser(REMOTE_ADDR=f"203.0.113.{turn}").post("auth/password/request", {"email": EMAIL}) for turn in range(6)
    ]
    assert [answered.status_code for answered in answers] == [200] * 5 + [429]


def test_without_an_address_all_share_one_limit(dora: User) -> None:
    answers = [Browser(REMOTE_ADDR="").sign_in(f"{turn}@acme.example", "wrong") for turn in range(11)]
    assert codes(answers[-1]) == ["too_many_login_attempts"]
