"""Upload limits: whatever is sent, no endpoint reads more than it may, and none fails."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.asgi import get_asgi_application

from tests.conftest import ROOT
from tests.webapp.conftest import Person
from tests.webapp.resources import OwnThings, ids_of
from webapp.bundles.api import MOST_BODY_BYTES
from webapp.core.api import LARGE_BYTES, SMALL_BYTES
from webapp.core.http.bodies import MOST_BYTES as MOST_OF_ANY
from webapp.core.http.bodies import SIGN_IN_BYTES, LimitedBodies
from webapp.queries.simulation.bodies import MOST_BODY_BYTES as MOST_OF_SAMPLES

API = json.loads((ROOT / "frontend" / "openapi.json").read_text())["paths"]
TAKING = sorted(
    (path, method)
    for path, methods in API.items()
    for method, operation in methods.items()
    if "requestBody" in operation and operation["operationId"] not in {"streams_push"}
)
"""Every operation that takes a body of a shape of its own; pushed rows have their own tests."""
OF_SAMPLES = dict.fromkeys(
    (
        "queries/simulate/", "queries/compare/", "queries/what-if/", "samples/text/", "samples/replay/", "repairs/",
        "scenarios/",
        "scenarios/observe/", "scenarios/read/", "scenarios/{scenario}/",
    ),
    MOST_OF_SAMPLES,
)  # fmt: skip
OF_DEFINITIONS = dict.fromkeys(
    (
        "queries/", "queries/validate/", "queries/complete/", "queries/explain/", "queries/preflight/", "versions/",
        "queries/complete-expression/", "layout/", "merge/", "streams/infer/", "transcripts/run/", "samples/stream/",
        "samples/generated/", "samples/quarantine/", "samples/running/", "samples/why/", "scenarios/run/",
        "templates/{template}/streams/", "templates/{template}/preview/",
    ),
    LARGE_BYTES,
)  # fmt: skip
OF_BUNDLES = dict.fromkeys(("definitions/plan/", "definitions/apply/", "confirmations/", "carry-out/"), MOST_BODY_BYTES)
LARGER = {**OF_DEFINITIONS, **OF_BUNDLES, **OF_SAMPLES}
CHUNK = 64 * 1024


def most_of(path: str) -> int:
    return next((most for ending, most in LARGER.items() if path.endswith(ending)), SMALL_BYTES)


def addressed(alice: Person, binding: dict[str, Any], cars: dict[str, Any]) -> dict[str, str]:
    """Return what the parameters of an address name."""
    made = ids_of(OwnThings(alice, cars["id"], binding["query"], binding["id"], "loader"))
    return {**made, "slug": alice.organisation.slug, "template": "dead_man"}


@pytest.fixture
def ids(alice: Person, binding: dict[str, Any], cars: dict[str, Any]) -> dict[str, str]:
    """Return values for the parameters of an address."""
    return addressed(alice, binding, cars)


def send(person: Person, path: str, method: str, ids: dict[str, str], body: bytes) -> Any:
    ask = getattr(person.client, method)
    return ask(path.format_map(ids), data=body, content_type="application/json")


def refused(answered: Any, status: int, code: str) -> bool:
    envelope = answered.json()
    return (answered.status_code, envelope["code"], envelope.keys() >= {"message", "faults"}) == (status, code, True)


def test_one_byte_above_the_limit_is_413_and_the_limit_itself_is_not(alice: Person, ids: dict[str, str]) -> None:
    for path, method in TAKING:
        most = most_of(path)
        body = b'{"no":"' + b"x" * (most - 9) + b'"}'
        assert len(body) == most
        assert send(alice, path, method, ids, body).status_code == 422, (path, method)
        answered = send(alice, path, method, ids, body + b" ")
        assert refused(answered, 413, "too_large"), (path, method, answered.content[:200])
        assert f"{most // 1024} KiB" in answered.json()["message"]


NESTED = b'{"a":' * 200_000 + b"1" + b"}" * 200_000
LISTS = b"[" * 1_000_000


def strange(size: int) -> dict[bytes, tuple[int, str]]:
    """Bodies of about `size` KiB that are deep, wide or long, with what each is answered."""
    unreadable, faulty = (400, "bad_request"), (422, "faulty")
    return {
        b'{"a":' * (150 * size) + b"1" + b"}" * (150 * size): unreadable,
        b"[" * (1_000 * size): unreadable,
        b"{" + b",".join(b'"k%d":0' % number for number in range(70 * size)) + b"}": faulty,
        b'{"version":' + b"9" * (1_000 * size) + b"}": faulty,
        b"{" + b",".join([b'"no":"a"'] * (100 * size)) + b"}": faulty,
    }


def test_json_that_is_deep_wide_or_long_is_refused_by_its_shape(alice: Person, ids: dict[str, str]) -> None:
    small, large = strange(SMALL_BYTES // 1024), strange(1_000)
    for path, method in TAKING:
        bodies = small if most_of(path) == SMALL_BYTES else large
        for body, (status, code) in bodies.items():
            assert len(body) <= most_of(path)
            answered = send(alice, path, method, ids, body)
            assert refused(answered, status, code), (path, method, answered.content[:200])
            assert len(answered.content) < 100_000, (path, method)


def test_no_view_reads_a_body_but_through_the_one_reader() -> None:
    readers = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "webapp").rglob("*.py")
        if "client" not in path.parts
        for text in ("request.data", "request.POST", "request.FILES", "request.body", "request.read(")
        if text in path.read_text()
    }
    forms = {"webapp/administration/impersonation.py"}  # a form of Django's, below Django's own limits
    assert readers <= {"webapp/core/api.py", "webapp/core/http/bodies.py"} | forms


class Connection:
    """An HTTP connection as an ASGI server hands it over; counts what is read of the body."""

    def __init__(self, path: str, chunks: Sequence[bytes], length: int | None) -> None:
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        self.scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": headers,
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 9),
        }
        self._chunks: Iterator[bytes] = iter(chunks)
        self.read_bytes = 0
        self.sent: list[Any] = []

    async def receive(self) -> Any:
        chunk = next(self._chunks, None)
        self.read_bytes += len(chunk or b"")
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    def answered(self) -> tuple[int, Any]:
        async_to_sync(LimitedBodies(get_asgi_application()))(self.scope, self.receive, self.send)
        starts = [message["status"] for message in self.sent if message["type"] == "http.response.start"]
        assert len(starts) == 1
        return starts[0], json.loads(b"".join(message.get("body", b"") for message in self.sent))


LIMITED = [("/api/t/acme/streams/", MOST_OF_ANY), ("/_allauth/browser/v1/auth/login", SIGN_IN_BYTES)]


@pytest.mark.parametrize(("path", "most"), LIMITED)
def test_reading_a_body_in_chunks_stops_one_byte_above_the_limit(path: str, most: int) -> None:
    chunks = [b" " * CHUNK] * (most // CHUNK)
    connection = Connection(path, [*chunks, b" ", *chunks], None)
    status, envelope = connection.answered()
    assert (status, envelope["code"]) == (413, "too_large")
    assert connection.read_bytes == most + 1


@pytest.mark.parametrize(("path", "most"), LIMITED)
def test_a_body_that_is_announced_as_too_large_is_not_read_at_all(path: str, most: int) -> None:
    connection = Connection(path, [b" " * CHUNK] * 999, most + 1)
    status, envelope = connection.answered()
    assert (status, envelope["code"]) == (413, "too_large")
    assert connection.read_bytes == 0


def test_a_body_that_is_longer_than_announced_is_left_too() -> None:
    connection = Connection("/_allauth/browser/v1/auth/login", [b" " * CHUNK] * 9, 10)
    assert connection.answered()[0] == 413
    assert connection.read_bytes == SIGN_IN_BYTES + CHUNK


@pytest.mark.parametrize(
    "body", [NESTED[: SIGN_IN_BYTES - 9], LISTS[:60_000], b'{"email":' + b"9" * 60_000 + b"}", b"\xff", b"x"]
)
def test_a_body_for_signing_in_that_cannot_be_read_is_400(db: None, client: Any, body: bytes) -> None:
    answered = client.post("/_allauth/browser/v1/auth/login", data=body, content_type="application/json")
    assert refused(answered, 400, "bad_request")
