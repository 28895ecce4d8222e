"""Whole rows of a table as text: what quarantine keeps of a row that had no text of its own."""

import json

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc


def whole_rows(rows: pa.Table) -> list[str]:
    """Each row as a JSON object of all its columns; times as text.

    The text of a row depends on that row alone. NaN and infinity, which JSON lacks, stand as Python writes them.
    """
    columns = [_as_text(column) for column in rows.columns]
    named = pa.table(columns, names=rows.column_names)
    frame = pl.from_arrow(named)
    assert isinstance(frame, pl.DataFrame)  # nosec B101 # tells the type checker what is so; nothing depends on it
    texts: list[str] = frame.select(pl.struct(pl.all()).struct.json_encode()).to_series().to_list()
    for row in _without_json(columns, rows.num_rows):
        texts[row] = json.dumps(named.slice(row, 1).to_pylist()[0], default=str, ensure_ascii=False)
    return texts


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.string())
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def _without_json(columns: list[pa.ChunkedArray], count: int) -> list[int]:
    """The rows with a value that Polars would write as null, or that is nested and might hold one."""
    found = pa.array([False] * count)
    for column in columns:
        if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
            return list(range(count))
        if pa.types.is_floating(column.type):
            found = pc.or_(found, pc.invert(pc.is_finite(column)).combine_chunks().fill_null(False))
    rows: list[int] = pc.indices_nonzero(found).to_pylist()
    return rows
