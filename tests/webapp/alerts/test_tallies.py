"""Rows of long spans in few tallies, and the pace at which a loss budget is used up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.webapp.alerts.test_minutes import folded, minutes, totals, value
from webapp.alerts.rules.facts import AlertFacts
from webapp.alerts.rules.measures import Moment, measure
from webapp.alerts.rules.minutes import MINUTE, Minute, Window
from webapp.alerts.rules.tallies import LossTally, counted, with_minute

SPANS = (5, 30, 60, 360, 4_320)


@given(
    st.integers(0, 10_000),
    st.lists(st.tuples(st.integers(1, 400), st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=8),
)
def test_a_span_has_the_rows_of_its_minutes(first: int, parts: list[tuple[int, int, int]]) -> None:
    rows = [(received, lost) for length, received, lost in parts for _ in range(length)]
    tallies: tuple[LossTally, ...] = ()
    for index, (received, lost) in enumerate(rows):
        tallies = with_minute(tallies, (first + index + 1) * MINUTE, received, lost)
    assert len(tallies) <= 70
    now = (first + len(rows)) * MINUTE
    for span in SPANS:
        found = counted(tallies, now, span)
        longest = min(len(rows), span + span // 6)
        possible = [rows[len(rows) - length :] for length in range(min(span, len(rows)), longest + 1)]
        sums = {(sum(received for received, _ in part), sum(lost for _, lost in part)) for part in possible}
        assert (found.received, found.lost) in sums


@given(
    st.integers(0, 10_000),
    st.lists(st.tuples(st.integers(1, 300), st.integers(0, 5_000), st.integers(0, 9)), min_size=1, max_size=5),
)
def test_minutes_that_are_left_out_count_as_empty(first: int, parts: list[tuple[int, int, int]]) -> None:
    rows: list[tuple[int, int] | None] = []
    for length, gap, lost in parts:
        rows += [None] * gap + [(10, lost)] * length
    counts = [(0, 0) if each is None else each for each in rows]
    tallies: tuple[LossTally, ...] = ()
    for index, each in enumerate(rows):
        if each is not None:
            tallies = with_minute(tallies, (first + index + 1) * MINUTE, *each)
    assert len(tallies) <= 70
    now = (first + len(rows)) * MINUTE
    life = len(rows) - parts[0][1]
    for span in SPANS:
        found = counted(tallies, now, span)
        lengths = range(min(span, life), min(life, span + span // 6) + 1)
        sums = {tuple(map(sum, zip(*counts[len(counts) - length :], strict=True))) for length in lengths}
        assert (found.received, found.lost) in sums


def test_losses_before_a_pause_are_not_those_of_the_last_hour() -> None:
    before, pause = losing(3, 200, begin=1), 115
    later = [
        Minute(each.at, "later", True, each.totals, run_since=(4 + pause) * MINUTE)
        for each in losing(2, 0, begin=4 + pause)
    ]
    window = folded(*before, *(Minute((5 + n) * MINUTE, None, True) for n in range(pause)), *later)
    assert burn("budget_hour", window, 6 + pause) == (0, 0)


def test_a_run_that_was_under_way_brings_only_later_rows() -> None:
    earlier = totals(10 * MINUTE, 1_000_000, lost=500)
    later = totals(11 * MINUTE, 1_001_000, lost=520)
    window = folded(*minutes(earlier, later, begin=9))
    assert burn("budget_hour", window, 11) == (pytest.approx(20), 20)


def losing(count: int, lost: int, begin: int = 0, before: tuple[int, int] = (0, 0)) -> list[Minute]:
    """Minutes with 1,000 new rows and `lost` lost ones each, after totals of `before`."""
    received, gone = before
    steps = range(1, count + 1)
    return minutes(
        *(totals((begin + n) * MINUTE, received + 1_000 * n, lost=gone + lost * n) for n in steps), begin=begin
    )


def burn(rule: str, window: Window, at: int, completeness: float = 99.9) -> tuple[float | None, int]:
    found = measure(rule, Moment(at * MINUTE, AlertFacts(completeness=completeness), window))
    return found.value, found.rows


def test_a_loss_of_two_percent_burns_a_budget_of_a_thousandth_twenty_times_too_fast() -> None:
    assert burn("budget_hour", folded(*losing(5, 20)), 5) == (pytest.approx(20), 100)
    assert burn("budget_hour", folded(*losing(5, 20)), 5, completeness=99) == (pytest.approx(2), 100)


def test_both_spans_must_lose_rows() -> None:
    recovered = folded(*losing(5, 20), *losing(5, 0, begin=5, before=(5_000, 100)))
    assert burn("budget_hour", recovered, 10) == (0, 100)
    assert burn("budget_day", recovered, 10) == (pytest.approx(10), 100)


def test_a_budget_outlives_runs_and_unknown_minutes() -> None:
    unknown = [Minute((6 + n) * MINUTE, "r", False) for n in range(3)]
    again = [Minute(each.at, "later", each.known, each.totals, run_since=8 * MINUTE) for each in losing(2, 50, begin=8)]
    window = folded(*losing(5, 20), *unknown, *again)
    assert burn("budget_month", window, 10) == (pytest.approx(200 / 7_000 * 1_000), 200)
    assert Window.from_json(window.to_json()) == window


def test_without_a_run_no_budget_burns() -> None:
    window = folded(*losing(5, 20), Minute(6 * MINUTE, None, True))
    assert value("budget_hour", window, 6) == 0
    assert window.tallies


def test_a_window_of_an_older_release_has_no_tallies() -> None:
    stored = folded(*losing(2, 5)).to_json()
    del stored["tallies"]
    assert Window.from_json({**stored, "of_a_newer_release": 1}).tallies == ()
