"""Result rows as lines of JSON, column by column where the types allow it.

Lines come in pieces of bytes, each of whole lines with their ends: what Polars wrote at once stays one piece.
"""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.types import Boolean, Double, Fields, Long, String
from streaming.engine.columns.flows import CLOSE, GONE, OPEN, TIMINGS, WHOLE
from streaming.spark.result_rows import result_rows
from streaming.temporal.ticks import INFINITY

Mask = npt.NDArray[np.bool_]
_PLAIN = (Boolean, Double, Long, String)
"""Types whose values are JSON as they are."""
_FEW = 200
"""So few rows are written faster one by one."""
_TO_JSON = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class IncompleteRows:
    """Which rows are incomplete: `whole` ones, in any column (None: none), and those that lack rows in `columns`."""

    whole: Mask | None
    lacking: Mask | None = None
    columns: tuple[str, ...] = ()

    def last(self, rows: int) -> "IncompleteRows":
        """Of the last `rows` alone."""
        whole, lacking = (None if each is None else each[len(each) - rows :] for each in (self.whole, self.lacking))
        return IncompleteRows(whole, lacking, self.columns)

    @property
    def all_alike(self) -> bool:
        """Whether every row is incomplete in any column."""
        return self.whole is not None and bool(self.whole.all())


def lines_and_newest(
    output: str, table: pa.Table, schema: Fields, newest: int, incomplete: IncompleteRows | None = None
) -> tuple[Iterable[bytes], list[dict[str, Any]]]:
    """The rows of `table` as `result_lines` has them, and the `newest` last ones as values."""
    if table.num_rows >= _FEW:
        marks = None if incomplete is None else incomplete.last(newest)
        values = marked(result_rows(output, table.slice(table.num_rows - newest), schema), marks)
        return result_lines(output, table, schema, incomplete), values
    rows = marked(result_rows(output, table, schema), incomplete)
    return [b"".join(map(_line, rows))], rows[-newest:]


def result_lines(
    output: str, table: pa.Table, schema: Fields, incomplete: IncompleteRows | None = None
) -> Iterable[bytes]:
    """One ResultRow as JSON for each row of `table`, which is that of an `OperatorOutput` of kind rows.

    Those that are `incomplete` say so.
    """
    some = incomplete is not None and not incomplete.all_alike
    if table.num_rows < _FEW or some or not _plain(table, schema):
        return map(_line, marked(result_rows(output, table, schema), incomplete))
    beside = len(table.column_names) - len(schema)
    places = [*table.column_names[:beside], *map(str, range(len(schema)))]
    payload = [pl.col(str(place)).alias(name) for place, name in enumerate(schema)]
    row = [
        pl.lit(output).alias("output"),
        pl.col("@start").alias("start"),
        _finite_at("@end").alias("end"),
        (pl.struct(payload) if payload else pl.lit({}, dtype=pl.Struct([]))).alias("payload"),
        *_not_final(table),
        *([] if incomplete is None else [pl.lit(True).alias("incomplete")]),
    ]
    return _lines(_frame(table.rename_columns(places)).select(row))


def marked(rows: list[dict[str, Any]], incomplete: IncompleteRows | None) -> list[dict[str, Any]]:
    """`rows`, those that are `incomplete` with the mark, and with the columns where it is of some alone."""
    if incomplete is None:
        return rows
    none = [False] * len(rows)
    whole = none if incomplete.whole is None else incomplete.whole.tolist()
    lacking = none if incomplete.lacking is None else incomplete.lacking.tolist()
    of_columns = {"incomplete": True, "incomplete_columns": list(incomplete.columns)}
    return [
        {**row, "incomplete": True} if all_of_it else {**row, **of_columns} if some else row
        for row, all_of_it, some in zip(rows, whole, lacking, strict=True)
    ]


def _line(row: dict[str, Any]) -> bytes:
    return f"{_TO_JSON(row)}\n".encode()


def _plain(table: pa.Table, schema: Fields) -> bool:
    """Whether Polars writes the rows as they are."""
    simple = all(isinstance(of, _PLAIN) for of in schema.values())
    return simple and _all_or_none_with_key(table) and _finite(table)


def _not_final(table: pa.Table) -> Iterator[pl.Expr]:
    """What is said beside the payload where another row may come after one, as `result_rows` says it."""
    if "@id" not in table.column_names:
        return
    flag = pl.col("@flag") if "@flag" in table.column_names else pl.lit(WHOLE)
    yield pl.col("@id").alias("key")
    yield pl.when(flag == OPEN).then(pl.lit("start")).when(flag == CLOSE).then(pl.lit("end")).alias("edge")
    vanished = (flag == CLOSE) & (pl.col("@end") <= pl.col("@start"))
    yield ((flag == GONE) | vanished).alias("deleted")
    if "@pane_start" in table.column_names:
        timing = pl.col("@pane_timing").replace_strict(dict(enumerate(TIMINGS)), return_dtype=pl.String)
        pane = pl.struct(
            pl.col("@pane_start").alias("start"),
            _finite_at("@pane_end").alias("end"),
            timing.alias("timing"),
            pl.col("@pane_index").alias("index"),
            pl.col("@pane_is_last").alias("is_last"),
        )
        yield pl.when(pl.col("@pane_index") >= 0).then(pane).alias("pane")


def table_lines(table: pa.Table) -> Iterable[bytes]:
    """Each row of a table of integers and texts as a JSON object."""
    return _lines(_frame(table))


def _finite_at(name: str) -> pl.Expr:
    return pl.when(pl.col(name) < INFINITY).then(pl.col(name))


def _all_or_none_with_key(table: pa.Table) -> bool:
    return "@id" not in table.column_names or table.column("@id").null_count == 0


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)  # nosec B101 # tells the type checker what is so; nothing depends on it
    return frame


def _lines(frame: pl.DataFrame) -> Iterable[bytes]:
    written = io.BytesIO()
    frame.write_ndjson(written)
    return [written.getvalue()]


def _finite(table: pa.Table) -> bool:
    """Whether no double of `table` is NaN or infinite, which Polars would write as null."""
    doubles = (column for column in table.columns if pa.types.is_floating(column.type))
    return all(pc.all(pc.is_finite(column), min_count=0).as_py() is not False for column in doubles)
