"""Values of Arrow columns in JSON: whole rows for quarantine, records for a sample.

Moments, times of day and decimals are text; binary values are base64; a map is a list of its entries. If two columns or
fields have the same name, the second is called `name (2)`.
"""

import base64
import json
from typing import Any, Final

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.arrow.values import distinct, mapped
from streaming.adapters.times.columns import TimeSource, read_times

_OUT_OF_RANGE: Final = "<valueToutTofTrange"
"""The text that PyArrow writes for a year it can't format, with T for each space."""


def whole_rows(rows: pa.RecordBatch) -> list[str]:
    """Each row as a JSON object of all its columns, for the quarantine of rows that have no text of their own.

    The text of a row depends on that row alone. NaN and infinity, which JSON lacks, are written as Python writes them.
    """
    if not rows.num_columns:
        return ["{}"] * rows.num_rows
    names = distinct(rows.schema.names)
    named = pa.table([json_column(column) for column in rows.columns], names=names)
    slow = _without_json(named)
    if len(slow) == rows.num_rows:
        return [_slowly(named, row) for row in slow]
    frame = pl.from_arrow(named)
    assert isinstance(frame, pl.DataFrame)  # nosec B101 # only narrows the type for the type checker
    texts: list[str] = frame.select(pl.struct(pl.all()).struct.json_encode()).to_series().to_list()
    for row in slow:
        texts[row] = _slowly(named, row)
    return texts


def _slowly(named: pa.Table, row: int) -> str:
    return json.dumps(named.slice(row, 1).to_pylist()[0], ensure_ascii=False)


def _without_json(named: pa.Table) -> list[int]:
    """Return the rows with a value that Polars would write as null, and every row if a column is nested."""
    found = pa.array([False] * named.num_rows)
    for column in named.columns:
        if pa.types.is_nested(column.type):
            return list(range(named.num_rows))
        if pa.types.is_floating(column.type):
            found = pc.or_(found, pc.invert(pc.is_finite(column)).combine_chunks().fill_null(False))
    rows: list[int] = pc.indices_nonzero(found).to_pylist()
    return rows


def json_column(column: pa.Array) -> pa.Array:
    """Convert the column to values that JSON can hold, at every depth; floats may still be NaN or infinity."""
    return mapped(column, _json_values)


def _json_values(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _moments(column)
    if pa.types.is_floating(kind):
        return column.cast(pa.float64()) if pa.types.is_float16(kind) else column
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_null(kind):
        return column
    if pa.types.is_decimal(kind) or pa.types.is_time(kind):
        return column.cast(pa.string())
    if pa.types.is_duration(kind):
        counts = column.cast(pa.int64()).to_pylist()
        return pa.array([None if count is None else f"{count} {kind.unit}" for count in counts], pa.string())
    return pa.array([_text(value) for value in column.to_pylist()], pa.string())


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return None if value is None else str(value)


def _moments(column: pa.Array) -> pa.Array:
    """ISO 8601 text, in UTC where the column has a zone; the number for years that PyArrow can't format."""
    kind = column.type
    if pa.types.is_date(kind):
        counts, unit, zone = column.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64()), "days", ""
        texts = column.cast(pa.string())
    else:
        counts, unit, zone = column.cast(pa.int64()), kind.unit, "Z" if kind.tz is not None else ""
        texts = counts.cast(pa.timestamp(kind.unit)).cast(pa.string())
    texts = pc.binary_join_element_wise(pc.replace_substring(texts, " ", "T"), zone, "")
    odd = pc.starts_with(texts, _OUT_OF_RANGE).fill_null(False)
    if not pc.any(odd).as_py():
        return texts
    numbers = [f"{count} {unit} since 1970" for count in counts.filter(odd).to_pylist()]
    return pc.replace_with_mask(texts, odd, pa.array(numbers, pa.string()))


def record_values(column: pa.Array) -> list[Any]:
    """The values for records of a sample: as in `json_column`, with moments in whole microseconds."""
    return list(mapped(column, _record_values).to_pylist())


def _record_values(column: pa.Array) -> pa.Array:
    kind = column.type
    if not (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        return _json_values(column)
    times = read_times(column, TimeSource("", "us"))
    zone = kind.tz if pa.types.is_timestamp(kind) else None
    texts = _moments(pa.array(times.ticks, mask=times.bad).cast(pa.timestamp("us", zone)))
    return texts if times.bad.sum() == column.null_count else pc.coalesce(texts, _moments(column))
