"""Templates on streams that an organisation has: which fit, what the query becomes, and making it."""

from typing import Any

import pytest

from tests.webapp.conftest import POINTS, Person, file_adapter
from tests.webapp.scenarios.test_scenarios import listed, run

ROADS = {"shape": "point", "fields": {"street": "string", "kmh": "double"}, "event_time": {"start": {"column": "at"}}}


def made(person: Person, name: str, definition: dict[str, Any]) -> str:
    body = {"name": name, "definition": definition, "adapter": file_adapter("files/cars.jsonl")}
    answered = person.post("streams/", body)
    assert answered.status_code == 201, answered.content
    return str(answered.json()["id"])


@pytest.fixture
def roads(alice: Person, cars_file: str) -> str:
    return made(alice, "roads", ROADS)


def on(stream: str, **fields: str) -> dict[str, Any]:
    return {"streams": {"sightings": {"stream": stream, "fields": fields}}}


def refused(answered: Any) -> list[tuple[str, str]]:
    assert answered.status_code == 422, answered.content
    return [(each["field"], each["message"]) for each in answered.json()["faults"]]


def test_fitting_streams_are_listed_with_a_guess_and_its_reason(bob: Person, roads: str, cars: dict[str, Any]) -> None:
    [each] = bob.get("templates/speeding_cars/streams/").json()
    assert (each["input"], each["needs"]) == ("sightings", "points with road (any simple type), speed (a number)")
    assert each["proposed"] == cars["id"]
    by_name = {stream["name"]: stream for stream in each["streams"]}
    [road, speed] = by_name["roads"]["fields"]
    offered = [{"name": "street", "type": "string"}, {"name": "kmh", "type": "double"}]
    assert (road["offered"], speed["offered"]) == (offered, offered[1:])
    assert (speed["proposed"], speed["reason"]) == ("kmh", "It is the only other field of type double.")
    [meters] = bob.get("templates/power_meters/streams/").json()
    assert meters["proposed"] is None
    assert [stream["missing"] for stream in meters["streams"]] == [
        ["Its events are points; this input takes intervals or edges."]
    ] * 2


def test_the_query_is_made_with_their_names_and_its_scenario_holds_there(alice: Person, roads: str) -> None:
    body = on(roads, road="street", speed="kmh")
    preview = alice.post("templates/speeding_cars/preview/", body).json()
    assert (preview["scenario"], preview["faults"]) == (True, [])
    assert alice.get("queries/").json() == []
    answered = alice.post("templates/speeding_cars/streams/", body)
    assert answered.status_code == 201, answered.content
    taken = answered.json()
    assert taken["scenario"]
    query = taken["query"]
    assert query["streams"] == [{"name": "roads", "id": roads}]
    assert query["current"]["text"] == preview["text"]
    assert query["current"]["text"].splitlines() == [
        "QUERY speeding_cars;",
        "-- Cameras report within 20 seconds, mostly.",
        "ADVANCE TIME roads EVERY 1 DELAY 20s BASIS max LATE DROP;",
        "",
        "INSERT INTO speeding",
        "SELECT STREAM street, COUNT(*) AS cars, MAX(kmh) AS fastest",
        "FROM roads",
        "WHERE kmh > 120",
        "WINDOW BY TUMBLE 1m",
        "GROUP BY street;",
    ]
    assert len(alice.get("streams/").json()) == 1
    [verdict] = run(alice, query, version=query["current"]["id"]).json()
    assert verdict["findings"]["holds"], verdict
    assert alice.post("templates/speeding_cars/streams/", body).json()["query"]["name"] == "speeding_cars_2"


def test_a_scenario_with_other_results_is_not_added_and_that_is_reported(alice: Person, cars_file: str) -> None:
    stream = made(alice, "roads", {**ROADS, "fields": {"street": "long", "kmh": "long"}})
    taken = alice.post("templates/speeding_cars/streams/", on(stream, road="street", speed="kmh")).json()
    assert not taken["scenario"]
    assert taken["scenario_words"].startswith("The template's scenario is not added, because its sample gives other")
    assert "4 results are missing" in taken["scenario_words"]
    assert listed(alice, taken["query"]) == []


def test_a_choice_that_is_not_whole_is_refused_with_what_to_choose(alice: Person, roads: str, cars: Any) -> None:
    ask = "templates/speeding_cars/streams/"
    assert refused(alice.post(ask, on(roads, road="street"))) == [
        ("streams.sightings.fields.speed", "No field of roads is chosen for speed.")
    ]
    assert refused(alice.post(ask, on(roads, road="kmh", speed="street"))) == [
        ("streams.sightings.fields.speed", "The field street of roads can't replace speed.")
    ]
    assert refused(alice.post(ask, on(roads, road="street", speed="kmh", plate="kmh"))) == [
        ("streams.sightings.fields", "The template reads no field plate of sightings.")
    ]
    both = {"stream": roads, "fields": {"machine": "street"}}
    found = refused(alice.post("templates/dead_man/streams/", {"streams": {"machines": both, "signals": both}}))
    assert found == [("streams.signals", "One stream is chosen for machines and for signals.")]
    found = refused(alice.post("templates/dead_man/streams/", {"streams": {"signals": both, "cars": both}}))
    assert {field for field, _ in found} == {"streams.machines", "streams.cars"}
    lasting = {"streams": {"machines": both, "signals": {"stream": cars["id"], "fields": {"machine": "plate"}}}}
    assert refused(alice.post("templates/dead_man/streams/", lasting)) == [
        (
            "streams.machines",
            "roads does not fit machines. Its events are points; this input takes intervals or edges.",
        )
    ]
    assert alice.get("queries/").json() == []


def test_keys_of_two_types_are_a_fault_of_the_query_in_preview_and_refusal(alice: Person, cars_file: str) -> None:
    machines = made(alice, "machines_of_ours", {**POINTS, "shape": "interval", "fields": {"machine": "long"}} | TWO)
    signals = made(alice, "beats", {**POINTS, "fields": {"name": "string"}})
    body = {
        "streams": {
            "machines": {"stream": machines, "fields": {"machine": "machine"}},
            "signals": {"stream": signals, "fields": {"machine": "name"}},
        }
    }
    preview = alice.post("templates/dead_man/preview/", body).json()
    assert (preview["scenario"], {each["code"] for each in preview["faults"]}) == (False, {"type_mismatch"})
    assert "ON machines_of_ours.machine = alive.name" in preview["text"]
    refusal = alice.post("templates/dead_man/streams/", body)
    assert refusal.status_code == 422
    assert refusal.json()["faults"] == preview["faults"]


TWO = {"event_time": {"start": {"column": "at"}, "end": {"column": "until"}}}


def test_who_may_not_edit_previews_only_and_streams_of_others_are_not_found(
    alice: Person, bob: Person, charlie: Person, roads: str
) -> None:
    body = on(roads, road="street", speed="kmh")
    assert bob.post("templates/speeding_cars/preview/", body).status_code == 200
    assert bob.post("templates/speeding_cars/streams/", body).status_code == 403
    for path in ("preview/", "streams/"):
        assert charlie.post(f"templates/speeding_cars/{path}", body).status_code == 404
        assert alice.post(f"templates/nothing/{path}", body).status_code == 404
    assert charlie.get("templates/speeding_cars/streams/").json()[0]["streams"] == []
