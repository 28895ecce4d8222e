"""A stream that downloads with a planted token, and keys that a test may turn over."""

from typing import Any

import pytest
from celery.app.task import Task

from streaming.wire.outgoing import OutgoingPolicy
from tests.webapp.conftest import POINTS, Person

PLANTED = "planted-0d63b1f7-token"
OTHER = "planted-77e29c55-other"
URL = "https://127.0.0.1:1/cars.jsonl"
"""Where nobody answers."""
OLD, NEW = "old-" * 10, "new-" * 10
KEPT = {"sealed": True}


def body(token: Any, *, url: str = URL, name: str = "cars") -> dict[str, Any]:
    """A stream of downloads; `...` leaves the token out."""
    options: dict[str, Any] = {"url": url, "format": "json_lines"}
    if token is not ...:
        options["token"] = token
    return {"name": name, "definition": POINTS, "adapter": {"kind": "download", "options": options}}


@pytest.fixture(autouse=True)
def _keys(settings: Any) -> None:
    settings.SECRETS_KEYS = [OLD]
    settings.OUTGOING = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


@pytest.fixture
def connection(alice: Person) -> dict[str, Any]:
    """The stream `cars`, made through the API with a token."""
    answered = alice.post("streams/", body(PLANTED))
    assert answered.status_code == 201, answered.content
    made: dict[str, Any] = answered.json()
    return made


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments of every Celery task that was sent."""
    seen: list[str] = []

    def note(task: "Task[Any, Any]", *args: Any, **kwargs: Any) -> None:
        seen.append(f"{task.name} {args!r} {kwargs!r}")

    monkeypatch.setattr(Task, "apply_async", note)
    return seen
