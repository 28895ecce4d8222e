"""Snapshots: between any two neighbouring starts or ends of a group with an event alive (section 5)."""

from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.outcomes import Outcome
from streaming.temporal.ticks import INFINITY, NO_CTI
from tests.reference.windows.windowing import (
    LANES,
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
    spans_of,
)

Life = tuple[int, int]
"""Return the counting `[start, end)` of an event."""


def snapshots(**more: Any) -> Row:
    return {"window": {"kind": "snapshot"}, **more}


def test_each_start_and_each_end_begins_a_snapshot() -> None:
    # [0-----------10)
    #      [4---8)
    rows = [interval(0, 10), interval(4, 8)]
    found = spans_of(result_of(rows, snapshots(), shape="interval"), "n")
    assert found == Counter([(0, 4, 1), (4, 8, 2), (8, 10, 1)])


def test_where_nothing_lives_there_is_no_snapshot() -> None:
    found = spans_of(result_of([interval(0, 3), interval(5, 6)], snapshots(), shape="interval"), "n")
    assert found == Counter([(0, 3, 1), (5, 6, 1)])


def test_points_at_one_time_share_a_snapshot() -> None:
    assert spans_of(result_of([point(3), point(3)], snapshots()), "n") == Counter([(3, 4, 2)])


def test_the_starts_of_one_group_do_not_cut_another() -> None:
    rows = [interval(0, 10, "x"), interval(4, 8, "y")]
    found = spans_of(result_of(rows, snapshots(group_by=["k"]), shape="interval"), "k", "n")
    assert found == Counter([(0, 10, "x", 1), (4, 8, "y", 1)])


def test_an_open_edge_lives_in_every_snapshot_from_its_start_on() -> None:
    rows = [opens(0), opens(4, "y"), ends(4, 8, "y")]
    found = spans_of(result_of(rows, snapshots(), shape="edge"), "n")
    assert found == Counter([(0, 4, 1), (4, 8, 2), (8, INFINITY, 1)])


def test_the_unfinished_snapshot_waits_for_the_start_or_end_that_finishes_it() -> None:
    rows = [interval(0, 10), cti(6)]
    assert rows_before_the_end(rows, snapshots(), shape="interval") == []
    (row,) = rows_before_the_end([*rows, interval(6, 20), cti(7)], snapshots(), shape="interval")
    assert (row.start, row.end) == (0, 6)


def test_the_cti_of_the_results_waits_at_the_start_of_the_unfinished_snapshot() -> None:
    rows = [cti(-5), interval(0, 10), cti(6), interval(6, 20), cti(9), cti(12), cti(20), cti(21)]
    # [0, 6) is finished at 9, [6, 10) at 12, [10, 20) at 20.
    assert ctis_of(rows, snapshots(), shape="interval") == (-5, 0, 6, 10, 20, 21)


def test_with_grace_a_late_event_cuts_what_is_open() -> None:
    rows = [cti(0, "b"), interval(0, 10), cti(12), interval(5, 20)]
    result = result_of(rows, snapshots(grace=5), shape="interval")
    # 12 - 5 is final as far as lane a can know: the late event counts from 7 on.
    assert spans_of(result, "n") == Counter([(0, 7, 1), (7, 10, 2), (10, 20, 1)])
    assert [row.outcome for row in result.late] == [Outcome.LATE_KEPT]


def test_a_late_event_that_ended_before_what_is_open_is_refused() -> None:
    result = result_of([cti(12), interval(5, 7)], snapshots(grace=5), shape="interval")
    assert not result.events
    assert [row.outcome for row in result.late] == [Outcome.DROPPED_WINDOW_CLOSED]


def test_with_one_clock_a_snapshot_that_is_not_closed_is_cut_where_the_late_event_starts() -> None:
    result = result_of([interval(0, 10), cti(12), interval(5, 20)], snapshots(grace=5), shape="interval")
    assert spans_of(result, "n") == Counter([(0, 5, 1), (5, 10, 2), (10, 20, 1)])


def test_with_one_clock_a_late_event_is_cut_where_its_group_is_closed() -> None:
    rows = [interval(0, 10), interval(10, 30), cti(12), interval(5, 20)]
    result = result_of(rows, snapshots(grace=1), shape="interval")
    assert spans_of(result, "n") == Counter([(0, 10, 1), (10, 20, 2), (20, 30, 1)])


def test_a_late_end_ends_its_edge_where_time_is_still_open() -> None:
    rows = [cti(0, "b"), opens(0), cti(12), ends(0, 3), cti(30)]
    assert spans_of(result_of(rows, snapshots(grace=5), shape="edge"), "n") == Counter([(0, 7, 1)])
    assert spans_of(result_of(rows[1:], snapshots(grace=5), shape="edge"), "n") == Counter([(0, 3, 1)])


def test_an_edge_that_opens_at_the_cti_may_vanish_and_finishes_nothing_before() -> None:
    # Lane b keeps the input at 2 while lane a is at 10; there the start 7 is moved to 10, where it vanishes.
    rows = [opens(0, "x", lane="b"), cti(2, "b"), cti(10), opens(7, "y"), cti(20, "b"), ends(7, 9, "y")]
    result = result_of(rows, snapshots(), shape="edge", late="adjust")
    assert spans_of(result, "n") == Counter([(0, INFINITY, 1)])


def test_a_vanished_edge_whose_neighbours_were_released_at_infinity_is_not_there() -> None:
    rows = [cti(10), opens(7, "y"), ends(7, 9, "y")]
    assert not result_of(rows, snapshots(), shape="edge", late="adjust").events


@given(rows=arrivals("interval"), grace=st.integers(0, 10), grouped=st.booleans())
def test_snapshots_are_those_of_all_boundaries(rows: list[Row], grace: int, grouped: bool) -> None:
    """Checked for the parts of lifetimes that were not over, by the CTI of their own lane, when they arrived (T14)."""
    lives: dict[str, list[Life]] = {}
    for row, at in late_at(rows):
        start, end = lifetime(row)
        start = start if at is None else max(start, at - grace)
        lives.setdefault(row["payload"]["k"] if grouped else "", []).extend([(start, end)] if start < end else [])
    node = snapshots(grace=grace, group_by=["k"] if grouped else [])
    expected = Counter(each for mine in lives.values() for each in between_boundaries(mine))
    assert spans_of(result_of(rows, node, shape="interval", lanes=LANES), "n") == expected


@given(rows=arrivals("interval", lanes=LANES[:1]), grace=st.integers(0, 10), grouped=st.booleans())
def test_with_one_clock_snapshots_are_those_of_all_boundaries(rows: list[Row], grace: int, grouped: bool) -> None:
    """Checked for the parts of lifetimes from their group's first snapshot that the last CTI left open (T19)."""
    lives: dict[str, list[Life]] = {}
    at, refused, first_open = int(NO_CTI), 0, dict[str, int]()
    for row in rows:
        if "cti" not in row:
            k, (start, end) = row["payload"]["k"] if grouped else "", lifetime(row)
            start = max(start, min(at - grace, first_open.get(k, at)))
            lives.setdefault(k, []).extend([(start, end)] if start < end else [])
            refused += start >= end
        elif row["cti"] > at:
            at = row["cti"]
            for k, mine in lives.items():
                first_open[k] = min([at, *(here for here, there, _ in between_boundaries(mine) if there > at - grace)])
    result = result_of(rows, snapshots(grace=grace, group_by=["k"] if grouped else []), shape="interval")
    assert spans_of(result, "n") == Counter(each for mine in lives.values() for each in between_boundaries(mine))
    assert sum(row.outcome is Outcome.DROPPED_WINDOW_CLOSED for row in result.late) == refused


def between_boundaries(lives: list[Life]) -> list[tuple[int, int, int]]:
    """Return neighbouring starts and ends, and how many of `lives` are alive between them, if any."""
    bounds = sorted({bound for life in lives for bound in life})
    counted = [(here, there, sum(a < there and b > here for a, b in lives)) for here, there in pairwise(bounds)]
    return [each for each in counted if each[2]]
