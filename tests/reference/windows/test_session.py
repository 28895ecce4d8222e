"""Sessions: `[first, last + gap)` of each group, by starts only; bridging events merge, `max` splits (section 5)."""

from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.outcomes import Outcome
from streaming.temporal.ticks import NO_CTI
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
    spans_of,
)


def sessions(gap: int, longest: int | None = None, **more: Any) -> Row:
    window = {"kind": "session", "gap": gap} | ({} if longest is None else {"max": longest})
    return {"window": window, **more}


def test_an_event_less_than_the_gap_away_belongs() -> None:
    assert spans_of(result_of([point(0), point(9)], sessions(10)), "n") == Counter([(0, 19, 2)])


def test_an_event_exactly_the_gap_away_opens_the_next_session() -> None:
    assert spans_of(result_of([point(0), point(10)], sessions(10)), "n") == Counter([(0, 10, 1), (10, 20, 1)])


def test_a_bridging_event_makes_two_sessions_one() -> None:
    assert spans_of(result_of([point(0), point(15), point(8)], sessions(10)), "n") == Counter([(0, 25, 3)])


def test_groups_have_sessions_of_their_own() -> None:
    rows = [point(0, "x"), point(8, "y"), point(15, "x")]
    found = spans_of(result_of(rows, sessions(10, group_by=["k"])), "k", "n")
    assert found == Counter([(0, 10, "x", 1), (8, 18, "y", 1), (15, 25, "x", 1)])


def test_the_event_that_would_exceed_the_maximum_opens_the_next_session() -> None:
    # With 7 the first session would last 17 ticks, which are allowed; with 8 it would last 18.
    rows = [point(0), point(7), point(8)]
    assert spans_of(result_of(rows, sessions(10, 17)), "n") == Counter([(0, 17, 2), (8, 18, 1)])


def test_an_event_in_between_moves_the_sessions_after_a_split() -> None:
    rows = [point(0), point(6), point(12)]
    assert spans_of(result_of(rows, sessions(7, 14)), "n") == Counter([(0, 13, 2), (12, 19, 1)])
    assert spans_of(result_of([*rows, point(7)], sessions(7, 14)), "n") == Counter([(0, 14, 3), (12, 19, 1)])


def test_ends_do_not_matter() -> None:
    rows = [interval(0, 100), interval(20, 21)]
    assert spans_of(result_of(rows, sessions(10), shape="interval"), "n") == Counter([(0, 10, 1), (20, 30, 1)])


def test_an_edge_is_in_the_session_of_its_start() -> None:
    rows = [opens(0), opens(5), ends(0, 7), cti(20)]
    assert spans_of(result_of(rows, sessions(10), shape="edge"), "n") == Counter([(0, 15, 2)])


def test_a_vanished_edge_leaves_its_session() -> None:
    # The start is moved to 10, and so is its end: nothing is left.
    rows = [cti(4), opens(4, "x"), cti(10), opens(7, "y"), ends(7, 9, "y")]
    assert spans_of(result_of(rows, sessions(10), shape="edge", late="adjust"), "n") == Counter([(4, 14, 1)])


def test_the_cti_of_the_results_waits_at_the_start_of_an_open_session() -> None:
    rows = [cti(2), point(5), cti(14), cti(15), point(30), cti(31)]
    # [5, 15) is open until 15; then nothing is held, until the session from 30 on.
    assert ctis_of(rows, sessions(10)) == (2, 5, 15, 30)


def test_the_cti_of_the_results_is_lower_by_the_grace() -> None:
    rows = [cti(2), point(5), cti(18), cti(19), cti(25)]
    assert ctis_of(rows, sessions(10, grace=4)) == (-2, 5, 15, 21)


def test_a_late_event_joins_while_it_is_late_by_no_more_than_the_grace() -> None:
    rows = [cti(0, "b"), point(0), cti(12), point(8), point(7)]
    result = result_of(rows, sessions(10, grace=4))
    assert spans_of(result, "n") == Counter([(0, 18, 2)])
    assert [(row.start, row.outcome) for row in result.late] == [
        (8, Outcome.LATE_KEPT),
        (7, Outcome.DROPPED_WINDOW_CLOSED),
    ]


ONE_LANE = st.lists(st.one_of(st.integers(0, 40).map(point), st.integers(0, 40).map(cti)), max_size=14)


@given(rows=ONE_LANE, gap=st.integers(1, 12), grace=st.integers(0, 8))
def test_with_one_clock_a_session_takes_a_late_event_as_long_as_it_is_open(
    rows: list[Row], gap: int, grace: int
) -> None:
    """T19 again: late by at most the grace, or not before the first session that is not closed."""
    taken: list[int] = []
    refused, at = 0, NO_CTI
    for row in rows:
        if "cti" in row:
            at = max(at, row["cti"])
            continue
        start = row["start"]
        open_starts = [first for first, end in chained(taken, gap) if end + grace > at]
        if start >= min([at - grace, *open_starts]):
            taken.append(start)
        else:
            refused += 1
    result = result_of(rows, sessions(gap, grace=grace))
    assert spans_of(result) == Counter(chained(taken, gap))
    assert sum(row.outcome is Outcome.DROPPED_WINDOW_CLOSED for row in result.late) == refused


def chained(starts: list[int], gap: int) -> list[tuple[int, int]]:
    """Return the sessions of `starts`: a session ends if the next start is at least `gap` away."""
    ordered = sorted(set(starts))
    ends = [one for one, next_ in pairwise([*ordered, None]) if next_ is None or next_ - one >= gap]
    firsts = [next_ for one, next_ in pairwise([None, *ordered]) if one is None or next_ - one >= gap]
    return [(first, last + gap) for first, last in zip(firsts, ends, strict=True)]


@given(rows=arrivals("point"), gap=st.integers(1, 12), grace=st.integers(0, 12))
def test_sessions_are_the_transitive_closure_of_being_near(rows: list[Row], gap: int, grace: int) -> None:
    """Checked for events that are late by at most the grace, whatever the CTIs of the two lanes do."""
    taken = [row for row, at in late_at(rows) if at is None or row["start"] >= at - grace]
    expected = Counter[tuple[Any, ...]]()
    for k in ("x", "y"):
        starts = sorted(row["start"] for row in taken if row["payload"]["k"] == k)
        near = {start: {other for other in starts if abs(other - start) < gap} for start in starts}
        for _ in starts:
            near = {start: set().union(*(near[other] for other in reached)) for start, reached in near.items()}
        for reached in {frozenset(each) for each in near.values()}:
            members = [start for start in starts if start in reached]
            expected[members[0], members[-1] + gap, k, len(members)] += 1
    node = sessions(gap, group_by=["k"], grace=grace)
    assert spans_of(result_of(rows, node, lanes=LANES), "k", "n") == expected


@given(rows=arrivals("point"), gap=st.integers(1, 8), more=st.integers(0, 15))
def test_with_a_maximum_no_session_is_longer_and_each_could_not_take_the_next(
    rows: list[Row], gap: int, more: int
) -> None:
    found = spans_of(result_of(rows, sessions(gap, gap + more), lanes=LANES), "n")
    taken = [row["start"] for row, at in late_at(rows) if at is None]
    assert sum(count for _, _, count in found.elements()) == len(taken)
    ordered = sorted(found.elements())
    assert all(end - start <= gap + more for start, end, _ in ordered)
    for (start, end, _), (following, _, _) in pairwise(ordered):
        assert following >= end or following + gap - start > gap + more
