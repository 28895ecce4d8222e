"""top_k: the events with the largest ranks in each group of each window, all ties at rank k (section 5)."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.payload.types import LONG
from streaming.planning.checked import expression
from streaming.reference.flow import ElementId, Flow, Pane, Timing
from streaming.reference.trace import Trace
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.reference.windows.top_k import TopK
from streaming.temporal.ticks import INFINITY, Tick, Ticks
from streaming.temporal.windows import HoppingWindows
from streaming.wire.execution.case import EndMode
from tests.reference.windows.windowing import (
    Row,
    arrivals,
    cti,
    ctis_of,
    ends,
    interval,
    late_at,
    opens,
    point,
    result_of,
    rows_before_the_end,
    run_of,
    spans_of,
)


def top(k: int, by: str = "v", window: Row | None = None, **more: Any) -> Row:
    window = window or {"kind": "tumbling", "size": 10}
    return {"kind": "top_k", "window": window, "by": by, "k": k, **more}


def test_the_largest_come_with_the_lifetime_of_the_window() -> None:
    rows = [point(1, "a", 3), point(2, "b", 9), point(3, "c", 5)]
    assert spans_of(result_of(rows, top(2)), "k", "v") == Counter([(0, 10, "b", 9), (0, 10, "c", 5)])


def test_all_ties_at_rank_k_are_returned() -> None:
    rows = [point(1, "a", 3), point(2, "b", 9), point(3, "c", 3), point(4, "d", 1)]
    assert {row.payload["k"] for row in result_of(rows, top(2)).events} == {"a", "b", "c"}


def test_ties_above_rank_k_use_its_places_up() -> None:
    rows = [point(1, "a", 9), point(2, "b", 9), point(3, "c", 3)]
    assert {row.payload["k"] for row in result_of(rows, top(2)).events} == {"a", "b"}


def test_a_null_rank_is_none() -> None:
    rows = [point(1, "a", None), point(2, "b", 0), point(3, "c", 5)]
    assert {row.payload["k"] for row in result_of(rows, top(2, by="10 / v")).events} == {"c"}


def test_each_group_has_its_own_ranks() -> None:
    rows = [point(1, "x", 1), point(2, "y", 9), point(3, "x", 2)]
    assert spans_of(result_of(rows, top(1, group_by=["k"])), "k", "v") == Counter([(0, 10, "x", 2), (0, 10, "y", 9)])


def test_rows_leave_largest_first() -> None:
    rows = [point(1, "a", 3), point(2, "b", 9), point(3, "c", 5), cti(10)]
    assert [row.payload["v"] for row in rows_before_the_end(rows, top(3))] == [9, 5, 3]


def test_an_event_may_be_first_in_one_window_and_not_in_the_next() -> None:
    rows = [point(6, "a", 1), point(12, "b", 2)]
    window = {"kind": "hopping", "size": 10, "hop": 5}
    found = spans_of(result_of(rows, top(1, window=window)), "k")
    assert found == Counter([(0, 10, "a"), (5, 15, "b"), (10, 20, "b")])


def test_sessions_and_snapshots_have_ranks_too() -> None:
    rows = [interval(0, 20, "a", 1), interval(5, 30, "b", 2)]
    found = spans_of(result_of(rows, top(1, window={"kind": "snapshot"}), shape="interval"), "k")
    assert found == Counter([(0, 5, "a"), (5, 20, "b"), (20, 30, "b")])
    found = spans_of(result_of(rows, top(1, window={"kind": "session", "gap": 7}), shape="interval"), "k")
    assert found == Counter([(0, 12, "b")])


def test_an_open_edge_gives_whole_rows() -> None:
    rows = [opens(1, "a", 4), cti(10), ends(1, 12, "a", 4), cti(20)]
    found = rows_before_the_end(rows, top(1), shape="edge")
    assert [(row.start, row.end, row.edge) for row in found] == [(0, 10, None), (10, 20, None)]


def test_the_cti_of_the_results_is_that_of_the_window() -> None:
    assert ctis_of([point(1, "a", 3), cti(9), cti(10)], top(1)) == (0, 10)


def removals(rows: list[Row], node: Row, position: int) -> list[str]:
    run = run_of(rows, node)
    run.end(EndMode.FLUSH)
    return [removed.why for removed in run.trace.removals(ElementId("s", "a", position))]


def test_an_event_that_may_still_be_first_is_not_reported_as_removed() -> None:
    rows = [point(3, "a", 5), point(6, "b", 1), cti(10)]
    node = top(1, window={"kind": "hopping", "size": 10, "hop": 5})
    assert {row.payload["k"] for row in result_of(rows, node).events if row.start == 5} == {"b"}
    assert removals(rows, node, 1) == []


def test_an_event_that_was_first_nowhere_is_reported_once() -> None:
    rows = [point(6, "a", 1), point(12, "b", 2), point(13, "c", 1)]
    node = top(1, window={"kind": "hopping", "size": 10, "hop": 5})
    assert removals(rows, node, 0) == []
    assert removals(rows, node, 2) == ["it is not among the first 1 in any pane of 'w'"]


def test_an_event_is_removed_when_its_last_window_closes_without_it() -> None:
    rows = [point(6, "a", 1), point(7, "b", 2), cti(10)]
    node = top(1, window={"kind": "hopping", "size": 10, "hop": 5})
    assert removals(rows, node, 0) == ["it is not among the first 1 in any pane of 'w'"]
    assert removals(rows, node, 1) == []


def test_an_event_that_was_not_among_the_first_is_removed_by_this_node() -> None:
    run = run_of([point(1, "a", 3), point(2, "b", 9), cti(10)], top(1))
    assert [each.node for each in run.trace.removals(ElementId("s", "a", 0))] == ["w"]


def test_a_rank_that_fails_is_in_the_trace() -> None:
    (failure,) = run_of([point(1, "a", 0), cti(10)], top(1, by="10 / v")).trace.failures
    assert (failure.node, failure.field, failure.why) == ("w", "by", "division by zero")


def test_ties_leave_by_start_then_payload() -> None:
    rows = [point(2, "a", 9), point(1, "c", 9), point(1, "b", 9), cti(10)]
    assert [row.payload["k"] for row in rows_before_the_end(rows, top(1))] == ["b", "c", "a"]


def test_a_row_is_the_only_one_of_its_pane_whole_and_in_time_whatever_the_event_was() -> None:
    """So a later window without grace takes a row that this one took late (T19, T20)."""
    tumbling = HoppingWindows(Ticks(10), Ticks(10))
    node = TopK("w", [], expression("v", {"v": LONG}), 1, FixedWindows("w", tumbling, Ticks(5)))
    edge = Flow("id", Tick(3), INFINITY, {"v": 1}, frozenset(), Tick(3), late_at=Tick(12), opens=True)
    node.take(0, edge, Trace({}))
    advanced = node.advance(0, Tick(15), Tick(33), Trace({}))
    (row,) = advanced.flows
    assert (row.start, row.end, row.late_at, row.opens) == (0, 10, None, False)
    assert row.pane == Pane(Tick(0), Tick(10), Timing.ON_TIME, 0, is_last=True)
    assert (advanced.cti, advanced.horizon) == (10, 33)


@given(rows=arrivals("point"), k=st.integers(1, 3))
def test_a_row_is_one_that_fewer_than_k_others_exceed(rows: list[Row], k: int) -> None:
    taken = [row for row, at in late_at(rows) if at is None or row["start"] // 10 * 10 + 10 > at]
    expected = Counter[tuple[Any, ...]]()
    for row in taken:
        here = row["start"] // 10 * 10
        value = row["payload"]["v"]
        above = sum(other["payload"]["v"] > value for other in taken if other["start"] // 10 * 10 == here)
        if above < k:
            expected[here, here + 10, row["payload"]["k"], value] += 1
    assert spans_of(result_of(rows, top(k)), "k", "v") == expected
