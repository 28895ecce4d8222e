"""Patterns of times as text, in the letters of Java and Spark: `dd.MM.yyyy HH:mm[:ss]` (T17).

| letters | meaning |
|---|---|
| `yyyy`, `yy` | year; with two digits, 69 to 99 are 1969 to 1999 |
| `MM`, `M`, `MMM`, `MMMM` | month: two digits, one or two, an English name |
| `dd`, `d` | day: two digits, one or two |
| `HH`, `H`, `hh`, `h` with `a` | hour from 0 to 24, or from 1 to 12 with AM or PM |
| `mm`, `m`, `ss`, `s`, `S` | minute, second (60 is the next minute), digits of a fraction, up to nine |
| `z`, `X` | zone: a name or an offset, only an offset or Z |
| `EEE` | the name of a day, which is not compared |
| `[ ]`, `' '` | optional part, literal text |

A blank matches one or more. 24:00 is the next midnight. Rust and Python use the same regular expression, so that
columns and single values agree.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final

from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, ZONE_TEXT, named_zone, tick_of, zone_of

MOST_CHARACTERS: Final = 100
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME: Final = "|".join("".join(f"[{each.upper()}{each}]" for each in month) for month in MONTHS)
_LETTERS: Final[Mapping[str, tuple[str, str]]] = {
    "yyyy": ("y", "[0-9]{4}"),
    "yy": ("yy", "[0-9]{2}"),
    "MMMM": ("name", f"(?:{_MONTH_NAME})[A-Za-z]*"),
    "MMM": ("name", f"(?:{_MONTH_NAME})[A-Za-z]*"),
    "MM": ("mo", "[0-9]{2}"),
    "M": ("mo", "[0-9]{1,2}"),
    "dd": ("d", "[0-9]{2}"),
    "d": ("d", "[0-9]{1,2}"),
    "HH": ("h", "[0-9]{2}"),
    "H": ("h", "[0-9]{1,2}"),
    "hh": ("half", "[0-9]{2}"),
    "h": ("half", "[0-9]{1,2}"),
    "mm": ("mi", "[0-9]{2}"),
    "m": ("mi", "[0-9]{1,2}"),
    "ss": ("s", "[0-9]{2}"),
    "s": ("s", "[0-9]{1,2}"),
    "a": ("pm", r"[AaPp]\.?[Mm]\.?"),
    "z": ("zone", f"Z|{ZONE_TEXT}"),
    "X": ("zone", "[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?"),
}
_MARKS: Final = {"[": "(?:", "]": ")?", " ": "[ \t]+"}
_RUN: Final = re.compile(r"([A-Za-z])\1*")
_DAY_TICKS: Final = 86_400_000_000
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 # a local time, whose zone is added
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
EXAMPLES: Final = "dd.MM.yyyy HH:mm[:ss] or M/d/yyyy h:mm a"


class TimePatternError(ValueError):
    """An invalid pattern; the message says why, and what to write."""


@dataclass(frozen=True)
class TimePattern:
    """A parsed pattern: `expression` has a group for each part (see `_LETTERS`)."""

    text: str
    expression: str
    groups: frozenset[str]

    def read(self, text: str, zone: str) -> int | None:
        """Return the tick of `text`, in the IANA zone `zone` if it names none; None if it doesn't match the pattern."""
        match = _compile(self.expression).fullmatch(text.strip(" \t"))
        if match is None:
            return None
        parts = {name: value for name, value in match.groupdict().items() if value is not None}
        try:
            tick = _tick(parts, zone)
        except (ValueError, OverflowError):
            return None
        return tick if FIRST_TICK <= tick <= LAST_TICK + 1 else None


@lru_cache(maxsize=256)
def _compile(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _tick(parts: Mapping[str, str], zone: str) -> int:
    day = date(_year(parts), _month(parts), int(parts["d"])).toordinal() - _EPOCH_DAY
    ticks = day * _DAY_TICKS + clock_ticks(parts)
    if (written := parts.get("zone")) is None and zone == "UTC":
        return ticks
    local = _EPOCH + timedelta(microseconds=ticks)
    return tick_of(local.replace(tzinfo=named_zone(zone) if written is None else zone_of(written)))


def _year(parts: Mapping[str, str]) -> int:
    if "y" in parts:
        return int(parts["y"])
    short = int(parts["yy"])
    return short + (1900 if short >= 69 else 2000)


def _month(parts: Mapping[str, str]) -> int:
    return MONTHS.index(parts["name"][:3].lower()) + 1 if "name" in parts else int(parts["mo"])


def clock_ticks(parts: Mapping[str, str]) -> int:
    """Return the time of day in ticks. Raises `ValueError` for an invalid time."""
    hour, minute, second = int(parts.get("h", 0)), int(parts.get("mi", 0)), int(parts.get("s", 0))
    fraction = int(parts.get("f", "0").ljust(6, "0")[:6])
    if "half" in parts:
        half = int(parts["half"])
        if not 1 <= half <= 12:
            raise ValueError("the hour is not between 1 and 12")
        hour = half % 12 + (12 if parts["pm"][0] in "pP" else 0)
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second or fraction)):
        raise ValueError("this is not a time of day")
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction


@lru_cache(maxsize=256)
def time_pattern(text: str) -> TimePattern:
    """Read a pattern. Raises `TimePatternError`."""
    if not text.strip() or len(text) > MOST_CHARACTERS:
        raise TimePatternError(f"a pattern has 1 to {MOST_CHARACTERS} characters; write for example {EXAMPLES}")
    expression, groups, at, depth = [], [], 0, 0
    while at < len(text):
        if run := _RUN.match(text, at):
            group, piece = _piece(run[0], text)
            groups.append(group)
            end = run.end()
        elif text[at] == "'":
            piece, end = _literal(text, at)
        else:
            depth += {"[": 1, "]": -1}.get(text[at], 0)
            piece, end = _MARKS.get(text[at], re.escape(text[at])), at + 1
        if depth < 0:
            break
        expression.append(piece)
        at = end
    if depth:
        raise TimePatternError(f"the brackets in {text!r} are not balanced; write optional parts in [ ]")
    _check_groups(text, groups)
    return TimePattern(text, "".join(expression), frozenset(each for each in groups if each))


def _literal(text: str, at: int) -> tuple[str, int]:
    """Return the expression for the quoted text that starts at `at`, and its end."""
    end = text.find("'", at + 1)
    if end < 0:
        raise TimePatternError(f"the quotation mark in {text!r} is not closed; write for example 'T'")
    return re.escape(text[at + 1 : end] or "'"), end + 1


def _piece(run: str, text: str) -> tuple[str, str]:
    """Return the group of a run of letters, and its expression."""
    if run[0] == "S":
        return "f", "(?P<f>[0-9]{1,9})"
    if run[0] == "E":
        return "", "[A-Za-z]{2,9}"
    known = _LETTERS.get(run if run[0] not in "zXVO" else "X" if run[0] == "X" else "z")
    if known is None:
        raise TimePatternError(
            f"{run!r} in {text!r} is not a part of a pattern; the parts are {', '.join(_LETTERS)}, S and EEE, and text "
            "must be in quotation marks"
        )
    return known[0], f"(?P<{known[0]}>{known[1]})"


def _check_groups(text: str, groups: list[str]) -> None:
    named = [each for each in groups if each]
    if len(set(named)) != len(named):
        raise TimePatternError(f"{text!r} contains a part twice; write each part once")
    found = set(named)
    if not (found & {"y", "yy"} and found & {"mo", "name"} and "d" in found):
        raise TimePatternError(f"{text!r} lacks the year (yyyy), the month (MM) or the day (dd); write {EXAMPLES}")
    if (
        ("half" in found) != ("pm" in found)
        or {"h", "half"} <= found
        or {"y", "yy"} <= found
        or {"mo", "name"} <= found
    ):
        raise TimePatternError(f"{text!r} has h without a, a without h, or a part in two forms; write {EXAMPLES}")
