"""Keys and conditions of joins, and the sentences on unmatched events."""

from decimal import Decimal
from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.temporal.events import Cti, interval
from streaming.temporal.ticks import INFINITY
from streaming.wire.execution.case import ONLY_LANE
from tests.reference.operators.port_runs import Driven, Spec, operator


def joined(type_of_key: str, left: Any, right: Any) -> bool:
    """Return true if two events with these keys match."""
    driven = Driven(operator({"kind": "join", "keys": ["k"]}, ({"k": type_of_key}, {"k": type_of_key})))
    driven.give(Spec(0, 1, 5, 9, {"k": left}), Spec(1, 1, 5, 9, {"k": right}))
    driven.both(INFINITY)
    return bool(driven.net)


def test_keys_are_equal_by_value() -> None:
    assert joined("decimal(5,2)", Decimal("1.50"), Decimal("1.5"))
    assert joined("double", 0.0, -0.0)
    assert joined("string", "a", "a")
    assert not joined("string", "a", "A")
    assert not joined("timestamp", 0, None)


@pytest.mark.parametrize("kind", ["join", "semi_join", "asof_join"])
def test_both_ends_of_an_edge_with_a_null_key_are_reported(kind: str) -> None:
    driven = Driven(operator({"kind": kind, "keys": ["k"]}))
    edges = [Spec(port, 1, 5, 9, {"k": None, "ab"[port]: 0}, edge=True) for port in (0, 1)]
    driven.give(*edges)
    driven.both(INFINITY)
    sentence = "its key 'k' is null, and in 'n' null equals nothing"
    assert [driven.witness.why(each) for each in edges] == [[sentence, sentence]] * 2
    assert driven.witness.taken == []


def test_what_a_join_keeps_it_takes_at_once() -> None:
    """Otherwise the outcome of a late event that a window refuses would depend on its partner's arrival (T14)."""
    driven = Driven(operator({"kind": "join", "keys": ["k"]}))
    left = Spec(0, 1, 5, 9, {"k": "a", "a": 0})
    driven.give(left)
    assert driven.witness.taken == left.flows


def run_of(node: dict[str, Any]) -> ReferenceRun:
    """Run two inputs, a and b, through one node."""
    nodes = [
        {"id": "a", "kind": "input", "stream": "a"},
        {"id": "b", "kind": "input", "stream": "b"},
        node,
        {"id": "out", "kind": "output", "input": node["id"]},
    ]
    streams = {
        name: StreamDefinition.model_validate({"shape": "interval", "fields": {"k": "string", field: "long"}})
        for name, field in (("a", "v"), ("b", "w"))
    }
    return ReferenceRun(QueryGraph.model_validate({"version": 1, "name": "why", "nodes": nodes}), streams, {})


def sentence(run: ReferenceRun, element: ElementId) -> str:
    found = run.why_absent(element)
    assert found is not None
    return found.sentence


def test_a_run_says_why_an_event_found_no_partner() -> None:
    run = run_of({"id": "j", "kind": "join", "left": "a", "right": "b", "keys": ["k"]})
    first, second = ElementId("a", ONLY_LANE, 0), ElementId("a", ONLY_LANE, 1)
    run.take("a", ONLY_LANE, interval(1, 5, {"k": "x", "v": 1}))
    run.take("a", ONLY_LANE, interval(2, 5, {"k": "y", "v": 2}))
    run.take("b", ONLY_LANE, interval(4, 9, {"k": "y", "w": 3}))
    assert sentence(run, first) == "row 0 of lane '0' of 'a' is in no result yet: it waits in 'j' for a CTI."
    for name in ("a", "b"):
        run.take(name, ONLY_LANE, Cti(INFINITY))
    assert run.why_absent(second) is None
    assert sentence(run, first) == (
        "row 0 of lane '0' of 'a' is in no result: no event of 'b' with equal keys was alive during it."
    )


def test_a_run_explains_that_a_join_only_removes() -> None:
    run = run_of({"id": "j", "kind": "anti_join", "left": "a", "right": "b", "keys": ["k"]})
    run.take("b", ONLY_LANE, interval(4, 9, {"k": "y", "w": 3}))
    assert sentence(run, ElementId("b", ONLY_LANE, 0)) == (
        "row 0 of lane '0' of 'b' is in no result: anti join 'j' only takes it away from events of 'a'."
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, "no event of 'r' was alive during it"),
        ({"where": "a < b"}, "no event of 'r' for which 'where' is true was alive during it"),
        ({"keys": ["k"]}, "no event of 'r' with equal keys was alive during it"),
    ],
)
def test_the_reason_names_what_of_the_match_the_node_has(changes: dict[str, Any], why: str) -> None:
    right = {"b": "long"} | ({"k": "string"} if "keys" in changes else {})
    driven = Driven(operator({"kind": "semi_join"} | changes, ({"k": "string", "a": "long"}, right)))
    alone = Spec(0, 1, 5, 9, {"k": "a", "a": 0})
    driven.give(alone)
    driven.both(INFINITY)
    assert driven.witness.why(alone) == [why]
