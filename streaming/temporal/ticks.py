"""Application time: a tick is one microsecond since 1970-01-01T00:00Z, as an int (T1)."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final, NewType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Tick = NewType("Tick", int)
"""A moment: microseconds since the epoch."""
Ticks = NewType("Ticks", int)
"""A length of time in microseconds, possibly negative."""

INFINITY: Final = Tick(2**63 - 1)
"""The one value above all ticks; `null` in JSON."""
NO_CTI: Final = Tick(-(2**63))
"""Below all ticks: the CTI of a lane before its first CTI, the largest start of a lane before its first event."""
FIRST_TICK: Final = Tick(-62_135_596_800_000_000)
"""0001-01-01T00:00Z, the smallest legal start."""
LAST_TICK: Final = Tick(253_402_300_799_999_999)
"""9999-12-31T23:59:59.999999Z, the largest legal start; an end may be one tick later."""
ONE_TICK: Final = Ticks(1)
NO_TICKS: Final = Ticks(0)
TICKS_PER_S: Final = 1_000_000
DAY_TICKS: Final = 86_400_000_000

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNIT_TICKS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": TICKS_PER_S,
    "m": 60_000_000,
    "h": 3_600_000_000,
    "d": DAY_TICKS,
    "tick": 1,
    "ticks": 1,
}
_DURATION: Final = re.compile(r"([+-]?)(\d{1,20})\s*(us|ms|s|m|h|d|ticks?)", re.ASCII)
_ISO_DURATION: Final = re.compile(
    r"([+-]?)P(?:(\d{1,20})W)?(?:(\d{1,20})D)?(?:T(?:(\d{1,20})H)?(?:(\d{1,20})M)?(?:(\d{1,20})(?:\.(\d{1,6}))?S)?)?",
    re.ASCII,
)
ABBREVIATIONS: Final = {
    "UTC": 0, "UT": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "MEZ": 60, "MESZ": 120,
    "EET": 120, "EEST": 180, "MSK": 180, "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660,
    "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420,
}  # fmt: skip
"""Minutes east of UTC. Ambiguous names such as BST and IST are left out; EST to PDT are those of RFC 2822."""
ZONE_TEXT: Final = (
    r"[A-Za-z][A-Za-z0-9_+\-]*(?:/[A-Za-z0-9_+\-]+)*|[+-][0-9]{2}(?::?[0-9]{2})?(?:\[[A-Za-z0-9_/+\-]+\])?"
)
"""The text of a zone after a time; also an offset with the name of its zone in brackets, as Java writes it."""
_OFFSET: Final = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?(?:\[[^\]]*\])?", re.ASCII)
_WRITTEN_OTHERWISE: Final = re.compile(
    rf"(\d{{4}}-\d\d-\d\d[T ])(\d\d):?(\d\d)(?::?(\d\d)([.,]\d+)?)?\s*({ZONE_TEXT})?", re.ASCII
)
"""ISO 8601 forms that `datetime` does not read: 24:00, a 60th second, the name of a zone."""


class TimeTextError(ValueError):
    """A duration or an instant that cannot be read; the message describes the accepted forms."""


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
    total = total_s * TICKS_PER_S + fraction
    return Ticks(-total if match.group(1) == "-" else total)


def parse_instant(value: int | str, zone: str = "UTC") -> Tick:
    """Read `value`: a bare int is ticks, text is ISO 8601 (without a zone: in the IANA zone `zone`).

    24:00 is the next midnight, and a 60th second the start of the next minute. The text may end with an IANA name or
    one of ABBREVIATIONS. Raises `TimeTextError` if it cannot be read or is outside 0001-01-01 to 9999-12-31 (T1).
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TimeTextError(f"{value!r} is not an instant; write ticks as a whole number or ISO 8601 text")
    if isinstance(value, int):
        return _inside(value, f"{value} ticks")
    try:
        moment, after = datetime.fromisoformat(value.strip()), 0
    except ValueError:
        moment, after = _written_otherwise(value)
    try:
        aware = moment if moment.tzinfo else moment.replace(tzinfo=named_zone(zone))
        return _inside(tick_of(aware) + after, repr(value))
    except (OverflowError, ValueError) as error:
        raise error if isinstance(error, TimeTextError) else TimeTextError(f"{value!r}: {error}") from None


def _written_otherwise(text: str) -> tuple[datetime, int]:
    """Return the moment, and how many ticks after it the text means. Raises `TimeTextError`."""
    found = _WRITTEN_OTHERWISE.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError(text)
        day, hour, minute, second, fraction, zone = found.groups()
        midnight, leap = hour == "24", second == "60"
        if midnight and (int(minute) or int(second or 0) or (fraction or "0").strip(".,0")):
            raise ValueError(text)
        clock = f"{'00' if midnight else hour}:{minute}:{'59' if leap else second or '00'}{fraction or ''}"
        moment = datetime.fromisoformat(f"{day}{clock}")
        after = (DAY_TICKS if midnight else 0) + (_UNIT_TICKS["s"] if leap else 0)
        return moment if zone is None else moment.replace(tzinfo=zone_of(zone)), after
    except ValueError:
        raise TimeTextError(f"{text!r} is not an instant; write ISO 8601, for example '2026-01-31T12:00:00Z'") from None


@lru_cache(maxsize=1024)
def zone_of(text: str) -> tzinfo:
    """Return the zone that `text` names. Raises `ValueError`."""
    if (minutes := ABBREVIATIONS.get(text.upper())) is not None:
        return UTC if minutes == 0 else timezone(timedelta(minutes=minutes))
    if found := _OFFSET.fullmatch(text):
        minutes = int(found[2]) * 60 + int(found[3] or 0)
        return timezone(timedelta(minutes=-minutes if found[1] == "-" else minutes))
    if "/" not in text:
        raise ValueError(f"{text!r} is not a time zone")
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, OSError):
        raise ValueError(f"{text!r} is not a time zone") from None


@lru_cache(maxsize=64)
def named_zone(name: str) -> tzinfo:
    """Return the IANA zone `name`. Raises `ValueError`."""
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError):
        raise ValueError(f"{name!r} is not a time zone") from None


def _inside(tick: int, text: str) -> Tick:
    if not FIRST_TICK <= tick <= LAST_TICK + 1:
        raise TimeTextError(f"{text} is outside the years 1 to 9999")
    return Tick(tick)


def tick_of(moment: datetime) -> Tick:
    """Return the exact tick of an aware `moment`."""
    return Tick((moment - _EPOCH) // timedelta(microseconds=1))


def format_instant(tick: Tick) -> str:
    """Format `tick` as ISO 8601 in UTC with as many digits as needed; `infinity` and `none` for the two sentinels.

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
    """Format an instant for people, `2026-11-21 10:06:19.250Z`, with no, three or six digits of the second.

    `formatInstant` of the pages gives the same text; `tests/temporal/spelled_instants.json` checks both.
    """
    if not FIRST_TICK <= tick <= LAST_TICK:
        return format_instant(tick)
    moment = _EPOCH + timedelta(microseconds=tick)
    digits = "seconds" if moment.microsecond == 0 else "milliseconds" if tick % 1_000 == 0 else "microseconds"
    return moment.replace(tzinfo=None).isoformat(" ", digits) + "Z"


def format_duration(ticks: Ticks) -> str:
    """Return the shortest exact text with one unit, such as `5m`, `-1tick`, `1500ms`.

    `parse_duration` reads it back.
    """
    if abs(ticks) == 1:
        return f"{ticks}tick"
    for unit in ("d", "h", "m", "s", "ms"):
        if ticks and ticks % _UNIT_TICKS[unit] == 0:
            return f"{ticks // _UNIT_TICKS[unit]}{unit}"
    return f"{ticks}us" if ticks else "0s"
