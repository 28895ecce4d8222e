"""Delays of CTIs: the explained bounds are reached, and delays without a bound exceed any length."""

from typing import Any

import pytest

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.explain import Explanation, explain
from streaming.reference.executor import ReferenceRun
from streaming.wire.rows.row_json import read_row

FIELDS = {"k": "string", "v": "long"}
COUNT = [{"name": "n", "function": "count"}]


def streams(shape: str) -> dict[str, StreamDefinition]:
    return {"s": StreamDefinition.model_validate({"shape": shape, "fields": FIELDS})}


def graph(node: dict[str, Any]) -> QueryGraph:
    reads = {} if "left" in node else {"input": "s"}
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "op", **reads, **node},
        {"id": "out", "kind": "output", "input": "op"},
    ]
    return QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})


def explained(node: dict[str, Any], shape: str = "point") -> Explanation:
    return explain(graph(node), streams(shape), {})


def window(spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "window", "window": spec, "aggregates": COUNT, **more}


def behind(node: dict[str, Any], rows: list[dict[str, Any]], shape: str = "point") -> list[int]:
    """Return how far the output CTI lags each CTI among `rows`."""
    query, given = graph(node), streams(shape)
    run = ReferenceRun(query, given, temporal_settings(query, given, {}))
    found = []
    for row in rows:
        run.take("s", "0", read_row(row, given["s"], None), None)
        if "cti" in row:
            found.append(row["cti"] - run.output_ctis["out"][-1])
    return found


def ctis(last: int) -> list[dict[str, Any]]:
    return [{"cti": at} for at in range(1, last + 1)]


def at(start: int, **more: Any) -> dict[str, Any]:
    return {"start": start, "payload": {"k": "a", "v": 1}, **more}


@pytest.mark.parametrize(
    "node",
    [
        window({"kind": "tumbling", "size": 7}),
        window({"kind": "tumbling", "size": 7, "offset": 3}, grace=4),
        window({"kind": "hopping", "size": 10, "hop": 4}),
        window({"kind": "hopping", "size": 4, "hop": 10}),
        window({"kind": "time_interval", "duration": 6, "period": 9, "offset": -2, "discard_age": 5}),
        {"kind": "shift", "by": 5},
        {"kind": "shift", "by": -5},
        {"kind": "filter", "where": "v > 0"},
        window({"kind": "count", "n": 1}, grace=3),
    ],
    ids=str,
)
def test_the_bounds_are_reached_but_not_exceeded(node: dict[str, Any]) -> None:
    hold = explained(node).nodes[1].hold
    found = behind(node, ctis(60))
    assert (min(found), max(found)) == (hold.at_least, hold.at_most)


def test_a_session_with_a_maximum_delays_ctis_by_no_more() -> None:
    node = window({"kind": "session", "gap": 5, "max": 20}, grace=2)
    rows = [row for start in range(0, 90, 3) for row in (at(start), {"cti": start})]
    hold = explained(node).nodes[1].hold
    assert hold.at_most == 2 + 20 - 1
    assert 15 < max(behind(node, rows)) <= hold.at_most


EMPTY = {"empty": "default", "empty_gap": "20us"}


def test_a_window_that_fills_gaps_delays_ctis_by_the_gap_as_well() -> None:
    node = window({"kind": "tumbling", "size": 10}, **EMPTY)
    hold = explained(node).nodes[1].hold
    found = behind(node, [at(5), *ctis(80)])
    assert max(found) == hold.at_most == 10 - 1 + 20


CHAIN = [row for start in range(0, 400, 2) for row in (at(start), {"cti": start})]
LONG = [at(0, end=1_000), *ctis(400)]
OPEN = [at(0, edge="start"), *ctis(400)]
SELF = {"left": "s", "right": "s", "keys": ["k"]}


@pytest.mark.parametrize(
    ("node", "shape", "rows"),
    [
        (window({"kind": "session", "gap": 5}), "point", CHAIN),
        (window({"kind": "count", "n": 2}), "point", [at(0), *ctis(400)]),
        (window({"kind": "snapshot"}), "interval", LONG),
        (window({"kind": "snapshot"}), "edge", OPEN),
        ({"kind": "to_intervals"}, "edge", OPEN),
        ({"kind": "extend", "by": -1}, "edge", OPEN),
        ({"kind": "semi_join", **SELF}, "interval", LONG),
    ],
    ids=lambda each: each.get("kind", "") if isinstance(each, dict) else None,
)
def test_delays_without_a_bound_exceed_any_length(node: dict[str, Any], shape: str, rows: list[dict[str, Any]]) -> None:
    explanation = explained(node, shape)
    assert explanation.nodes[1].hold.at_most is None
    assert explanation.nodes[1].hold.because
    assert explanation.paths[0].at_most is None
    assert explanation.paths[0].because
    assert max(behind(node, rows, shape)) > 380


def test_the_same_nodes_add_no_delay_without_such_events() -> None:
    for node in ({"kind": "to_intervals"}, {"kind": "extend", "by": -1}, {"kind": "anti_join", **SELF}):
        assert explained(node).nodes[1].hold.at_most == 0


def test_the_slowest_of_several_paths_counts() -> None:
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "moved", "kind": "shift", "input": "s", "by": "-1m"},
        {"id": "early", "kind": "shift", "input": "s", "by": "5m"},
        {"id": "both", "kind": "union", "inputs": ["early", "moved"]},
        {"id": "w", "input": "both", **window({"kind": "tumbling", "size": "10s"}, grace="2s")},
        {"id": "out", "kind": "output", "input": "w"},
    ]
    query = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    (path,) = explain(query, streams("point"), {}).paths
    assert path.through == ["s", "moved", "both", "w", "out"]
    assert [(step.node, step.at_most) for step in path.steps] == [("moved", 60_000_000), ("w", 11_999_999)]
    assert path.at_most == 71_999_999
    assert path.text == "A row of `out` that starts at t waits for `s` until its CTI reaches t + 1m12s."


@pytest.mark.parametrize("kind", ["anti_join", "semi_join", "clip", "join"])
def test_parts_delay_ctis_by_the_longest_lifetime_of_the_left_less_a_tick(kind: str) -> None:
    reads = {"input": "long", "by": "right"} if kind == "clip" else {"left": "long", "right": "right"}
    more = {"type": "left_outer"} if kind == "join" else {}
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "long", "kind": "set_duration", "input": "s", "duration": 10},
        {"id": "covers", "kind": "set_duration", "input": "s", "duration": 10},
        {"id": "right", "kind": "project", "input": "covers", "columns": [{"name": "k", "of": RIGHT[kind]}]},
        {"id": "op", "kind": kind, "keys": ["k"], **reads, **more},
        {"id": "out", "kind": "output", "input": "op"},
    ]
    query = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    (hold,) = [node.hold for node in explain(query, streams("point"), {}).nodes if node.id == "op"]
    run = ReferenceRun(query, streams("point"), temporal_settings(query, streams("point"), {}))
    found = []
    for row in [at(0), *ctis(30)]:
        run.take("s", "0", read_row(row, streams("point")["s"], None), None)
        found.append(row.get("cti", 0) - max(run.output_ctis["out"], default=row.get("cti", 0)))
    assert max(found) == hold.at_most == 10 - 1


RIGHT = {"anti_join": "'other'", "clip": "'other'", "join": "'other'", "semi_join": "k"}
"""The keys of the right events: only a semi join waits for matching ones."""
