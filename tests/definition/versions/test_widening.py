"""Carrying state over to another version: when it works, why not, and the incomplete columns."""

from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.versions.widening import LackingColumns, NotCarried, WidenedQuery, widened
from streaming.temporal.ticks import Ticks

N = {"name": "n", "function": "count"}
TOTAL = {"name": "total", "function": "sum", "of": "v"}
TOP = {"name": "top", "function": "max", "of": "v"}
MEAN = {"name": "mean", "function": "avg", "of": "v"}
S = {"kind": "input", "id": "s", "stream": "s"}
WINDOW = {"kind": "tumbling", "size": "10s"}
OUT = {"kind": "output", "id": "out", "input": "w"}


def window(*aggregates: dict[str, Any], **more: Any) -> dict[str, Any]:
    node = {"kind": "window", "id": "w", "input": "s", "window": WINDOW, "aggregates": list(aggregates)}
    return {**node, **more}


def graph(*nodes: dict[str, Any]) -> QueryGraph:
    return QueryGraph.model_validate({"version": 1, "name": "q", "nodes": [S, *nodes]})


def project(**columns: str) -> dict[str, Any]:
    named = [{"name": name, "of": of} for name, of in columns.items()]
    return {"kind": "project", "id": "p", "input": "w", "columns": named}


def carried(before: QueryGraph, after: QueryGraph, edges: frozenset[str] = frozenset()) -> WidenedQuery:
    return widened(before, after, edges)


OLD = graph(window(N, TOTAL), OUT)
FROM_P = {**OUT, "input": "p"}


def test_added_aggregates_start_empty_unless_others_stored_their_partial_results() -> None:
    found = carried(OLD, graph(window(TOTAL, TOP, MEAN, {**N, "name": "all"}), OUT))
    assert found.begin_empty == {"w": ("top",)}
    assert found.lacking == {"out": LackingColumns("w", "s", ("top",), Ticks(0))}


@pytest.mark.parametrize(
    "added",
    [
        {**TOTAL, "name": "some", "filter": "v > 1"},
        {**TOTAL, "name": "other", "of": "v + 1"},
        {**TOTAL, "name": "total", "of": "v + 1"},
        {**N, "name": "large", "filter": "v > 1"},
        {"name": "spread", "function": "stddev", "of": "v"},
    ],
    ids=lambda added: added["name"],
)
def test_aggregates_over_other_values_or_partial_results_start_empty(added: dict[str, Any]) -> None:
    assert carried(OLD, graph(window(N, added), OUT)).begin_empty == {"w": (added["name"],)}


def test_removed_aggregates_alone_leave_nothing_incomplete() -> None:
    assert carried(OLD, graph(window(N), OUT)) == WidenedQuery({"w": ()}, {})


def test_projections_determine_the_incomplete_columns_of_an_output() -> None:
    after = graph(window(N, TOP), project(a="n", b="top + n", c="coalesce(top, 0)"), FROM_P)
    assert carried(OLD, after).lacking == {"out": LackingColumns("w", "s", ("b", "c"), Ticks(0))}
    hidden = carried(OLD, graph(window(N, TOP), project(a="n"), FROM_P))
    assert hidden.lacking == {"out": LackingColumns("w", "s", (), Ticks(0))}, "a window lacks rows, no column shows it"


def test_filters_after_the_window_may_read_complete_columns() -> None:
    kept = {"kind": "filter", "id": "f", "input": "w", "where": "n > 1"}
    after = graph(window(N, TOP), kept, {**OUT, "input": "f"})
    assert carried(OLD, after).lacking["out"].columns == ("top",)


def test_rows_for_empty_windows_extend_the_incomplete_time() -> None:
    filled = {"empty": "default", "empty_gap": "30s"}
    found = carried(graph(window(N, **filled), OUT), graph(window(N, TOP, **filled), OUT))
    assert found.lacking["out"].filled == Ticks(30_000_000)


def test_all_kinds_of_nodes_are_carried_over_if_only_projections_after_them_differ() -> None:
    session = window(N, TOTAL, window={"kind": "session", "gap": "5s"})
    found = carried(graph(session, OUT), graph(session, project(a="n"), FROM_P))
    assert found == WidenedQuery({}, {})


UNION = {"kind": "union", "id": "u", "inputs": ["s", "s"]}
FILTER = {"kind": "filter", "id": "f", "input": "s", "where": "v > 1"}
SHIFT = {"kind": "shift", "id": "h", "input": "w", "by": "1s"}
SESSIONS = {"window": {"kind": "session", "gap": "5s"}}
ALL = {"name": "all", "function": "collect", "of": "v"}
REFUSED: dict[str, tuple[QueryGraph, QueryGraph, str]] = {
    "other windows": (
        OLD,
        graph(window(N, window={**WINDOW, "size": "20s"}), OUT),
        "w, or a node before it, is different",
    ),
    "other groups": (OLD, graph(window(N, group_by=["v"]), OUT), "w, or a node before it, is different"),
    "a filter before": (OLD, graph(FILTER, window(N, TOP, input="f"), OUT), "w, or a node before it, is different"),
    "a new node": (OLD, graph(window(N, TOTAL), window(N, id="x"), OUT), "x is new"),
    "a node that is gone": (graph(window(N), window(N, id="x"), OUT), graph(window(N, TOP), OUT), "x is not in this"),
    "sessions": (graph(window(N, **SESSIONS), OUT), graph(window(N, TOP, **SESSIONS), OUT), "Only fixed windows"),
    "values kept": (OLD, graph(window(N, ALL), OUT), "collect of the node w"),
    "values that were kept": (graph(window(N, ALL), OUT), graph(window(N, TOP), OUT), "collect of the node w"),
    "emit": (graph(window(N, emit="running"), OUT), graph(window(N, TOP, emit="running"), OUT), "(emit)"),
    "behind a node": (
        graph(UNION, window(N, input="u"), OUT),
        graph(UNION, window(N, TOP, input="u"), OUT),
        "instead of an input",
    ),
    "a filter on what is new": (
        OLD,
        graph(window(N, TOP), {"kind": "filter", "id": "f", "input": "w", "where": "top > 1"}, {**OUT, "input": "f"}),
        "filters by top",
    ),
    "an expression that cannot be read": (
        OLD,
        graph(window(N, TOP), project(a="top +"), FROM_P),
        "of the node p cannot",
    ),
    "times of rows": (
        graph(window(N), {**OUT, "timestamp": "point_at_end"}),
        graph(window(N, TOP), {**OUT, "timestamp": "point_at_end"}),
        "changes the times",
    ),
    "the latest input": (
        graph(window(N), {**OUT, "timestamp": "latest_input"}),
        graph(window(N, TOP), {**OUT, "timestamp": "latest_input"}),
        "latest input",
    ),
    "an output with other times": (
        OLD,
        graph(window(N, TOTAL), {**OUT, "timestamp": "point_at_end"}),
        "out is different",
    ),
    "a shift behind": (OLD, graph(window(N, TOP), SHIFT, {**OUT, "input": "h"}), "is different, or at"),
    "a shift that was there": (
        graph(window(N), SHIFT, {**OUT, "input": "h"}),
        graph(window(N, TOP), SHIFT, {**OUT, "input": "h"}),
        "changes the times",
    ),
    "a new output": (OLD, graph(window(N, TOP), OUT, {**OUT, "id": "more"}), "more is different"),
    "an output of another window": (
        graph(window(N), window(N, id="x"), OUT),
        graph(window(N), window(N, id="x"), {**OUT, "input": "x"}),
        "out is different",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_names_the_reason_and_the_alternative(what: str) -> None:
    before, after, why = REFUSED[what]
    with pytest.raises(NotCarried, match=r"Open windows can only be rebuilt by reading their rows again\.$") as refused:
        carried(before, after)
    assert why in str(refused.value)


def test_edges_are_refused_unless_their_ends_are_set() -> None:
    with pytest.raises(NotCarried, match="reads edges"):
        carried(OLD, graph(window(N, TOP), OUT), frozenset({"s"}))
    longer = {"kind": "set_duration", "id": "d", "input": "s", "duration": "1s"}
    before, after = (graph(longer, window(*each, input="d"), OUT) for each in ([N], [N, TOP]))
    assert carried(before, after, frozenset({"s"})).begin_empty == {"w": ("top",)}
