"""Every address that changes something, or takes data out, writes exactly its event; a new one has to say which."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from django.apps import apps
from django.test import Client

from tests.webapp.audit.cases import TOKEN, WRITES, on_cars
from tests.webapp.audit.conftest import Events
from tests.webapp.audit.lookings import WRITES_NOTHING
from tests.webapp.conftest import Person, graph
from tests.webapp.impersonating import acted_as
from tests.webapp.stage import Case, Stage
from tests.webapp.undone import undone
from tests.webapp.uploads.bringing import CSV, uploaded
from webapp.accounts.models import Membership, Organisation, PreviewUse
from webapp.accounts.permissions import MATRIX
from webapp.audit.models import AuditEvent
from webapp.core.context import installation_context
from webapp.core.tenancy import TenantModel, TenantQuerySet
from webapp.runs.models import StoredBytes

CHANGING = {(route, method) for route, methods in MATRIX.routes.items() for method in methods if method != "get"}
Key = tuple[str, str]
"""A route and its method."""
KEYS = sorted(WRITES)
OWN_PLAN = ("confirmations/<uuid:confirmation>/carry-out/", "post")
"""Only the holder that requested the plan may carry it out, so the service account can't carry out alice's."""
BY_TOKEN = [key for key in KEYS if MATRIX.routes[key[0]][key[1]].by_token and key != OWN_PLAN]


def sent(person: Person, method: str, path: str, body: Any, **headers: str) -> Any:
    if method == "get":
        answered = person.client.get(person.url(path), headers=headers)
        if answered.streaming:
            answered.getvalue()
        return answered
    call = getattr(person.client, method)
    return call(person.url(path), body, content_type="application/json", headers=headers)


def check(case: Case, found: list[AuditEvent], answered: Any) -> AuditEvent:
    """Check the events of one request and return its own."""
    assert sorted(each.action for each in found) == sorted((case.action, *case.also))
    assert {each.request_id for each in found} == {answered.headers["X-Request-ID"]}
    [event] = [each for each in found if each.action == case.action]
    assert (event.target_label, event.before, event.after) == (case.label, case.before, case.after)
    assert event.target_id is not None
    assert event.area == case.action.split(".")[0]
    return event


def test_every_method_that_may_change_something_is_classified() -> None:
    assert {key for key in WRITES if key[1] != "get"} | set(WRITES_NOTHING) == CHANGING
    assert not set(WRITES) & set(WRITES_NOTHING)
    assert {key for key in WRITES if key[1] == "get"} <= {
        (route, "get") for route, methods in MATRIX.routes.items() if "get" in methods
    }


def test_a_person_is_named_with_what_they_did(
    stage: Stage, newer: Callable[[], Events], subtests: pytest.Subtests
) -> None:
    for key in KEYS:
        with subtests.test(" ".join(key)), undone():
            _person_is_named(key, stage, newer)


def _person_is_named(key: Key, stage: Stage, newer: Callable[[], Events]) -> None:
    case = WRITES[key]
    path, body = case.ask(stage)
    events = newer()
    answered = sent(stage.alice, key[1], path, body)
    assert answered.status_code < 300, answered.content
    event = check(case, events(), answered)
    assert event.organisation_id == stage.alice.organisation.pk
    assert (event.actor_kind, event.actor_id, event.actor_label, event.token, event.impersonator, event.address) == (
        "person",
        str(stage.alice.user.pk),
        "alice@acme.example",
        None,
        None,
        "127.0.0.1",
    )


def test_an_event_that_cannot_be_written_undoes_the_change(stage: Stage, subtests: pytest.Subtests) -> None:
    for key in KEYS:
        with subtests.test(" ".join(key)), undone():
            path, body = WRITES[key].ask(stage)
            before = everything()
            with mock.patch.object(TenantQuerySet, "insert", side_effect=OSError("the disk is full")):
                assert sent(stage.alice, key[1], path, body).status_code == 500
            assert everything() == before


def test_the_token_of_a_person_is_named(stage: Stage, newer: Callable[[], Events], subtests: pytest.Subtests) -> None:
    made = stage.made("tokens/", {**TOKEN, "role": "owner"})
    for key in BY_TOKEN:
        with subtests.test(" ".join(key)), undone():
            _token_is_named(key, made, stage, newer)


def _token_is_named(key: Key, made: dict[str, Any], stage: Stage, newer: Callable[[], Events]) -> None:
    path, body = WRITES[key].ask(stage)
    events = newer()
    program = Person(stage.alice.user, stage.alice.organisation, Client())
    answered = sent(program, key[1], path, body, Authorization=f"Bearer {made['token']}")
    event = check(WRITES[key], events(), answered)
    assert (event.actor_kind, event.actor_id, event.actor_label, event.token) == (
        "token",
        str(stage.alice.user.pk),
        "alice@acme.example",
        made["prefix"],
    )


def test_a_service_account_is_named(stage: Stage, newer: Callable[[], Events], subtests: pytest.Subtests) -> None:
    account = stage.made("service-accounts/", {"name": "deployer", "role": "owner"})
    made = stage.made(f"service-accounts/{account['id']}/tokens/", {**TOKEN, "role": "owner"})
    for key in BY_TOKEN:
        with subtests.test(" ".join(key)), undone():
            _service_is_named(key, (account["id"], made["token"]), stage, newer)


def _service_is_named(key: Key, account: tuple[str, str], stage: Stage, newer: Callable[[], Events]) -> None:
    path, body = WRITES[key].ask(stage)
    events = newer()
    program = Person(stage.alice.user, stage.alice.organisation, Client())
    answered = sent(program, key[1], path, body, Authorization=f"Bearer {account[1]}")
    event = check(WRITES[key], events(), answered)
    assert (event.actor_kind, event.actor_id, event.actor_label) == ("service", account[0], "deployer")
    assert event.token
    assert account[1].startswith(event.token)


def test_an_impersonator_is_named_with_the_person(stage: Stage, newer: Callable[[], Events]) -> None:
    acted = acted_as(stage.alice)
    key = ("streams/<uuid:stream>/", "put")
    path, body = WRITES[key].ask(stage)
    events = newer()
    answered = sent(acted, "put", path, body)
    event = check(WRITES[key], events(), answered)
    assert (event.actor_label, event.impersonator) == ("alice@acme.example", "ada@installation.example")
    listed = stage.alice.get("audit/?actor=ada@installation.example").json()["events"]
    assert [each["action"] for each in listed] == ["query.version_made", "stream.replaced"]


def test_what_only_looks_writes_no_event(stage: Stage, newer: Callable[[], Events], subtests: pytest.Subtests) -> None:
    for key in sorted(WRITES_NOTHING):
        with subtests.test(" ".join(key)), undone():
            _writes_no_event(key, stage, newer)


def _writes_no_event(key: Key, stage: Stage, newer: Callable[[], Events]) -> None:
    text = "QUERY q;\nINSERT INTO out SELECT STREAM * FROM cars;"
    sampled = {"text": text, "sample": {"rows": []}}
    version = stage.binding["query_version"]
    bodies: dict[str, Any] = {
        "queries/validate/": {"text": "QUERY q;"},
        "queries/complete/": {"text": "QUERY q;", "at": 0},
        "queries/complete-expression/": {"graph": graph(), "node": "fast", "text": "sp", "at": 2},
        "queries/explain/": {"text": text},
        "queries/preflight/": {"text": text},
        "queries/simulate/": sampled,
        "queries/compare/": sampled,
        "queries/what-if/": {**sampled, "input": "cars"},
        "queries/<uuid:query>/merge/": {"base": version, "text": text},
        "queries/<uuid:query>/scenarios/observe/": sampled,
        "queries/<uuid:query>/scenarios/read/": {"transcript": "name: t"},
        "queries/<uuid:query>/scenarios/run/": {"version": version},
        "templates/<slug:template>/preview/": on_cars(stage),
        "streams/infer/": {"adapter": stage.cars["adapter"]},
        "streams/<uuid:stream>/rows/": {"start": 1},
        "files/uploads/": {},
        "files/uploads/<uuid:upload>/": {},
        "samples/stream/": {"stream": "cars"},
        "samples/text/": {"stream": "cars", "text": "start,plate"},
        "samples/generated/": {"stream": "cars", "rows": 1},
        "samples/quarantine/": {"binding": stage.binding["id"]},
        "samples/running/": {"binding": stage.binding["id"]},
        "samples/replay/": {"binding": stage.binding["id"]},
        "samples/why/": {"binding": stage.binding["id"], "place": {"output": "out", "at": 0}},
        "bindings/<uuid:binding>/outputs/check/": {"outputs": []},
        "definitions/plan/": {"files": {}},
        "boards/figures/": {"tile": {"kind": "lag", "title": "Lag", "binding": stage.binding["id"]}},
        "alerts/backtest/": {"rule": "lag", "binding": stage.binding["id"]},
        "transcripts/run/": {"name": "t.yaml", "text": "x: 1"},
    }
    path = key[0].replace("<uuid:query>", stage.binding["query"]).replace("<uuid:binding>", stage.binding["id"])
    path = path.replace("<slug:template>", "speeding_cars")
    if "<uuid:stream>" in path:
        adapter = {"kind": "push", "options": {"inbox": "a"}}
        made = stage.made("streams/", {"name": "p", "definition": stage.cars["definition"], "adapter": adapter})
        path = path.replace("<uuid:stream>", made["id"])
    if "<uuid:upload>" in path:
        path = path.replace("<uuid:upload>", uploaded(stage.alice, "f.csv", CSV))
    events = newer()
    answered = sent(stage.alice, key[1], path, bodies[key[0]])
    assert answered.status_code in {200, 422}, answered.content
    assert events() == []


REFUSED: list[tuple[str, Callable[[Stage], tuple[str, Any]], int]] = [
    ("post", lambda _: ("streams/", {**WRITES["streams/", "post"].ask(_)[1], "name": "cars"}), 409),
    ("delete", lambda stage: (stage.stream, None), 409),
    ("post", lambda stage: (f"{stage.bound}stop/", {}), 409),
    ("post", lambda stage: ("bindings/", {"name": "watch", "query_version": stage.binding["query_version"]}), 409),
    ("post", lambda stage: ("definitions/apply/", {"files": {}, "token": "of another plan"}), 409),
    ("post", lambda _: ("queries/", {"graph": {}}), 422),
]


@pytest.mark.parametrize(("method", "ask", "status"), REFUSED)
def test_a_change_that_is_refused_leaves_no_event(
    method: str, ask: Any, status: int, stage: Stage, newer: Callable[[], Events]
) -> None:
    path, body = ask(stage)
    events = newer()
    assert sent(stage.alice, method, path, body).status_code == status
    assert events() == []


def test_a_change_that_breaks_off_leaves_no_event(stage: Stage, newer: Callable[[], Events]) -> None:
    path, body = WRITES["definitions/apply/", "post"].ask(stage)
    events = newer()
    with mock.patch("webapp.bundles.applying._delete", side_effect=OSError("the disk is full")):
        assert stage.alice.post(path, body).status_code == 500
    assert events() == []


def everything() -> dict[str, list[Any]]:
    """Return every row of every table that holds what organisations have.

    Not the audit log, and not what was used and measured: time of previews and sizes of files are so, whatever comes.
    """
    models = [Organisation, Membership, *(each for each in apps.get_models() if issubclass(each, TenantModel))]
    with installation_context("a test compares all rows"):
        return {
            model._meta.label: list(TenantQuerySet(model).order_by("pk").values())  # type: ignore[type-var]
            for model in models
            if model not in {AuditEvent, PreviewUse, StoredBytes}
        }
