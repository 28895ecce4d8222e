"""A sequence whose complete match waits: the explanation and the warning name its variables and its bound (T34)."""

from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.explain import explain
from streaming.planning.validity import check

STREAMS = {"s": StreamDefinition.model_validate({"shape": "point", "fields": {"k": "string", "v": "long"}})}


def searching(pattern: str, **more: Any) -> QueryGraph:
    node = {"id": "m", "kind": "match_recognize", "input": "s", "group_by": ["k"], "pattern": pattern, **more}
    ends = [{"id": "s", "kind": "input", "stream": "s"}, node, {"id": "out", "kind": "output", "input": "m"}]
    return QueryGraph.model_validate({"version": 1, "name": "q", "nodes": ends})


def waiting(graph: QueryGraph) -> list[str]:
    (node,) = [each for each in explain(graph, STREAMS, {}).nodes if each.id == "m"]
    return [sentence for sentence in node.details if "complete match" in sentence]


def warned(graph: QueryGraph) -> list[str]:
    return [fault.message for fault in check(graph, STREAMS).faults if fault.field == "within"]


@pytest.mark.parametrize(
    ("within", "expected"),
    [
        ("1h", "at most until the CTI is 1h after its first row."),
        (None, "without 'within', for any length of time."),
    ],
)
def test_a_match_that_may_grow_says_for_how_long_it_waits(within: str | None, expected: str) -> None:
    (sentence,) = waiting(searching("A B+", within=within))
    assert sentence == f"A complete match waits, because `B` may take more rows of its group: {expected}"


def test_a_match_that_is_final_with_its_last_row_does_not_wait() -> None:
    assert waiting(searching("A B+?", within="1h")) == []


def test_the_warning_without_within_names_the_match_that_waits() -> None:
    assert warned(searching("A (B | C)* ABSENT D FOR 15m")) == [
        "Without 'within' a complete match can wait forever, because B or C may take more rows of its group."
    ]
    assert warned(searching("A B")) == [
        "Without 'within' an attempt can wait for its next row forever, and its rows stay in memory."
    ]
    assert warned(searching("A B+", within="1h")) == []
