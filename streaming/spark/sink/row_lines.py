"""Result rows as lines of JSON, column by column where the types allow it.

Lines come in pieces of bytes that end with whole lines; the output of one Polars call stays one piece.
"""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.payload.types import Boolean, Double, Fields, Long, String
from streaming.engine.columns.flows import CLOSE, GONE, OPEN, TIMINGS, WHOLE
from streaming.spark.sink.result_rows import result_rows
from streaming.temporal.ticks import INFINITY

Mask = npt.NDArray[np.bool_]
_PLAIN = (Boolean, Double, Long, String)
"""Types whose values need no conversion to JSON."""
_FEW = 200
"""Fewer rows than this are written faster one by one."""
_TO_JSON = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class IncompleteRows:
    """Masks of incomplete rows: `whole` in any column (None: no row), `lacking` those that lack rows in `columns`."""

    whole: Mask | None
    lacking: Mask | None = None
    columns: tuple[str, ...] = ()

    def last(self, rows: int) -> "IncompleteRows":
        """Return the masks for the last `rows` only."""
        whole, lacking = (None if each is None else each[len(each) - rows :] for each in (self.whole, self.lacking))
        return IncompleteRows(whole, lacking, self.columns)

    @property
    def all_alike(self) -> bool:
        """True if every row is incomplete in any column."""
        return self.whole is not None and bool(self.whole.all())


@dataclass(frozen=True)
class RowMarks:
    """The marks of the rows of a table: the incomplete ones (None: no row), and `historic` for all rows (T57)."""

    incomplete: IncompleteRows | None = None
    historic: str | None = None

    def last(self, rows: int) -> "RowMarks":
        """Return the marks of the last `rows` only."""
        return self if self.incomplete is None else replace(self, incomplete=self.incomplete.last(rows))


UNMARKED: Final = RowMarks()


def lines_and_newest(
    output: str, table: pa.Table, schema: Fields, newest: int, marks: RowMarks = UNMARKED
) -> tuple[Iterable[bytes], list[dict[str, Any]]]:
    """Return the rows of `table` as from `result_lines`, and the `newest` last ones as values."""
    if table.num_rows >= _FEW:
        values = mark_rows(result_rows(output, table.slice(table.num_rows - newest), schema), marks.last(newest))
        return result_lines(output, table, schema, marks), values
    rows = mark_rows(result_rows(output, table, schema), marks)
    return [b"".join(map(_line, rows))], rows[-newest:]


def result_lines(output: str, table: pa.Table, schema: Fields, marks: RowMarks = UNMARKED) -> Iterable[bytes]:
    """Return one ResultRow as JSON for each row of `table`, which belongs to an `OperatorOutput` of kind rows.

    Incomplete and historic rows are marked.
    """
    incomplete = marks.incomplete
    some = incomplete is not None and not incomplete.all_alike
    if table.num_rows < _FEW or some or not _plain(table, schema):
        return map(_line, mark_rows(result_rows(output, table, schema), marks))
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
        *([] if marks.historic is None else [pl.lit(marks.historic).alias("historic")]),
    ]
    return _lines(_frame(table.rename_columns(places)).select(row))


def mark_rows(rows: list[dict[str, Any]], marks: RowMarks) -> list[dict[str, Any]]:
    """Return `rows` with their marks; incomplete ones have the columns if only some columns are incomplete."""
    incomplete = marks.incomplete
    if marks.historic is not None:
        rows = [{**row, "historic": marks.historic} for row in rows]
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
    """Return True if Polars can write the rows without a conversion."""
    simple = all(isinstance(of, _PLAIN) for of in schema.values())
    return simple and _all_or_none_with_key(table) and _finite(table)


def _not_final(table: pa.Table) -> Iterator[pl.Expr]:
    """Yield the fields next to the payload if a later row may replace a row, as `result_rows` does."""
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
    """Return each row of a table of integers and texts as a JSON object."""
    return _lines(_frame(table))


def _finite_at(name: str) -> pl.Expr:
    return pl.when(pl.col(name) < INFINITY).then(pl.col(name))


def _all_or_none_with_key(table: pa.Table) -> bool:
    return "@id" not in table.column_names or table.column("@id").null_count == 0


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)  # nosec B101 # for the type checker; nothing depends on it
    return frame


def _lines(frame: pl.DataFrame) -> Iterable[bytes]:
    written = io.BytesIO()
    frame.write_ndjson(written)
    return [written.getvalue()]


def _finite(table: pa.Table) -> bool:
    """Return True if no double of `table` is NaN or infinite: Polars would write them as null."""
    doubles = (column for column in table.columns if pa.types.is_floating(column.type))
    return all(pc.all(pc.is_finite(column), min_count=0).as_py() is not False for column in doubles)
