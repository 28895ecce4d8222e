"""Parts and texts of moments on the clocks of a time zone (an IANA name), in the proleptic Gregorian calendar."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from streaming.functions.failures import FunctionFailure, InvalidConstant
from streaming.temporal.ticks import named_zone

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
TRUNCATED_UNITS: Final = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
_PARTS: Final[Mapping[str, Callable[[datetime], int]]] = {
    "year": lambda local: local.year,
    "quarter": lambda local: (local.month + 2) // 3,
    "month": lambda local: local.month,
    "week": lambda local: local.isocalendar().week,
    "day": lambda local: local.day,
    "dayofweek": lambda local: local.isoweekday() % 7 + 1,
    "dayofyear": lambda local: local.timetuple().tm_yday,
    "yearofweek": lambda local: local.isocalendar().year,
    "hour": lambda local: local.hour,
    "minute": lambda local: local.minute,
    "second": lambda local: local.second,
}
EXTRACTED_PARTS: Final = tuple(_PARTS)
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOST_CHARACTERS: Final = 100
"""The longest pattern of `date_format`."""
_PIECE: Final = re.compile(r"([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+")


def _half(local: datetime) -> int:
    return (local.hour + 11) % 12 + 1


def _offset(local: datetime, separator: str) -> str:
    return local.strftime("%z")[:3] + separator + local.strftime("%z")[3:5]


_LETTERS: Final[Mapping[str, Callable[[datetime], str]]] = {
    "yyyy": lambda local: f"{local.year:04}",
    "yy": lambda local: f"{local.year % 100:02}",
    "MMMM": lambda local: _MONTHS[local.month - 1],
    "MMM": lambda local: _MONTHS[local.month - 1][:3],
    "MM": lambda local: f"{local.month:02}",
    "M": lambda local: str(local.month),
    "dd": lambda local: f"{local.day:02}",
    "d": lambda local: str(local.day),
    "EEEE": lambda local: _DAYS[local.weekday()],
    "EEE": lambda local: _DAYS[local.weekday()][:3],
    "HH": lambda local: f"{local.hour:02}",
    "H": lambda local: str(local.hour),
    "hh": lambda local: f"{_half(local):02}",
    "h": lambda local: str(_half(local)),
    "mm": lambda local: f"{local.minute:02}",
    "m": lambda local: str(local.minute),
    "ss": lambda local: f"{local.second:02}",
    "s": lambda local: str(local.second),
    "SSSSSS": lambda local: f"{local.microsecond:06}",
    "SSS": lambda local: f"{local.microsecond // 1000:03}",
    "S": lambda local: str(local.microsecond // 100_000),
    "a": lambda local: "AM" if local.hour < 12 else "PM",
    "xxx": lambda local: _offset(local, ":"),
    "xx": lambda local: _offset(local, ""),
}
"""The letters of `date_format`, as in Java and Spark; names are English, and an offset of zero is +00:00."""


def check_zone(zone: str = "UTC") -> None:
    """Raise `InvalidConstant` if `zone` is not an IANA name."""
    try:
        named_zone(zone)
    except ValueError:
        message = f"{zone[:40]!r} is not a time zone"
        raise InvalidConstant(message, "write an IANA name such as 'Europe/Berlin', or 'UTC'", place=-1) from None


def check_extracted(part: str, zone: str = "UTC") -> None:
    """Raise `InvalidConstant` if `extract` does not take these constants."""
    if part not in _PARTS:
        parts = ", ".join(map(repr, _PARTS))
        raise InvalidConstant(f"{part[:40]!r} is not a part of a time", f"write extract(part, ...) with {parts}")
    check_zone(zone)


def check_format(pattern: str, zone: str = "UTC") -> None:
    """Raise `InvalidConstant` if `date_format` does not take these constants."""
    _pieces(pattern)
    check_zone(zone)


def local_time(tick: int, zone: str) -> datetime:
    """Return the time on the clocks of `zone`. Raises `FunctionFailure` outside the years 1 to 9999."""
    try:
        return (_EPOCH + timedelta(microseconds=tick)).astimezone(named_zone(zone))
    except (OverflowError, ValueError):
        raise FunctionFailure(f"the time in {zone} is outside the years 1 to 9999") from None


def extract(part: str, tick: int, zone: str = "UTC") -> int:
    """Return a part of the time on the clocks of `zone`."""
    return _PARTS[part](local_time(tick, zone))


def at_timezone(tick: int, zone: str) -> str:
    """Return the time on the clocks of `zone` with its offset, in ISO 8601."""
    return local_time(tick, zone).isoformat()


def date_format(tick: int, pattern: str, zone: str = "UTC") -> str:
    """Return the time on the clocks of `zone` as text."""
    local = local_time(tick, zone)
    return "".join(piece if isinstance(piece, str) else piece(local) for piece in _pieces(pattern))


@lru_cache(maxsize=256)
def _pieces(pattern: str) -> tuple[str | Callable[[datetime], str], ...]:
    """Return `pattern` as texts and rules of letters. Raises `InvalidConstant`."""
    if len(pattern) > MOST_CHARACTERS:
        raise InvalidConstant("The pattern is too long", f"write at most {MOST_CHARACTERS} characters")
    pieces, at = list[str | Callable[[datetime], str]](), 0
    while at < len(pattern):
        found = _PIECE.match(pattern, at)
        if found is None:
            raise InvalidConstant("A quotation mark in the pattern is not closed", "write '' for a quotation mark")
        if found[1] is None:
            pieces.append(found[0] if found[2] is None else found[2].replace("''", "'") or "'")
        elif found[0] in _LETTERS:
            pieces.append(_LETTERS[found[0]])
        else:
            letters = ", ".join(_LETTERS)
            message = f"{found[0][:20]!r} is not a part of a time pattern"
            raise InvalidConstant(message, f"write {letters}, or put text between single quotation marks")
        at = found.end()
    return tuple(pieces)
