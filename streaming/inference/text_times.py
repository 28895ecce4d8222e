"""The pattern of times that are text but not ISO 8601, from the values of a column."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

LOOKED_AT: Final = 2_000
ENOUGH: Final = 0.98
_MONTH: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_CLOCK: Final = (
    r"(?:(?P<gap>,? +|[T:_-]|)(?P<h>\d{1,2})(?P<colon>[:.]?)(?P<mi>\d\d)(?:(?P<colon2>[:.]?)(?P<s>\d\d)"
    r"(?:(?P<point>[.,])(?P<f>\d{1,9}))?)?(?:(?P<am_gap> ?)(?P<pm>[AaPp]\.?[Mm]\.?))?"
    r"(?:(?P<zone_gap> ?)(?P<zone>Z|[+-]\d\d(?::?\d\d)?|[A-Z]{2,5}|[A-Z][A-Za-z]+/[A-Za-z_/]+))?)?"
)
_WEEKDAY: Final = r"(?:(?P<weekday>[A-Z][a-z]{2,8})(?P<weekday_gap>,? +))?"
_DATES: Final = (
    r"(?P<d>\d{1,2})(?P<sep>[./-])(?P<mo>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})",
    r"(?P<y>\d{4})(?P<sep>[./-])(?P<mo>\d{1,2})(?P=sep)(?P<d>\d{1,2})",
    r"(?P<y>\d{4})(?P<sep>)(?P<mo>\d\d)(?P<d>\d\d)",
    rf"(?P<d>\d{{1,2}})(?P<sep>[ /-])(?P<mo>{_MONTH})(?P=sep)(?P<y>\d{{4}}|\d{{2}})",
    rf"(?P<mo>{_MONTH})(?P<sep> )(?P<d>\d{{1,2}}),? (?P<y>\d{{4}})",
)
_FORMS: Final = [re.compile(_WEEKDAY + date + _CLOCK, re.ASCII) for date in _DATES]
CLOCK_TEXT: Final = re.compile(
    r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?[A-Z]{2,5})?", re.ASCII
)
"""The time of a day, in a separate column."""
COMPACT_CLOCK: Final = re.compile(r"(?:[01]\d|2[0-4])[0-5]\d(?:[0-5]\d|60)?", re.ASCII)
"""The same without colons, if the name of the column suggests it."""
Parts = Mapping[str, str | None]


def patterns_of(texts: Sequence[str]) -> list[str]:
    """Return the patterns that may read the texts: two if day and month are ambiguous, none for unknown formats."""
    looked_at = [text.strip() for text in texts[:LOOKED_AT]]
    for number, form in enumerate(_FORMS):
        found = [match.groupdict() for text in looked_at if (match := form.fullmatch(text))]
        if found and len(found) >= ENOUGH * len(looked_at):
            return list(_patterns(number, found))
    return []


def _patterns(number: int, found: Sequence[Parts]) -> Iterator[str]:
    short = any(len(each[group] or "12") == 1 for each in found for group in ("d", "mo", "h"))
    day, month = ("d", "M") if short else ("dd", "MM")
    year = "yyyy" if all(len(each["y"] or "") == 4 for each in found) else "yy"
    sep = found[0]["sep"] or ""
    clock = _clock(found, short=short)
    before = _weekday(found)
    if number == 0:
        yield f"{before}{day}{sep}{month}{sep}{year}{clock}"
        yield f"{before}{month_first(day, month, sep)}{sep}{year}{clock}"
    elif number in (1, 2):
        yield f"{before}{year}{sep}{month}{sep}{day}{clock}"
    elif number == 3:
        yield f"{before}{day}{sep}MMM{sep}{year}{clock}"
    else:
        yield f"{before}MMM {day}[,] {year}{clock}"


def month_first(day: str, month: str, sep: str) -> str:
    """Return month and day, with as many digits as they have in the other order."""
    return f"{'M' * len(day)}{sep}{'d' * len(month)}"


def _weekday(found: Sequence[Parts]) -> str:
    if found[0]["weekday"] is None:
        return ""
    return f"EEE{found[0]['weekday_gap']}"


def _clock(found: Sequence[Parts], *, short: bool) -> str:
    """Return the part of a pattern for the time of the day."""
    timed = [each for each in found if each["h"] is not None]
    if not timed:
        return ""
    first = timed[0]
    gap = first["gap"] or ""
    gap = f"'{gap}'" if gap == "T" else re.sub(" +", " ", gap)
    half = first["pm"] is not None
    hour = ("h" if half else "H") * (1 if first["colon"] and (short or half) else 2)
    seconds = [each for each in timed if each["s"] is not None]
    written = f"{gap}{hour}{first['colon']}mm"
    if seconds:
        fraction = _part(seconds, "f", f"{next((each['point'] for each in seconds if each['point']), '.')}S")
        written += _optional(f"{seconds[0]['colon2']}ss{fraction}", len(seconds) < len(timed))
    if half:
        written += f"{first['am_gap']}a"
    zoned = [each for each in timed if each["zone"] is not None]
    if zoned:
        offsets = all(re.fullmatch(r"Z|[+-].*", each["zone"] or "") for each in zoned)
        written += _optional(f"{zoned[0]['zone_gap']}{'X' if offsets else 'z'}", len(zoned) < len(timed))
    return _optional(written, len(timed) < len(found))


def _part(found: Sequence[Parts], group: str, written: str) -> str:
    having = sum(each[group] is not None for each in found)
    return _optional(written, having < len(found)) if having else ""


def _optional(written: str, missing: bool) -> str:
    return f"[{written}]" if missing else written
