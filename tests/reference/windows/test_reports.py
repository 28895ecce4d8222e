"""Reports of windows on the events that they take or end: the node and the reason, word for word."""

from typing import Any

import pytest

from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId, Flow
from streaming.reference.trace import Trace
from streaming.reference.windows.fixed_windows import FixedWindows
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, Tick, Ticks
from streaming.temporal.windows import HoppingWindows
from streaming.wire.execution.case import EndMode
from tests.reference.windows.windowing import Row, cti, ends, opens, point, run_of

FIXED: Row = {"window": {"kind": "tumbling", "size": 10}}
SESSION: Row = {"window": {"kind": "session", "gap": 5}}
VANISHED = "nothing was left of its edge after the late policy had moved its ends"


def element(position: int) -> ElementId:
    return ElementId("s", "a", position)


def removals_of(run: ReferenceRun, position: int) -> list[tuple[str, str]]:
    return [(each.node, each.why) for each in run.trace.removals(element(position))]


@pytest.mark.parametrize("node", [FIXED, SESSION])
def test_an_end_waits_in_the_window_that_its_edge_is_in(node: Row) -> None:
    run = run_of([opens(3), ends(3, 5)], node, shape="edge")
    assert run.trace.waits_in(element(0)) == run.trace.waits_in(element(1)) == ("w",)


@pytest.mark.parametrize("node", [FIXED, SESSION])
def test_an_edge_that_vanished_inside_a_window_is_not_in_it_and_both_ends_are_reported(node: Row) -> None:
    run = run_of([cti(15), opens(3), ends(3, 5)], node, shape="edge", late="adjust")
    assert removals_of(run, 1) == removals_of(run, 2) == [("w", VANISHED)]
    run.end(EndMode.FLUSH)
    assert run.released == []


def test_an_end_whose_session_is_closed_is_reported() -> None:
    run = run_of([opens(1), cti(10), ends(1, 20)], SESSION, shape="edge")
    assert removals_of(run, 2) == [("w", "no pane of 'w' that is open has its edge")]


def test_an_end_that_comes_when_all_windows_of_its_edge_are_released_is_reported() -> None:
    run = run_of([opens(1), cti(10), ends(1, 10)], FIXED, shape="edge")
    assert [row.flow.payload["n"] for row in run.outputs] == [1]
    assert removals_of(run, 0) == []
    assert removals_of(run, 2) == [("w", "it ended its edge, but 'w' had no window of that edge left to release")]


def test_an_edge_whose_only_window_was_closed_when_its_end_came_is_reported() -> None:
    run = run_of([cti(20), opens(3), ends(3, 7)], FIXED, shape="edge")
    why = "all windows of its edge in 'w' were closed when it arrived"
    assert removals_of(run, 1) == removals_of(run, 2) == [("w", why)]


@pytest.mark.parametrize(("last", "why"), [(0, []), (1, ["it belongs to more than 10000 windows of 'w'"])])
def test_an_edge_in_more_than_ten_thousand_windows_is_malformed_when_its_end_says_so(last: int, why: list[str]) -> None:
    run = run_of([opens(0), ends(0, 100_000 + last)], FIXED, shape="edge")
    assert removals_of(run, 0) == [("w", each) for each in why]
    assert run.judged[element(0)].outcome is (Outcome.MALFORMED if why else Outcome.ON_TIME)


def test_an_open_edge_is_cut_off_where_empty_windows_are_filled_too() -> None:
    node: dict[str, Any] = {"empty": "default", "empty_gap": 10, **FIXED}
    run = run_of([opens(0), cti(100_010)], node, shape="edge")
    assert removals_of(run, 0) == [("w", "it belongs to more than 10000 windows of 'w'")]


def test_an_edge_that_is_open_after_ten_thousand_windows_may_still_end_with_the_last() -> None:
    run = run_of([opens(0), cti(100_000), ends(0, 100_000)], FIXED, shape="edge")
    assert [judged.outcome for judged in run.judged.values()] == [Outcome.ON_TIME, Outcome.ON_TIME]
    run = run_of([opens(0), cti(100_010)], FIXED, shape="edge")
    assert run.judged[element(0)].outcome is Outcome.MALFORMED


class Counting(Trace):
    """Counts the refusals."""

    def __init__(self) -> None:
        super().__init__({})
        self.refusals = 0

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        del node, flow, reason, why, closed_at
        self.refusals += 1


def test_an_open_edge_is_cut_off_once_however_many_windows_close_after_that() -> None:
    trace = Counting()
    windows = FixedWindows("w", HoppingWindows(Ticks(10), Ticks(10)))
    edge = Flow("id", Tick(0), INFINITY, {}, frozenset(), Tick(0), opens=True)
    windows.take((), edge, trace)
    for at in (100_010, 100_020, 100_030):
        windows.close(Tick(at), Tick(at), trace)
        assert trace.refusals == 1


def test_an_expression_that_fails_at_the_end_of_a_micro_batch_is_in_the_trace() -> None:
    total = {"name": "x", "function": "sum", "of": "12 / v"}
    run = run_of([point(1, v=0)], FIXED | {"emit": "running", "aggregates": [total]})
    run.boundary()
    (failure,) = run.trace.failures
    assert (failure.node, failure.field, failure.why) == ("w", "x", "division by zero")


def test_top_k_reports_that_a_group_was_too_small_for_a_window() -> None:
    node = {"kind": "top_k", "window": {"kind": "count", "n": 2}, "by": "v", "k": 1}
    run = run_of([point(1, v=1)], node)
    run.end(EndMode.FLUSH)
    assert removals_of(run, 0) == [("w", "its group has too few events for a pane of 'w'")]


def test_an_event_that_waited_for_a_window_and_got_none_is_reported() -> None:
    run = run_of([point(1), cti(5)], {"window": {"kind": "count", "n": 2}})
    assert run.trace.waits_in(element(0)) == ("w",)
    run.end(EndMode.FLUSH)
    assert removals_of(run, 0) == [("w", "its group has too few events for a pane of 'w'")]


def test_a_late_event_without_an_open_session_has_the_time_up_to_which_all_are_closed() -> None:
    run = run_of([cti(20), point(3)], SESSION | {"grace": 4})
    (removed,) = run.trace.removals(element(1))
    assert (removed.node, removed.reason) == ("w", Reason.WINDOW_CLOSED)
    assert removed.why == "all panes of 'w' before 1970-01-01T00:00:00.000016Z were closed"
