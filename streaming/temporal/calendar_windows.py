"""Calendar windows: the days, weeks, months, quarters or years of a time zone (T63)."""

from bisect import bisect_left
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from streaming.temporal.ticks import DAY_TICKS, INFINITY, NO_CTI, NO_TICKS, Tick, Ticks, named_zone, tick_of

CalendarUnit = Literal["day", "week", "month", "quarter", "year"]

_EPOCH: Final = date(1970, 1, 1)
_DAYS_PER_CYCLE: Final = 146_097
"""The Gregorian calendar, and the rules of a zone for the far future, repeat every 400 years."""
_FIRST_DAY: Final = (date(2, 1, 1) - _EPOCH).days
_LAST_DAY: Final = (date(9999, 1, 1) - _EPOCH).days
_MONDAY: Final = -3
"""1969-12-29, the Monday of week 0, in days from 1970-01-01."""
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_SHORTEST_DAYS: Final = {"day": 1, "week": 7, "month": 28, "quarter": 90, "year": 365}
_LONGEST_DAYS: Final = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}


@dataclass(frozen=True, slots=True)
class CalendarWindows:
    """The windows `[start of period k, start of period k + 1)` of `zone`, an IANA name; weeks start on Monday.

    A period starts at the first moment at which the zone's date is its first day or later. So midnight that a clock
    change skips is the moment of the change, of two midnights the first counts, and a day that the zone skips has no
    window. `index` counts windows in the order of time; every moment is in one window.
    """

    unit: CalendarUnit
    zone: str

    @property
    def size(self) -> Ticks:
        """Return a length that no window exceeds: a zone has repeated a day when it crossed the date line."""
        return Ticks((_LONGEST_DAYS[self.unit] + 1) * DAY_TICKS)

    @property
    def hop(self) -> Ticks:
        """Return a length below which no two windows start after each other."""
        return Ticks(max(2 * _SHORTEST_DAYS[self.unit] - 3, 1) * DAY_TICKS // 2)

    @property
    def overlap(self) -> Ticks:
        """Return by how much a window ends after the start of the next."""
        return NO_TICKS

    def bounds(self, index: int) -> tuple[Tick, Tick]:
        """Return the half-open `(start, end)` of window `index`."""
        return self.start(index), self.start(index + 1)

    def start(self, index: int) -> Tick:
        """Return the start of window `index`."""
        return _midnight(self.zone, first_day(self.unit, _after_skipped(index, self._skipped)))

    def first_index(self, start: Tick) -> int:
        """Return the smallest k with `end_k > start`: the window that contains `start`."""
        # offsets of zones are less than a day, so the date there is that of UTC, the one before, or the one after
        period = period_of(self.unit, start // DAY_TICKS + 1)
        while _midnight(self.zone, first_day(self.unit, period)) > start:
            period -= 1
        return period - bisect_left(self._skipped, period)

    def last_index(self, end: Tick) -> int:
        """Return the largest k with `start_k < end`."""
        return self.first_index(Tick(end - 1))

    def indices(self, start: Tick, end: Tick) -> range:
        """Return the windows of the event `[start, end)`, without a limit (T24)."""
        return range(self.first_index(start), self.last_index(end) + 1)

    def first_open(self, cti: Tick) -> int:
        """Return the earliest window not closed at `cti` (T19)."""
        return self.first_index(cti)

    def output_cti(self, cti: Tick) -> Tick:
        """Return the CTI of the results: the start of the earliest window not closed; the sentinels stay unchanged."""
        return cti if cti in (NO_CTI, INFINITY) else self.start(self.first_open(cti))

    @property
    def _skipped(self) -> tuple[int, ...]:
        return skipped_days(self.zone) if self.unit == "day" else ()


def period_of(unit: CalendarUnit, day: int) -> int:
    """Return the period that contains `day`; both count from the one that contains 1970-01-01."""
    if unit == "day":
        return day
    if unit == "week":
        return (day - _MONDAY) // 7
    cycles, rest = divmod(day, _DAYS_PER_CYCLE)
    on = _EPOCH + timedelta(days=rest)
    return ((on.year - 1970 + 400 * cycles) * 12 + on.month - 1) // _MONTHS[unit]


def first_day(unit: CalendarUnit, number: int) -> int:
    """Return the first day of a period, counted as in `period_of`."""
    if unit == "day":
        return number
    if unit == "week":
        return number * 7 + _MONDAY
    cycles, months = divmod(number * _MONTHS[unit], 4800)
    return (date(1970 + months // 12, months % 12 + 1, 1) - _EPOCH).days + cycles * _DAYS_PER_CYCLE


@lru_cache(maxsize=1 << 16)
def _midnight(zone: str, day: int) -> Tick:
    """Return the first moment at which the date in `zone` is `day` or later."""
    cycles = 0
    if day < _FIRST_DAY:
        cycles = (day - _FIRST_DAY) // _DAYS_PER_CYCLE
    elif day >= _LAST_DAY:
        cycles = (day - _LAST_DAY) // _DAYS_PER_CYCLE + 1
    on = datetime(1970, 1, 1) + timedelta(days=day - cycles * _DAYS_PER_CYCLE)  # noqa: DTZ001 # the zone follows
    first, second = (tick_of(on.replace(tzinfo=named_zone(zone), fold=fold)) for fold in (0, 1))
    # In a gap, each fold is the midnight by the offset of the other side, so they enclose the change in reverse order.
    found = _change(zone, second, first, on) if second < first else first
    return Tick(found + cycles * _DAYS_PER_CYCLE * DAY_TICKS)


def _change(zone: str, before: Tick, after: Tick, midnight: datetime) -> Tick:
    """Return the first moment after `before`, up to `after`, at which the clock of `zone` is past `midnight`."""
    while after - before > 1:
        between = Tick((before + after) // 2)
        if local_time(zone, between) >= midnight:
            after = between
        else:
            before = between
    return after


def local_time(zone: str, tick: Tick) -> datetime:
    """Return the time on the clocks of `zone`, without its offset. Raises OverflowError outside the years 1 to 9999."""
    moment = datetime(1970, 1, 1, tzinfo=named_zone("UTC")) + timedelta(microseconds=tick)
    return moment.astimezone(named_zone(zone)).replace(tzinfo=None, fold=0)


@lru_cache(maxsize=1024)
def skipped_days(zone: str) -> tuple[int, ...]:
    """Return the days that `zone` skipped, in order, counted from 1970-01-01.

    That happens when it crosses the date line: the year is then a day shorter.
    """
    starts = [_midnight(zone, (date(year, 1, 1) - _EPOCH).days) for year in range(1800, 2101)]
    found = []
    for year, (start, following) in enumerate(pairwise(starts), start=1800):
        days = (date(year + 1, 1, 1) - date(year, 1, 1)).days
        if following - start < days * DAY_TICKS - DAY_TICKS // 2:
            first = (date(year, 1, 1) - _EPOCH).days
            found += [day for day in range(first, first + days) if _midnight(zone, day) == _midnight(zone, day + 1)]
    return tuple(found)


def _after_skipped(index: int, skipped: tuple[int, ...]) -> int:
    """Return the period of window `index`; `skipped` periods have no window."""
    for period in skipped:
        index += period <= index
    return index
