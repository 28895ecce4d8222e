"""Limits of the size and number of definitions; large bodies are validated in a limited process first."""

import json
from typing import Any

import pytest

from tests.webapp.bundles.bundle import FILES, apply, plan
from tests.webapp.conftest import POINTS, Person, file_adapter, graph
from webapp.accounts.limits.quotas import set_limit
from webapp.core import api
from webapp.core.api import SMALL_BYTES
from webapp.core.context import organisation_context
from webapp.core.limited.judging import judge, judged
from webapp.queries import jobs
from webapp.queries.simulation.bodies import SimulationBody

WRONG = {"text": "QUERY q;", "sample": {"rows": [{"a": 1}] * 30_000}}


def fields(count: int) -> dict[str, str]:
    return {f"f{number}": "string" for number in range(count)}


def test_a_large_wrong_body_is_read_in_a_limited_process_alone(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> Any:
        raise AssertionError("it was read in the web process")

    monkeypatch.setattr(SimulationBody, "model_validate_json", refused)
    monkeypatch.setattr(api, "judge", refused)
    assert len(json.dumps(WRONG)) > SMALL_BYTES
    answered = alice.post("queries/simulate/", WRONG)
    assert (answered.status_code, answered.json()["code"]) == (422, "faulty")
    assert answered.json()["faults"]


def test_a_large_body_gets_the_same_errors_as_a_small_one(alice: Person) -> None:
    content = json.dumps({"sample": {"rows": [{"a": 1}, 7], "end": "now"}}).encode()
    verdict = judge(SimulationBody, content)
    assert len(verdict.faults) > 3
    assert judged(SimulationBody.__module__, SimulationBody.__qualname__, content) == verdict


def test_a_stream_has_a_limited_number_of_fields(alice: Person, cars_file: str) -> None:
    body = {"name": "wide", "adapter": file_adapter(cars_file)}
    refused = alice.post("streams/", {**body, "definition": {**POINTS, "fields": fields(1_001)}})
    assert refused.status_code == 422
    [found] = refused.json()["faults"]
    assert found["message"] == "The stream has 1,001 fields; at most 1,000 are allowed."
    assert found["remedy"] == "Leave out fields that no query uses, or split the stream."
    assert found["field"] == "definition.fields"


def test_streams_that_are_sent_with_a_query_have_a_limited_number_of_fields(alice: Person) -> None:
    streams = {f"s{number}": {**POINTS, "fields": fields(1_000)} for number in range(11)}
    refused = alice.post("queries/validate/", {"graph": graph(), "streams": streams})
    assert refused.status_code == 422
    assert "These streams have 11,000 fields; at most 10,000 are allowed." in refused.json()["faults"][0]["message"]


def test_a_graph_of_too_many_nodes_is_refused_before_anything_is_computed(
    alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "examined_graph", lambda *_: pytest.fail("a process was started"))
    nodes = [{"kind": "input", "id": f"n{number}", "stream": "cars"} for number in range(501)]
    refused = alice.post("queries/validate/", {"graph": {"version": 1, "name": "q", "nodes": nodes}})
    assert refused.status_code == 422
    [found] = refused.json()["faults"]
    assert found["message"] == "The graph has 501 nodes; a query has at most 500."


def limited(person: Person, **most: int) -> None:
    with organisation_context(person.organisation.pk):
        for name, value in most.items():
            set_limit(name, value)


def message_of(answered: Any) -> str:
    assert (answered.status_code, answered.json()["code"]) == (409, "over_quota"), answered.content
    return str(answered.json()["message"])


def test_streams_queries_and_versions_are_limited(alice: Person, cars: dict[str, Any]) -> None:
    limited(alice, streams=1, queries=1, query_versions=2)
    again = {"name": "vans", "definition": POINTS, "adapter": cars["adapter"]}
    assert message_of(alice.post("streams/", again)) == (
        "Streams: 1 of 1 stream is used, so there is no room for more. "
        "Delete streams that nothing uses, or ask your administrator for more."
    )
    made = alice.post("queries/", {"graph": graph(), "comment": ""}).json()
    assert message_of(alice.post("queries/", {"graph": graph(name="other"), "comment": ""})).startswith(
        "Queries: 1 of 1"
    )
    address = f"queries/{made['id']}/versions/"
    assert alice.post(address, {"graph": graph(where="speed > 100"), "comment": ""}).status_code == 201
    third = alice.post(address, {"graph": graph(where="speed > 90"), "comment": ""})
    assert message_of(third).startswith("Versions of all queries: 2 of 2")


def test_a_bundle_makes_no_more_than_there_is_room_for(alice: Person, cars_file: str) -> None:
    for name in ("streams", "queries", "query_versions"):
        limited(alice, streams=99, queries=99, query_versions=99)
        limited(alice, **{name: 0})
        refused = alice.post("definitions/apply/", {"files": FILES, "token": plan(alice, FILES)["token"]})
        assert "0 of 0" in message_of(refused)
        assert alice.get("streams/").json() == alice.get("queries/").json() == []
    limited(alice, query_versions=99)
    apply(alice, FILES)
