"""The state of nodes when another version of a query takes over."""

import json
from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.versions.state_differences import NodeDifference, state_differences

COUNT, SUM = {"name": "n", "function": "count"}, {"name": "total", "function": "sum", "of": "speed"}
WINDOW: dict[str, Any] = {
    "id": "w",
    "kind": "window",
    "input": "fast",
    "group_by": ["plate"],
    "window": {"kind": "tumbling", "size": "10s"},
    "aggregates": [COUNT],
}


def graph(window: dict[str, Any] | None = WINDOW, where: str = "speed > 1") -> QueryGraph:
    middle = [] if window is None else [window]
    nodes = [
        {"id": "cars", "kind": "input", "stream": "cars"},
        {"id": "fast", "kind": "filter", "input": "cars", "where": where},
        *middle,
        {"id": "out", "kind": "output", "input": middle[0]["id"] if middle else "fast"},
    ]
    return QueryGraph.model_validate_json(json.dumps({"version": 1, "name": "q", "nodes": nodes}))


def of(standing: str, node: str = "w", **details: list[str]) -> dict[str, Any]:
    named: dict[str, Any] = {"added": [], "removed": [], "changed": [], **details}
    return {"node": node, "kind": "window", "standing": standing, **named}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (graph(), of("same")),
        (graph({**WINDOW, "aggregates": [COUNT, SUM]}), of("widened", added=["total"])),
        (graph({**WINDOW, "aggregates": [SUM]}), of("widened", added=["total"], removed=["n"])),
        (graph({**WINDOW, "group_by": []}), of("lost", changed=["group_by"])),
        (graph({**WINDOW, "window": {"kind": "tumbling", "size": "20s"}}), of("lost", changed=["window"])),
        (graph(where="speed > 2"), of("lost")),
        (graph({**WINDOW, "aggregates": [COUNT, SUM]}, where="speed > 2"), of("lost", changed=["aggregates"])),
        (graph({**WINDOW, "emit": "running"}), of("lost", changed=["emit"])),
        (graph(None), of("gone")),
    ],
)
def test_a_window_is_the_same_widened_lost_or_gone(after: QueryGraph, expected: dict[str, Any]) -> None:
    assert state_differences(graph(), after) == [NodeDifference.model_validate(expected)]


def test_a_renamed_node_is_new_and_the_old_one_gone() -> None:
    found = state_differences(graph(), graph({**WINDOW, "id": "v"}))
    assert [(each.node, each.standing) for each in found] == [("v", "new"), ("w", "gone")]
