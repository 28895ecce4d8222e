"""T63: calendar windows, compared with the dates that the clocks of the zone show."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.temporal.calendar_windows import CalendarUnit, CalendarWindows
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick, parse_instant

HOUR = 3_600_000_000
UNITS = st.sampled_from(("day", "week", "month", "quarter", "year"))
ZONES = st.sampled_from(
    (
        *("UTC", "Europe/Zurich", "America/New_York", "America/Santiago", "America/Havana", "America/St_Johns"),
        *("Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati", "America/Juneau", "Africa/Casablanca"),
    )
)
TIMES = st.integers(parse_instant("1840-01-01T00:00:00Z"), parse_instant("2100-01-01T00:00:00Z")).map(Tick)
EVER = st.integers(FIRST_TICK, LAST_TICK).map(Tick)


def at(text: str) -> Tick:
    return parse_instant(text)


def date_in(zone: str, tick: int) -> date:
    moment = datetime(1970, 1, 1, tzinfo=ZoneInfo("UTC")) + timedelta(microseconds=tick)
    return moment.astimezone(ZoneInfo(zone)).date()


def first_of(unit: CalendarUnit, on: date) -> date:
    match unit:
        case "day":
            return on
        case "week":
            return on - timedelta(days=on.weekday())
        case "month":
            return on.replace(day=1)
        case "quarter":
            return on.replace(month=(on.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return on.replace(month=1, day=1)


@given(UNITS, ZONES, TIMES)
@example("day", "Pacific/Apia", at("2011-12-30T10:00:00Z"))
@example("day", "America/St_Johns", at("2006-10-29T03:00:00Z"))
@example("day", "Pacific/Kwajalein", at("1969-09-30T13:00:00Z"))
def test_a_window_starts_when_the_date_is_first_in_it(unit: CalendarUnit, zone: str, moment: Tick) -> None:
    windows = CalendarWindows(unit, zone)
    start, end = windows.bounds(windows.first_index(moment))
    assert start <= moment < end
    first = first_of(unit, date_in(zone, start))
    assert all(date_in(zone, start - hours * HOUR - 1) < first for hours in range(48))
    assert first_of(unit, date_in(zone, end)) > first
    assert windows.hop <= end - start <= windows.size


@given(UNITS, ZONES, EVER)
@example("year", "America/New_York", FIRST_TICK)
@example("year", "Asia/Kathmandu", LAST_TICK)
def test_windows_follow_each_other_in_all_time(unit: CalendarUnit, zone: str, moment: Tick) -> None:
    windows = CalendarWindows(unit, zone)
    index = windows.first_index(moment)
    start, end = windows.bounds(index)
    assert start <= moment < end
    assert windows.bounds(index + 1)[0] == end
    assert windows.first_index(end) == index + 1
    assert windows.first_index(Tick(start - 1)) == index - 1
    assert windows.last_index(end) == index
    assert windows.output_cti(moment) == start


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Zurich", "2026-03-29T12:00:00Z", 23),
        ("Europe/Zurich", "2026-10-25T12:00:00Z", 25),
        ("Australia/Lord_Howe", "2026-04-05T00:00:00Z", 24.5),
        ("Africa/Casablanca", "2026-02-15T12:00:00Z", 25),
        ("America/Juneau", "1867-10-18T12:00:00Z", 48),
        ("Pacific/Apia", "2011-12-30T09:00:00Z", 24),
    ],
)
def test_lengths_of_days(zone: str, day: str, hours: float) -> None:
    windows = CalendarWindows("day", zone)
    start, end = windows.bounds(windows.first_index(at(day)))
    assert (end - start) / HOUR == hours


def test_the_far_future_repeats_the_rules() -> None:
    windows = CalendarWindows("day", "Europe/Zurich")
    for year in ("2401", "6001", "9601"):  # like 2001: the last Sunday of March is the 25th
        start, end = windows.bounds(windows.first_index(at(f"{year}-03-25T12:00:00Z")))
        assert (start, end) == (at(f"{year}-03-24T23:00:00Z"), at(f"{year}-03-25T22:00:00Z"))


def test_the_sentinels_stay_and_are_outside_of_all_windows() -> None:
    windows = CalendarWindows("month", "Europe/Zurich")
    assert (windows.output_cti(NO_CTI), windows.output_cti(INFINITY)) == (NO_CTI, INFINITY)
    assert windows.first_index(NO_CTI) < windows.first_index(FIRST_TICK)
    assert windows.last_index(INFINITY) > windows.last_index(LAST_TICK)
