"""Result rows as lines of JSON, column by column where the types allow it."""

import json
from collections.abc import Iterable

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.types import Boolean, Double, Fields, Long, String
from streaming.spark.result_rows import result_rows
from streaming.temporal.ticks import INFINITY

_PLAIN = (Boolean, Double, Long, String)
"""Types whose values are JSON as they are."""
_FEW = 200
"""So few rows are written faster one by one."""


def result_lines(output: str, table: pa.Table, schema: Fields) -> Iterable[bytes]:
    """One ResultRow as JSON for each row of `table`, which is that of an `Output` of kind rows, without line ends."""
    plain = table.num_columns == len(schema) + 2 and all(isinstance(of, _PLAIN) for of in schema.values())
    if table.num_rows < _FEW or not plain or not _finite(table):
        return (json.dumps(row, ensure_ascii=False).encode() for row in result_rows(output, table, schema))
    frame = _frame(table.rename_columns([str(place) for place in range(table.num_columns)]))
    payload = [pl.col(str(place)).alias(name) for place, name in enumerate(schema, start=2)]
    row = pl.struct(
        pl.lit(output).alias("output"),
        pl.col("0").alias("start"),
        pl.when(pl.col("1") < INFINITY).then(pl.col("1")).alias("end"),
        (pl.struct(payload) if payload else pl.lit({}, dtype=pl.Struct([]))).alias("payload"),
    )
    return _encoded(frame, row)


def table_lines(table: pa.Table) -> Iterable[bytes]:
    """Each row of a table of integers and texts as a JSON object, without line ends."""
    return _encoded(_frame(table), pl.struct(pl.all()))


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)  # nosec B101 # tells the type checker what is so; nothing depends on it
    return frame


def _encoded(frame: pl.DataFrame, row: pl.Expr) -> Iterable[bytes]:
    lines: list[str] = frame.select(row.struct.json_encode()).to_series().to_list()
    return (line.encode() for line in lines)


def _finite(table: pa.Table) -> bool:
    """Whether no double of `table` is NaN or infinite, which Polars would write as null."""
    doubles = (column for column in table.columns if pa.types.is_floating(column.type))
    return all(pc.all(pc.is_finite(column), min_count=0).as_py() is not False for column in doubles)
