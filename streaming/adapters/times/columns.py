"""Reads time columns as ticks: numbers in a unit, ISO 8601 text in a zone, or text by a pattern (T1, T17).

Each rule exists twice, for one value and for a column; they agree on every value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.times.patterns import pattern_ticks, serial_tick, serial_ticks
from streaming.definition.streams.stream import TimeColumn, TimeUnit
from streaming.definition.streams.time_patterns import time_pattern
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, TimeTextError, parse_instant
from streaming.wire.rows.arrived import Int64s

Bools = npt.NDArray[np.bool_]
Unit = TimeUnit | Literal["auto"]

_TICKS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1, "auto": 1}
_LARGEST: Final = LAST_TICK + 1


@dataclass(frozen=True)
class TimeSource:
    """A column of times, or of days with a `time_column`. `auto`: whole numbers are ticks, text is ISO 8601."""

    column: str
    unit: Unit
    zone: str = "UTC"
    pattern: str = ""
    time_column: str | None = None

    @staticmethod
    def of(column: TimeColumn) -> "TimeSource":
        """The source that a stream's definition names."""
        return TimeSource(column.column, column.unit, column.zone, column.pattern or "", column.time_column)

    @property
    def is_text(self) -> bool:
        """True if all values are text."""
        return self.unit in ("iso", "pattern")


class KnownTick(int):
    """Ticks of a moment that the data themselves declare: no unit or zone of a stream applies."""


@dataclass(frozen=True)
class Times:
    """Ticks by row, and marks for rows without a readable time within the years 1 to 9999 (one tick more for ends)."""

    ticks: Int64s
    bad: Bools


def read_time(value: Any, source: TimeSource) -> int | None:
    """The tick of one JSON value, None if it can't be read: text for `iso`, a number for the other units.

    A `KnownTick` is returned unchanged.
    """
    if isinstance(value, KnownTick):
        return int(value) if FIRST_TICK <= value <= _LARGEST else None
    if source.unit == "pattern":
        return _patterned(value, source)
    if isinstance(value, str):
        return _iso(value, source.zone) if source.unit in ("iso", "auto") else None
    if isinstance(value, bool) or not isinstance(value, int | float) or source.unit == "iso":
        return None
    return serial_tick(value, source.zone) if source.unit == "excel" else _number(value, source.unit)


def joined_text(day: Any, clock: Any) -> str | None:
    """Join the day and the time of day of a time in two columns; None if one of them is missing."""
    if isinstance(day, bool | float | dict | list) or isinstance(clock, bool | float | dict | list):
        return None
    return None if day is None or clock is None else f"{str(day).strip()} {str(clock).strip()}"


def joined_cells(days: pa.Array, clocks: pa.Array) -> pa.Array:
    """As `joined_text`, for two columns of cells."""
    parts = [pc.utf8_trim_whitespace(each.cast(pa.string())) for each in (days, clocks)]
    return pc.binary_join_element_wise(*parts, " ")


def _patterned(value: Any, source: TimeSource) -> int | None:
    """Read a value by the pattern; numbers are read as the digits that they are written with: 20240305."""
    if not source.pattern or isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return time_pattern(source.pattern).read(str(value), source.zone)


def _number(value: float, unit: Unit) -> int | None:
    if isinstance(value, int):
        ticks = value // 1_000 if unit == "ns" else value * _TICKS[unit]
    elif unit == "auto" or not abs(value) < 2**63:
        return None
    else:
        scaled = value / 1_000 if unit == "ns" else value * _TICKS[unit]
        ticks = round(scaled)
    return ticks if FIRST_TICK <= ticks <= _LARGEST else None


def _iso(text: str, zone: str) -> int | None:
    try:
        return parse_instant(text, zone)
    except TimeTextError:
        return None


def read_times(column: pa.Array, source: TimeSource) -> Times:
    """The ticks of a column of integers, floats, text or Arrow timestamps; null is bad."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _from_timestamps(column, source.zone)
    if source.unit == "pattern":
        return _by_pattern(column, source)
    if source.unit == "excel":
        return _from_serials(column, source.zone)
    if pa.types.is_integer(kind):
        return from_integers(column, source.unit)
    if pa.types.is_floating(kind):
        return from_floats(column, source.unit)
    return from_text(column, source.zone)


def read_cells(cells: pa.Array, source: TimeSource) -> Times:
    """The ticks of a column of CSV cells: numbers are read by the unit, everything else as ISO 8601."""
    if source.unit == "iso":
        return from_text(cells, source.zone)
    if source.unit == "pattern":
        return _by_pattern(cells, source)
    stripped = pl.Series(pl.from_arrow(cells)).str.strip_chars(" \t")
    if source.unit == "excel":
        return _from_serials(stripped.cast(pl.Float64, strict=False).to_arrow(), source.zone)
    whole = stripped.cast(pl.Int64, strict=False)
    times = from_integers(whole.to_arrow(), source.unit)
    rest = (whole.is_null() & stripped.is_not_null()).to_numpy()
    if not rest.any():
        return times
    if source.unit == "auto":
        return _patched(times, rest, from_text(cells.filter(pa.array(rest)), source.zone))
    decimals = stripped.filter(pl.Series(rest)).cast(pl.Float64, strict=False)
    return _patched(times, rest, from_floats(decimals.to_arrow(), source.unit))


def _by_pattern(column: pa.Array, source: TimeSource) -> Times:
    if pa.types.is_floating(column.type) or pa.types.is_boolean(column.type):
        return Times(np.zeros(len(column), dtype=np.int64), np.ones(len(column), dtype=np.bool_))
    return Times(*pattern_ticks(column.cast(pa.string()), time_pattern(source.pattern), source.zone))


def _from_serials(column: pa.Array, zone: str) -> Times:
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return Times(np.zeros(len(column), dtype=np.int64), np.ones(len(column), dtype=np.bool_))
    return Times(*serial_ticks(_filled(column, pa.float64()), _nulls(column), zone))


def _patched(times: Times, rows: Bools, other: Times) -> Times:
    ticks, bad = times.ticks.copy(), times.bad.copy()
    ticks[rows], bad[rows] = other.ticks, other.bad
    return Times(ticks, bad)


def from_integers(column: pa.Array, unit: Unit) -> Times:
    """Integers in `unit`; a fraction of a tick (ns) is rounded down."""
    if pa.types.is_uint64(column.type):
        column = pl.Series(pl.from_arrow(column)).cast(pl.Int64, strict=False).to_arrow()
    bad = _nulls(column)
    values = _filled(column, pa.int64())
    if unit == "ns":
        return _checked(values // 1_000, bad)
    ticks_each = _TICKS[unit]
    bad |= (values > _LARGEST // ticks_each) | (values < -(-FIRST_TICK // ticks_each))
    return _checked(np.where(bad, 0, values) * ticks_each, bad)


def from_floats(column: pa.Array, unit: Unit) -> Times:
    """Floats in `unit`, rounded to the nearest tick, half to even."""
    bad = _nulls(column)
    values = _filled(column, pa.float64())
    bad |= ~(np.abs(values) < 2.0**63)
    values = np.where(bad, 0.0, values)
    scaled = values / 1_000 if unit == "ns" else values * _TICKS.get(unit, 1)
    bad |= np.abs(scaled) > 2.0**60
    return _checked(np.rint(np.where(bad, 0.0, scaled)).astype(np.int64), bad)


def from_text(column: pa.Array, zone: str) -> Times:
    """ISO 8601 text; without an offset it is in `zone` (an ambiguous local time is the earlier one)."""
    return text_ticks(column, zone, lambda text: _iso(text, zone))


def text_ticks(column: pa.Array, zone: str, read: Callable[[str], int | None]) -> Times:
    """As `from_text`; `read` decides about texts that the fast path can't read."""
    for convert in (_with_offset, _local):
        try:
            ticks = convert(column, zone)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
        return _checked(_filled(ticks, pa.int64()), _nulls(column))
    return _one_by_one(column, read)


def _with_offset(column: pa.Array, _: str) -> pa.Array:
    return column.cast(pa.timestamp("us", "UTC")).cast(pa.int64())


def _local(column: pa.Array, zone: str) -> pa.Array:
    moments = column.cast(pa.timestamp("us"))
    if zone != "UTC":
        moments = pc.assume_timezone(moments, zone, ambiguous="earliest", nonexistent="raise")
    return moments.cast(pa.int64())


def _one_by_one(column: pa.Array, read: Callable[[str], int | None]) -> Times:
    encoded = column.dictionary_encode()
    known = [read(text) for text in encoded.dictionary.to_pylist()]
    values = np.array([0 if tick is None else tick for tick in known] + [0], dtype=np.int64)
    unreadable = np.array([tick is None for tick in known] + [True], dtype=np.bool_)
    places = _filled(encoded.indices, pa.int64(), len(known))
    return _checked(values[places], unreadable[places])


def _from_timestamps(column: pa.Array, zone: str) -> Times:
    if pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("ms"))
    if column.type.tz is None and zone != "UTC":
        column = pc.assume_timezone(column, zone, ambiguous="earliest", nonexistent="earliest")
    unit: Unit = column.type.unit
    return from_integers(column.cast(pa.int64()), unit)


def _checked(ticks: Int64s, bad: Bools) -> Times:
    return Times(ticks, bad | (ticks < FIRST_TICK) | (ticks > _LARGEST))


def _nulls(column: pa.Array) -> Bools:
    if column.null_count == 0:
        return np.zeros(len(column), dtype=np.bool_)
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)


def _filled(column: pa.Array, kind: pa.DataType, null: int = 0) -> npt.NDArray[Any]:
    column = column.cast(kind)
    if column.null_count:
        column = column.fill_null(null)
    return np.asarray(column.to_numpy(zero_copy_only=False))
