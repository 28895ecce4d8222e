"""Filling of windows without events between two that have some, within a bound and for known groups (T21)."""

from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.reference.trace import Trace
from streaming.reference.windows.panes import PaneId
from streaming.reference.windows.window import AggregateRows
from streaming.temporal.events import Cti
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.execution.case import EndMode
from tests.reference.windows.windowing import (
    Row,
    cti,
    ctis_of,
    ends,
    opens,
    point,
    result_of,
    rows_before_the_end,
    run_of,
    spans_of,
)

BOTH = [{"name": "n", "function": "count"}, {"name": "total", "function": "sum", "of": "v"}]


def filled(gap: int, size: int = 10, hop: int | None = None, **more: Any) -> Row:
    window = {"kind": "hopping", "size": size, "hop": hop or size}
    return {"window": window, "empty": "default", "empty_gap": gap, "aggregates": BOTH, **more}


def test_windows_between_two_with_events_give_rows_over_nothing() -> None:
    found = spans_of(result_of([point(5, v=1), point(35, v=2)], filled(20)), "n", "total")
    assert found == Counter([(0, 10, 1, 1), (10, 20, 0, None), (20, 30, 0, None), (30, 40, 1, 2)])


def test_a_gap_above_the_bound_is_not_filled_at_all() -> None:
    # From the end of [0, 10) to the start of [30, 40) are 20 ticks.
    assert spans_of(result_of([point(5), point(35)], filled(19)), "n") == Counter([(0, 10, 1), (30, 40, 1)])


def test_nothing_is_filled_before_the_first_or_after_the_last() -> None:
    assert spans_of(result_of([cti(-50), point(5), cti(90)], filled(1000)), "n") == Counter([(0, 10, 1)])


def test_each_known_group_is_filled_for_itself_and_others_are_not() -> None:
    rows = [point(5, "x"), point(15, "y"), point(25, "x"), point(35, "y"), point(1, "z"), point(21, "z")]
    node = filled(100, group_by=["k"], empty_groups=[{"k": "x"}, {"k": "y"}, {"k": "never"}])
    empty = [(start, k) for start, _, k, n in spans_of(result_of(rows, node), "k", "n") if n == 0]
    assert sorted(empty) == [(10, "x"), (20, "y")]


def test_an_empty_window_is_released_when_it_is_closed_and_an_event_after_it_is_known() -> None:
    rows = [point(5), cti(20)]
    assert [row.start for row in rows_before_the_end(rows, filled(20))] == [0]
    rows += [point(38), cti(21)]
    assert [row.start for row in rows_before_the_end(rows, filled(20))] == [0, 10]
    rows += [cti(30)]
    assert [row.start for row in rows_before_the_end(rows, filled(20))] == [0, 10, 20]


def test_an_edge_that_may_vanish_decides_nothing() -> None:
    rows = [opens(5), ends(5, 7), cti(20), opens(20), cti(21)]
    assert [row.start for row in rows_before_the_end(rows, filled(20), shape="edge")] == [0]
    assert [row.start for row in rows_before_the_end([*rows, cti(30)], filled(20), shape="edge")] == [0, 10, 20]


def test_the_row_of_an_empty_window_is_its_only_one() -> None:
    rows = rows_before_the_end([point(5), point(25), cti(40)], filled(20))
    assert [(row.pane.timing, row.pane.index, row.pane.is_last) for row in rows if row.pane] == [
        ("on_time", 0, True),
        ("on_time", 0, True),
        ("on_time", 0, True),
    ]


def test_the_cti_of_the_results_waits_at_the_first_window_that_may_still_be_filled() -> None:
    rows = [point(5), cti(10), cti(25), cti(39), cti(40)]
    # An event in [30, 40) would still fill [10, 20); once that is closed nothing is near enough.
    assert ctis_of(rows, filled(20)) == (10, 40)


def test_at_infinity_no_window_may_still_be_filled() -> None:
    run = run_of([point(5), cti(15)], filled(20))
    run.end(EndMode.FLUSH)
    assert run.logs["out"][-1] == Cti(INFINITY)


def test_the_nearest_of_the_events_that_are_known_decides() -> None:
    rows = [point(5), point(25), point(55), cti(20)]
    assert [row.start for row in rows_before_the_end(rows, filled(20))] == [0, 10]


def test_rows_leave_in_order_of_their_panes() -> None:
    rows = [point(5, "x"), point(15, "y"), cti(25), point(29, "x"), cti(50)]
    node = filled(100, group_by=["k"], empty_groups=[{"k": "x"}])
    found = [(row.start, row.payload["k"]) for row in rows_before_the_end(rows, node)]
    assert found == [(0, "x"), (10, "y"), (10, "x"), (20, "x")]


def test_a_row_over_nothing_counts_as_made_at_the_start_of_its_window() -> None:
    pane = PaneId(Tick(-20), Tick(-10), ())
    row = AggregateRows("w", [], []).row(pane, (), Trace({}))
    assert (row.stamp, row.sources) == (-20, frozenset())


@given(
    starts=st.lists(st.integers(0, 80), max_size=6),
    moving=st.sets(st.integers(0, 5)),
    sizes=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    gap=st.integers(1, 60),
)
def test_what_is_filled_is_what_lies_between_near_neighbours(
    starts: list[int], moving: set[int], sizes: tuple[int, int], gap: int
) -> None:
    size, hop = sizes
    rows = []
    for place, start in enumerate(starts):
        rows += [cti(min(starts[place:]))] if place in moving else []
        rows.append(point(start))
    bounds = [(index * hop, index * hop + size) for index in range(-20, 100)]
    counts = [(here, there, sum(here <= start < there for start in starts)) for here, there in bounds]
    full = [each for each in counts if each[2]]
    expected = Counter(full)
    for earlier, later in pairwise(full):
        if later[0] - earlier[1] <= gap:
            expected.update(each for each in counts if earlier < each < later and not each[2])
    result = result_of(rows, filled(gap, size, hop), late="drop")
    assert not result.late
    assert spans_of(result, "n") == expected
    reached = result.ctis["out"]
    assert list(reached) == sorted(reached)
