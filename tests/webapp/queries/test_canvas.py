"""Requests of the canvas: comments of nodes in the text, expressions at nodes, and positions of nodes."""

from typing import Any

import pytest

from tests.webapp.conftest import Person, graph
from webapp.queries.canvas_bodies import MOST_POSITIONS

AT = {"x": 10.0, "y": -20.5}


def moved(person: Person, query: str, positions: dict[str, Any]) -> Any:
    """Move nodes, and return what is answered."""
    return person.put(f"queries/{query}/layout/", {"positions": positions})


def test_of_each_node_the_last_position_holds_and_none_makes_a_version(alice: Person, speeding: dict[str, Any]) -> None:
    query = speeding["id"]
    assert alice.get(f"queries/{query}/layout/").json() == {"positions": {}}
    assert moved(alice, query, {"fast": AT, "out": AT}).status_code == 200
    elsewhere = {"x": 0.0, "y": 0.0}
    answered = moved(alice, query, {"fast": elsewhere, "out": None})
    assert answered.json() == alice.get(f"queries/{query}/layout/").json() == {"positions": {"fast": elsewhere}}
    assert alice.get(f"queries/{query}/").json() == speeding


def test_positions_are_bounded(alice: Person, speeding: dict[str, Any]) -> None:
    query = speeding["id"]
    for part in range(MOST_POSITIONS // 250):
        assert moved(alice, query, {f"n{part}_{index}": AT for index in range(250)}).status_code == 200
    refused = moved(alice, query, {"one_more": AT})
    assert (refused.status_code, refused.json()["faults"][0]["field"]) == (422, "positions")
    assert moved(alice, query, {"n0_0": None, "one_more": AT}).status_code == 200
    assert moved(alice, query, {"far": {"x": 1e9, "y": 0.0}}).status_code == 422
    assert moved(alice, query, {"not a name": AT}).status_code == 422


def test_a_layout_is_its_organisations_alone(alice: Person, charlie: Person, speeding: dict[str, Any]) -> None:
    assert moved(alice, speeding["id"], {"fast": AT}).status_code == 200
    assert charlie.get(f"queries/{speeding['id']}/layout/").status_code == 404
    assert moved(charlie, speeding["id"], {"fast": None}).status_code == 404
    assert alice.get(f"queries/{speeding['id']}/layout/").json() == {"positions": {"fast": AT}}


def test_a_comment_of_a_node_is_written_into_the_text_and_goes_with_its_node(alice: Person) -> None:
    sent = graph()
    first = alice.post("queries/validate/", {"graph": sent, "comments": {"out": "To the police", "fast": "Why"}}).json()
    assert first["comments"] == {"out": "To the police", "fast": "Why"}
    assert first["text"].index("-- To the police") < first["text"].index("INSERT")
    assert alice.post("queries/validate/", {"text": first["text"]}).json()["comments"] == first["comments"]
    named = {**sent, "nodes": [{**node} for node in sent["nodes"]]}
    named["nodes"][1]["id"] = named["nodes"][2]["input"] = "quick"
    comments = {"fast": "", "quick": "Why"}
    renamed = alice.post("queries/validate/", {"graph": named, "text": first["text"], "comments": comments}).json()
    assert renamed["comments"] == {"out": "To the police", "quick": "Why"}
    assert "fast" not in renamed["text"]


@pytest.mark.parametrize(
    ("node", "expression", "at", "offered"),
    [
        ("fast", "sp", 2, "speed"),
        ("fast", "speed > 1 and pl", 16, "plate"),
        ("per_plate", "abs(spe", 7, "speed"),
        ("nowhere", "upp", 3, "upper"),
    ],
)
@pytest.mark.usefixtures("cars")
def test_an_expression_is_completed_with_what_comes_in_at_its_node(
    alice: Person, node: str, expression: str, at: int, offered: str
) -> None:
    body = {"graph": graph(), "node": node, "expression": expression, "at": at}
    found = alice.post("queries/complete-expression/", body).json()
    assert found["items"][0]["label"] == offered
    assert expression[found["start"] : found["end"]] == expression.rsplit(" ", 1)[-1].rsplit("(", 1)[-1]


@pytest.mark.usefixtures("cars")
def test_nothing_is_offered_inside_a_string_and_nothing_that_does_not_come_in(alice: Person) -> None:
    body = {"graph": graph(), "node": "out", "expression": "'sp", "at": 3}
    assert alice.post("queries/complete-expression/", body).json()["items"] == []
    labels = [
        each["label"]
        for each in alice.post("queries/complete-expression/", {**body, "expression": "", "at": 0}).json()["items"]
    ]
    assert "speed" not in labels
