"""Queries and versions over the API: immutable, hashed, and refused with every fault at once."""

from typing import Any

import pytest

from tests.webapp.conftest import Person, graph
from webapp.core.context import organisation_context
from webapp.queries.models import ImmutableVersion, QueryVersion


def broken() -> dict[str, Any]:
    """Return a graph with faults of several kinds on several nodes."""
    faulty = graph(where="sped > 'x'")
    faulty["nodes"][2]["window"]["size"] = "ten"
    faulty["nodes"][2]["group_by"] = ["colour"]
    faulty["nodes"][3]["input"] = "nowhere"
    return faulty


def test_a_query_is_named_as_its_graph_and_lists_its_streams(speeding: dict[str, Any], cars: dict[str, Any]) -> None:
    assert speeding["name"] == "speeding"
    assert speeding["streams"] == [{"name": "cars", "id": cars["id"]}]
    assert (speeding["current"]["number"], speeding["current"]["author"]) == (1, "alice@acme.example")


def test_a_changed_graph_is_a_new_version_after_the_old(alice: Person, speeding: dict[str, Any]) -> None:
    first = speeding["current"]
    body = {"graph": graph(where="speed > 90"), "comment": "slower", "parent": first["id"]}
    made = alice.post(f"queries/{speeding['id']}/versions/", body)
    assert (made.status_code, made.json()["number"], made.json()["parent"]) == (201, 2, first["id"])
    listed = alice.get(f"queries/{speeding['id']}/versions/").json()
    assert [version["number"] for version in listed] == [2, 1]
    assert alice.get(f"queries/{speeding['id']}/").json()["current"] == made.json()
    assert listed[1] == first


def test_the_same_graph_makes_no_version(alice: Person, speeding: dict[str, Any]) -> None:
    same = alice.post(f"queries/{speeding['id']}/versions/", {"graph": graph()})
    assert (same.status_code, same.json()["id"]) == (200, speeding["current"]["id"])


def test_a_version_based_on_an_old_one_is_a_conflict(alice: Person, speeding: dict[str, Any]) -> None:
    parent = speeding["current"]["id"]
    path = f"queries/{speeding['id']}/versions/"
    assert alice.post(path, {"graph": graph(where="speed > 90"), "parent": parent}).status_code == 201
    assert alice.post(path, {"graph": graph(where="speed > 80"), "parent": parent}).status_code == 409


@pytest.mark.parametrize("path", ["queries/", "versions"])
def test_all_faults_come_at_once(alice: Person, speeding: dict[str, Any], path: str) -> None:
    where = f"queries/{speeding['id']}/versions/" if path == "versions" else path
    answered = alice.post(where, {"graph": broken()})
    faults = answered.json()["faults"]
    assert answered.status_code == 422
    assert {"unknown_field", "unknown_node"} <= {fault["code"] for fault in faults}
    assert {"fast", "per_plate", "out"} <= {fault["node"] for fault in faults}
    assert all(fault["remedy"] for fault in faults)


def test_validation_gives_the_same_faults_and_stores_nothing(alice: Person, bob: Person, cars: dict[str, Any]) -> None:
    validated = bob.post("queries/validate/", {"graph": broken()})
    assert validated.status_code == 200
    assert validated.json()["faults"] == alice.post("queries/", {"graph": broken()}).json()["faults"]
    assert alice.get("queries/").json() == []


def test_validation_gives_the_types_of_each_sound_node(alice: Person, cars: dict[str, Any]) -> None:
    validated = alice.post("queries/validate/", {"graph": graph()}).json()
    assert validated["faults"] == []
    assert validated["schemas"]["fast"] == {"plate": "string", "speed": "double"}
    assert validated["schemas"]["out"] == {"plate": "string", "n": "long"}


def test_every_operator_validates_and_is_saved(alice: Person, cars: dict[str, Any]) -> None:
    shifted = graph()
    shifted["nodes"][1] = {"kind": "shift", "id": "fast", "input": "cars", "by": "5s"}
    assert alice.post("queries/validate/", {"graph": shifted}).json()["faults"] == []
    assert alice.post("queries/", {"graph": shifted}).status_code == 201


@pytest.mark.parametrize("sent", [None, 7, "x", [], {}, {"nodes": 3}])
def test_what_is_no_graph_has_faults_too(alice: Person, sent: Any) -> None:
    assert alice.post("queries/validate/", {"graph": sent}).json()["faults"]
    assert alice.post("queries/", {"graph": sent}).status_code == 422


def test_a_stored_version_cannot_change(alice: Person, speeding: dict[str, Any]) -> None:
    with organisation_context(alice.organisation.pk):
        version = QueryVersion.objects.get()
        with pytest.raises(ImmutableVersion):
            version.save()


def test_a_query_name_is_taken_once(alice: Person, speeding: dict[str, Any]) -> None:
    assert alice.post("queries/", {"graph": graph()}).status_code == 409
    other = alice.post("queries/", {"graph": graph(name="other")}).json()
    renamed = alice.post(f"queries/{other['id']}/versions/", {"graph": graph(where="speed > 1")})
    assert renamed.status_code == 409
    assert alice.get(f"queries/{other['id']}/").json() == other
