"""Nodes that change events or lifetimes, built from a definition: the trace names each, with its reason."""

from dataclasses import replace
from typing import Any

import pytest

from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import CausingCti, ElementId, Flow
from streaming.reference.operators.output_times import output_times
from streaming.reference.trace import Trace
from streaming.temporal.ticks import INFINITY, LAST_TICK, Tick
from streaming.wire.execution.case import ONLY_LANE
from tests.reference.operators.lifetime_runs import FIELDS, Row, rows_of, run_of

VANISHED = "nothing was left of its edge after the late policy had moved its ends"


def through(rows: list[Row], *nodes: Row, shape: str = "interval", late: str = "adjust") -> ReferenceRun:
    """Run the rows through `nodes` (the first is called n1) to the output `out`, then infinity."""
    stream = StreamDefinition.model_validate({"shape": shape, "fields": FIELDS, "advance": {"late": late}})
    return run_of((stream, rows), *nodes)


def removals_of(run: ReferenceRun, position: int = 0) -> list[tuple[str, str]]:
    """Return where the path of the element to `out` ended, and why."""
    return [each for each in removals_in(run.trace, position) if each[0] != "raw"]


def removals_in(trace: Trace, position: int) -> list[tuple[str, str]]:
    return [(each.node, each.why) for each in trace.removals(ElementId("s", ONLY_LANE, position))]


def interval(start: int, end: int | None, v: int | None = 1) -> Row:
    return {"start": start, "end": end, "payload": {"k": "a", "v": v}}


def opens(start: int, k: str = "a") -> Row:
    return {"edge": "start", "start": start, "payload": {"k": k, "v": 1}}


def ends(start: int, end: int, k: str = "a") -> Row:
    return opens(start, k) | {"edge": "end", "end": end}


@pytest.mark.parametrize(
    ("node", "row", "why"),
    [
        (
            {"kind": "shift", "by": 5},
            interval(LAST_TICK, LAST_TICK + 1),
            "shift 'n1' moved its start out of the years 1 to 9999",
        ),
        ({"kind": "extend", "by": -4}, interval(5, 9), "extend 'n1' left nothing of its lifetime"),
        ({"kind": "point_at_end"}, interval(5, None), "it never ends, so 'n1' has no point for it"),
        (
            {"kind": "point_at_end"},
            interval(5, LAST_TICK + 1),
            "it ends with the year 9999, so 'n1' has no point for it",
        ),
        ({"kind": "filter", "where": "v > 1"}, interval(5, 9, v=1), "filter 'n1' removed it: v > 1 is false"),
        ({"kind": "filter", "where": "v > 1"}, interval(5, 9, v=None), "filter 'n1' removed it: v > 1 is null"),
        (
            {"kind": "set_duration", "expression": "v"},
            interval(5, 9, v=None),
            "set_duration 'n1' removed it: its duration is null",
        ),
        (
            {"kind": "set_duration", "expression": "v"},
            interval(5, 9, v=-3),
            "set_duration 'n1' removed it: its duration is -3 ticks",
        ),
    ],
)
def test_a_node_reports_why_it_removes_an_event(node: Row, row: Row, why: str) -> None:
    assert removals_of(through([row], node)) == [("n1", why)]


@pytest.mark.parametrize("node", [{"kind": "to_intervals"}, {"kind": "extend", "by": -1}, {"kind": "point_at_end"}])
def test_what_waits_for_an_end_says_of_both_ends_that_the_edge_vanished(node: Row) -> None:
    run = through([{"cti": 10}, opens(3), ends(3, 5)], node, shape="edge")
    assert removals_of(run, 1) == removals_of(run, 2) == [("n1", VANISHED)]


def test_an_output_says_of_both_ends_that_an_edge_vanished_in_it() -> None:
    run = through([{"cti": 10}, opens(3), ends(3, 5)], shape="edge")
    for position in (1, 2):
        assert ("raw", VANISHED) in removals_in(run.trace, position)
        assert ("out", VANISHED) in removals_in(run.trace, position)


def test_a_closed_edge_was_released_by_the_cti_that_released_its_start() -> None:
    run = through([opens(3), {"cti": 5}, ends(3, 8), {"cti": 9}], {"kind": "order_edges"}, shape="edge")
    assert [row.released_by for row in rows_of(run, "out")] == [CausingCti("s", Tick(5))]


def test_a_node_that_reads_starts_alone_removes_ends_with_a_reason() -> None:
    run = through([opens(3), ends(3, 5)], {"kind": "set_duration", "duration": 4}, shape="edge")
    assert removals_of(run, 1) == [("n1", "set_duration 'n1' reads starts only: edge ends disappear")]


def test_the_latest_input_of_an_edge_is_a_whole_point_and_its_end_is_removed_with_a_reason() -> None:
    trace = Trace({})
    times = output_times("out", "latest_input")
    start = Flow("id", Tick(3), INFINITY, {}, frozenset({ElementId("s", ONLY_LANE, 0)}), Tick(3), opens=True)
    end = replace(start, end=Tick(5), opens=False, closes=True, sources=frozenset({ElementId("s", ONLY_LANE, 1)}))
    (point,) = times.take(0, start, trace)
    assert point == replace(start, end=Tick(4), opens=False)
    assert times.take(0, end, trace) == ()
    assert removals_in(trace, 0) == []
    assert removals_in(trace, 1) == [("out", "'out' emits the latest start, which an edge end does not change")]


@pytest.mark.parametrize(
    ("node", "field"),
    [
        ({"kind": "project", "columns": [{"name": "x", "of": "v"}, {"name": "y", "of": "6 / v"}]}, "y"),
        ({"kind": "set_duration", "expression": "cast(6 / v as long)"}, "expression"),
        ({"kind": "filter", "where": "6 / v > 1"}, "where"),
    ],
)
def test_an_expression_that_fails_is_named_with_its_node_and_field(node: Row, field: str) -> None:
    (failure,) = through([interval(0, 5, v=0)], node).trace.failures
    assert (failure.node, failure.field, failure.why) == ("n1", field, "division by zero")
    assert failure.elements == {ElementId("s", ONLY_LANE, 0)}


def test_an_edge_passes_an_extend_that_moves_nothing_before_its_end_has_come() -> None:
    stream = StreamDefinition.model_validate({"shape": "edge", "fields": FIELDS})
    seen: list[int] = []
    run_of(
        (stream, [opens(3), ends(3, 5)]),
        {"kind": "extend", "by": 0},
        watch=lambda run: seen.append(len(run.logs["out"])),
    )
    assert seen == [1, 2]


def test_what_is_open_at_infinity_comes_by_start_then_payload() -> None:
    rows = [opens(4, "a"), opens(3, "b"), opens(3, "a")]
    found = rows_of(through(rows, {"kind": "to_intervals"}, shape="edge"), "out")
    assert [(row.flow.start, row.flow.payload["k"]) for row in found] == [(3, "a"), (3, "b"), (4, "a")]


def test_starts_of_one_time_are_ordered_by_payload() -> None:
    rows = [opens(3, "b"), opens(3, "a")]
    found = rows_of(through(rows, {"kind": "order_edges"}, shape="edge"), "out")
    assert [row.flow.payload["k"] for row in found] == ["a", "b"]


@pytest.mark.parametrize("nodes", [[{"kind": "extend", "by": -1}], [{"kind": "to_intervals"}]])
def test_windows_after_a_waiting_open_edge_contain_it_up_to_the_largest_time(nodes: list[Row]) -> None:
    window: dict[str, Any] = {"kind": "window", "window": {"kind": "tumbling", "size": 10}}
    count = window | {"aggregates": [{"name": "n", "function": "count"}]}
    found = rows_of(through([opens(3), {"cti": 25}], *nodes, count, shape="edge"), "out")
    assert [(row.flow.start, row.flow.end) for row in found] == [(0, 10), (10, 20), (20, 30)]
