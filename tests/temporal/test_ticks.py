"""Ticks, durations and instants as text (T1)."""

import json
import re
from pathlib import Path
from typing import Any

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
    spell_instant,
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
        ("PT0.5S", 500_000),
        ("PT1.000020S", 1_000_020),
        ("-PT1.25S", -1_250_000),
        ("P1W2DT3H4M5.6S", ((((7 + 2) * 24 + 3) * 60 + 4) * 60 + 5) * 1_000_000 + 600_000),
    ],
)
def test_durations_are_ticks_or_text_with_a_unit_or_iso(text: int | str, ticks: int) -> None:
    assert parse_duration(text) == ticks


@pytest.mark.parametrize(
    "text", ["", "10", "s", "P", "-P", "PT", "+PT", "P1M", "P1Y", "1.5s", "10 years", "9" * 5000 + "s", "१s"]
)
def test_other_durations_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(TimeTextError, match=f"^{re.escape(repr(text))} is not a duration; write for example"):
        parse_duration(text)


@pytest.mark.parametrize("value", [True, False, 1.5, None])
def test_a_duration_that_is_neither_a_whole_number_nor_text_is_refused_by_its_value(value: Any) -> None:
    with pytest.raises(TimeTextError, match=f"^{value} is not a duration; write ticks as a whole number or text"):
        parse_duration(value)


@given(st.integers(-(10**18), 10**18))
def test_a_printed_duration_reads_back(ticks: int) -> None:
    assert parse_duration(format_duration(Ticks(ticks))) == ticks


@pytest.mark.parametrize(
    ("ticks", "text"),
    [
        (0, "0s"),
        (1, "1tick"),
        (-1, "-1tick"),
        (2, "2us"),
        (1_500, "1500us"),
        (1_000, "1ms"),
        (1_500_000, "1500ms"),
        (-1_000_000, "-1s"),
        (300_000_000, "5m"),
        (5_400_000_000, "90m"),
        (3_600_000_000, "1h"),
        (604_800_000_000, "7d"),
    ],
)
def test_a_duration_is_printed_in_the_largest_unit_that_leaves_no_rest(ticks: int, text: str) -> None:
    assert format_duration(Ticks(ticks)) == text


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
        (FIRST_TICK, FIRST_TICK),
        (LAST_TICK + 1, LAST_TICK + 1),  # an end may lie there
    ],
)
def test_instants_are_ticks_or_iso_text_and_utc_without_a_zone(text: int | str, tick: int) -> None:
    assert parse_instant(text) == tick


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (FIRST_TICK - 1, f"{FIRST_TICK - 1} ticks"),
        (LAST_TICK + 2, f"{LAST_TICK + 2} ticks"),
        ("0001-01-01T00:00:00+05:00", "'0001-01-01T00:00:00+05:00'"),
        ("9999-12-31T23:59:59-05:00", "'9999-12-31T23:59:59-05:00'"),
    ],
)
def test_instants_outside_the_years_1_to_9999_are_refused_by_their_value(value: int | str, message: str) -> None:
    with pytest.raises(TimeTextError, match=f"^{re.escape(message)} is outside the years 1 to 9999$"):
        parse_instant(value)


@pytest.mark.parametrize("value", [True, False, 1.5, None])
def test_an_instant_that_is_neither_a_whole_number_nor_text_is_refused_by_its_value(value: Any) -> None:
    with pytest.raises(TimeTextError, match=f"^{value} is not an instant; write ticks as a whole number or ISO 8601"):
        parse_instant(value)


@pytest.mark.parametrize("text", ["", "noon", "2026-02-30", "12:00"])
def test_text_that_is_not_an_instant_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(TimeTextError, match=f"^'{text}' is not an instant; write ISO 8601, for example '2026-01-31T"):
        parse_instant(text)


@given(st.integers(FIRST_TICK, LAST_TICK))
def test_a_printed_instant_reads_back(tick: int) -> None:
    assert parse_instant(format_instant(Tick(tick))) == tick


@pytest.mark.parametrize(
    ("tick", "text"),
    [
        (FIRST_TICK, "0001-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (0, "1970-01-01T00:00:00Z"),
        (LAST_TICK, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_an_instant_is_printed_in_utc_with_as_many_digits_as_needed(tick: int, text: str) -> None:
    assert format_instant(Tick(tick)) == text


def test_the_sentinels_and_times_outside_the_calendar_have_a_text() -> None:
    assert format_instant(INFINITY) == "infinity"
    assert format_instant(NO_CTI) == "none"
    assert format_instant(Tick(LAST_TICK + 1)) == "10000-01-01T00:00:00Z"
    assert format_instant(Tick(FIRST_TICK - 1)) == f"{FIRST_TICK - 1} ticks"
    assert format_instant(Tick(LAST_TICK + 2)) == f"{LAST_TICK + 2} ticks"


SPELLED = json.loads(Path(__file__).with_name("spelled_instants.json").read_text())
"""The text of an instant in sentences of the server and in `formatInstant` of the pages, which reads this too."""


@pytest.mark.parametrize(("ticks", "text"), SPELLED)
def test_an_instant_is_spelled_as_the_pages_spell_it(ticks: int, text: str) -> None:
    assert spell_instant(Tick(ticks)) == text


@pytest.mark.parametrize("ticks", [INFINITY, NO_CTI, Tick(LAST_TICK + 1), Tick(FIRST_TICK - 1)])
def test_an_instant_outside_all_years_is_spelled_in_words(ticks: Tick) -> None:
    assert spell_instant(ticks) == format_instant(ticks)
