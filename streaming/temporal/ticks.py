"""Application time: a tick is one microsecond since 1970-01-01T00:00Z, as an int (T1)."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NewType

Tick = NewType("Tick", int)
"""A moment: microseconds since the epoch."""
Ticks = NewType("Ticks", int)
"""A length of time in microseconds, possibly negative."""

INFINITY: Final = Tick(2**63 - 1)
"""The one value above all ticks; `null` in JSON."""
NO_CTI: Final = Tick(-(2**63))
"""Below all ticks: the CTI of a lane that has none yet, the largest start of a lane that has seen nothing."""
FIRST_TICK: Final = Tick(-62_135_596_800_000_000)
"""0001-01-01T00:00Z, the smallest legal start."""
LAST_TICK: Final = Tick(253_402_300_799_999_999)
"""9999-12-31T23:59:59.999999Z, the largest legal start; an end may be one tick later."""
ONE_TICK: Final = Ticks(1)
NO_TICKS: Final = Ticks(0)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNIT_TICKS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "m": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
    "tick": 1,
    "ticks": 1,
}
_DURATION: Final = re.compile(r"([+-]?)(\d{1,20})\s*(us|ms|s|m|h|d|ticks?)", re.ASCII)
_ISO_DURATION: Final = re.compile(
    r"([+-]?)P(?:(\d{1,20})W)?(?:(\d{1,20})D)?(?:T(?:(\d{1,20})H)?(?:(\d{1,20})M)?(?:(\d{1,20})(?:\.(\d{1,6}))?S)?)?",
    re.ASCII,
)


class TimeTextError(ValueError):
    """A duration or an instant that cannot be read; the message says what would be accepted."""


def parse_duration(value: int | str) -> Ticks:
    """Read `value`: a bare int is a count of ticks, text is `10s`, `-1tick`, `100ms` or ISO 8601 `PT5M`.

    Raises `TimeTextError` for anything else, ISO months and years included: their length is not fixed.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TimeTextError(f"{value!r} is not a duration; write ticks as a whole number or text such as '10s'")
    if isinstance(value, int):
        return Ticks(value)
    text = value.strip()
    if match := _DURATION.fullmatch(text):
        sign, count, unit = match.groups()
        return Ticks(int(f"{sign}{count}") * _UNIT_TICKS[unit])
    match = _ISO_DURATION.fullmatch(text)
    if match and any(match.groups()[1:]):
        return _iso_ticks(match)
    raise TimeTextError(f"{value!r} is not a duration; write for example '100ms', '10s', '5m', '-1tick' or 'PT5M'")


def _iso_ticks(match: re.Match[str]) -> Ticks:
    weeks, days, hours, minutes, seconds = (int(group or 0) for group in match.groups()[1:6])
    fraction = int((match.group(7) or "0").ljust(6, "0"))
    total_s = ((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds
    total = total_s * 1_000_000 + fraction
    return Ticks(-total if match.group(1) == "-" else total)


def parse_instant(value: int | str) -> Tick:
    """Read `value`: a bare int is ticks, text is ISO 8601 (without a zone: UTC).

    Raises `TimeTextError` when it cannot be read or lies outside 0001-01-01 to 9999-12-31 (T1).
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TimeTextError(f"{value!r} is not an instant; write ticks as a whole number or ISO 8601 text")
    if isinstance(value, int):
        return _inside(value, f"{value} ticks")
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        raise TimeTextError(f"{value!r} is not an instant; write ISO 8601, such as '2026-01-31T12:00:00Z'") from None
    return _inside(tick_of(moment if moment.tzinfo else moment.replace(tzinfo=UTC)), repr(value))


def _inside(tick: int, text: str) -> Tick:
    if not FIRST_TICK <= tick <= LAST_TICK + 1:
        raise TimeTextError(f"{text} is outside the years 1 to 9999")
    return Tick(tick)


def tick_of(moment: datetime) -> Tick:
    """The tick of an aware `moment`, exactly."""
    return Tick((moment - _EPOCH) // timedelta(microseconds=1))


def format_instant(tick: Tick) -> str:
    """ISO 8601 in UTC with as many digits as needed; `infinity` and `none` for the two sentinels.

    A window can reach outside the years 1 to 9999; its far bound is written as a count of ticks.
    """
    if tick == INFINITY:
        return "infinity"
    if tick == NO_CTI:
        return "none"
    if tick == LAST_TICK + 1:
        return "10000-01-01T00:00:00Z"
    if not FIRST_TICK <= tick <= LAST_TICK:
        return f"{tick} ticks"
    return (_EPOCH + timedelta(microseconds=tick)).isoformat().replace("+00:00", "Z")


def spell_instant(tick: Tick) -> str:
    """An instant as people read it, `2026-11-21 10:06:19.250Z`, with no, three or six digits of the second.

    `formatInstant` of the pages spells alike; `tests/temporal/spelled_instants.json` holds both to it.
    """
    if not FIRST_TICK <= tick <= LAST_TICK:
        return format_instant(tick)
    moment = _EPOCH + timedelta(microseconds=tick)
    digits = "seconds" if moment.microsecond == 0 else "milliseconds" if tick % 1_000 == 0 else "microseconds"
    return moment.replace(tzinfo=None).isoformat(" ", digits) + "Z"


def format_duration(ticks: Ticks) -> str:
    """The shortest exact text with one unit, such as `5m`, `-1tick`, `1500ms`; `parse_duration` reads it back."""
    if abs(ticks) == 1:
        return f"{ticks}tick"
    for unit in ("d", "h", "m", "s", "ms"):
        if ticks and ticks % _UNIT_TICKS[unit] == 0:
            return f"{ticks // _UNIT_TICKS[unit]}{unit}"
    return f"{ticks}us" if ticks else "0s"
