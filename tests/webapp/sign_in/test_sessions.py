"""Sessions: which there are, ending them, and that a session from before signing in is not taken over."""

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.webapp.sign_in.browser import Browser
from tests.webapp.sign_in.conftest import EMAIL
from webapp.accounts.models import User


def sessions(browser: Browser) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = browser.get("auth/sessions").json()["data"]
    return found


def test_the_list_says_from_where_each_session_was_last_seen_and_which_is_this_one(browser: Browser) -> None:
    phone = Browser(REMOTE_ADDR="203.0.113.7", HTTP_USER_AGENT="Phone/1.0")
    phone.sign_in(EMAIL)
    listed = {each["user_agent"]: each for each in sessions(phone)}
    assert set(listed) == {"", "Phone/1.0"}
    assert listed["Phone/1.0"]["ip"] == "203.0.113.7"
    assert {name: each["is_current"] for name, each in listed.items()} == {"": False, "Phone/1.0": True}
    assert all(each["last_seen_at"] >= each["created_at"] - 1 for each in listed.values())


def test_a_session_that_is_revoked_has_no_access_any_more(browser: Browser) -> None:
    phone = Browser()
    phone.sign_in(EMAIL)
    other = next(each["id"] for each in sessions(browser) if not each["is_current"])
    assert browser.delete("auth/sessions", {"sessions": [other]}).status_code == 200
    assert phone.client.get("/api/me/").status_code == 401
    assert browser.is_signed_in()


def test_nobody_sees_or_revokes_sessions_of_another_person(browser: Browser) -> None:
    User.objects.create_user("erin@acme.example", "a long enough password")
    erin = Browser()
    erin.sign_in("erin@acme.example")
    assert [each["is_current"] for each in sessions(erin)] == [True]
    dora_session = sessions(browser)[0]["id"]
    assert erin.delete("auth/sessions", {"sessions": [dora_session]}).status_code == 400
    assert browser.is_signed_in()


def test_signing_out_ends_the_session_for_good(browser: Browser) -> None:
    kept = browser.client.cookies["sessionid"].value
    browser.delete("auth/session")
    browser.client.cookies["sessionid"] = kept
    assert not browser.is_signed_in()


def test_a_session_key_from_before_signing_in_is_not_the_one_after(dora: User) -> None:
    planted = Browser()
    planted.client.session.save()
    session = planted.client.session
    session["seen"] = 1
    session.save()
    before = session.session_key
    planted.client.cookies["sessionid"] = before
    planted.sign_in(EMAIL)
    assert planted.client.cookies["sessionid"].value != before
    thief = Browser()
    thief.client.cookies["sessionid"] = before
    assert not thief.is_signed_in()


def test_the_cookie_is_for_no_script_and_lasts_a_week(browser: Browser) -> None:
    cookie = browser.client.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 604_800)


def test_the_time_of_a_session_is_written_once_a_minute(browser: Browser) -> None:
    touched = []
    for _ in range(3):
        with CaptureQueriesContext(connection) as asked:
            browser.is_signed_in()
        touched.append(any("usersessions" in each["sql"] for each in asked))
    assert touched == [True, False, False]
