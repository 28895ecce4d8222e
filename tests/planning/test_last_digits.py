"""Columns that depend on aggregates whose last digits vary."""

from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.last_digits import same_up_to_last_digits, varying_columns
from streaming.planning.validity import checked_graph
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime

WINDOW = {"kind": "tumbling", "size": 10}
STREAM = StreamDefinition(shape=Shape.POINT, fields={"k": "string", "x": "double"})


def columns_of(*more: dict[str, Any]) -> dict[str, set[str]]:
    """Return the varying columns of each node after a window with a sum and a variance by `k`."""
    aggregates = [{"name": "t", "function": "sum", "of": "x"}, {"name": "v", "function": "variance", "of": "x"}]
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "w", "kind": "window", "input": "s", "group_by": ["k"], "window": WINDOW, "aggregates": aggregates},
        *more,
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    schemas = checked_graph(graph, {"s": STREAM}, {"s": AdvanceTime()}).schemas
    return {name: set(found) for name, found in varying_columns(graph, schemas).items()}


def test_a_spread_varies_and_a_sum_does_not() -> None:
    assert columns_of({"id": "out", "kind": "output", "input": "w"}) == {"s": set(), "w": {"v"}, "out": {"v"}}


def test_a_column_computed_from_a_varying_one_varies() -> None:
    project = [{"name": "a", "of": "t + 1"}, {"name": "b", "of": "t / v"}, {"name": "k", "of": "k"}]
    again = [{"name": "m", "function": "max", "of": "b"}, {"name": "n", "function": "count"}]
    found = columns_of(
        {"id": "p", "kind": "project", "input": "w", "columns": project},
        {"id": "w2", "kind": "window", "input": "p", "group_by": ["k"], "window": WINDOW, "aggregates": again},
        {"id": "out", "kind": "output", "input": "w2"},
    )
    assert (found["p"], found["w2"], found["out"]) == ({"b"}, {"m"}, {"m"})


def test_after_a_join_with_a_varying_side_every_column_varies() -> None:
    found = columns_of(
        {"id": "j", "kind": "join", "left": "s", "right": "w", "keys": ["k"]},
        {"id": "out", "kind": "output", "input": "j"},
    )
    assert {"k", "x", "t", "v"} <= found["out"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": [0.1 + 0.2]}, {"a": [0.3]}, True),
        ({"a": 0.30001}, {"a": 0.3}, False),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": 1}, {"b": 1}, False),
        ([1.0], [1.0, 2.0], False),
    ],
)
def test_values_are_compared_except_for_the_last_digits_of_doubles(one: object, other: object, *, same: bool) -> None:
    assert same_up_to_last_digits(one, other) is same
