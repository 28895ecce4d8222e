"""Count windows: from each distinct start of a group to its n-th distinct start + 1 tick (section 5)."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.temporal.outcomes import Outcome
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.execution.case import EndMode
from tests.reference.windows.windowing import (
    LANES,
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


def counts(n: int, **more: Any) -> Row:
    return {"window": {"kind": "count", "n": n}, **more}


def test_a_window_begins_at_each_distinct_start() -> None:
    rows = [point(1), point(5), point(9), point(20)]
    assert spans_of(result_of(rows, counts(3)), "n") == Counter([(1, 10, 3), (5, 21, 3)])


def test_equal_starts_count_once_and_are_all_in_the_window() -> None:
    rows = [point(1), point(1), point(5), point(5)]
    assert spans_of(result_of(rows, counts(2)), "n") == Counter([(1, 6, 4)])


def test_a_window_of_one_start_is_one_tick_long() -> None:
    assert spans_of(result_of([point(3), point(3), point(7)], counts(1)), "n") == Counter([(3, 4, 2), (7, 8, 1)])


def test_groups_count_for_themselves() -> None:
    rows = [point(1, "x"), point(2, "y"), point(3, "x"), point(4, "y")]
    found = spans_of(result_of(rows, counts(2, group_by=["k"])), "k", "n")
    assert found == Counter([(1, 4, "x", 2), (2, 5, "y", 2)])


def test_ends_do_not_matter() -> None:
    rows = [interval(0, 100), interval(5, 6)]
    assert spans_of(result_of(rows, counts(2), shape="interval"), "n") == Counter([(0, 6, 2)])


def test_an_edge_counts_by_its_start_until_it_vanishes() -> None:
    rows = [opens(0), cti(10), opens(7, "y"), ends(7, 9, "y"), opens(12, "z")]
    assert spans_of(result_of(rows, counts(2), shape="edge", late="adjust"), "n") == Counter([(0, 13, 2)])


def test_a_window_closes_when_no_earlier_start_can_come() -> None:
    rows = [point(1), point(5), cti(5)]
    assert rows_before_the_end(rows, counts(2)) == []
    (row,) = rows_before_the_end([*rows, cti(6)], counts(2))
    assert (row.start, row.end) == (1, 6)


def test_the_cti_of_the_results_waits_at_the_oldest_window_that_is_not_closed() -> None:
    rows = [cti(-3), point(1), cti(4), point(5), cti(5), cti(6), cti(30), point(31), cti(40)]
    # [1, 6) closes at 6; the window from 5 on has its second start at 31.
    assert ctis_of(rows, counts(2)) == (-3, 1, 5, 31)


def test_a_late_start_within_the_grace_is_among_the_first() -> None:
    rows = [cti(0, "b"), point(1), point(9), cti(9), point(5), point(4)]
    result = result_of(rows, counts(2, grace=4))
    assert spans_of(result, "n") == Counter([(1, 6, 2), (5, 10, 2)])
    assert [row.outcome for row in result.late] == [Outcome.LATE_KEPT, Outcome.DROPPED_WINDOW_CLOSED]


def test_with_one_clock_a_window_that_is_not_closed_takes_what_is_later_than_the_grace() -> None:
    rows = [point(1), point(9), cti(9), point(5), point(4)]
    result = result_of(rows, counts(2, grace=4))
    assert spans_of(result, "n") == Counter([(1, 5, 2), (4, 6, 2), (5, 10, 2)])
    assert [row.outcome for row in result.late] == [Outcome.LATE_KEPT, Outcome.LATE_KEPT]


def ended(rows: list[Row], node: Row) -> ReferenceRun:
    run = run_of(rows, node)
    run.end(EndMode.FLUSH)
    return run


def test_an_event_whose_group_is_too_small_for_a_window_says_so() -> None:
    rows = [point(1, "x"), point(2, "y"), point(3, "x")]
    why = ended(rows, counts(2, group_by=["k"])).why_absent(ElementId("s", "a", 1))
    assert "its group has too few events for a pane of 'w'" in str(why)


def test_an_event_that_was_in_an_earlier_window_is_not_reported_as_in_none() -> None:
    run = ended([point(1), point(3), cti(10)], counts(2))
    assert run.trace.removals(ElementId("s", "a", 1)) == ()


@given(rows=arrivals("point"), n=st.integers(1, 4), grace=st.integers(0, 10), grouped=st.booleans())
def test_count_windows_are_those_of_the_definition(rows: list[Row], n: int, grace: int, grouped: bool) -> None:
    """Checked for events that are late by at most the grace, whatever the CTIs of the two lanes do."""
    taken = [row for row, at in late_at(rows) if at is None or row["start"] >= at - grace]
    expected = Counter[tuple[Any, ...]]()
    for group in ({"x"}, {"y"}) if grouped else ({"x", "y"},):
        starts = [row["start"] for row in taken if row["payload"]["k"] in group]
        for first in set(starts):
            later = {start for start in starts if start >= first}
            for last in later:
                if len({start for start in later if start <= last}) == n:
                    expected[first, last + 1, sum(first <= start <= last for start in starts)] += 1
    node = counts(n, grace=grace, group_by=["k"] if grouped else [])
    assert spans_of(result_of(rows, node, lanes=LANES), "n") == expected


@given(rows=arrivals("point", lanes=LANES[:1]), n=st.integers(1, 4), grace=st.integers(0, 10))
def test_with_one_clock_a_window_takes_a_late_event_until_it_is_closed(rows: list[Row], n: int, grace: int) -> None:
    """T19 again: late by at most the grace, or not before the first window that the last CTI left open."""
    starts: list[int] = []
    closed: dict[int, tuple[Any, ...]] = {}
    refused, at, first_open = 0, int(NO_CTI), int(INFINITY)
    for row in [*rows, cti(INFINITY)]:
        if "cti" not in row:
            taken = row["start"] >= min(at - grace, first_open)
            starts += [row["start"]] if taken else []
            refused += not taken
        elif row["cti"] > at:
            at = row["cti"]
            windows = [window for window in windows_of(starts, n) if window[0] not in closed]
            closed |= {window[0]: window for window in windows if window[1] < INFINITY and window[1] <= at - grace}
            first_open = min((first for first, *_ in windows if first not in closed), default=int(INFINITY))
    result = result_of(rows, counts(n, grace=grace))
    assert spans_of(result, "n") == Counter(closed.values())
    assert sum(row.outcome is Outcome.DROPPED_WINDOW_CLOSED for row in result.late) == refused


def windows_of(starts: list[int], n: int) -> list[tuple[int, int, int]]:
    """Return start, end and number of events of each window; a window without an n-th start ends at INFINITY."""
    distinct = sorted(set(starts))
    ends = [last + 1 for last in distinct[n - 1 :]] + [int(INFINITY)] * (n - 1)
    return [
        (first, end, sum(first <= start < end for start in starts)) for first, end in zip(distinct, ends, strict=False)
    ]
