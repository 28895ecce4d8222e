"""Converts columns of times that follow a pattern, or are serial numbers of spreadsheets, to ticks.

Each rule equals the rule for a single value (`streaming/definition/time_patterns`), applied to a whole column.
"""

from datetime import datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.streams.time_patterns import MONTHS, TimePattern
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, named_zone, parse_instant, tick_of, zone_of
from streaming.wire.rows.arrived import Int64s

Bools = npt.NDArray[np.bool_]
SERIALS: Final = (61.0, 2_958_466.0)
"""The days that can be read: from 1 March 1900 (spreadsheets count a nonexistent day before it) to the year 9999."""
_FIRST_SERIAL: Final = -2_209_161_600_000_000
"""1899-12-30 in ticks."""
_MS_A_DAY: Final = 86_400_000
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 # a local time, whose zone is added
_KNOWN_RULES: Final = (parse_instant("1902-01-01T00:00Z"), parse_instant("2037-01-01T00:00Z"))
"""In this interval Arrow and Python have the same time zone rules."""
_NUMBERS: Final = ("y", "yy", "mo", "d", "h", "half", "mi", "s")


def serial_tick(days: float, zone: str) -> int | None:
    """Return the tick of a serial in the local time of `zone`, rounded to 1 ms; None outside `SERIALS`."""
    if not SERIALS[0] <= days < SERIALS[1]:
        return None
    return _in_zone(_FIRST_SERIAL + round(days * _MS_A_DAY) * 1_000, zone)


def _in_zone(local: int, zone: str) -> int | None:
    if zone == "UTC" or not FIRST_TICK <= local <= LAST_TICK:
        return local
    try:
        return tick_of((_EPOCH + timedelta(microseconds=local)).replace(tzinfo=named_zone(zone)))
    except (ValueError, OverflowError):
        return None


def serial_ticks(days: "npt.NDArray[np.float64]", bad: Bools, zone: str) -> tuple[Int64s, Bools]:
    """As `serial_tick`, for a column."""
    bad = bad | ~((days >= SERIALS[0]) & (days < SERIALS[1]))
    local = _FIRST_SERIAL + np.rint(np.where(bad, 0.0, days) * _MS_A_DAY).astype(np.int64) * 1_000
    return _localized(local, bad, zone)


def pattern_ticks(texts: pa.Array, pattern: TimePattern, zone: str) -> tuple[Int64s, Bools]:
    """Return the ticks of texts that match `pattern`, and mark those that do not; null does not match."""
    text = pl.Series("text", pl.from_arrow(texts)).str.strip_chars(" \t")
    frame = text.str.extract_groups(f"^(?:{pattern.expression})$").struct.unnest()
    parts = {name: frame[name] for name in frame.columns}
    unread = np.asarray(parts["d"].is_null().to_numpy(), dtype=np.bool_)
    numbers: dict[str, Int64s] = {name: _number(parts[name]) for name in _NUMBERS if name in parts}
    if "name" in parts:
        months = parts["name"].str.slice(0, 3).str.to_lowercase()
        numbers["mo"] = _filled(months.replace_strict(list(MONTHS), list(range(1, 13)), default=None))
    days, no_day = _days(numbers)
    clock, no_clock = _clock(numbers, parts)
    bad = unread | no_day | no_clock
    local = np.where(bad, 0, days * _MS_A_DAY * 1_000 + clock)
    if "zone" not in parts:
        return _localized(local, bad, zone)
    return _in_written_zones(local, bad, parts["zone"], zone)


def _number(series: pl.Series) -> Int64s:
    return _filled(series.cast(pl.Int64, strict=False))


def _filled(series: pl.Series) -> Int64s:
    return np.asarray(series.cast(pl.Int64).fill_null(0).to_numpy(), dtype=np.int64)


def _days(numbers: dict[str, Int64s]) -> tuple[Int64s, Bools]:
    """Days since 1970, and marks for invalid days."""
    month, day = numbers["mo"], numbers["d"]
    short = numbers.get("yy")
    year = numbers["y"] if short is None else short + np.where(short >= 69, 1900, 2000)
    bad = (year < 1) | (month < 1) | (month > 12) | (day < 1)
    months = np.where(bad, 0, (year - 1970) * 12 + month - 1)
    first = months.astype("datetime64[M]")
    length = ((first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")).astype(np.int64)
    return first.astype("datetime64[D]").astype(np.int64) + day - 1, bad | (day > length)


def _clock(numbers: dict[str, Int64s], parts: dict[str, pl.Series]) -> tuple[Int64s, Bools]:
    """The time of the day in ticks, and marks for invalid times."""
    none = np.zeros(len(numbers["d"]), dtype=np.int64)
    hour, minute, second = (numbers.get(name, none) for name in ("h", "mi", "s"))
    fraction = _number(parts["f"].str.pad_end(6, "0").str.slice(0, 6)) if "f" in parts else none
    bad = np.zeros(len(none), dtype=np.bool_)
    if "half" in numbers:
        half = numbers["half"]
        bad = (half < 1) | (half > 12)
        after = np.asarray(parts["pm"].str.to_lowercase().str.starts_with("p").fill_null(False).to_numpy())
        hour = half % 12 + np.where(after, 12, 0)
        missing = parts["half"].is_null().to_numpy()
        hour, bad = np.where(missing, 0, hour), bad & ~missing
    bad = bad | (hour > 24) | (minute > 59) | (second > 60)
    bad = bad | ((hour == 24) & ((minute > 0) | (second > 0) | (fraction > 0)))
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction, bad


def _localized(local: Int64s, bad: Bools, zone: str) -> tuple[Int64s, Bools]:
    """Ticks of local times in `zone`; the earlier one if ambiguous, the clock before the change if skipped."""
    bad = bad | (local < FIRST_TICK) | (local > LAST_TICK + 1)
    if zone == "UTC" or bad.all():
        return np.where(bad, 0, local), bad
    known_rules = (local >= _KNOWN_RULES[0]) & (local < _KNOWN_RULES[1])
    if not (known_rules | bad).all():
        return _one_by_one(local, bad, zone)
    try:
        moments = pa.array(np.where(bad, 0, local)).cast(pa.timestamp("us"))
        known = pc.assume_timezone(moments, zone, ambiguous="earliest", nonexistent="raise")
        return np.asarray(known.cast(pa.int64()).to_numpy(), dtype=np.int64), bad
    except pa.ArrowInvalid:
        return _one_by_one(local, bad, zone)


def _one_by_one(local: Int64s, bad: Bools, zone: str) -> tuple[Int64s, Bools]:
    ticks = [None if wrong else _in_zone(at, zone) for at, wrong in zip(local.tolist(), bad.tolist(), strict=True)]
    unread = np.array([each is None for each in ticks], dtype=np.bool_)
    return np.array([each or 0 for each in ticks], dtype=np.int64), unread


def _in_written_zones(local: Int64s, bad: Bools, written: pl.Series, zone: str) -> tuple[Int64s, Bools]:
    """Ticks of local times, each in the zone written after it, otherwise in `zone`."""
    ticks, found = np.zeros_like(local), bad.copy()
    for name in written.unique().to_list():
        rows = np.asarray((written.is_null() if name is None else written.eq_missing(name)).to_numpy(), dtype=np.bool_)
        rows &= ~bad
        if not rows.any():
            continue
        if name is None:
            ticks[rows], found[rows] = _localized(local[rows], bad[rows], zone)
            continue
        try:
            offset = zone_of(name).utcoffset(None)
        except ValueError:
            found[rows] = True
            continue
        if offset is None:
            ticks[rows], found[rows] = _localized(local[rows], bad[rows], name)
        else:
            ticks[rows] = local[rows] - round(offset.total_seconds()) * 1_000_000
    return ticks, found | (ticks < FIRST_TICK) | (ticks > LAST_TICK + 1)
