"""Committed results as runners write them, their export in this process, and exports read back as plain values."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl.utils.escape import unescape

from streaming.definition.payload.spreadsheets import AS_TEXT, FORMULA_STARTS
from streaming.storage.result_columns import COLUMNS
from streaming.storage.results import Commit, ResultPart, RunBatches, part_path, write_atomically
from streaming.temporal.ticks import parse_instant
from tests.wire.written import write_commit
from webapp.monitoring.exporting.formats import ExportFormat
from webapp.monitoring.exporting.job import FILE, ExportOutcome, ExportWork, write_export

FORMATS: Sequence[ExportFormat] = get_args(ExportFormat)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = dict[str, Any]


def final_row(start: int, payload: Mapping[str, Any], **more: Any) -> Row:
    return {"output": "out", "start": start, "end": start + 10, "payload": dict(payload), **more}


@dataclass
class StoredResults:
    """The folder of a binding; each call of `commit` is one batch of `run`."""

    folder: Path
    fields: Mapping[str, str]
    run: str = "one"
    batch: int = 0
    written: set[str] = field(default_factory=set)
    restart: int | None = None

    def commit(self, *parts: Sequence[Row], cti: int | None = 0) -> None:
        if self.run not in self.written:
            write_atomically(self.folder / COLUMNS / f"{self.run}.json", json.dumps({"out": self.fields}).encode())
            self.written.add(self.run)
        listed = [self._part(task, rows) for task, rows in enumerate(parts)]
        runs = [RunBatches(run=self.run, first=self.batch, last=self.batch, restart=self.restart)]
        totals = {"run": self.run, "output_ctis": {"out": cti}}
        write_commit(self.folder, Commit(batch=self.batch, parts=listed, totals=totals, runs=runs))
        self.batch += 1

    def _part(self, task: int, rows: Sequence[Row]) -> ResultPart:
        path = part_path("results", self.batch, task)
        content = b"".join(f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in rows)
        write_atomically(self.folder / path, content)
        return ResultPart(kind="results", path=path, rows=len(rows), bytes=len(content))

    def work(self, form: ExportFormat = "json_lines", **changed: Any) -> ExportWork:
        scratch = self.folder.with_name(f"{self.folder.name}-scratch")
        scratch.mkdir(exist_ok=True)
        fixed: dict[str, Any] = {
            "folder": str(self.folder),
            "scratch": str(scratch),
            "format": form,
            "output": None,
            "run": "one",
            "specification": {},
            "begin": None,
            "end": None,
            "every_change": False,
            "gzip": False,
            "most_bytes": 1 << 30,
        }
        return ExportWork(**{**fixed, **changed})

    def outcome(self, form: ExportFormat = "json_lines", **changed: Any) -> ExportOutcome:
        return write_export.function(self.work(form, **changed))

    def exported(self, form: ExportFormat = "json_lines", **changed: Any) -> list[Row]:
        """Return the rows of an export as plain values."""
        work = self.work(form, **changed)
        outcome = write_export.function(work)
        assert outcome.problem is None, outcome.problem
        content = (Path(work.scratch) / FILE).read_bytes()
        rows = read_back(form, gzip.decompress(content) if work.gzip else content)
        assert len(rows) == outcome.rows
        return rows


def read_back(form: ExportFormat, content: bytes) -> list[Row]:
    """Return the rows of a file; numbers, times and nested values are still as the format has them."""
    return _READERS[form](content)


def _csv(content: bytes) -> list[Row]:
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    return [{name: value or None for name, value in row.items()} for row in rows]


def _json_lines(content: bytes) -> list[Row]:
    return [json.loads(line) for line in content.decode().split("\n") if line]


def _parquet(content: bytes) -> list[Row]:
    return _rows(pq.read_table(io.BytesIO(content)))


def _arrow(content: bytes) -> list[Row]:
    return _rows(pa.ipc.open_stream(content).read_all())


def _rows(table: pa.Table) -> list[Row]:
    rows: list[Row] = _as_ticks(table).to_pylist()
    return rows


def _as_ticks(table: pa.Table) -> pa.Table:
    """Return the table with ticks for timestamps at every depth: Python's own end in the year 9999."""

    def kind(of: pa.DataType) -> pa.DataType:
        if pa.types.is_timestamp(of):
            assert (of.unit, of.tz) == ("us", "UTC")
            return pa.int64()
        if pa.types.is_list(of):
            return pa.list_(kind(of.value_type))
        if pa.types.is_struct(of):
            return pa.struct([pa.field(each.name, kind(each.type)) for each in of])
        return of

    return table.cast(pa.schema([pa.field(each.name, kind(each.type)) for each in table.schema]))


def _xlsx(content: bytes) -> list[Row]:
    book = openpyxl.load_workbook(io.BytesIO(content))
    rows: list[Row] = []
    for sheet in book.worksheets:
        head, *body = sheet.iter_rows(values_only=True)
        rows += [dict(zip(map(str, head), map(_cell, row), strict=True)) for row in body]
    return rows


def _cell(value: Any) -> Any:
    return unescape(value) if isinstance(value, str) else value


_READERS: Mapping[ExportFormat, Callable[[bytes], list[Row]]] = {
    "csv": _csv,
    "json_lines": _json_lines,
    "parquet": _parquet,
    "arrow": _arrow,
    "xlsx": _xlsx,
}


def exact(form: ExportFormat, value: Any, of: str) -> Any:
    """Return a value that was read back as the value of its type; an empty text as null, as tables show it."""
    if value is None or value == "":
        return None
    if of.startswith("decimal"):
        return Decimal(str(value))
    if of == "boolean" and form == "csv":
        return {"true": True, "false": False}[value]
    reader = _EXACT.get(of, _as_it_is if of in ("boolean", "string") else _nested)
    return reader(value)


def _as_it_is(value: Any) -> Any:
    return value


def _tick(value: Any) -> int:
    if isinstance(value, datetime):
        return (value.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    return parse_instant(int(value) if str(value).lstrip("-").isdecimal() else value)


def _nested(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


_EXACT: Mapping[str, Callable[[Any], Any]] = {"long": int, "double": float, "timestamp": _tick}


def as_shown(form: ExportFormat, value: Any, of: str) -> Any:
    """Return an exact value as a reader of `form` must find it."""
    if form == "csv" and of == "string" and value and value.startswith(FORMULA_STARTS):
        return f"{AS_TEXT}{value}"
    return None if value == "" else value
