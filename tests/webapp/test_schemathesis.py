"""Every endpoint keeps what its OpenAPI schema says, whatever it is sent: no failure of the server, answers that fit.

A signed-in owner asks; ids in the address are those of things that exist, so that bodies are reached.
"""

import json
import secrets
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS

from tests.conftest import ROOT
from tests.webapp.conftest import Person
from tests.webapp.resources import OwnThings, ids_of
from tests.webapp.undone import undone

SCHEMA = schemathesis.openapi.from_dict(json.loads((ROOT / "frontend" / "openapi.json").read_text()))
SCHEMA.app = get_wsgi_application()
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}
CHECKED = [
    CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    )
]
ENDLESS = {
    "GET /api/t/{slug}/runs/{run}/events/",
    "GET /api/t/{slug}/bindings/{binding}/outputs/{node}/stream/",
}
"""They never end; tests/webapp/monitoring/test_events.py and tests/webapp/subscribing read them."""
MANY = pytest.param(200, marks=pytest.mark.thorough)


@pytest.fixture
def existing(alice: Person, binding: dict[str, Any], cars: dict[str, Any]) -> dict[str, str]:
    """Return values for the parameters of an address."""
    run = alice.post(f"bindings/{binding['id']}/start/")
    assert run.status_code == 201, run.content
    made = ids_of(OwnThings(alice, cars["id"], binding["query"], binding["id"], "nightly"))
    return {**made, "run": run.json()["id"], "template": "dead_man", "node": "out", "slug": alice.organisation.slug}


def cases_of(operation: Any) -> st.SearchStrategy[schemathesis.Case]:
    """Return what fits the schema of the operation, and where it takes a body also what does not."""
    fitting = operation.as_strategy()
    negative = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    return (fitting | fitting | negative if operation.body else fitting).map(_with_its_own_host)


def _with_its_own_host(case: schemathesis.Case) -> schemathesis.Case:
    """Remove a drawn header Host: Django refuses an invalid one with 400 before the API sees it."""
    for name in [name for name in case.headers or {} if name.lower() == "host"]:
        del case.headers[name]
    return case


def headers(person: Person) -> dict[str, str]:
    """Return what a browser sends in which the person is signed in."""
    csrf = secrets.token_hex(16)
    session = person.client.cookies["sessionid"].value
    return {"Cookie": f"sessionid={session}; csrftoken={csrf}", "X-CSRFToken": csrf}


@pytest.mark.parametrize("examples", [12, MANY])
def test_answers_fit_the_schema(
    examples: int, alice: Person, existing: dict[str, str], redis_connection: Any, subtests: pytest.Subtests
) -> None:
    sent = headers(alice)
    for label in sorted(OPERATIONS.keys() - ENDLESS):
        with subtests.test(label), undone():
            _keeps_its_schema(OPERATIONS[label], examples, sent, existing)


def _keeps_its_schema(operation: Any, examples: int, sent: dict[str, str], existing: dict[str, str]) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=examples == 12,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases_of(operation), known=st.sampled_from([True, True, True, False]))
    def keeps_it(case: schemathesis.Case, known: bool) -> None:
        (case.headers or {}).pop("Authorization", None)  # the session signs in
        if known:
            case.path_parameters = {name: existing[name] for name in case.path_parameters or {}}
        case.call_and_validate(headers=sent, checks=CHECKED)

    keeps_it()


def test_every_endpoint_is_asked() -> None:
    assert len(OPERATIONS) >= 35
    assert OPERATIONS.keys() >= ENDLESS
