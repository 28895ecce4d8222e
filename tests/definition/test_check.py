"""The checker: every fault of a query graph, each with its place and its remedy."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.check import Checked, check, check_fields
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.temporal.events import Shape

FIELDS = {"plate": "string", "speed": "double", "n": "long", "at": "timestamp", "tags": "array<string>"}
STREAMS = {
    "cars": StreamDefinition(fields=FIELDS),
    "edges": StreamDefinition(fields=FIELDS, shape=Shape.EDGE),
    "broken": StreamDefinition(fields={"a": "array<int>", "pane_start": "long", "b": "struct<a>"}),
}
CARS = {"id": "cars", "kind": "input", "stream": "cars"}
OUT = {"id": "out", "kind": "output", "input": "w"}
COUNT = {"name": "n", "function": "count"}


def node(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": "w", "kind": kind, "input": "cars"} | fields


def window(**fields: Any) -> dict[str, Any]:
    return node("window", window={"kind": "tumbling", "size": "5m"}, aggregates=[COUNT]) | fields


def graph(*nodes: object, **other: Any) -> dict[str, Any]:
    return {"version": 1, "name": "q", "nodes": list(nodes)} | other


def around(middle: dict[str, Any], stream: str = "cars") -> dict[str, Any]:
    return graph(CARS | {"stream": stream}, middle, OUT)


def faults(raw: Any) -> tuple[Fault, ...]:
    return check(raw, STREAMS).faults


def only(raw: Any) -> tuple[str, str | None, str | None]:
    (fault,) = faults(raw)
    assert fault.message.endswith(".")
    assert fault.remedy.endswith((".", "?"))
    return fault.code.value, fault.node, fault.field


def checked(raw: Any) -> Checked:
    result = check(raw, STREAMS)
    assert result.errors == ()
    return result


# Sound graphs and their schemas


def test_a_sound_graph_has_no_fault_and_a_schema_for_every_node() -> None:
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


def test_nodes_may_stand_in_any_order() -> None:
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


def test_an_id_that_begins_with_pane() -> None:
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


def test_a_sound_schema_has_no_fault() -> None:
    assert check_fields(FIELDS) == ()


# Expressions


def test_a_condition_that_cannot_be_read_names_the_place() -> None:
    (fault,) = faults(around(node("filter", where="speed >")))
    assert (fault.code, fault.node, fault.field) == (FaultCode.BAD_EXPRESSION, "w", "where")
    assert "at character 8" in fault.message


def test_a_condition_must_be_boolean() -> None:
    assert only(around(node("filter", where="speed"))) == ("type_mismatch", "w", "where")


def test_a_null_condition_is_allowed_for_null_is_not_true() -> None:
    assert checked(around(node("filter", where="null"))).faults == ()


def test_an_unknown_field_is_named_with_its_column() -> None:
    columns = [{"name": "a", "of": "n"}, {"name": "b", "of": "m"}]
    assert only(around(node("project", columns=columns))) == ("unknown_field", "w", "columns[1].of")


def test_an_unknown_function() -> None:
    raw = around(node("filter", where="reflect('java.lang.Runtime', 'x') = '1'"))
    assert only(raw) == ("unknown_function", "w", "where")


def test_columns_with_one_name() -> None:
    columns = [{"name": "a", "of": "n"}, {"name": "a", "of": "speed"}]
    assert only(around(node("project", columns=columns))) == ("duplicate_name", "w", "columns")


def test_a_column_that_begins_with_pane() -> None:
    assert only(around(node("project", columns=[{"name": "pane_end", "of": "n"}]))) == ("reserved_name", "w", "columns")


def test_a_column_that_is_always_null_has_no_type() -> None:
    assert only(around(node("project", columns=[{"name": "a", "of": "null"}]))) == (
        "type_mismatch",
        "w",
        "columns[0].of",
    )


def test_behind_a_faulty_node_only_what_needs_no_fields_is_complained_of() -> None:
    raw = graph(
        CARS | {"stream": "nowhere"},
        node("filter", where="whatever > 1 and"),
        {"id": "p", "kind": "project", "input": "w", "columns": [{"name": "a", "of": "anything"}]},
        OUT | {"input": "p"},
    )
    assert [fault.code.value for fault in faults(raw)] == ["unknown_stream", "bad_expression"]


def test_a_faulty_condition_does_not_hide_faults_behind_it() -> None:
    raw = graph(
        CARS, node("filter", where="nope > 1"), node("filter", id="f", input="w", where="no > 1"), OUT | {"input": "f"}
    )
    assert [(fault.code.value, fault.node) for fault in faults(raw)] == [("unknown_field", "w"), ("unknown_field", "f")]


# Windows and aggregates


def test_grouping_by_an_unknown_field() -> None:
    (fault,) = faults(around(window(group_by=["plat"])))
    assert (fault.code, fault.field, fault.remedy) == (FaultCode.UNKNOWN_FIELD, "group_by[0]", "Did you mean 'plate'?")


def test_grouping_by_an_array() -> None:
    assert only(around(window(group_by=["tags"]))) == ("type_mismatch", "w", "group_by[0]")


def test_an_aggregate_with_the_name_of_a_group() -> None:
    assert only(around(window(group_by=["n"]))) == ("duplicate_name", "w", "aggregates")


def test_two_aggregates_with_one_name() -> None:
    assert only(around(window(aggregates=[COUNT, COUNT]))) == ("duplicate_name", "w", "aggregates")


def test_an_aggregate_that_begins_with_pane() -> None:
    raw = around(window(aggregates=[COUNT | {"name": "pane_index"}]))
    assert only(raw) == ("reserved_name", "w", "aggregates")


@pytest.mark.parametrize("function", ["sum", "avg", "min", "max"])
def test_an_aggregate_without_of(function: str) -> None:
    raw = around(window(aggregates=[{"name": "a", "function": function}]))
    assert only(raw) == ("missing_argument", "w", "aggregates[0].of")


@pytest.mark.parametrize(
    ("function", "of"), [("sum", "plate"), ("avg", "at"), ("sum", "plate = 'a'"), ("min", "tags"), ("max", "null")]
)
def test_an_aggregate_over_a_type_that_it_does_not_take(function: str, of: str) -> None:
    raw = around(window(aggregates=[{"name": "a", "function": function, "of": of}]))
    assert only(raw) == ("type_mismatch", "w", "aggregates[0].of")


def test_a_filter_of_an_aggregate_must_be_boolean() -> None:
    raw = around(window(aggregates=[COUNT | {"filter": "speed"}]))
    assert only(raw) == ("type_mismatch", "w", "aggregates[0].filter")


@pytest.mark.parametrize("size", [0, "0s", "-5m", "P9999999D"])
def test_a_window_size_must_be_above_zero_and_within_all_of_time(size: int | str) -> None:
    raw = around(window(window={"kind": "tumbling", "size": size}))
    assert only(raw) == ("bad_window", "w", "window.size")


def test_a_hop_must_be_above_zero() -> None:
    raw = around(window(window={"kind": "hopping", "size": "5m", "hop": "0s"}))
    assert only(raw) == ("bad_window", "w", "window.hop")


def test_an_offset_may_be_negative_but_not_beyond_all_of_time() -> None:
    assert checked(around(window(window={"kind": "tumbling", "size": "5m", "offset": "-1m"}))).faults == ()
    raw = around(window(window={"kind": "tumbling", "size": "5m", "offset": "-P9999999D"}))
    assert only(raw) == ("bad_window", "w", "window.offset")


def test_a_hop_above_the_size_leaves_gaps_and_is_a_warning() -> None:
    raw = around(window(window={"kind": "hopping", "size": "5m", "hop": "10m"}))
    assert only(raw) == ("gaps_between_windows", "w", "window.hop")
    assert checked(raw).faults[0].severity is Severity.WARNING


def test_ten_thousand_windows_for_an_event_are_allowed_and_one_more_is_not() -> None:
    assert checked(around(window(window={"kind": "hopping", "size": 10_000, "hop": 1}))).faults == ()
    raw = around(window(window={"kind": "hopping", "size": 10_001, "hop": 1}))
    assert only(raw) == ("too_many_windows", "w", "window.hop")
    assert faults(raw)[0].remedy == "Make the hop at least 2us."


# Shape


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
def test_an_error_of_shape_names_the_node_and_the_field(change: dict[str, Any], field: str | None) -> None:
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


def test_an_error_of_shape_does_not_hide_other_faults() -> None:
    raw = graph(CARS, {"id": "w", "kind": "nope"}, node("filter", id="f", where="nope > 1"), OUT)
    assert [(fault.code.value, fault.node) for fault in faults(raw)] == [("bad_shape", "w"), ("unknown_field", "f")]


@pytest.mark.parametrize(
    "raw", [None, [], "graph", 1, {}, {"nodes": 1}, {1: 2}, {"version": 2, "name": "", "nodes": []}]
)
def test_what_is_no_graph_is_a_fault_of_shape(raw: object) -> None:
    found = faults(raw)
    assert found
    assert {fault.code for fault in found} == {FaultCode.BAD_SHAPE}


def test_all_faults_of_all_nodes_come_at_once() -> None:
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
