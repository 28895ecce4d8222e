"""The checker: wiring, streams and expressions, every fault with its place and its remedy."""

from collections import Counter

import pytest

from streaming.definition.checks import wiring
from streaming.definition.checks.check import check, check_fields
from streaming.definition.faults import FaultCode, Severity
from streaming.definition.graph import Node, QueryGraph, UnionNode, sources
from tests.definition.checks.graphs import (
    CARS,
    COUNT,
    FIELDS,
    OUT,
    STREAMS,
    around,
    checked,
    faults,
    graph,
    node,
    only,
    window,
)

# Valid graphs and their schemas


def test_a_valid_graph_has_no_fault_and_a_schema_for_every_node() -> None:
    aggregates = [COUNT, {"name": "avg_speed", "function": "avg", "of": "speed", "filter": "speed > 0"}]
    raw = graph(
        CARS,
        {"id": "fast", "kind": "filter", "input": "cars", "where": "speed > 120"},
        window(input="fast", group_by=["plate"], aggregates=aggregates),
        OUT,
    )
    result = checked(raw)
    assert result.faults == ()
    shown = {name: {field: str(of) for field, of in fields.items()} for name, fields in result.schemas.items()}
    assert shown["cars"] == shown["fast"] == FIELDS
    assert shown["w"] == shown["out"] == {"plate": "string", "n": "long", "avg_speed": "double"}


def test_a_projection_replaces_the_fields() -> None:
    columns = [{"name": "upper_plate", "of": "upper(plate)"}, {"name": "d", "of": "cast(speed as decimal(5,1))"}]
    result = checked(around(node("project", columns=columns)))
    assert {name: str(of) for name, of in result.schemas["out"].items()} == {
        "upper_plate": "string",
        "d": "decimal(5,1)",
    }


def test_a_validated_graph_is_checked_like_its_raw_form() -> None:
    raw = around(node("filter", where="nope = 1"))
    assert check(QueryGraph.model_validate(raw), STREAMS) == check(raw, STREAMS)


def test_nodes_may_be_in_any_order() -> None:
    assert checked(graph(OUT, window(), CARS)).faults == ()


def test_an_input_may_go_straight_to_an_output_and_several_outputs_may_read_one_node() -> None:
    assert checked(graph(CARS, OUT | {"input": "cars"}, OUT | {"id": "out2", "input": "cars"})).faults == ()


def test_a_window_over_edges_is_allowed() -> None:
    assert checked(around(window(), stream="edges")).faults == ()


# Ids and references


def test_a_doubled_id() -> None:
    assert only(graph(CARS, CARS, OUT | {"input": "cars"})) == ("duplicate_id", "cars", "id")


def test_the_node_that_repeats_an_id_is_checked_too() -> None:
    raw = graph(CARS, node("filter", where="n > 0"), node("filter", where="nope > 0"), OUT)
    assert [fault.code for fault in faults(raw)] == [FaultCode.DUPLICATE_ID, FaultCode.UNKNOWN_FIELD]


def test_an_id_that_starts_with_pane() -> None:
    assert only(graph(CARS | {"id": "pane_x"}, OUT | {"input": "pane_x"})) == ("reserved_name", "pane_x", "id")


def test_an_unknown_node_with_the_nearest_name() -> None:
    first, *_ = faults(graph(CARS, OUT | {"input": "card"}))
    assert (first.code, first.node, first.field) == (FaultCode.UNKNOWN_NODE, "out", "input")
    assert first.remedy == "Did you mean 'cars'?"


def test_an_output_that_is_read() -> None:
    raw = graph(CARS, OUT | {"input": "cars"}, OUT | {"id": "again", "input": "out"})
    assert only(raw) == ("output_as_input", "again", "input")


def test_a_cycle_is_one_fault_that_names_its_nodes() -> None:
    raw = graph(
        CARS,
        {"id": "a", "kind": "filter", "input": "b", "where": "true"},
        {"id": "b", "kind": "filter", "input": "c", "where": "true"},
        {"id": "c", "kind": "filter", "input": "a", "where": "true"},
        {"id": "d", "kind": "filter", "input": "a", "where": "true"},
        OUT | {"input": "d"},
    )
    (cycle,) = [fault for fault in faults(raw) if fault.severity is Severity.ERROR]
    assert (cycle.code, cycle.node) == (FaultCode.CYCLE, "a")
    assert "a <- b <- c <- a" in cycle.message


def test_a_node_that_reads_itself_is_a_cycle() -> None:
    raw = graph(CARS, OUT | {"input": "cars"}, node("filter", input="w", where="true"))
    assert [fault.code.value for fault in faults(raw)] == ["cycle", "unused_node"]


def test_two_cycles_are_two_faults() -> None:
    loops = [{"id": name, "kind": "filter", "input": name, "where": "true"} for name in ("a", "b")]
    codes = [fault.code for fault in faults(graph(CARS, *loops, OUT | {"input": "cars"}))]
    assert codes.count(FaultCode.CYCLE) == 2


def test_a_graph_without_input() -> None:
    codes = [fault.code.value for fault in faults(graph(OUT | {"input": "nowhere"}))]
    assert codes == ["unknown_node", "no_input"]


def test_a_graph_without_output() -> None:
    assert only(graph(CARS)) == ("no_output", None, None)


def test_a_node_that_reaches_no_output_is_a_warning() -> None:
    raw = graph(CARS, window(), OUT | {"input": "cars"})
    (fault,) = checked(raw).faults
    assert (fault.code, fault.node, fault.severity) == (FaultCode.UNUSED_NODE, "w", Severity.WARNING)


# Streams


def test_an_unknown_stream_with_the_nearest_name() -> None:
    (fault,) = faults(graph(CARS | {"stream": "car"}, OUT | {"input": "cars"}))
    assert (fault.code, fault.node, fault.field) == (FaultCode.UNKNOWN_STREAM, "cars", "stream")
    assert fault.remedy == "Did you mean 'cars'?"


def test_every_fault_of_a_streams_schema() -> None:
    found = [(fault.code.value, fault.node, fault.field) for fault in faults(around(window(), stream="broken"))]
    assert found == [
        ("bad_schema", "cars", "stream.fields.a"),
        ("reserved_name", "cars", "stream.fields.pane_start"),
        ("bad_schema", "cars", "stream.fields.b"),
    ]


def test_a_valid_schema_has_no_fault() -> None:
    assert check_fields(FIELDS) == ()


# Expressions


def test_a_condition_that_cannot_be_read_names_the_place() -> None:
    (fault,) = faults(around(node("filter", where="speed >")))
    assert (fault.code, fault.node, fault.field) == (FaultCode.BAD_EXPRESSION, "w", "where")
    assert (fault.message, fault.at, fault.span) == ("The expression is incomplete.", 7, None)


def test_a_condition_must_be_boolean() -> None:
    assert only(around(node("filter", where="speed"))) == ("type_mismatch", "w", "where")


def test_a_null_condition_is_allowed_because_null_is_not_true() -> None:
    assert checked(around(node("filter", where="null"))).faults == ()


def test_an_unknown_field_is_named_with_its_column() -> None:
    columns = [{"name": "a", "of": "n"}, {"name": "b", "of": "m"}]
    assert only(around(node("project", columns=columns))) == ("unknown_field", "w", "columns[1].of")


def test_an_unknown_function() -> None:
    raw = around(node("filter", where="reflect('java.lang.Runtime', 'x') = '1'"))
    assert only(raw) == ("unknown_function", "w", "where")


def test_columns_with_the_same_name() -> None:
    columns = [{"name": "a", "of": "n"}, {"name": "a", "of": "speed"}]
    assert only(around(node("project", columns=columns))) == ("duplicate_name", "w", "columns")


def test_a_column_that_starts_with_pane() -> None:
    assert only(around(node("project", columns=[{"name": "pane_end", "of": "n"}]))) == ("reserved_name", "w", "columns")


def test_a_column_that_is_always_null_has_no_type() -> None:
    assert only(around(node("project", columns=[{"name": "a", "of": "null"}]))) == (
        "type_mismatch",
        "w",
        "columns[0].of",
    )


def test_after_a_faulty_node_only_checks_without_fields_report_faults() -> None:
    raw = graph(
        CARS | {"stream": "nowhere"},
        node("filter", where="whatever > 1 and"),
        {"id": "p", "kind": "project", "input": "w", "columns": [{"name": "a", "of": "anything"}]},
        OUT | {"input": "p"},
    )
    assert [fault.code.value for fault in faults(raw)] == ["unknown_stream", "bad_expression"]


def test_a_faulty_condition_does_not_hide_faults_after_it() -> None:
    raw = graph(
        CARS, node("filter", where="nope > 1"), node("filter", id="f", input="w", where="no > 1"), OUT | {"input": "f"}
    )
    assert [(fault.code.value, fault.node) for fault in faults(raw)] == [("unknown_field", "w"), ("unknown_field", "f")]


def test_long_chains_are_ordered_in_linear_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    length = 500
    chain = {f"n{i}": UnionNode(id=f"n{i}", kind="union", inputs=[f"n{i + 1}"] * 2) for i in range(length)}
    asked = Counter[str]()

    def counting(node: Node) -> tuple[str, ...]:
        asked[node.id] += 1
        return sources(node)

    monkeypatch.setattr(wiring, "sources", counting)
    assert wiring.order(chain) == ([f"n{i}" for i in reversed(range(length))], set())
    assert max(asked.values()) == 1
