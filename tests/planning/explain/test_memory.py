"""What is stated of the memory of windows is what the engine keeps, of every aggregate in every kind of window."""

from typing import Any

import pytest

from streaming.definition.advance import temporal_settings
from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.graph import QueryGraph
from streaming.definition.sql.grammar.windows import WINDOWS as ROWS
from streaming.definition.streams import StreamDefinition
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


def kept(graph: QueryGraph, events: int) -> int:
    """The bytes of state behind the feed after so many events of one group and one time, and one a tick later."""
    run = EngineRun(compile_binding(graph, STREAMS, temporal_settings(graph, STREAMS, {}), buckets=1))
    rows = [(1, "a", number * 7_919) for number in range(events)]
    run.batch({("s", "0"): [chunk(*rows, (2, "a", 1))]})
    run.batch({("s", "0"): [chunk((3, "a", 1), first_position=events + 1)]})
    return sum(len(value) for bucket in run.snapshot().buckets for value in bucket.values())


@pytest.mark.parametrize("union", [False, True])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("function", AGGREGATES)
def test_values_are_folded_where_it_is_said_and_events_are_kept_where_it_is_said(
    window: str, function: str, union: bool
) -> None:
    graph = graph_of(WINDOWS[window], function, union=union)
    (said,) = [node.state[0].what for node in explain(graph, STREAMS, {}).nodes if node.id == "w"]
    grown = kept(graph, MANY) - kept(graph, FEW)
    if said.startswith("folded values"):
        assert grown == 0
    else:
        assert "events" in said
        assert grown > (MANY - FEW) * BYTES_OF_AN_EVENT


def test_some_are_folded_and_no_sketch_is_promised() -> None:
    whole = explain(graph_of(WINDOWS["tumbling"], "sum", union=False), STREAMS, {}).model_dump_json()
    assert "folded values of each slice" in whole
    for function in ("approx_count_distinct", "approx_percentile", "topk", "maxk", "time_weighted_avg"):
        said = explain(graph_of(WINDOWS["tumbling"], function, union=False), STREAMS, {}).model_dump_json()
        assert "sketch" not in said
        assert "folded" not in said
