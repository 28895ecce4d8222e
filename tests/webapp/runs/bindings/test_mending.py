"""Every error of a start names the pages of the streams, queries and bindings that can be changed to fix it."""

import re
from typing import Any

import pytest

from tests.webapp.conftest import Person, file_adapter
from tests.webapp.scene import Scene
from tests.webapp.test_objects_changed import body_of

KINDS = ("stream", "query", "binding")


def changed(alice: Person, cars: dict[str, Any], **parts: Any) -> None:
    stored = alice.get(f"streams/{cars['id']}/").json()
    answered = alice.put(f"streams/{cars['id']}/", body_of(stored, **parts))
    assert answered.status_code == 200, answered.json()


def refused_start(alice: Person, binding: dict[str, Any]) -> list[dict[str, Any]]:
    answered = alice.post(f"bindings/{binding['id']}/start/")
    assert answered.status_code == 422, answered.json()
    faults: list[dict[str, Any]] = answered.json()["faults"]
    assert faults
    return faults


def named(fault: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["kind"], each["name"]) for each in fault["mend"]]


def all_named(faults: list[dict[str, Any]]) -> None:
    """Each object that a sentence speaks of is one whose page the fault leads to."""
    for fault in faults:
        spoken = {kind for kind in KINDS if re.search(rf"\b{kind}\b", f"{fault['message']} {fault['remedy']}")}
        assert spoken <= {each["kind"] for each in fault["mend"]}, fault


def test_an_adapter_that_cannot_be_opened_leads_to_its_stream_first(
    alice: Person, cars: dict[str, Any], binding: dict[str, Any]
) -> None:
    changed(alice, cars, adapter=file_adapter("absent.jsonl"))
    faults = refused_start(alice, binding)
    assert named(faults[0]) == [("stream", "cars"), ("binding", "watch"), ("query", "speeding")]
    assert faults[0]["mend"][0]["id"] == cars["id"]
    assert faults[0]["mend"][1]["id"] == binding["id"]
    assert faults[0]["mend"][2]["id"] == binding["query"]
    all_named(faults)


def test_a_field_that_the_stream_lost_leads_to_the_query_and_to_the_stream(
    alice: Person, cars: dict[str, Any], binding: dict[str, Any]
) -> None:
    definition = {**cars["definition"], "fields": {"plate": "string"}}
    changed(alice, cars, definition=definition)
    faults = refused_start(alice, binding)
    (lost,) = [each for each in faults if each["node"] == "fast"]
    assert named(lost) == [("query", "speeding"), ("binding", "watch"), ("stream", "cars")]
    all_named(faults)


def test_a_binding_that_is_refused_leads_there_too_and_to_itself_once_it_is_stored(
    alice: Person, cars: dict[str, Any], binding: dict[str, Any]
) -> None:
    inputs = {"cars": {"stream": cars["id"], "advance": {"preset": "nonsense(5s)"}}}
    body = {"name": "second", "query_version": binding["query_version"], "inputs": inputs}
    [made] = alice.post("bindings/", body).json()["faults"]
    assert named(made) == [("stream", "cars"), ("query", "speeding")]
    [stored] = alice.put(f"bindings/{binding['id']}/", body | {"name": "watch"}).json()["faults"]
    assert named(stored) == [("stream", "cars"), ("binding", "watch"), ("query", "speeding")]


def test_a_run_names_the_objects_to_change_before_a_restart_by_their_present_names(scene: Scene) -> None:
    scene.running()
    scene.report("failed", "user", "The file has other columns than its stream says. Change the stream.")
    scene.turn()
    query = scene.person.get(f"queries/{scene.binding['query']}/").json()
    renamed = {"name": "racing", "parent": query["current"]["id"]}
    assert scene.person.put(f"queries/{query['id']}/", renamed).status_code == 200
    run = scene.person.get(f"runs/{scene.run_id}/").json()
    assert named(run) == [("stream", "cars"), ("binding", "watch"), ("query", "racing")]


@pytest.mark.usefixtures("binding")
def test_what_is_needed_leads_to_what_needs_it(alice: Person, cars: dict[str, Any]) -> None:
    answered = alice.client.delete(alice.url(f"streams/{cars['id']}/"))
    assert answered.status_code == 409
    faults = answered.json()["faults"]
    all_named(faults)
    assert sorted(named(each) for each in faults) == [[("binding", "watch")], [("query", "speeding")]]
