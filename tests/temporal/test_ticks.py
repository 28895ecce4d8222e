"""Ticks, durations and instants as text (T1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.ticks import (
    FIRST_TICK,
    INFINITY,
    LAST_TICK,
    NO_CTI,
    Tick,
    Ticks,
    TimeTextError,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
)


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        (7, 7),
        ("1us", 1),
        ("100ms", 100_000),
        ("10s", 10_000_000),
        ("10m", 600_000_000),
        ("10h", 36_000_000_000),
        ("7d", 604_800_000_000),
        ("-1tick", -1),
        ("+2 ticks", 2),
        ("PT5M", 300_000_000),
        ("-PT0.000001S", -1),
        ("P1W", 604_800_000_000),
        ("P1DT1H", 90_000_000_000),
    ],
)
def test_durations_are_ticks_or_text_with_a_unit_or_iso(text: int | str, ticks: int) -> None:
    assert parse_duration(text) == ticks


@pytest.mark.parametrize("text", ["", "10", "s", "P", "PT", "P1M", "P1Y", "1.5s", "10 years", "9" * 5000 + "s", "१s"])
def test_other_durations_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(TimeTextError, match="write for example"):
        parse_duration(text)


@given(st.integers(-(10**18), 10**18))
def test_a_printed_duration_reads_back(ticks: int) -> None:
    assert parse_duration(format_duration(Ticks(ticks))) == ticks


@pytest.mark.parametrize(
    ("text", "tick"),
    [
        (0, 0),
        ("1970-01-01", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:59:59.999999", -1),
        ("0001-01-01T00:00:00Z", FIRST_TICK),
        ("9999-12-31T23:59:59.999999Z", LAST_TICK),
    ],
)
def test_instants_are_ticks_or_iso_text_and_utc_without_a_zone(text: int | str, tick: int) -> None:
    assert parse_instant(text) == tick


@pytest.mark.parametrize(
    "text", [FIRST_TICK - 1, LAST_TICK + 2, "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"]
)
def test_instants_outside_the_years_1_to_9999_are_refused(text: int | str) -> None:
    with pytest.raises(TimeTextError, match="outside the years"):
        parse_instant(text)


@given(st.integers(FIRST_TICK, LAST_TICK + 1))
def test_a_printed_instant_reads_back(tick: int) -> None:
    if tick <= LAST_TICK:
        assert parse_instant(format_instant(Tick(tick))) == tick


def test_the_sentinels_and_times_outside_the_calendar_have_a_text() -> None:
    assert format_instant(INFINITY) == "infinity"
    assert format_instant(NO_CTI) == "none"
    assert format_instant(Tick(LAST_TICK + 1)) == "10000-01-01T00:00:00Z"
    assert format_instant(Tick(FIRST_TICK - 1)) == f"{FIRST_TICK - 1} ticks"
