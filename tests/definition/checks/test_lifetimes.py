"""The checker on nodes that change lifetimes."""

from typing import Any

import pytest

from streaming.definition.checks.window_sizes import LONGEST
from streaming.definition.faults import Severity
from tests.definition.checks.graphs import (
    CARS,
    FIELDS,
    OUT,
    OWNERS,
    around,
    checked,
    fault_places,
    faults,
    graph,
    node,
    only,
    schema,
)


@pytest.mark.parametrize("kind", ["shift", "extend"])
@pytest.mark.parametrize("by", ["5m", "-1tick", 7, int(LONGEST), -int(LONGEST)])
def test_events_are_moved_by_any_duration_that_is_not_too_long_and_keep_their_fields(kind: str, by: int | str) -> None:
    raw = around(node(kind, by=by))
    assert faults(raw) == ()
    assert schema(raw) == FIELDS


@pytest.mark.parametrize("kind", ["shift", "extend"])
@pytest.mark.parametrize("by", [LONGEST + 1, -LONGEST - 1, "P9999999D"])
def test_a_move_that_is_too_long_is_refused(kind: str, by: int | str) -> None:
    assert only(around(node(kind, by=by))) == ("bad_duration", "w", "by")


@pytest.mark.parametrize("kind", ["shift", "extend"])
def test_a_move_by_zero_is_a_warning(kind: str) -> None:
    raw = around(node(kind, by="0s"))
    assert only(raw) == ("no_effect", "w", "by")
    assert faults(raw)[0].severity is Severity.WARNING


def test_a_move_by_text_that_isnt_a_duration_is_a_shape_error() -> None:
    assert only(around(node("shift", by="soon"))) == ("bad_shape", "w", "by")


@pytest.mark.parametrize("how", [{"duration": "1h"}, {"duration": 1}, {"expression": "n * 1000"}])
def test_a_duration_is_set_by_a_length_or_by_a_long(how: dict[str, Any]) -> None:
    raw = around(node("set_duration", **how))
    assert faults(raw) == ()
    assert schema(raw) == FIELDS


def test_a_missing_duration() -> None:
    assert only(around(node("set_duration"))) == ("missing_argument", "w", "duration")


def test_a_duration_that_is_set_twice() -> None:
    raw = around(node("set_duration", duration="1h", expression="n"))
    assert only(raw) == ("conflicting_arguments", "w", "expression")


@pytest.mark.parametrize("duration", [0, "-1s", LONGEST + 1])
def test_a_duration_is_above_zero_and_not_too_long(duration: int | str) -> None:
    assert only(around(node("set_duration", duration=duration))) == ("bad_duration", "w", "duration")


@pytest.mark.parametrize("expression", ["speed", "plate", "null", "at", "tags"])
def test_a_duration_from_the_payload_is_a_long(expression: str) -> None:
    assert only(around(node("set_duration", expression=expression))) == ("type_mismatch", "w", "expression")


def test_a_duration_from_a_missing_field() -> None:
    assert only(around(node("set_duration", expression="nope"))) == ("unknown_field", "w", "expression")


@pytest.mark.parametrize("period", ["0s", "-5m", LONGEST + 1])
def test_the_period_of_a_chop_is_above_zero_and_not_too_long(period: int | str) -> None:
    assert only(around(node("chop", period=period))) == ("bad_duration", "w", "period")


def test_the_offset_of_a_chop_may_be_negative_but_not_too_long() -> None:
    assert faults(around(node("chop", period="1h", offset="-5m"))) == ()
    assert only(around(node("chop", period="1h", offset=-LONGEST - 1))) == ("bad_duration", "w", "offset")


@pytest.mark.parametrize("kind", ["point_at_end", "to_intervals", "order_edges", "stitch"])
def test_nodes_without_settings_keep_the_fields_of_edges(kind: str) -> None:
    raw = around(node(kind), stream="edges")
    assert faults(raw) == ()
    assert schema(raw) == FIELDS


def test_points_at_ends_are_made_of_any_shape() -> None:
    assert faults(around(node("point_at_end"))) == ()


@pytest.mark.parametrize("kind", ["to_intervals", "order_edges"])
def test_a_node_for_edges_that_no_edge_reaches_is_a_warning(kind: str) -> None:
    raw = around(node(kind))
    assert only(raw) == ("no_effect", "w", "input")
    assert checked(raw).faults[0].severity is Severity.WARNING


EDGES = CARS | {"stream": "edges"}


@pytest.mark.parametrize(
    "between",
    [
        {"kind": "filter", "input": "cars", "where": "n > 1"},
        {"kind": "shift", "input": "cars", "by": "1m"},
        {"kind": "extend", "input": "cars", "by": "1m"},
        {"kind": "order_edges", "input": "cars"},
        {"kind": "chop", "input": "cars", "period": "1m"},
        {"kind": "union", "inputs": ["others", "cars"]},
        {"kind": "asof_join", "left": "cars", "right": "owners", "keys": ["plate"]},
        {"kind": "join", "left": "owners", "right": "cars", "keys": ["plate"]},
    ],
)
def test_edges_reach_through_nodes_that_keep_them(between: dict[str, Any]) -> None:
    others = {"id": "others", "kind": "input", "stream": "cars"}
    raw = graph(EDGES, OWNERS, others, {"id": "b"} | between, node("to_intervals", input="b"), OUT)
    assert "no_effect" not in [code for code, _, _ in fault_places(raw)]


@pytest.mark.parametrize(
    "between",
    [
        {"kind": "set_duration", "input": "cars", "duration": "1m"},
        {"kind": "point_at_end", "input": "cars"},
        {"kind": "to_intervals", "input": "cars"},
        {"kind": "clip", "input": "cars", "by": "cars", "keys": ["plate"]},
        {"kind": "semi_join", "left": "cars", "right": "cars", "keys": ["plate"]},
        {"kind": "asof_join", "left": "owners", "right": "cars", "keys": ["plate"]},
        {
            "kind": "window",
            "input": "cars",
            "window": {"kind": "snapshot"},
            "aggregates": [{"name": "c", "function": "count"}],
        },
    ],
)
def test_no_edges_come_after_a_node_that_ends_edges(between: dict[str, Any]) -> None:
    raw = graph(EDGES, OWNERS, {"id": "b"} | between, node("to_intervals", input="b"), OUT)
    assert ("no_effect", "w", "input") in fault_places(raw)


def test_an_unknown_stream_may_have_edges() -> None:
    assert only(around(node("to_intervals"), stream="nowhere")) == ("unknown_stream", "cars", "stream")


CLIP = {"id": "w", "kind": "clip", "input": "cars", "by": "owners", "keys": ["plate"]}


def test_a_clip_keeps_the_fields_of_the_clipped_events() -> None:
    raw = graph(CARS, OWNERS, CLIP, OUT)
    assert faults(raw) == ()
    assert schema(raw) == FIELDS


def test_a_stream_may_clip_its_own_events() -> None:
    assert faults(graph(CARS, CLIP | {"by": "cars"}, OUT)) == ()


def test_a_clip_needs_keys() -> None:
    assert only(graph(CARS, OWNERS, CLIP | {"keys": []}, OUT)) == ("bad_shape", "w", "keys")


@pytest.mark.parametrize("key", ["speed", "owner", "nope"])
def test_a_key_of_a_clip_is_a_field_on_both_sides(key: str) -> None:
    raw = graph(CARS, OWNERS, CLIP | {"keys": [key]}, OUT)
    assert {each[:3] for each in fault_places(raw)} == {("unknown_field", "w", "keys[0]")}
