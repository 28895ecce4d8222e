"""Each example of the guide opens in the time simulator: from its text it gives what its transcript gives."""

import json
from typing import Any

import pytest

from streaming.guide.examples import examples_of
from streaming.guide.pages import EXAMPLES, pages
from streaming.simulator.model import Simulation
from streaming.simulator.recorded.record import record
from streaming.simulator.simulate import present
from tests.simulator.test_agreement import query_of as sampled
from tests.webapp.conftest import Person
from webapp.queries.simulation.bodies import SimulationBody
from webapp.queries.simulation.simulating import SimulationRequest, sound_query

OPENED: dict[str, Any] = json.loads(dict(pages())[EXAMPLES])


def body(name: str) -> dict[str, Any]:
    """Return the page's request for an example."""
    opened = OPENED[name]
    sample = {"rows": opened["rows"], "end": opened["end"]}
    return {"text": opened["text"], "streams": opened["streams"], "sample": sample}


def results(shown: Simulation) -> list[Any]:
    return [
        (row.after, row.start, row.end, row.payload, row.deleted)
        for track in shown.tracks
        if track.kind == "output"
        for row in track.rows
    ]


@pytest.mark.parametrize("name", OPENED)
def test_an_example_gives_what_its_transcript_gives(name: str) -> None:
    [example] = [each for each in examples_of(OPENED[name]["page"]) if each.transcript.name == name]
    sent = SimulationBody.model_validate_json(json.dumps(body(name)))
    shown = present(record(sound_query(SimulationRequest(None, sent.text, sent.streams, sent.advance, sent.sample))))
    meant = present(record(sampled(example.case)))
    assert results(shown) == results(meant)
    assert shown.outcomes == meant.outcomes


def test_its_streams_are_those_of_all_its_requests(bob: Person) -> None:
    sent = body("join_inner")
    query = {"text": sent["text"], "streams": sent["streams"]}
    assert {each["severity"] for each in bob.post("queries/validate/", query).json()["faults"]} == {"warning"}
    assert bob.post("queries/explain/", query).status_code == 200
    at = sent["text"].index("FROM") + 5
    offered = bob.post("queries/complete/", {**query, "text": sent["text"][:at], "at": at}).json()["items"]
    assert {"left", "right"} <= {each["label"] for each in offered}
    alone = bob.post("queries/validate/", {"text": sent["text"]}).json()["faults"]
    assert "unknown_stream" in {each["code"] for each in alone}
