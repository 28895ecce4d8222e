"""Probes: the server lives and is ready; anybody may ask, without a session, and gets one word."""

import logging
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from tests.webapp.core.test_redis_away import NOWHERE
from webapp.core.http import health

Told = tuple[int, bytes, str, str]
OK: Told = (200, b"ok\n", "text/plain", "no-store")
NOT_OK: Told = (503, b"not ok\n", "text/plain", "no-store")
SECRET = "postgresql://owner:hunter2@db.inside:5432"


def probe(path: str, **headers: str) -> Told:
    answered = Client(raise_request_exception=False).get(path, headers=headers)
    return answered.status_code, answered.content, answered["Content-Type"], answered["Cache-Control"]


@pytest.fixture
def database_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OperationalError(f"connection to {SECRET} failed")

    monkeypatch.setattr(connection, "cursor", refuse)


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_connection")
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_server_that_can_do_its_work_says_ok_to_anybody_under_any_name(path: str) -> None:
    assert probe(path) == OK
    assert probe(path, host="10.1.2.3:8000") == OK
    answered = Client().head(path)
    assert (answered.status_code, answered.content) == (200, b"")


@pytest.mark.usefixtures("database_away")
def test_a_server_without_its_database_lives_and_is_not_ready_and_hides_the_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert probe("/healthz") == OK
    with caplog.at_level(logging.WARNING, health.__name__):
        assert probe("/readyz") == NOT_OK
    assert SECRET in caplog.text


@pytest.mark.django_db
def test_a_server_whose_redis_is_away_lives_and_is_not_ready(settings: Any) -> None:
    settings.REDIS_URL = NOWHERE
    assert probe("/healthz") == OK
    assert probe("/readyz") == NOT_OK


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_connection")
def test_a_server_whose_database_waits_for_a_migration_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "migrated", lambda _: False)
    assert probe("/readyz") == NOT_OK


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_nothing_is_sent_there(path: str) -> None:
    assert Client().post(path, {"any": "thing"}).status_code == 405
