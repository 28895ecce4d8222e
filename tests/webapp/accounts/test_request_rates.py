"""Requests that come too often are refused: by person, by token, by address; others notice nothing."""

from typing import Any

import pytest
from django.test import Client

from tests.webapp.conftest import Person
from webapp.accounts.limits import request_rates
from webapp.accounts.permissions import Role
from webapp.accounts.tokens import TokenRequest, make_token
from webapp.core.context import organisation_context

MOST = request_rates.WINDOW_S


@pytest.fixture(autouse=True)
def _one_each_second(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REQUESTS_PER_SECOND = 1
    monkeypatch.setattr(request_rates, "now_s", lambda: 1_000_003)


def statuses(client: Client, path: str, count: int, **headers: str) -> list[int]:
    return [client.get(path, headers=headers).status_code for _ in range(count)]


def test_a_person_who_asks_too_often_waits_and_others_do_not(alice: Person, charlie: Person) -> None:
    assert statuses(alice.client, alice.url("streams/"), MOST + 1) == [200] * MOST + [429]
    refused = alice.get("queries/")
    assert refused["Retry-After"] == "7"
    assert refused.json()["message"] == (
        "More than 10 requests of this person came within 10 s. Try again in 7 s, and send fewer at once."
    )
    assert charlie.get("streams/").status_code == 200


def test_the_next_window_is_open_again(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses(alice.client, alice.url("streams/"), MOST + 1)
    monkeypatch.setattr(request_rates, "now_s", lambda: 1_000_010)
    assert alice.get("streams/").status_code == 200


def test_many_tokens_of_one_person_count_together(alice: Person) -> None:
    with organisation_context(alice.organisation.pk):
        texts = [make_token(alice.user, TokenRequest(f"t{n}", Role.VIEWER, 1))[1] for n in range(MOST + 1)]
    answers = [
        Client().get(alice.url("streams/"), headers={"Authorization": f"Bearer {text}"}).status_code for text in texts
    ]
    assert answers == [200] * MOST + [429]


def test_visitors_are_counted_by_address(db: None) -> None:
    client = Client()
    asked = [client.get("/api/sign-in/", REMOTE_ADDR="192.0.2.7").status_code for _ in range(MOST + 1)]
    assert asked == [200] * MOST + [429]
    assert client.get("/api/sign-in/", REMOTE_ADDR="192.0.2.8").status_code == 200


def test_without_redis_nothing_is_counted_and_everything_is_answered(
    alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def add(self, *_: Any, **__: Any) -> None:
            raise request_rates.REDIS_AWAY[0]

    monkeypatch.setattr(request_rates, "cache", Away())
    assert statuses(alice.client, alice.url("streams/"), MOST + 1) == [200] * (MOST + 1)
