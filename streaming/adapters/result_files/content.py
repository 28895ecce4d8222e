"""The rows of one batch as files: the same batch and layout give the same names and bytes."""

import functools
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from streaming.adapters.arrow.texts import json_column
from streaming.adapters.contract import DeliveryBatch
from streaming.adapters.delta_output.options import DeltaOutputOptions
from streaming.adapters.delta_output.rows import DeltaBatch, lake_schema
from streaming.adapters.result_files.options import Formulas, ResultFormat
from streaming.adapters.result_json import compact_json, written_result
from streaming.definition.payload.spreadsheets import AS_TEXT, FORMULA_STARTS
from streaming.definition.payload.types import Fields

ROWS_IN_A_FILE: Final = 100_000
SUFFIXES: Final[Mapping[ResultFormat, str]] = {"json_lines": ".jsonl", "csv": ".csv", "parquet": ".parquet"}
NO_DAY: Final = "__HIVE_DEFAULT_PARTITION__"
"""The folder name that readers of partitioned folders treat as a null value."""
EDGE: Final = "edge"
_COLUMNS: Final = DeltaOutputOptions(path="-", mode="append", by_day=False)


@dataclass(frozen=True)
class ResultLayout:
    """The layout of results in files; `name` identifies everything that names and contents depend on."""

    format: ResultFormat
    by_day: bool
    formulas: Formulas = "as_is"

    @property
    def name(self) -> str:
        """A stable text without spaces."""
        return f"{self.format}-{'days' if self.by_day else 'flat'}{'-text' if self._as_text else ''}"

    @property
    def _as_text(self) -> bool:
        return self.format == "csv" and self.formulas == "text"


@dataclass(frozen=True)
class ResultFile:
    """A file of results: its name below the output's folder, and its bytes."""

    name: str
    content: bytes


class ResultContent:
    """Builds files from batches. Raises `AdapterError` if a field has the name of one of our columns."""

    def __init__(self, fields: Fields, layout: ResultLayout, identity: str) -> None:
        self._fields = fields
        self._layout = layout
        self._identity = identity
        self._schema = lake_schema(fields, _COLUMNS)

    def files(self, batch: DeliveryBatch) -> Iterator[ResultFile]:
        """Yield the rows of `batch` by day, in their order, at most `ROWS_IN_A_FILE` per file."""
        for folder, rows in self._by_day(batch.rows):
            for part, at in enumerate(range(0, len(rows), ROWS_IN_A_FILE)):
                name = f"{batch.number:012d}-{part:04d}-{self._identity}{SUFFIXES[self._layout.format]}"
                yield ResultFile(f"{folder}{name}", self._content(rows[at : at + ROWS_IN_A_FILE]))

    def _by_day(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
        if not self._layout.by_day:
            if rows:
                yield "", list(rows)
            return
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            found.setdefault(_day(row.get("start")), []).append(row)
        for day in sorted(found):
            yield f"day={day}/", found[day]

    def _content(self, rows: Sequence[Mapping[str, Any]]) -> bytes:
        if self._layout.format == "json_lines":
            return b"".join(compact_json(written_result(row)) + b"\n" for row in rows)
        table = self._table(rows)
        buffer = io.BytesIO()
        if self._layout.format == "parquet":
            pq.write_table(table, buffer, compression="zstd")
        else:
            arrow_csv.write_csv(flat(table, self._layout.formulas), buffer)
        return buffer.getvalue()

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        taken = DeltaBatch(self._fields, _COLUMNS, self._schema)
        taken.take(DeliveryBatch(0, rows, None))
        edges = pa.array([row.get("edge") for row in rows], pa.string())
        return taken.table().append_column(EDGE, edges)


def _day(start: int | None) -> str:
    return NO_DAY if start is None else str(np.datetime64(start, "us").astype("datetime64[D]"))


def flat(table: pa.Table, formulas: Formulas = "as_is") -> pa.Table:
    """Convert for CSV cells: arrays and structs to JSON text, and timestamps to ISO 8601.

    If `formulas` is text, texts that a spreadsheet would compute get a leading apostrophe.
    """
    for index, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            values = [each for chunk in table.column(index).chunks for each in json_column(chunk).to_pylist()]
            texts = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
            table = table.set_column(index, field.name, pa.array(texts, pa.string()))
        elif pa.types.is_timestamp(field.type):
            table = table.set_column(index, field.name, pc.strftime(table.column(index), format="%Y-%m-%dT%H:%M:%SZ"))
        elif formulas == "text" and pa.types.is_string(field.type):
            cells = table.column(index)
            shown = pc.binary_join_element_wise(AS_TEXT, cells, "")
            computed = functools.reduce(pc.or_, (pc.starts_with(cells, each) for each in FORMULA_STARTS))
            table = table.set_column(index, field.name, pc.if_else(computed, shown, cells))
    return table
