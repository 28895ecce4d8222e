"""Functions of the calendar: proleptic Gregorian, UTC unless they take a zone."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from streaming.functions import truncation
from streaming.temporal.ticks import tick_of

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(ticks: int) -> datetime:
    return _EPOCH + timedelta(microseconds=ticks)


def _date_trunc(unit: str, ticks: int, zone: str | None = None) -> int:
    if zone is not None:
        return truncation.date_trunc(unit, ticks, zone)
    moment = _moment(ticks)
    if unit in _TICKS:
        return ticks - ticks % _TICKS[unit]
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return tick_of(_FIRST_DAY[unit](midnight))


_TICKS: Final[Mapping[str, int]] = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}
_FIRST_DAY: Final[Mapping[str, Callable[[datetime], datetime]]] = {
    "year": lambda day: day.replace(month=1, day=1),
    "quarter": lambda day: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda day: day.replace(day=1),
    "week": lambda day: day - timedelta(days=day.weekday()),
    "day": lambda day: day,
}
"""0001-01-01 is a Monday, so no week begins before the year 1."""

CALENDAR: Final[Mapping[str, Callable[..., Any]]] = {
    "year": lambda ticks: _moment(ticks).year,
    "month": lambda ticks: _moment(ticks).month,
    "day": lambda ticks: _moment(ticks).day,
    "dayofweek": lambda ticks: _moment(ticks).isoweekday() % 7 + 1,
    "hour": lambda ticks: _moment(ticks).hour,
    "minute": lambda ticks: _moment(ticks).minute,
    "second": lambda ticks: _moment(ticks).second,
    "date_trunc": _date_trunc,
}
