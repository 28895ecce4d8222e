"""The checker on data that isn't a graph, or nearly one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.checks.check import check
from streaming.definition.faults import FaultCode
from tests.definition.checks.graphs import CARS, OUT, STREAMS, around, faults, graph, node, only, window


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"input": 5}, "input"),
        ({"where": ""}, "where"),
        ({"where": "x" * 10_001}, "where"),
        ({"extra": 1}, "extra"),
        ({"kind": "nope"}, None),
        ({"input": "not a name"}, "input"),
    ],
)
def test_a_shape_error_names_the_node_and_the_field(change: dict[str, Any], field: str | None) -> None:
    assert only(around(node("filter", where="true") | change)) == ("bad_shape", "w", field)


def test_a_path_leads_through_lists_and_windows() -> None:
    raw = around(window(window={"kind": "hopping", "size": {}, "hop": "soon"}, aggregates=[{"name": "n"}]))
    assert [(fault.code.value, fault.node, fault.field) for fault in faults(raw)] == [
        ("bad_shape", "w", "window.size"),
        ("bad_shape", "w", "window.hop"),
        ("bad_shape", "w", "aggregates[0].function"),
    ]


def test_a_node_without_an_id_is_named_by_its_place() -> None:
    assert only(graph(CARS, {"kind": "output", "input": "cars"})) == ("bad_shape", None, "nodes[1].id")


def test_an_unknown_key_of_the_graph_is_refused() -> None:
    assert only(graph(CARS, OUT | {"input": "cars"}, layout={})) == ("bad_shape", None, "layout")


def test_a_shape_error_does_not_hide_other_faults() -> None:
    raw = graph(CARS, {"id": "w", "kind": "nope"}, node("filter", id="f", where="nope > 1"), OUT)
    assert [(fault.code.value, fault.node) for fault in faults(raw)] == [("bad_shape", "w"), ("unknown_field", "f")]


@pytest.mark.parametrize(
    "raw", [None, [], "graph", 1, {}, {"nodes": 1}, {1: 2}, {"version": 2, "name": "", "nodes": []}]
)
def test_data_that_isnt_a_graph_is_a_shape_error(raw: object) -> None:
    found = faults(raw)
    assert found
    assert {fault.code for fault in found} == {FaultCode.BAD_SHAPE}


def test_all_faults_of_all_nodes_are_reported_at_once() -> None:
    raw = graph(
        CARS,
        node("filter", id="f", where="nope > 1"),
        window(input="f", group_by=["no"], window={"kind": "tumbling", "size": 0}),
        OUT | {"input": "missing"},
    )
    assert sorted({fault.code.value for fault in faults(raw)}) == [
        "bad_window",
        "unknown_field",
        "unknown_node",
        "unused_node",
    ]


json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["cars", "w", "5m"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
keys = st.sampled_from(
    ["id", "kind", "input", "stream", "where", "columns", "window", "group_by", "aggregates", "name", "of"]
)
some_nodes = st.sampled_from(
    [CARS, OUT, window(), node("filter", where="n > 1"), node("filter", id="w2", input="w2", where="1")]
)
spoiled = st.builds(lambda sound, key, value: sound | {key: value}, some_nodes, keys, json_values)


@given(
    st.one_of(
        json_values, st.lists(st.one_of(some_nodes, spoiled, json_values), max_size=5).map(lambda nodes: graph(*nodes))
    )
)
def test_check_never_raises_and_every_fault_has_a_message_and_a_remedy(raw: object) -> None:
    for fault in check(raw, STREAMS).faults:  # type: ignore[arg-type]
        assert fault.message
        assert fault.remedy


@given(st.text(max_size=40))
def test_any_condition_is_checked_without_raising(where: str) -> None:
    raw = around(node("filter", where=where))
    assert all(fault.node == "w" and fault.remedy for fault in check(raw, STREAMS).faults)
