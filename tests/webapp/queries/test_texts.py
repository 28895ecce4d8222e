"""Queries as text over the API: validated, completed, explained, and stored with their versions."""

from typing import Any

import pytest

from streaming.definition.streams.stream import AdvanceTimeSettings
from tests.webapp.conftest import Person, graph, join
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.core.context import organisation_context
from webapp.queries.models import QueryText
from webapp.runs.demo import CARS

TEXT = """\
QUERY speeding;
-- too fast
INSERT INTO out
SELECT STREAM * FROM cars -- all of them
WHERE speed > 120;
"""
TIMED = TEXT + "ADVANCE TIME cars EVERY 10 DELAY 7s LATE DROP;\n"


def saved(person: Person, text: str = TEXT) -> dict[str, Any]:
    answered = person.post("queries/", {"text": text})
    assert answered.status_code == 201, answered.content
    query: dict[str, Any] = answered.json()
    return query


def validated(person: Person, body: dict[str, Any]) -> dict[str, Any]:
    answered = person.post("queries/validate/", body)
    assert answered.status_code == 200, answered.content
    found: dict[str, Any] = answered.json()
    return found


def test_a_text_and_a_graph_are_two_forms_of_one_query(alice: Person, cars: dict[str, Any]) -> None:
    of_text = validated(alice, {"text": TEXT})
    assert (of_text["faults"], of_text["text"]) == ([], TEXT)
    assert [node["id"] for node in of_text["graph"]["nodes"]] == ["cars", "out_where", "out"]
    assert of_text["schemas"]["out"] == {"plate": "string", "speed": "double"}
    of_graph = validated(alice, {"graph": of_text["graph"]})
    assert of_graph["graph"] == of_text["graph"]
    assert validated(alice, {"text": of_graph["text"]})["graph"] == of_text["graph"]


def test_a_text_is_rewritten_to_say_another_graph(alice: Person, cars: dict[str, Any]) -> None:
    changed = validated(alice, {"text": TEXT})["graph"]
    changed["nodes"][1]["where"] = "speed > 90"
    found = validated(alice, {"graph": changed, "text": TEXT})
    assert found["graph"] == changed
    assert "-- too fast\n" in found["text"]
    assert "speed > 90" in found["text"]
    assert validated(alice, {"graph": validated(alice, {"text": TEXT})["graph"], "text": TEXT})["text"] == TEXT


def test_what_a_text_says_of_its_inputs_is_shown(alice: Person, cars: dict[str, Any]) -> None:
    text = TIMED.replace("FROM cars", "FROM cars EVENTTIME BY _value.at UNIT ms")
    found = validated(alice, {"text": text})
    assert found["advance"]["cars"]["generate"]["delay"] == "7s"
    assert found["event_times"] == {"cars": {"path": "_value.at", "unit": "ms", "zone": "UTC"}}


def test_each_fault_of_a_text_has_its_place(alice: Person, cars: dict[str, Any]) -> None:
    text = TEXT.replace("speed > 120", "sped > 120")
    [fault] = validated(alice, {"text": text})["faults"]
    assert fault["code"] == "unknown_field"
    assert text[fault["span"]["start"] : fault["span"]["end"]] == "sped"
    refused = alice.post("queries/", {"text": text})
    assert (refused.status_code, refused.json()["faults"]) == (422, [fault])


def test_a_fault_of_a_graph_has_its_place_in_the_text_that_says_the_same(alice: Person, cars: dict[str, Any]) -> None:
    found = validated(alice, {"graph": graph(where="sped > 120")})
    [fault] = [each for each in found["faults"] if each["code"] == "unknown_field"]
    assert found["text"][fault["span"]["start"] : fault["span"]["end"]] == "sped"


@pytest.mark.parametrize("text", ["", "SELECT", "INSERT INTO", "\x01", "x" * 200_001, "-- nothing\n", "`", "'"])
def test_what_is_no_text_of_a_query_has_faults(alice: Person, cars: dict[str, Any], text: str) -> None:
    assert validated(alice, {"text": text})["faults"]
    refused = alice.post("queries/", {"text": text})
    assert (refused.status_code, refused.json()["code"]) == (422, "faulty")


@pytest.mark.parametrize("body", [{}, {"text": None}, {"graph": graph(), "text": TEXT}, {"text": 7}])
@pytest.mark.parametrize("path", ["queries/", "queries/explain/"])
def test_a_query_is_sent_as_a_graph_or_as_a_text(alice: Person, path: str, body: dict[str, Any]) -> None:
    answered = alice.post(path, body)
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "bad_shape")


def test_u0000_is_refused_everywhere(alice: Person) -> None:
    for body in ({"text": "\0"}, {"graph": graph(name="a\0")}):
        answered = alice.post("queries/validate/", body)
        assert (answered.status_code, answered.json()["faults"][0]["message"]) == (
            422,
            "A text contains the character U+0000.",
        )


def test_a_backslash_before_u0000_is_text(alice: Person, cars: dict[str, Any]) -> None:
    assert alice.post("queries/validate/", {"text": "\\u0000"}).status_code == 200


def test_a_text_is_kept_as_it_was_written(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice)
    assert (query["name"], query["current"]["text"]) == ("speeding", TEXT)
    kept = {key: query["current"][key] for key in ("id", "number", "author", "comment", "created_at")}
    nodes = len(query["current"]["graph"]["nodes"])
    assert alice.get("queries/").json() == [
        {
            **{key: query[key] for key in ("id", "name", "tags", "owner", "created_at", "streams")},
            "current": {**kept, "nodes": nodes},
        }
    ]
    assert alice.get(f"queries/{query['id']}/").json() == query
    assert alice.get(f"queries/{query['id']}/versions/").json() == [query["current"]]


def test_a_query_made_from_a_graph_shows_its_graph_printed(alice: Person, speeding: dict[str, Any]) -> None:
    assert validated(alice, {"text": speeding["current"]["text"]})["graph"] == speeding["current"]["graph"]


def test_a_change_of_comments_is_no_version(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice)
    other = TEXT.replace("too fast", "much too fast")
    answered = alice.post(f"queries/{query['id']}/versions/", {"text": other, "parent": query["current"]["id"]})
    assert answered.status_code == 200
    assert answered.json() == {**query["current"], "text": other}
    assert alice.get(f"queries/{query['id']}/").json()["current"]["text"] == other


def test_a_version_from_a_graph_has_the_text_before_it_rewritten(alice: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    changed = query["current"]["graph"]
    changed["nodes"][1]["where"] = "speed > 90"
    made = alice.post(f"queries/{query['id']}/versions/", {"graph": changed}).json()
    assert (made["number"], made["graph"]) == (2, changed)
    assert "-- too fast\n" in made["text"]
    assert "ADVANCE TIME cars EVERY 10 DELAY 7s LATE DROP;" in made["text"]
    assert alice.get(f"queries/{query['id']}/versions/").json()[1]["text"] == TIMED


def test_the_settings_of_a_text_become_those_of_a_binding_that_says_none(alice: Person, cars: dict[str, Any]) -> None:
    version = saved(alice, TIMED.replace("FROM cars", "FROM cars EVENTTIME BY at"))["current"]["id"]
    own = {"generate": {"every": 2, "delay": "1s"}, "late": "adjust"}
    inputs: dict[str, Any] = {"cars": {"stream": cars["id"], "advance": own}}
    [of_text] = alice.post("bindings/", {"name": "a", "query_version": version}).json()["inputs"]
    [of_binding] = alice.post("bindings/", {"name": "b", "query_version": version, "inputs": inputs}).json()["inputs"]
    assert of_text["advance"]["generate"]["delay"] == "7s"
    assert of_binding["advance"]["late"] == "adjust"
    assert of_text["event_time"] == of_binding["event_time"] == {"path": "at", "unit": "iso", "zone": "UTC"}


def test_a_place_has_completions(alice: Person, bob: Person, cars: dict[str, Any]) -> None:
    text = "INSERT INTO out SELECT STREAM * FROM cars WHERE spe"
    answered = bob.post("queries/complete/", {"text": text, "at": len(text)})
    assert answered.status_code == 200
    found = answered.json()
    assert text[found["start"] : found["end"]] == "spe"
    assert ("speed", "field") in [(item["label"], item["kind"]) for item in found["items"]]
    beyond = bob.post("queries/complete/", {"text": text, "at": 10**12})
    assert beyond.json() == found


def test_a_query_is_explained_in_either_form(alice: Person, bob: Person, cars: dict[str, Any]) -> None:
    query = saved(alice, TIMED)
    stored = bob.get(f"queries/{query['id']}/explain/").json()
    assert stored == bob.post("queries/explain/", {"text": TIMED}).json()
    assert stored["mermaid"].startswith("flowchart")
    assert stored["explanation"]["query"] == "speeding"
    of_graph = bob.post("queries/explain/", {"graph": query["current"]["graph"]}).json()
    settings = {"generate": {"every": 10, "delay": "7s"}, "late": "drop"}
    body = {"graph": query["current"]["graph"], "advance": {"cars": settings}}
    assert bob.post("queries/explain/", body).json() == stored != of_graph


def test_what_is_not_sound_is_not_explained(alice: Person, cars: dict[str, Any]) -> None:
    for body in ({"text": TEXT.replace("speed", "sped")}, {"graph": graph(where="sped > 1")}):
        answered = alice.post("queries/explain/", body)
        assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "unknown_field")
    unsound = {"cars": {"generate": {"every": 1}}}
    answered = alice.post("queries/explain/", {"text": TEXT, "advance": unsound})
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "late_not_said")


def test_viewers_and_operators_may_ask_and_not_save(acme: Organisation, bob: Person, cars: dict[str, Any]) -> None:
    for person in (bob, join("olga@acme.example", acme, Role.OPERATOR)):
        assert validated(person, {"text": TEXT})["faults"] == []
        assert person.post("queries/", {"text": TEXT}).status_code == 403


def test_texts_are_scoped_as_their_versions_are(alice: Person, charlie: Person, cars: dict[str, Any]) -> None:
    query = saved(alice)
    with organisation_context(charlie.organisation.pk):
        assert not QueryText.objects.exists()
    assert charlie.get(f"queries/{query['id']}/explain/").status_code == 404


def test_a_window_that_waits_for_a_clock_is_reported_at_its_place(alice: Person) -> None:
    text = "INSERT INTO out SELECT STREAM COUNT(*) AS n FROM still WINDOW BY TUMBLE 5m;"
    definition = CARS.model_copy(update={"advance": AdvanceTimeSettings()}).model_dump(mode="json")
    body = {"name": "still", "definition": definition, "adapter": {"kind": "generator", "options": {}}}
    answered = alice.post("streams/", body)
    assert answered.status_code == 201, answered.content
    (fault,) = validated(alice, {"text": text})["faults"]
    assert (fault["code"], fault["node"]) == ("no_clock", "out_window")
    assert text[fault["span"]["start"] : fault["span"]["end"]] == "TUMBLE 5m"
    assert validated(alice, {"text": f"{text} ADVANCE TIME still EVERY 10 LATE DROP;"})["faults"] == []


def test_inputs_of_equal_ids_and_unknown_streams_are_faults_and_no_failure(alice: Person, cars: dict[str, Any]) -> None:
    twice = graph()
    twice["nodes"].append({"kind": "input", "id": "cars", "stream": "nowhere"})
    found = validated(alice, {"graph": twice, "text": TIMED.replace("LATE DROP", "LATE DROP OVER plate")})
    assert {"duplicate_id", "unknown_stream"} <= {each["code"] for each in found["faults"]}
