"""tumbling, hopping and time_interval: grace, edges, alignment, the CTI of the results (T19, T23, T24, T25)."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.validity import checked_graph
from streaming.reference.build import build
from streaming.reference.flow import ElementId
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.window import WindowOperator
from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import Ticks
from tests.reference.windows.windowing import (
    COUNTED,
    Row,
    arrivals,
    cti,
    ctis_of,
    ends,
    interval,
    late_at,
    lifetime,
    opens,
    point,
    result_of,
    rows_before_the_end,
    run_of,
    spans_of,
)


def tumbling(size: int, **more: Any) -> Row:
    return {"window": {"kind": "tumbling", "size": size}, **more}


def hopping(size: int, hop: int, offset: int = 0, **more: Any) -> Row:
    return {"window": {"kind": "hopping", "size": size, "hop": hop, "offset": offset}, **more}


def panes_of(duration: int, **window: Any) -> Row:
    return {"window": {"kind": "time_interval", "duration": duration, **window}}


def test_a_window_closes_at_its_end_and_the_grace() -> None:
    rows = [point(3), cti(14)]
    assert rows_before_the_end(rows, tumbling(10, grace=5)) == []
    assert len(rows_before_the_end([*rows, cti(15)], tumbling(10, grace=5))) == 1


def test_a_late_event_enters_a_window_that_is_complete_and_not_closed() -> None:
    result = result_of([point(3), cti(14), point(4), cti(15), point(5)], tumbling(10, grace=5))
    assert spans_of(result, "n") == Counter([(0, 10, 2)])
    assert [row.outcome for row in result.late] == [Outcome.LATE_KEPT, Outcome.DROPPED_WINDOW_CLOSED]


def test_whether_a_window_takes_a_late_event_depends_on_its_own_lane_alone() -> None:
    # Lane b delays the input, so [0, 10) is not released; lane a is past its grace anyway.
    rows = [point(30, lane="b"), cti(15), point(4)]
    result = result_of(rows, tumbling(10, grace=5))
    assert spans_of(result, "n") == Counter([(30, 40, 1)])


def test_the_cti_of_the_results_is_the_start_of_the_earliest_window_not_closed() -> None:
    assert ctis_of([cti(12), cti(14), cti(15), cti(31)], tumbling(10, grace=5)) == (0, 10, 20)


def test_in_a_gap_the_cti_of_the_results_runs_ahead() -> None:
    # [0, 4), [10, 14): at 4 the first is closed, and nothing can start before 10.
    assert ctis_of([cti(3), cti(4), cti(13)], hopping(4, 10)) == (0, 10)


def test_a_time_interval_is_a_hopping_window_whose_grace_is_its_discard_age() -> None:
    rows = [point(-7), cti(9), point(-6), cti(11), point(-5)]
    node = panes_of(10, period=5, offset=2, discard_age=9)
    # Panes [5N + 2, 5N + 12): -7 and -6 are in [-13, -3) and [-8, 2), which close at 6 and at 11.
    assert spans_of(result_of(rows, node), "n") == Counter([(-13, -3, 1), (-8, 2, 2)])


def test_the_default_period_of_a_time_interval_is_its_duration() -> None:
    assert spans_of(result_of([point(-1), point(0)], panes_of(10)), "n") == Counter([(-10, 0, 1), (0, 10, 1)])


def test_an_edge_is_in_each_window_that_closes_until_it_ends() -> None:
    rows = [opens(5), cti(27), ends(5, 28), cti(60)]
    found = rows_before_the_end(rows, tumbling(10, grace=3), shape="edge")
    assert [(row.start, row.payload["n"]) for row in found] == [(0, 1), (10, 1), (20, 1)]


def test_a_late_end_takes_its_edge_out_of_windows_that_are_complete_and_not_closed() -> None:
    # At 22 with a grace of 5 the window [0, 10) is closed, [10, 20) is complete, [20, 30) is not.
    rows = [opens(5), cti(22), ends(5, 8)]
    assert spans_of(result_of(rows, tumbling(10, grace=5), shape="edge"), "n") == Counter([(0, 10, 1)])


def test_a_closed_window_weighs_an_edge_that_a_late_end_shortened_as_it_was() -> None:
    # Lane b delays the input: [0, 10) is closed for lane a only, and is released at the end.
    weighed = [{"name": "total", "function": "time_weighted_sum", "of": "v"}]
    rows = [opens(5, v=1), cti(22), ends(5, 8, v=1), opens(90, v=7, lane="b"), ends(90, 91, v=7, lane="b")]
    result = result_of(rows, tumbling(10, grace=5, aggregates=weighed), shape="edge")
    assert spans_of(result, "total") == Counter([(0, 10, 5.0), (90, 100, 7.0)])


def test_a_late_edge_whose_windows_were_closed_when_its_end_came_is_in_none() -> None:
    rows = [cti(20), opens(3), ends(3, 7)]
    assert not result_of(rows, tumbling(10), shape="edge").events


@given(rows=arrivals("interval"), size=st.integers(1, 15), hop=st.integers(1, 15), grace=st.integers(0, 12))
def test_an_event_is_in_the_windows_that_it_meets_and_that_its_lane_has_not_closed(
    rows: list[Row], size: int, hop: int, grace: int
) -> None:
    expected = Counter[tuple[Any, ...]]()
    for index in range(-60, 60):
        here, there = 3 + index * hop, 3 + index * hop + size
        for row, at in late_at(rows):
            start, end = lifetime(row)
            if start < there and end > here and (at is None or there + grace > at):
                expected[here, there, row["payload"]["k"]] += 1
    found = result_of(rows, hopping(size, hop, offset=3, grace=grace, group_by=["k"]), shape="interval")
    counted = {(row.start, row.end, row.payload["k"]): row.payload["n"] for row in found.events}
    assert counted == dict(expected)


def grace_in(node: Row, advance: dict[str, AdvanceTime]) -> Ticks:
    """Return the grace that the window of a union of two inputs gets."""
    stream = StreamDefinition.model_validate({"shape": "point", "fields": {"v": "long"}})
    nodes = [
        {"id": "a", "kind": "input", "stream": "a"},
        {"id": "b", "kind": "input", "stream": "b"},
        {"id": "both", "kind": "union", "inputs": ["a", "b"]},
        {"id": "w", "kind": "window", "input": "both", "aggregates": COUNTED, **node},
        {"id": "out", "kind": "output", "input": "w"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "graces", "nodes": nodes})
    plan = checked_graph(graph, {"a": stream, "b": stream}, advance)
    built = build(plan)["w"]
    assert isinstance(built, WindowOperator)
    assert isinstance(built.panes, FixedWindows)
    return built.panes.grace


def test_without_a_grace_a_window_has_the_longest_default_of_the_inputs_that_reach_it() -> None:
    advance = {"a": AdvanceTime(default_grace=Ticks(7)), "b": AdvanceTime(default_grace=Ticks(30))}
    assert grace_in(tumbling(10), advance) == 30
    assert grace_in(tumbling(10), {"a": advance["a"]}) == 7
    assert grace_in(tumbling(10), {}) == 0


def test_an_explicit_grace_counts_and_so_does_a_discard_age() -> None:
    advance = {"a": AdvanceTime(default_grace=Ticks(7))}
    assert grace_in(tumbling(10, grace=0), advance) == 0
    assert grace_in(panes_of(10, discard_age=3), advance) == 3
    assert grace_in(panes_of(10), advance) == 0


def test_an_open_edge_that_was_cut_off_is_reported_once() -> None:
    run = run_of([opens(0), cti(100_010), cti(100_020)], tumbling(10), shape="edge")
    assert len(run.outputs) == 10_000
    assert [each.reason for each in run.trace.removals(ElementId("s", "a", 0))] == ["too_many_windows"]


def test_an_interval_without_an_end_is_in_too_many_windows() -> None:
    result = result_of([interval(0, None)], tumbling(10), shape="interval")
    assert [row.reason for row in result.late] == ["too_many_windows"]
