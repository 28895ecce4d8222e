"""The columns that could hold the time of the events, best first, each with the reason in words."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa

from streaming.adapters.number_marks import NumberMarks
from streaming.adapters.times.columns import Times, TimeSource, from_integers, joined_text, read_cells, read_times
from streaming.adapters.times.patterns import pattern_ticks
from streaming.definition.streams.stream import TimeColumn, TimeUnit
from streaming.definition.streams.time_columns import PLAUSIBLE, TIME_NAMES, plain_name, unit_of
from streaming.definition.streams.time_patterns import time_pattern
from streaming.inference.columns import SampledColumn
from streaming.inference.field_types import ENOUGH, is_unicode
from streaming.inference.text_times import CLOCK_TEXT, COMPACT_CLOCK, patterns_of
from streaming.wire.rows.arrived import Int64s

_ISO: Final = re.compile(r"\s*\d{4}-\d\d-\d\d(?:[T ]\d\d(?::?\d\d)?.*)?\s*", re.DOTALL)
_DAY: Final = re.compile(r"\s*\d{4}-\d\d-\d\d\s*")
_ZONED: Final = re.compile(r".*(?:[A-Za-z]|[+-]\d\d(?::?\d\d)?|\])\s*", re.DOTALL)
_COMPACT: Final = re.compile(r"\d{8}|\d{12}|\d{14}")
_SERIALS: Final = (20_000.0, 80_000.0)
"""Days of spreadsheets from 1954 to 2119."""
_SPEAKS_OF_TIME: Final = 0.2
_LOOKED_AT: Final = 200
_UNIT_WORDS: Final[dict[TimeUnit, str]] = {
    "s": "seconds since 1970",
    "ms": "milliseconds since 1970",
    "us": "microseconds since 1970",
    "ns": "nanoseconds since 1970",
    "iso": "text in ISO 8601",
    "excel": "days of a spreadsheet",
    "pattern": "text by a pattern",
}
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HAPPENED: Final = frozenset(
    {"start", "started", "begin", "began", "event", "occurred", "happened", "seen", "sent", "timestamp", "ts", "time"}
    | {"datetime", "date", "at", "from", "when", "moment", "measured", "observed", "departure"}
)
_ENDED: Final = frozenset(
    {"end", "ended", "until", "to", "stop", "stopped", "finish", "finished", "expires", "left", "closed"}
    | {"landed", "dropoff", "logout", "checkout"}
)
_CLOCKS: Final = frozenset({"time", "clock", "hhmm", "hhmmss", "zeit", "uhrzeit", "heure", "hora"})
_CAME: Final = frozenset(
    {
        "arrival",
        "arrived",
        "received",
        "receive",
        "ingest",
        "ingested",
        "publish",
        "published",
        "enqueued",
        "inserted",
        "loaded",
        "created",
        "updated",
        "modified",
    }
    | {"written", "stored", "processed"}
)
"""Words in names of times: for the time of an event, its end, or the writing of a row."""


@dataclass(frozen=True)
class TimeReading:
    """A column that reads as times: `ticks` of every record, `bad` for a record without a readable one.

    `score` ranks it, highest first; `reason` explains it in words. `asks`: the same texts also read as other times, and
    only a person knows the right ones.
    """

    column: TimeColumn
    ticks: Int64s
    bad: np.ndarray[tuple[int], np.dtype[np.bool_]]
    score: float
    reason: str
    asks: bool = False

    @property
    def readable(self) -> float:
        """Return the share of records with a time, from 0 to 1."""
        return 1 - float(self.bad.mean()) if len(self.bad) else 0.0


def time_columns(columns: Sequence[SampledColumn]) -> list[TimeReading]:
    """Return the columns that read as times, the most likely first; equal ones in their order."""
    found = [times for column in columns for times in _times(column)]
    found += list(_in_two_columns(columns, found))
    return sorted(found, key=lambda each: -each.score)


def _times(column: SampledColumn) -> list[TimeReading]:
    """Return the readings of a column as times: one, or two if day and month are ambiguous."""
    known = column.present_values
    looked_at = known[:_LOOKED_AT]
    if not known or any(isinstance(value, bool | list | dict) for value in looked_at):
        return []
    if _is_text(looked_at) and all(_ISO.fullmatch(value) for value in _most(looked_at, str)):
        iso = _of_text(column)
        if iso is not None:
            return [iso]
    if (numbers := _of_numbers(column)) is not None:
        return [numbers]
    return _of_patterns(column)


def _is_text(values: Sequence[object]) -> bool:
    return sum(isinstance(value, str) for value in values) >= ENOUGH * len(values)


def _most(values: Sequence[object], of: type) -> list[str]:
    """Return the texts, without the few with another form."""
    texts = [value for value in values if isinstance(value, of) and isinstance(value, str)]
    iso = [value for value in texts if _ISO.fullmatch(value)]
    return iso if texts and len(iso) >= ENOUGH * len(texts) else texts


def _of_text(column: SampledColumn) -> TimeReading | None:
    texts = [value if isinstance(value, str) and is_unicode(value) else None for value in column.values]
    times = read_cells(pa.array(texts, pa.string()), TimeSource("", "iso"))
    known = [text for text in texts[:_LOOKED_AT] if text is not None]
    days = all(_DAY.fullmatch(text) for text in known)
    zoned = sum(_ZONED.fullmatch(text) is not None and not _DAY.fullmatch(text) for text in known)
    zone = "with a zone" if zoned == len(known) else "without a zone, so read as UTC"
    words = (
        f"{_UNIT_WORDS['iso']}, {zone}" if zoned in (0, len(known)) else "text in ISO 8601, some of it without a zone"
    )
    if days:
        words = "days without a time of day"
    return _judged(column, ("iso", None), times, words, penalty=0.6 if days else 0.0)


def _of_patterns(column: SampledColumn) -> list[TimeReading]:
    """Return readings by the best patterns; two equally good but different ones are both returned, with `asks`."""
    written = [
        str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None for value in column.values
    ]
    written = [text if text is None or is_unicode(text) else None for text in written]
    known = [text for text in written if text is not None]
    if not known or (not isinstance(column.present_values[0], str) and not all(map(_COMPACT.fullmatch, known))):
        return []
    found: list[TimeReading] = []
    for pattern in patterns_of(known):
        times = Times(*pattern_ticks(pa.array(written, pa.string()), time_pattern(pattern), "UTC"))
        if (
            judged := _judged(column, ("pattern", pattern), times, _pattern_words(pattern), _day_penalty(pattern))
        ) is None:
            continue
        good = times.ticks[~times.bad]
        if ((good >= PLAUSIBLE[0]) & (good < PLAUSIBLE[1])).mean() >= ENOUGH:
            found.append(judged)
    most = max((each.readable for each in found), default=0.0)
    best = [each for each in found if each.readable == most]
    if len(best) < 2 or bool((best[0].ticks == best[1].ticks).all()):
        return best[:1]
    return [replace(each, asks=True) for each in best]


def _day_penalty(pattern: str) -> float:
    return 0.0 if re.search("[Hh]", pattern) else 0.6


def _pattern_words(pattern: str) -> str:
    zone = "with a zone" if re.search("[zX]", pattern) else "without a zone, so read as UTC"
    return f"text written as {pattern}, {zone}"


def _in_two_columns(columns: Sequence[SampledColumn], found: Sequence[TimeReading]) -> Iterator[TimeReading]:
    """Yield days in one column with the time of the day in another, which is adjacent or has a similar name."""
    clocks = [column for column in columns if _is_clock(column)]
    days = {each.column.column for each in found if _is_day(each.column, columns)}
    for day in (column for column in columns if column.path in days):
        clock = min(clocks, key=lambda each: _apart(columns, day, each), default=None)
        if clock is None:
            continue
        values = [joined_text(*each) for each in zip(day.values, clock.values, strict=True)]
        for times in _times(SampledColumn(day.path, values, texts=True)):
            words = f"the days of {day.path!r} with the times of {clock.path!r}; {times.reason}"
            column = times.column.model_copy(update={"time_column": clock.path})
            yield replace(times, column=column, score=times.score + 0.5, reason=words)


def _apart(columns: Sequence[SampledColumn], day: SampledColumn, clock: SampledColumn) -> tuple[bool, int]:
    alike = plain_name(day.path).replace("date", "") == plain_name(clock.path).replace("time", "")
    return not alike, abs(columns.index(clock) - columns.index(day))


def _is_clock(column: SampledColumn) -> bool:
    known = column.present_values[:_LOOKED_AT]
    forms = (CLOCK_TEXT, COMPACT_CLOCK) if words_of(column.path) & _CLOCKS else (CLOCK_TEXT,)
    fits = [value for value in known if isinstance(value, str) and any(each.fullmatch(value.strip()) for each in forms)]
    return bool(known) and len(fits) >= ENOUGH * len(known)


def _is_day(column: TimeColumn, columns: Sequence[SampledColumn]) -> bool:
    if column.unit == "pattern":
        return not re.search("[Hh]", column.pattern or "")
    values = next((each.present_values[:_LOOKED_AT] for each in columns if each.path == column.column), [])
    return column.unit == "iso" and all(isinstance(value, str) and _DAY.fullmatch(value) for value in values)


def _of_numbers(column: SampledColumn) -> TimeReading | None:
    numbers = _numbers(column)
    if numbers is None or numbers.null_count == len(numbers):
        return None
    sizes = np.abs(numbers.cast(pa.float64(), safe=False).drop_null().to_numpy())
    usual = float(np.nanmedian(sizes))
    unit = unit_of(usual)
    if _SERIALS[0] <= usual < _SERIALS[1] and _by_name(column.path)[0] >= _SPEAKS_OF_TIME:
        times = read_times(numbers, TimeSource("", "excel"))
        return _judged(column, ("excel", None), times, "days of a spreadsheet, read as UTC", penalty=0.3)
    times = (
        from_integers(numbers, unit) if pa.types.is_integer(numbers.type) else read_times(numbers, TimeSource("", unit))
    )
    good = times.ticks[~times.bad]
    inside = (good >= PLAUSIBLE[0]) & (good < PLAUSIBLE[1])
    if not len(good) or inside.mean() < ENOUGH:
        return None
    return _judged(column, (unit, None), times, _UNIT_WORDS[unit], penalty=0.2)


def _numbers(column: SampledColumn) -> pa.Array | None:
    """Return the column as whole numbers, otherwise as floats; None if too few values are numbers."""
    if column.texts:
        cells = pa.array(column.values, pa.string())
        found = _cast(cells, column.marks)
    else:
        values = [value if isinstance(value, int | float) else None for value in column.values]
        whole = all(isinstance(value, int) and abs(value) < 2**63 for value in values if value is not None)
        found = pa.array(values if whole else [None if value is None else _float(value) for value in values])
    if pa.types.is_null(found.type):
        return None
    missing = found.null_count - sum(value is None for value in column.values)
    return found if missing <= (1 - ENOUGH) * len(found) else None


def _float(value: float) -> float:
    """Return the number as a float; infinity for a whole number outside all floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _cast(cells: pa.Array, marks: NumberMarks) -> pa.Array:
    text = marks.plainly(pl.Series(pl.from_arrow(cells)).str.strip_chars(" \t"))
    whole = text.cast(pl.Int64, strict=False)
    return (whole if whole.null_count() == text.null_count() else text.cast(pl.Float64, strict=False)).to_arrow()


def _judged(
    column: SampledColumn, written: tuple[TimeUnit, str | None], times: Times, words: str, penalty: float
) -> TimeReading | None:
    present = np.array([value is not None for value in column.values], dtype=np.bool_)
    good = times.ticks[~times.bad]
    if not len(good) or (times.bad & present).sum() > (1 - ENOUGH) * present.sum():
        return None
    filled, ordered = 1 - float(times.bad.mean()), _in_order(good)
    named, name_words = _by_name(column.path)
    moves = bool((good != good[0]).any())
    plausible = float(((good >= PLAUSIBLE[0]) & (good < PLAUSIBLE[1])).mean())
    score = named + 2 * filled + ordered + plausible - penalty - (0 if moves else 2) - 0.3 * column.path.count(".")
    reason = f"{words}; {name_words}{_filled_words(filled)}{_order_words(ordered, moves)}"
    found = TimeColumn(column=column.path, unit=written[0], pattern=written[1])
    return TimeReading(found, times.ticks, times.bad, score, reason)


def _in_order(ticks: Int64s) -> float:
    """Return the share of neighbours that do not go back in time, from 0 to 1."""
    return float((np.diff(ticks) >= 0).mean()) if len(ticks) > 1 else 1.0


def _by_name(path: str) -> tuple[float, str]:
    words = words_of(path)
    name = plain_name(path.rpartition(".")[2])
    if words & _CAME or name in map(plain_name, TIME_NAMES["arrival"]):
        return 0.3, "its name says when a row was written or received"
    if words & _ENDED:
        return 0.2, "its name says when something ended"
    known = [plain_name(each) for each in TIME_NAMES["start"]]
    if name in known:
        return 2.0 - known.index(name) / 100, "its name is a usual name of a time"
    if words & _HAPPENED:
        return 1.7, "its name suggests a time"
    return 0.0, "its name does not suggest a time"


def _filled_words(filled: float) -> str:
    return "; every row has one" if filled == 1 else f"; {filled:.1%} of the rows have one that can be read"


def _order_words(ordered: float, moves: bool) -> str:
    if not moves:
        return "; it is always the same, so it defines no order"
    if ordered == 1:
        return "; the rows are in its order"
    return f"; {1 - ordered:.1%} of the rows go back in time" if ordered > 0.7 else "; the rows are in another order"


def is_end_name(path: str) -> bool:
    """Return true if a column has the name of an end."""
    return bool(words_of(path) & _ENDED)


def is_time_name(path: str) -> bool:
    """Return true if a column has the name of a time."""
    return _by_name(path)[0] >= _SPEAKS_OF_TIME


def words_of(path: str) -> frozenset[str]:
    """Return the words of the last name of a path, in lower case."""
    return frozenset(word.lower() for word in _WORDS.findall(path.rpartition(".")[2]))
