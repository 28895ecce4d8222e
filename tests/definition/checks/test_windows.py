"""The checker on windows and aggregates."""

from collections.abc import Callable
from typing import Any

import pytest

from streaming.definition.checks.window_sizes import fixed_panes
from streaming.definition.faults import FaultCode, Severity
from streaming.definition.graph import WindowNode
from streaming.definition.sql.grammar.windows import WINDOWS as ROWS
from streaming.temporal.ticks import Ticks
from streaming.temporal.windows import HoppingWindows
from tests.definition.checks.graphs import (
    CARS,
    COUNT,
    FIELDS,
    OUT,
    around,
    checked,
    fault_places,
    faults,
    graph,
    node,
    only,
    schema,
    top_k,
    window,
)


def test_grouping_by_an_unknown_field() -> None:
    (fault,) = faults(around(window(group_by=["plat"])))
    assert (fault.code, fault.field, fault.remedy) == (FaultCode.UNKNOWN_FIELD, "group_by[0]", "Did you mean 'plate'?")


def test_grouping_by_an_array() -> None:
    assert only(around(window(group_by=["tags"]))) == ("type_mismatch", "w", "group_by[0]")


def test_an_aggregate_with_the_name_of_a_group() -> None:
    assert only(around(window(group_by=["n"]))) == ("duplicate_name", "w", "aggregates")


def test_two_aggregates_with_one_name() -> None:
    assert only(around(window(aggregates=[COUNT, COUNT]))) == ("duplicate_name", "w", "aggregates")


def test_an_aggregate_that_starts_with_pane() -> None:
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
def test_a_window_size_must_be_above_zero_and_not_too_long(size: int | str) -> None:
    raw = around(window(window={"kind": "tumbling", "size": size}))
    assert only(raw) == ("bad_window", "w", "window.size")


def test_a_hop_must_be_above_zero() -> None:
    raw = around(window(window={"kind": "hopping", "size": "5m", "hop": "0s"}))
    assert only(raw) == ("bad_window", "w", "window.hop")


def test_an_offset_may_be_negative_but_not_too_long() -> None:
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


# Windows of all kinds

EVERY_KIND: dict[str, dict[str, Any]] = {row.kind: dict(row.example_fields) for row in ROWS} | {
    "tumbling": {"size": "5m"},
    "hopping": {"size": "5m", "hop": "1m"},
    "time_interval": {"duration": "5m", "period": "1m", "offset": "-30s", "discard_age": "10s"},
    "session": {"gap": "5m", "max": "1h"},
    "snapshot": {},
    "count": {"n": 3},
}


def of_kind(kind: str, **changes: Any) -> dict[str, Any]:
    return {"kind": kind} | EVERY_KIND[kind] | changes


@pytest.mark.parametrize("kind", EVERY_KIND)
@pytest.mark.parametrize("make", [window, top_k])
def test_every_kind_of_window_may_be_aggregated_and_ranked(kind: str, make: Callable[..., dict[str, Any]]) -> None:
    checked(around(make(window=of_kind(kind), group_by=["plate"])))


@pytest.mark.parametrize("make", [window, top_k])
@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("tumbling", "size", 0),
        ("hopping", "hop", "-1s"),
        ("time_interval", "duration", 0),
        ("time_interval", "duration", "P9999999D"),
        ("time_interval", "period", 0),
        ("time_interval", "offset", "-P9999999D"),
        ("time_interval", "discard_age", "-1tick"),
        ("time_interval", "discard_age", "P9999999D"),
        ("session", "gap", 0),
        ("session", "gap", "P9999999D"),
        ("session", "max", "P9999999D"),
        ("session", "max", "299s"),
    ],
)
def test_an_invalid_length_of_a_window(
    make: Callable[..., dict[str, Any]], kind: str, field: str, value: int | str
) -> None:
    assert only(around(make(window=of_kind(kind, **{field: value})))) == ("bad_window", "w", f"window.{field}")


def test_a_session_may_be_as_long_as_its_gap_and_no_shorter() -> None:
    assert faults(around(window(window=of_kind("session", gap="5m", max="5m")))) == ()


@pytest.mark.parametrize("n", [0, -1, 10_001])
def test_a_count_of_no_events_or_of_too_many_is_a_shape_error(n: int) -> None:
    assert only(around(window(window=of_kind("count", n=n)))) == ("bad_shape", "w", "window.n")


def test_a_period_above_the_duration_leaves_gaps() -> None:
    raw = around(window(window=of_kind("time_interval", period="6m")))
    assert only(raw) == ("gaps_between_windows", "w", "window.period")


def test_a_period_defaults_to_the_duration() -> None:
    assert faults(around(window(window=of_kind("time_interval", period=None)))) == ()


def test_a_period_that_puts_events_in_too_many_windows() -> None:
    raw = around(window(window=of_kind("time_interval", duration=10_001, period=1)))
    assert only(raw) == ("too_many_windows", "w", "window.period")


def test_fixed_windows_of_a_checked_node_are_those_of_its_definition() -> None:
    interval = WindowNode.model_validate(window(window=of_kind("time_interval")))
    minute = 60_000_000
    assert fixed_panes(interval) == HoppingWindows(Ticks(5 * minute), Ticks(minute), Ticks(-minute // 2))
    session = WindowNode.model_validate(window(window=of_kind("session")))
    with pytest.raises(TypeError, match="session"):
        fixed_panes(session)


# Grace and emission


@pytest.mark.parametrize("grace", [0, "30s"])
def test_a_grace_is_zero_or_more(grace: int | str) -> None:
    assert faults(around(window(grace=grace))) == ()


@pytest.mark.parametrize("grace", ["-1tick", "P9999999D"])
def test_a_grace_below_zero_or_too_long(grace: str) -> None:
    assert only(around(window(grace=grace))) == ("bad_window", "w", "grace")


def test_a_grace_conflicts_with_a_discard_age() -> None:
    raw = around(window(window=of_kind("time_interval"), grace="10s"))
    assert only(raw) == ("conflicting_arguments", "w", "grace")


@pytest.mark.parametrize("emit", ["on_complete", "running"])
def test_replaced_rows_may_be_retracted(emit: str) -> None:
    assert faults(around(window(emit=emit, retract=True))) == ()


def test_final_rows_are_never_retracted() -> None:
    raw = around(window(retract=True))
    assert only(raw) == ("no_effect", "w", "retract")
    assert checked(raw).faults[0].severity is Severity.WARNING


@pytest.mark.parametrize("emit", ["on_complete", "running"])
@pytest.mark.parametrize(
    "between",
    [
        {"kind": "filter", "where": "n > 1"},
        {"kind": "project", "columns": [{"name": "n", "of": "n + 1"}]},
        {"kind": "shift", "by": "1m"},
        {"kind": "extend", "by": "1m"},
        {"kind": "set_duration", "duration": "1m"},
        {"kind": "point_at_end"},
    ],
)
def test_provisional_rows_pass_stateless_nodes(emit: str, between: dict[str, Any]) -> None:
    raw = graph(CARS, window(id="v", emit=emit), {"id": "w", "input": "v"} | between, OUT)
    assert faults(raw) == ()


@pytest.mark.parametrize("emit", ["on_complete", "running"])
@pytest.mark.parametrize(
    ("between", "port"),
    [
        (window(input="v"), "input"),
        (top_k(input="v"), "input"),
        ({"kind": "union", "inputs": ["f", "v"]}, "inputs[1]"),
        ({"kind": "join", "left": "f", "right": "v", "keys": ["n"]}, "right"),
        ({"kind": "anti_join", "left": "v", "right": "f", "keys": ["n"]}, "left"),
        ({"kind": "clip", "input": "f", "by": "v", "keys": ["n"]}, "by"),
    ],
)
def test_provisional_rows_cannot_reach_a_node_that_needs_final_ones(
    emit: str, between: dict[str, Any], port: str
) -> None:
    final = window(id="f")
    raw = graph(CARS, final, window(id="v", emit=emit), between | {"id": "w"}, OUT)
    assert [each for each in fault_places(raw) if each[0] == "provisional_rows"] == [("provisional_rows", "w", port)]


def test_provisional_rows_are_reported_once_even_after_a_filter() -> None:
    behind = window(id="x", input="f")
    raw = graph(
        CARS,
        window(id="v", emit="running"),
        node("filter", id="f", input="v", where="n > 1"),
        behind,
        window(input="x"),
        OUT,
    )
    (fault,) = faults(raw)
    assert (fault.code.value, fault.node) == ("provisional_rows", "x")
    assert "'v'" in fault.remedy


# Ranks


def test_a_rank_keeps_the_fields_of_its_events() -> None:
    assert schema(around(top_k(group_by=["plate"]))) == FIELDS


@pytest.mark.parametrize("by", ["speed", "plate", "at", "n * 2", "n > 1"])
def test_events_are_ranked_by_values_with_an_order(by: str) -> None:
    assert faults(around(top_k(by=by))) == ()


@pytest.mark.parametrize("by", ["tags", "null"])
def test_events_are_not_ranked_by_values_without_an_order(by: str) -> None:
    assert only(around(top_k(by=by))) == ("type_mismatch", "w", "by")


def test_a_rank_by_an_unknown_field() -> None:
    assert only(around(top_k(by="nope"))) == ("unknown_field", "w", "by")


@pytest.mark.parametrize("k", [0, 10_001])
def test_a_rank_of_zero_or_too_many_is_a_shape_error(k: int) -> None:
    assert only(around(top_k(k=k))) == ("bad_shape", "w", "k")


@pytest.mark.parametrize("group", ["nope", "tags"])
def test_ranks_are_grouped_by_scalar_fields(group: str) -> None:
    code = "unknown_field" if group == "nope" else "type_mismatch"
    assert only(around(top_k(group_by=[group]))) == (code, "w", "group_by[0]")


def test_ranks_are_grouped_by_each_field_once() -> None:
    assert only(around(top_k(group_by=["plate", "plate"]))) == ("duplicate_name", "w", "group_by")


@pytest.mark.parametrize("timestamp", ["lifetime", "point_at_end", "latest_input"])
def test_an_output_has_one_of_three_timestamps(timestamp: str) -> None:
    assert faults(graph(CARS, OUT | {"input": "cars", "timestamp": timestamp})) == ()


def test_another_timestamp_is_a_shape_error() -> None:
    assert only(graph(CARS, OUT | {"input": "cars", "timestamp": "now"})) == ("bad_shape", "out", "timestamp")
