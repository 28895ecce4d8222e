"""The checker on valid graphs of every node kind with random changes."""

import copy
from collections.abc import Iterator
from itertools import cycle
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check
from streaming.definition.faults import FaultCode
from streaming.definition.graph import Node, QueryGraph
from streaming.definition.sql.grammar.windows import WINDOWS
from streaming.definition.streams.stream import AdvanceTimeSettings
from streaming.definition.windows import WindowSpec
from streaming.planning.validity import checked_graph
from streaming.reference.build import build
from tests.definition.checks.graphs import CARS, COUNT, OWNERS, STREAMS, graph

FURTHER: dict[str, dict[str, Any]] = {
    "hopping": {"offset": "-30s"},
    "time_interval": {"offset": 0, "discard_age": "10s"},
    "session": {"max": "1h"},
}
"""Optional fields of each kind of windows."""
SPECS: list[dict[str, Any]] = [{"kind": row.kind, **row.example_fields, **FURTHER.get(row.kind, {})} for row in WINDOWS]
AGGREGATES = [COUNT | {"name": "c"}, {"name": "fast", "function": "avg", "of": "speed", "filter": "n > 0"}]
FILL = {"empty": "default", "empty_gap": "1h", "empty_groups": [{"plate": "a"}, {"plate": None}]}
SEQUENCE: dict[str, Any] = {
    "id": "seq",
    "kind": "match_recognize",
    "input": "filter",
    "group_by": ["plate"],
    "order_by": [{"of": "speed", "descending": True}],
    "pattern": "A B+? {- C -} PERMUTE(D, E) ABSENT F FOR 5m",
    "subsets": [{"name": "U", "of": ["A", "B"]}],
    "define": [{"name": "B", "of": "B.speed > PREV(speed)"}],
    "measures": [{"name": "fastest", "of": "FINAL LAST(U.speed, 1)"}],
    "rows": "all",
    "after_match": {"last": "B"},
    "within": "1h",
    "reach": "2h",
    "grace": "1m",
    "max_rows": 50,
}
ROWS: list[dict[str, Any]] = [
    {"name": "before", "function": "lag", "of": "n", "default": "0", "ignore_nulls": True},
    {"name": "most", "function": "max", "of": "n", "frame": {"unit": "rows", "preceding": 3, "following": 1}},
    {"name": "z", "function": "robust_z", "of": "n", "frame": {"unit": "range", "preceding": "5m"}, "least": 5},
    {"name": "alarm", "function": "cusum_alarm", "of": "n", "target": 1.0, "drift": 0.5, "threshold": 2.0},
]
NODES: list[dict[str, Any]] = [
    CARS,
    OWNERS,
    {"id": "edges", "kind": "input", "stream": "edges"},
    {"id": "filter", "kind": "filter", "input": "cars", "where": "speed > 1"},
    {"id": "project", "kind": "project", "input": "owners", "columns": [{"name": "plate", "of": "upper(plate)"}]},
    {"id": "shift", "kind": "shift", "input": "filter", "by": "-5m"},
    {"id": "fixed", "kind": "set_duration", "input": "shift", "duration": "1h"},
    {"id": "computed", "kind": "set_duration", "input": "edges", "expression": "n * 2"},
    {"id": "extend", "kind": "extend", "input": "edges", "by": "-1tick"},
    {"id": "chop", "kind": "chop", "input": "extend", "period": "1h", "offset": "-5m"},
    {"id": "order", "kind": "order_edges", "input": "chop"},
    {"id": "whole", "kind": "to_intervals", "input": "order"},
    {"id": "stitch", "kind": "stitch", "input": "whole"},
    {"id": "rows", "kind": "analytic", "input": "stitch", "group_by": ["plate"], "reach": "1h", "columns": ROWS}
    | {"order_by": [{"of": "n", "descending": True}]},
    {"id": "point", "kind": "point_at_end", "input": "stitch"},
    {"id": "clip", "kind": "clip", "input": "point", "by": "owners", "keys": ["plate"]},
    {"id": "union", "kind": "union", "inputs": ["fixed", "computed", "clip"]},
    {"id": "join", "kind": "join", "left": "union", "right": "owners", "keys": ["plate"], "where": "at > since"},
    {"id": "outer", "kind": "join", "left": "union", "right": "project", "keys": ["plate"], "type": "left_outer"},
    {"id": "anti", "kind": "anti_join", "left": "outer", "right": "project", "keys": ["plate"], "where": "n > 1"},
    {"id": "semi", "kind": "semi_join", "left": "anti", "right": "owners", "keys": ["plate"]},
    {"id": "asof", "kind": "asof_join", "left": "semi", "right": "owners", "keys": ["plate"], "type": "left_outer"},
    *(
        {"id": f"w{index}", "kind": "window", "input": "asof", "group_by": ["plate"], "window": spec}
        | {"emit": emit, "retract": emit == "running", "aggregates": AGGREGATES}
        for index, (spec, emit) in enumerate(zip(SPECS, cycle(["final", "on_complete", "running"]), strict=False))
    ),
    {"id": "filled", "kind": "window", "input": "join", "group_by": ["plate"], "window": SPECS[0], "grace": "1m"}
    | {"aggregates": AGGREGATES}
    | FILL,
    *(
        {"id": f"k{index}", "kind": "top_k", "input": "join", "group_by": ["plate"], "window": spec, "by": "n", "k": 2}
        for index, spec in enumerate(SPECS)
    ),
    SEQUENCE,
    *(
        {"id": f"out_{name}", "kind": "output", "input": name, "timestamp": timestamp}
        for name, timestamp in zip(
            [
                *(f"w{index}" for index in range(len(SPECS))),
                "filled",
                *(f"k{index}" for index in range(len(SPECS))),
                "seq",
                "rows",
            ],
            cycle(["lifetime", "point_at_end", "latest_input"]),
            strict=False,
        )
    ),
]
EVERYTHING = graph(*NODES)
SETTINGS: dict[str, Any] = {
    "cars": {"generate": {"every": 10, "delay": "5s", "basis": "max", "final": True}, "late": "keep", "over": "plate"},
    "owners": {"import_from": "cars", "late": "drop", "idle_after": "1m", "idle": "advance"},
    "edges": {"preset": "watermark(5s)", "max_ahead": "1h", "future": "drop", "late_end": "close_at_cti"},
}


def test_the_unchanged_graph_is_valid_and_has_every_kind_of_node_and_window() -> None:
    assert {fault.code for fault in check(EVERYTHING, STREAMS).faults} == {FaultCode.OVERLAPPING_RANKS}
    kinds = {get_args(kind.model_fields["kind"].annotation)[0] for kind in get_args(get_args(Node)[0])}
    windows = {get_args(kind.model_fields["kind"].annotation)[0] for kind in get_args(get_args(WindowSpec)[0])}
    assert {node["kind"] for node in NODES} == kinds
    assert {spec["kind"] for spec in SPECS} == windows


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of everything inside `value`."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def within(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def changed(value: Any, path: tuple[str | int, ...], by: Any) -> Any:
    """Return a copy of `value` with `by` at `path`, or without it if `by` is `...`; unchanged without the path."""
    copied = copy.deepcopy(value)
    try:
        holder = within(copied, path[:-1])
        within(holder, path[-1:])
    except (KeyError, IndexError, TypeError):
        return copied
    if by is ...:
        del holder[path[-1]]
    elif not isinstance(holder, str):
        holder[path[-1]] = copy.deepcopy(by)
    return copied


IDS = [node["id"] for node in NODES]
VALUES = st.one_of(
    st.sampled_from([*IDS, "nowhere", "plate", "n", "speed", "tags", "since", "x", "pane_x", "n > 1", "upper(plate)"]),
    st.sampled_from([0, 1, -1, 2, "5m", "-5m", "0s", "P9999999D", 10**30, True, None, 1.5, ...]),
    st.sampled_from(
        ["running", "final", "default", "left_outer", "count", "avg", "topk", "keep", "lenses", "azure(1)"]
    ),
    st.sampled_from([[], {}, ["plate"], ["plate", "n"], ["plate", "plate"], [["plate"]], {"plate": 1}, [{"plate": 1}]]),
    st.sampled_from([*SPECS, *AGGREGATES, *NODES]),
)


EXTRA: dict[str, list[Any]] = {
    "where": ["n > 1", "speed", "owner = plate", "null", "tags"],
    "by": ["n", "tags", "cars", "0s", "1h"],
    "of": ["plate", "n", "tags", "at", "null"],
    "function": ["sum", "first", "topk", "collect", "percentile_disc", "count_distinct", "time_weighted_avg"],
    "grace": [None, "0s", "-1s"],
    "keys": [[], ["owner"], ["n"], ["plate", "plate"]],
    "group_by": [[], ["n"], ["tags"], ["plate", "n"]],
    "stream": ["broken"],
}


def fitting(path: tuple[str | int, ...], of: Any) -> list[Any]:
    """Return all values in `of` under the last key of `path`; for an index, all elements of lists."""
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    values = [within(of, each) for each in places(of) if each[-1] == key] + EXTRA.get(key, [])
    return [value for each in values for value in each] if isinstance(path[-1], int) else values


def changes(of: Any, *, anything: bool) -> st.SearchStrategy[Any]:
    """Draw `of` with one to four changes, each to a value of the same key elsewhere, or to any value."""

    def change(path: tuple[str | int, ...]) -> st.SearchStrategy[tuple[tuple[str | int, ...], Any]]:
        alike = st.sampled_from(fitting(path, of))
        return st.tuples(st.just(path), st.one_of(alike, VALUES) if anything else alike)

    kept = ("id", "kind", "version", "nodes")
    inside = [path for path in places(of) if path[-1] not in kept and path[:-1] != ("nodes",)]
    steps = st.lists(st.sampled_from(inside).flatmap(change), min_size=1, max_size=4)
    return steps.map(lambda listed: _all_changed(of, listed))


def _all_changed(value: Any, listed: list[tuple[tuple[str | int, ...], Any]]) -> Any:
    for path, by in listed:
        value = changed(value, path, by)
    return value


@given(changes(EVERYTHING, anything=True))
def test_check_of_a_changed_graph_reports_faults_and_never_raises(raw: Any) -> None:
    result = check(raw, STREAMS)
    for fault in result.faults:
        assert fault.message.endswith(".")
        assert fault.remedy.endswith((".", "?", "!"))


@given(changes(EVERYTHING, anything=False))
def test_a_graph_without_errors_has_fields_at_every_node_and_can_be_built(raw: Any) -> None:
    result = check(raw, STREAMS)
    if not result.errors:
        sound = QueryGraph.model_validate(raw)
        assert set(result.schemas) == {node.id for node in sound.nodes}
        build(checked_graph(sound, STREAMS, {}))


@given(changes(EVERYTHING, anything=False), changes(SETTINGS, anything=True))
def test_check_of_a_changed_binding_never_raises(raw: Any, settings: Any) -> None:
    try:
        sound = QueryGraph.model_validate(raw)
    except ValidationError:
        return
    advance = {}
    for name, each in settings.items():
        try:
            advance[name] = AdvanceTimeSettings.model_validate(each)
        except ValidationError:
            continue
    for fault in check_binding(sound, STREAMS, advance):
        assert fault.node in {node.id for node in sound.nodes}
        assert fault.remedy
