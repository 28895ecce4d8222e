"""The rows of one batch as files: the same batch and layout, the same names and bytes."""

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

from streaming.adapters.contract import DeliveryBatch
from streaming.adapters.delta_output.options import DeltaOutputOptions
from streaming.adapters.delta_output.rows import LakeRows, lake_schema
from streaming.adapters.result_files.options import ResultFormat
from streaming.adapters.result_json import compact_json, written_result
from streaming.definition.types import Fields

ROWS_IN_A_FILE: Final = 100_000
SUFFIXES: Final[Mapping[ResultFormat, str]] = {"json_lines": ".jsonl", "csv": ".csv", "parquet": ".parquet"}
NO_DAY: Final = "__HIVE_DEFAULT_PARTITION__"
"""What readers of such folders take for no value."""
EDGE: Final = "edge"
_COLUMNS: Final = DeltaOutputOptions(path="-", mode="append", by_day=False)


@dataclass(frozen=True)
class ResultLayout:
    """How results stand in files; `name` says all of it that names and contents depend on."""

    format: ResultFormat
    by_day: bool

    @property
    def name(self) -> str:
        """Stable text, without spaces."""
        return f"{self.format}-{'days' if self.by_day else 'flat'}"


@dataclass(frozen=True)
class ResultFile:
    """A file of results: its name below the folder of the output, and all of its bytes."""

    name: str
    content: bytes


class ResultContent:
    """Makes files of batches. Raises `AdapterError` where a field has the name of a column of ours."""

    def __init__(self, fields: Fields, layout: ResultLayout, identity: str) -> None:
        self._fields = fields
        self._layout = layout
        self._identity = identity
        self._schema = lake_schema(fields, _COLUMNS)

    def files(self, batch: DeliveryBatch) -> Iterator[ResultFile]:
        """The rows of `batch` by day, in their order, at most `ROWS_IN_A_FILE` in each."""
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
            arrow_csv.write_csv(flat(table), buffer)
        return buffer.getvalue()

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        taken = LakeRows(self._fields, _COLUMNS, self._schema)
        taken.take(DeliveryBatch(0, rows, None))
        edges = pa.array([row.get("edge") for row in rows], pa.string())
        return taken.table().append_column(EDGE, edges)


def _day(start: int | None) -> str:
    return NO_DAY if start is None else str(np.datetime64(start, "us").astype("datetime64[D]"))


def flat(table: pa.Table) -> pa.Table:
    """Arrays and structs as JSON text, and timestamps as ISO 8601: CSV cells hold text."""
    for index, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            values = table.column(index).to_pylist()
            texts = [None if value is None else json.dumps(value, ensure_ascii=False, default=str) for value in values]
            table = table.set_column(index, field.name, pa.array(texts, pa.string()))
        elif pa.types.is_timestamp(field.type):
            table = table.set_column(index, field.name, pc.strftime(table.column(index), format="%Y-%m-%dT%H:%M:%SZ"))
    return table
