"""Starts of the units of time that contain a moment, on the clocks of a time zone."""

from typing import Final, get_args

from streaming.functions.failures import FunctionFailure
from streaming.functions.zone_times import local_time
from streaming.temporal.calendar_windows import CalendarUnit, CalendarWindows
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, TICKS_PER_S, Tick

_CALENDAR_UNITS: Final[dict[str, CalendarUnit]] = {unit: unit for unit in get_args(CalendarUnit)}
_CLOCK_UNITS: Final = {"hour": 3600 * TICKS_PER_S, "minute": 60 * TICKS_PER_S, "second": TICKS_PER_S}


def date_trunc(unit: str, tick: int, zone: str) -> int:
    """Return the start of the unit that contains `tick` on the clocks of `zone`.

    A year, quarter, month, week (from Monday) or day starts as a calendar window does (T63). An hour, minute or second
    is counted with the offset that is in force at `tick`.
    """
    if unit in _CALENDAR_UNITS:
        windows = CalendarWindows(_CALENDAR_UNITS[unit], zone)
        start = int(windows.start(windows.first_index(Tick(tick))))
    else:
        offset = _offset_ticks(tick, zone)
        start = tick - (tick + offset) % _CLOCK_UNITS[unit]
    if not FIRST_TICK <= start <= LAST_TICK:
        raise FunctionFailure("the unit starts before the year 1")
    return start


def _offset_ticks(tick: int, zone: str) -> int:
    offset = local_time(tick, zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds()) * TICKS_PER_S
