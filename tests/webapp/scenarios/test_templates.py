"""Templates over the API: the gallery, and what taking one makes."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from streaming.templates.catalogue import templates
from tests.webapp.conftest import Person
from tests.webapp.scenarios.test_scenarios import listed, run


def taken(person: Person, name: str) -> dict[str, Any]:
    answered = person.post(f"templates/{name}/")
    assert answered.status_code == 201, answered.content
    query: dict[str, Any] = answered.json()
    return query


def test_the_gallery_says_what_each_shows(bob: Person) -> None:
    shown = bob.get("templates/").json()
    assert [each["name"] for each in shown] == [each.name for each in templates()]
    [cars] = [each for each in shown if each["name"] == "speeding_cars"]
    assert (cars["rows"], cars["results"], cars["late"], cars["streams"]) == (7, 4, {"dropped_late": 1}, ["sightings"])


@pytest.mark.parametrize("name", ["speeding_cars", "dead_man", "power_meters"])
def test_taking_one_makes_streams_query_and_a_scenario_that_holds(name: str, alice: Person) -> None:
    [template] = [each for each in templates() if each.name == name]
    query = taken(alice, name)
    assert (query["name"], query["current"]["text"]) == (name, template.sql)
    assert [each["name"] for each in listed(alice, query)] == [template.head.title]
    [verdict] = run(alice, query, version=query["current"]["id"]).json()
    assert verdict["findings"]["holds"], verdict
    for stream in query["streams"]:
        sample = alice.get(f"streams/{stream['id']}/sample/").json()
        assert sample["faults"] == [], sample
        assert sample["rows"]
    started = alice.post("bindings/", {"name": "b", "query_version": query["current"]["id"]})
    assert started.status_code == 201, started.content


def test_taking_one_twice_uses_its_streams_again_and_numbers_the_query(alice: Person) -> None:
    first, second = taken(alice, "dead_man"), taken(alice, "dead_man")
    assert second["name"] == "dead_man_2"
    assert second["streams"] == first["streams"]
    assert len(alice.get("streams/").json()) == 2


def test_another_stream_of_the_name_stays_and_the_text_follows(alice: Person) -> None:
    definition = {"shape": "point", "fields": {"n": "long"}}
    body = {"name": "sightings", "definition": definition, "adapter": {"kind": "generator", "options": {}}}
    assert alice.post("streams/", body).status_code in {201, 422}
    if alice.get("streams/").json() == []:
        body["definition"] = {**definition, "fields": {"plate": "string", "device": "string"}}
        assert alice.post("streams/", body).status_code == 201
    query = taken(alice, "speeding_cars")
    assert [each["name"] for each in query["streams"]] == ["sightings_2"]
    assert "-- Cameras report within 20 seconds, mostly." in query["current"]["text"]
    assert run(alice, query, version=query["current"]["id"]).json()[0]["findings"]["holds"]


def test_who_may_not_edit_takes_none_and_unknown_ones_are_not_found(bob: Person, alice: Person) -> None:
    assert bob.post("templates/dead_man/").status_code == 403
    assert alice.post("templates/nothing/").status_code == 404
    assert not (Path(settings.PUNCTUAL_DATA) / str(alice.organisation.pk) / "files" / "templates").exists()
