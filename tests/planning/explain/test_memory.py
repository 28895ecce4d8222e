"""The explained memory of windows matches the engine's, for every aggregate in every kind of window."""

from typing import Any

import pytest

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph
from streaming.definition.sql.grammar.windows import WINDOWS as ROWS
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine.executor import EngineRun
from streaming.planning.compile import compile_binding
from streaming.planning.explain import explain
from tests.engine.scenes import chunk

STREAMS = {
    "s": StreamDefinition.model_validate(
        {"fields": {"k": "string", "v": "long"}, "advance": {"preset": "watermark(5us)"}}
    )
}
WINDOWS: dict[str, dict[str, Any]] = {row.kind: {"kind": row.kind, **row.example_fields} for row in ROWS} | {
    "tumbling": {"kind": "tumbling", "size": 10},
    "hopping": {"kind": "hopping", "size": 10, "hop": 5},
    "time_interval": {"kind": "time_interval", "duration": 10, "period": 10, "offset": 0, "discard_age": 0},
    "session": {"kind": "session", "gap": 5},
    "longest": {"kind": "session", "gap": 5, "max": 50},
    "snapshot": {"kind": "snapshot"},
    "count": {"kind": "count", "n": 3},
}
FEW, MANY, BYTES_OF_AN_EVENT = 64, 1_024, 4


def graph_of(window: dict[str, Any], function: str, *, union: bool) -> QueryGraph:
    entry = AGGREGATES[function]
    parameters = {"k": 3} if entry.parameter == "k" else {"fraction": 0.5} if entry.parameter else {}
    column = {"name": "x", "function": function, "of": "v", **parameters}
    nodes: list[dict[str, Any]] = [{"id": "s", "kind": "input", "stream": "s"}]
    if union:
        nodes.append({"id": "u", "kind": "union", "inputs": ["s", "s"]})
    nodes.append(
        {"id": "w", "kind": "window", "input": nodes[-1]["id"], "group_by": ["k"], "window": window}
        | {"aggregates": [column]}
    )
    return QueryGraph.model_validate(
        {"version": 1, "name": "kept", "nodes": [*nodes, {"id": "out", "kind": "output", "input": "w"}]}
    )


def state_bytes(graph: QueryGraph, events: int) -> int:
    """Return the bytes of state after the feed, for `events` events of one group at one time, and one a tick later."""
    run = EngineRun(compile_binding(graph, STREAMS, temporal_settings(graph, STREAMS, {}), buckets=1))
    rows = [(1, "a", number * 7_919) for number in range(events)]
    run.batch({("s", "0"): [chunk(*rows, (2, "a", 1))]})
    run.batch({("s", "0"): [chunk((3, "a", 1), first_position=events + 1)]})
    return sum(len(value) for bucket in run.snapshot().buckets for value in bucket.values())


@pytest.mark.parametrize("union", [False, True])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("function", AGGREGATES)
def test_windows_store_partial_results_or_events_as_explained(window: str, function: str, union: bool) -> None:
    graph = graph_of(WINDOWS[window], function, union=union)
    (what,) = [node.state[0].what for node in explain(graph, STREAMS, {}).nodes if node.id == "w"]
    grown = state_bytes(graph, MANY) - state_bytes(graph, FEW)
    if what.startswith("partial results"):
        assert grown == 0
    else:
        assert "events" in what
        assert grown > (MANY - FEW) * BYTES_OF_AN_EVENT


def test_some_aggregates_have_partial_results_and_no_sketch_is_promised() -> None:
    whole = explain(graph_of(WINDOWS["tumbling"], "sum", union=False), STREAMS, {}).model_dump_json()
    assert "partial results of each slice" in whole
    for function in ("approx_count_distinct", "approx_percentile", "topk", "maxk", "time_weighted_avg"):
        text = explain(graph_of(WINDOWS["tumbling"], function, union=False), STREAMS, {}).model_dump_json()
        assert "sketch" not in text
        assert "partial results" not in text
