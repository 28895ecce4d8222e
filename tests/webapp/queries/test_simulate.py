"""The time simulator over the API: a query on a sample, nothing stored."""

from typing import Any

import pytest

from tests.simulator.picture import GRAPH, ROWS, STREAM
from tests.webapp.conftest import POINTS, Person, graph
from webapp.queries.simulation.bodies import MOST_ROWS

SAMPLE = {"rows": ROWS, "end": "none"}


def picture(**more: Any) -> dict[str, Any]:
    """Return what asks for the picture of the design."""
    return {"graph": GRAPH, "streams": {"s": STREAM}, "sample": SAMPLE, **more}


def row(seconds: int, speed: float = 130.0) -> dict[str, Any]:
    return {
        "stream": "cars",
        "start": f"2026-11-21T10:00:{seconds:02}Z",
        "payload": {"plate": "A", "speed": speed},
    }


def test_a_sample_is_simulated_with_streams_of_its_own(bob: Person) -> None:
    answered = bob.post("queries/simulate/", picture())
    assert answered.status_code == 200
    answer = answered.json()
    assert answer["outcomes"] == {"s": {"on_time": 7, "reordered": 5, "adjusted": 1, "dropped_late": 1}}
    assert [pane["states"][-1]["values"] for pane in answer["panes"]] == [{"n": 6}, {"n": 7}, {"n": 3}]


def test_the_streams_of_the_organisation_are_used(alice: Person, cars: dict[str, Any]) -> None:
    body = {"graph": graph(), "sample": {"rows": [row(1), row(9), row(2)]}}
    answer = alice.post("queries/simulate/", body).json()
    assert [each["outcome"] for each in answer["rows"]] == ["on_time", "on_time", "dropped_late"]
    assert [each["payload"] for each in answer["tracks"][-1]["rows"]] == [{"plate": "A", "n": 2}]


def test_settings_replace_those_of_the_text(alice: Person, cars: dict[str, Any]) -> None:
    text = "INSERT INTO out SELECT STREAM * FROM cars; ADVANCE TIME cars EVERY 1 DELAY 0s LATE DROP;"
    sample = {"rows": [row(9), row(2)]}
    kept = {"cars": {"generate": {"every": 1, "delay": "0s"}, "late": "keep"}}
    of_text = alice.post("queries/simulate/", {"text": text, "sample": sample}).json()
    replaced = alice.post("queries/simulate/", {"text": text, "sample": sample, "advance": kept}).json()
    assert [reported["rows"][1]["outcome"] for reported in (of_text, replaced)] == ["dropped_late", "late_kept"]


def test_starts_are_taken_from_where_the_text_says(alice: Person, cars: dict[str, Any]) -> None:
    text = "INSERT INTO out SELECT STREAM * FROM cars EVENTTIME BY _value.seen;"
    rows = [{**row(5), "payload": {"plate": "A", "speed": 1.0, "seen": "1970-01-01T00:00:07Z"}}]
    answer = alice.post("queries/simulate/", {"text": text, "sample": {"rows": rows}}).json()
    assert answer["rows"][0]["start"] == 7_000_000


def test_another_organisation_has_other_streams(charlie: Person, cars: dict[str, Any]) -> None:
    answered = charlie.post("queries/simulate/", {"graph": graph(), "sample": {"rows": [row(1)]}})
    assert answered.status_code == 422
    assert {fault["code"] for fault in answered.json()["faults"]} == {"unknown_stream"}


def test_strangers_learn_nothing(charlie: Person, alice: Person) -> None:
    answered = charlie.client.post(alice.url("queries/simulate/"), picture(), content_type="application/json")
    assert answered.status_code == 404


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"graph": graph(where="sped > 1")}, "where"),
        ({"sample": {"rows": [{"stream": "boats", "start": 1}]}}, "sample.rows"),
        ({"sample": {"rows": [{"stream": "s", "start": 1, "cti": 5}]}}, "sample.rows.0"),
        ({"sample": {"rows": [{"stream": "s", "cti": 1}] * (MOST_ROWS + 1)}}, "sample"),
        ({"advance": {"s": {"generate": {"every": 1, "delay": "soon"}, "late": "drop"}}}, "advance.s.generate.delay"),
    ],
)
def test_an_error_is_reported_with_its_place(alice: Person, body: dict[str, Any], where: str) -> None:
    streams = {"s": STREAM, "cars": POINTS}
    answered = alice.post("queries/simulate/", {**picture(), "streams": streams, **body})
    assert answered.status_code == 422
    assert where in {fault["field"] for fault in answered.json()["faults"]}


def test_policies_are_compared(bob: Person) -> None:
    body = {key: value for key, value in picture(input="s").items() if key != "ask"}
    answer = bob.post("queries/compare/", body).json()
    assert [(each["policy"], each["today"]) for each in answer["policies"]] == [
        ("drop", False),
        ("adjust", True),
        ("shift", False),
        ("keep", False),
    ]
    assert bob.post("queries/compare/", picture(input="t")).json()["faults"][0]["code"] == "unknown_input"


def test_delays_are_tried(bob: Person) -> None:
    answer = bob.post("queries/what-if/", picture(input="s")).json()
    assert {point["delay"] for point in answer["points"]} >= {4_000_000, 12_000_000}
    without = {**STREAM, "advance": {}}
    refused = bob.post("queries/what-if/", picture(input="s", streams={"s": without}))
    assert (refused.status_code, refused.json()["faults"][0]["node"]) == (422, "s")


@pytest.mark.parametrize("path", ["queries/compare/", "queries/what-if/"])
def test_many_runs_of_a_sample_count_as_previews(bob: Person, settings: Any, path: str) -> None:
    settings.QUOTA_DEFAULTS = {**settings.QUOTA_DEFAULTS, "preview_seconds": 0}
    assert bob.post(path, picture(input="s")).json()["code"] == "over_quota"
    assert bob.post("queries/simulate/", picture()).status_code == 200


def test_what_is_not_there_is_explained(bob: Person) -> None:
    asked = {"node": "out", "at": "2026-11-23T10:00:45Z"}
    answered = bob.post("queries/simulate/", picture(ask=asked)).json()
    assert answered["answer"][0].startswith("No row of the sample lives at ")
    assert bob.post("queries/simulate/", picture()).json()["answer"] == []
    refused = bob.post("queries/simulate/", picture(ask={"node": "ut", "at": 0}))
    assert refused.json()["faults"][0]["field"] == "ask.node"
