"""Versions: what makes one, what differs between two, and two people on one draft."""

from typing import Any

import pytest

from streaming.definition.versions.meaning import QueryMeaning, content_hash
from tests.webapp.conftest import Person, graph
from tests.webapp.queries.test_texts import TEXT, TIMED, saved
from webapp.core.context import organisation_context
from webapp.queries.models import QueryVersion

OTHER_DELAY = TIMED.replace("DELAY 7s", "DELAY 12s")


def send(person: Person, query: dict[str, Any], text: str, parent: str | None = None) -> Any:
    body = {"text": text} if parent is None else {"text": text, "parent": parent}
    return person.post(f"queries/{query['id']}/versions/", body)


def test_another_delay_is_another_version(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    made = send(alice, query, OTHER_DELAY)
    assert (made.status_code, made.json()["number"], made.json()["text"]) == (201, 2, OTHER_DELAY)
    assert [each["text"] for each in alice.get(f"queries/{query['id']}/versions/").json()] == [OTHER_DELAY, TIMED]


def test_another_event_time_is_another_version(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice)
    made = send(alice, query, TEXT.replace("FROM cars", "FROM cars EVENTTIME BY at"))
    assert (made.status_code, made.json()["number"]) == (201, 2)


def test_the_same_settings_with_other_comments_are_the_same_version(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    again = send(alice, query, "-- seven seconds\n" + TIMED)
    assert (again.status_code, again.json()["number"]) == (200, 1)


def test_a_version_stored_before_settings_counted_makes_no_new_one(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    with organisation_context(alice.organisation.pk):
        [version] = QueryVersion.objects.all()
        of_graph_alone = content_hash(QueryMeaning(graph=version.read_graph()))
        assert version.content_hash != of_graph_alone
        QueryVersion.objects.update(content_hash=of_graph_alone)
    assert send(alice, query, TIMED).status_code == 200
    assert send(alice, query, TEXT).json()["number"] == 2


def test_taking_the_settings_away_is_a_version_and_restoring_them_another(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    assert send(alice, query, TEXT).json()["number"] == 2
    assert send(alice, query, TIMED).json()["number"] == 3


def test_the_difference_is_described_in_words(alice: Person, bob: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    second = send(alice, query, OTHER_DELAY.replace("> 120", "> 90")).json()
    address = f"queries/{query['id']}/difference/?before={query['current']['id']}&after={second['id']}"
    assert bob.get(address).json() == {
        "before": 1,
        "after": 2,
        "differences": [
            {"node": "out_where", "change": "changed", "words": "filter out_where: where speed > 120 -> speed > 90"},
            {"node": "cars", "change": "changed", "words": "time of cars: delay 7 s -> 12 s"},
        ],
    }


@pytest.mark.parametrize("method", ["difference", "merge"])
def test_versions_of_others_are_not_found(method: str, alice: Person, charlie: Person, cars: dict[str, Any]) -> None:
    query, own = saved(alice, TIMED), alice.post("queries/", {"graph": graph(name="other")}).json()
    version, elsewhere = query["current"]["id"], own["current"]["id"]
    for person, before in ((charlie, version), (alice, elsewhere)):
        if method == "merge":
            body = {"base": before, "theirs": version, "text": TEXT}
            assert person.post(f"queries/{query['id']}/merge/", body).status_code == 404
        else:
            address = f"queries/{query['id']}/difference/?before={before}&after={version}"
            assert person.get(address).status_code == 404


def merging(
    person: Person, query: dict[str, Any], theirs: str, text: str, choices: dict[str, str] | None = None
) -> dict[str, Any]:
    body = {"base": query["current"]["id"], "theirs": theirs, "text": text, "choices": choices or {}}
    answered = person.post(f"queries/{query['id']}/merge/", body)
    assert answered.status_code == 200, answered.content
    found: dict[str, Any] = answered.json()
    return found


def test_what_two_people_changed_is_merged_and_keeps_my_comments(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    theirs = send(alice, query, OTHER_DELAY).json()
    mine = TIMED.replace("> 120", "> 90").replace("too fast", "faster than ninety")
    assert send(alice, query, mine, query["current"]["id"]).status_code == 409
    found = merging(alice, query, theirs["id"], mine)
    assert (found["conflicts"], found["base_number"], found["base_text"]) == ([], 1, TIMED)
    assert [each["words"] for each in found["theirs"]] == ["time of cars: delay 7 s -> 12 s"]
    for kept in ("DELAY 12s", "speed > 90", "-- faster than ninety"):
        assert kept in found["text"]
    assert send(alice, query, found["text"], theirs["id"]).json()["number"] == 3


def test_a_conflict_is_decided_by_who_merges(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    theirs = send(alice, query, OTHER_DELAY).json()["id"]
    mine = TIMED.replace("DELAY 7s", "DELAY 1s")
    undecided = merging(alice, query, theirs, mine)
    [conflict] = undecided["conflicts"]
    assert (conflict["key"], conflict["theirs"], conflict["mine"]) == (
        "advance:cars",
        ["time of cars: delay 7 s -> 12 s"],
        ["time of cars: delay 7 s -> 1 s"],
    )
    assert "DELAY 1s" in undecided["text"]
    decided = merging(alice, query, theirs, mine, {"advance:cars": "theirs"})
    assert "DELAY 12s" in decided["text"]


def test_what_cannot_be_merged_is_refused_with_what_to_do(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    body = {"base": query["current"]["id"], "theirs": query["current"]["id"], "text": "SELECT"}
    refused = alice.post(f"queries/{query['id']}/merge/", body)
    assert (refused.status_code, refused.json()["faults"][0]["field"]) == (422, "text")
    assert refused.json()["faults"][0]["remedy"] == "Fix the errors of the check, then merge."
