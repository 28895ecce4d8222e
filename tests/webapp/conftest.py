"""Alice owns acme, bob views it; charlie owns another organisation and must never see a thing of theirs."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.test import Client

from tests.webapp.application_role import working_as_application
from tests.webapp.emptying import events_may_be_emptied
from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Role
from webapp.core.context import installation_context, organisation_context

POINTS: dict[str, Any] = {
    "shape": "point",
    "fields": {"plate": "string", "speed": "double"},
    "event_time": {"start": {"column": "at"}},
    "advance": {"generate": {"every": 1, "delay": "5s"}, "late": "drop"},
}


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """On PostgreSQL, where it is asked for, work as the application's role instead of the owner."""
    with working_as_application(django_db_blocker), events_may_be_emptied():
        yield


@pytest.fixture(autouse=True)
def _installation(settings: Any, tmp_path: Path) -> None:
    """A data folder of its own for each test; limits are counted in this process."""
    settings.PUNCTUAL_DATA = tmp_path
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": str(tmp_path)}
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@dataclass(frozen=True)
class Person:
    """Somebody signed in."""

    user: User
    organisation: Organisation
    client: Client

    def url(self, path: str) -> str:
        """Return the address of `path` in their organisation."""
        return f"/api/t/{self.organisation.slug}/{path}"

    def get(self, path: str) -> Any:
        return self.client.get(self.url(path))

    def post(self, path: str, body: Any = None) -> Any:
        return self.client.post(self.url(path), {} if body is None else body, content_type="application/json")

    def put(self, path: str, body: Any) -> Any:
        return self.client.put(self.url(path), body, content_type="application/json")


def founded(slug: str, name: str) -> Organisation:
    with installation_context("a test lays out who is where"):
        return Organisation.objects.create(slug=slug, name=name)


def join(email: str, organisation: Organisation, role: Role) -> Person:
    user = User.objects.create_user(email, "a long enough password")
    with installation_context("a test lays out who is where"):
        Membership.objects.create(organisation=organisation, user=user, role=role)
    client = Client(raise_request_exception=False)
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return Person(user, organisation, client)


@pytest.fixture
def acme(db: None) -> Organisation:
    return founded("acme", "Acme")


@pytest.fixture
def alice(acme: Organisation) -> Person:
    return join("alice@acme.example", acme, Role.OWNER)


@pytest.fixture
def bob(acme: Organisation) -> Person:
    return join("bob@acme.example", acme, Role.VIEWER)


@pytest.fixture
def charlie(db: None) -> Person:
    return join("charlie@zeta.example", founded("zeta", "Zeta"), Role.OWNER)


@pytest.fixture
def in_acme(acme: Organisation) -> Iterator[None]:
    """Work in acme, as a request of alice's does."""
    with organisation_context(acme.pk):
        yield


@dataclass
class Clock:
    """A clock that changes only when a test sets it."""

    at: datetime = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def pass_by(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

    @property
    def ticks(self) -> int:
        return int(self.at.timestamp() * 1_000_000)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def graph(name: str = "speeding", stream: str = "cars", where: str = "speed > 120") -> dict[str, Any]:
    """Return a sound query graph on `POINTS`."""
    return {
        "version": 1,
        "name": name,
        "nodes": [
            {"kind": "input", "id": "cars", "stream": stream},
            {"kind": "filter", "id": "fast", "input": "cars", "where": where},
            {
                "kind": "window",
                "id": "per_plate",
                "input": "fast",
                "group_by": ["plate"],
                "window": {"kind": "tumbling", "size": "10s"},
                "aggregates": [{"name": "n", "function": "count"}],
            },
            {"kind": "output", "id": "out", "input": "per_plate"},
        ],
    }


@pytest.fixture
def cars_file(acme: Organisation, tmp_path: Path) -> str:
    """A file of two events and a broken line in acme's folder; returns its path inside it."""
    folder = tmp_path / str(acme.pk) / "files"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        '{"at": "2026-01-01T00:00:00Z", "plate": "AB 1", "speed": 130.5}',
        "{broken",
        '{"at": "2026-01-01T00:00:01Z", "plate": "CD 2", "speed": 90.0}',
    ]
    (folder / "cars.jsonl").write_text("\n".join(lines) + "\n")
    return "files/cars.jsonl"


@pytest.fixture
def cars(alice: Person, cars_file: str) -> dict[str, Any]:
    """The stream `cars`, made through the API."""
    body = {"name": "cars", "definition": POINTS, "adapter": file_adapter(cars_file)}
    answered = alice.post("streams/", body)
    assert answered.status_code == 201, answered.content
    made: dict[str, Any] = answered.json()
    return made


def file_adapter(path: str) -> dict[str, Any]:
    return {"kind": "file", "options": {"path": path, "format": "json_lines"}}


@pytest.fixture
def speeding(alice: Person, cars: dict[str, Any]) -> dict[str, Any]:
    """The query `speeding`, made through the API."""
    answered = alice.post("queries/", {"graph": graph(), "comment": "first"})
    assert answered.status_code == 201, answered.content
    made: dict[str, Any] = answered.json()
    return made


def kept_scenario(person: Person, query: str, name: str = "nothing") -> str:
    """Keep an empty scenario with a query; return its id."""
    kept = {"name": name, "sample": {"rows": []}, "expect": {"events": []}}
    answered = person.post(f"queries/{query}/scenarios/", kept)
    assert answered.status_code == 201, answered.content
    return str(answered.json()["id"])


@pytest.fixture
def binding(alice: Person, speeding: dict[str, Any]) -> dict[str, Any]:
    """A binding of `speeding`, made through the API."""
    answered = alice.post("bindings/", {"name": "watch", "query_version": speeding["current"]["id"]})
    assert answered.status_code == 201, answered.content
    made: dict[str, Any] = answered.json()
    return made


@pytest.fixture
def redis_connection(settings: Any, redis_server_url: str) -> "Iterator[redis.Redis]":
    """The installation's Redis, empty."""
    settings.REDIS_URL = redis_server_url
    with redis.Redis.from_url(redis_server_url) as client:
        yield client


@pytest.fixture
def scene(alice: Person, binding: dict[str, Any], redis_connection: "redis.Redis", clock: Clock) -> Any:
    """A run of alice's that was just requested."""
    from tests.webapp.scene import Recorded, Scene

    started = alice.post(f"bindings/{binding['id']}/start/")
    assert started.status_code == 201, started.content
    return Scene(alice, binding, started.json()["id"], redis_connection, Recorded(), clock)
