"""The first rows of an input, by which its stream is inferred."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from streaming.adapters.file.csv_cells import header_cells, split_cells
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.journal import RecordMark
from streaming.adapters.file.records import RecordReader
from streaming.adapters.file.split import csv_splitter, split_lines
from streaming.definition.types import Type
from streaming.run.errors import InputUnreadable, UsageError
from streaming.run.files import InputFiles
from streaming.run.infer_types import Doubt, read_number, type_of_arrow, type_of_cells, type_of_values

ROWS_LOOKED_AT: Final = 1_000
TIMES: Final = ("start", "end", "edge")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_NO_EVENTS: Final = ("cti", "heartbeat", "bad")
_SAY_STREAM: Final = "What its rows would be cannot be seen: say it with --streams FILE."
_WORDS: Final = ("lane", "arrival", "stream")


@dataclass(frozen=True)
class FileSample:
    """The columns of an input with their types, and which of start, end and edge stand beside the payload.

    In rows whose payload is not apart (`apart` False) the times are columns as well.
    """

    columns: Mapping[str, Type | Doubt]
    times: frozenset[str]
    apart: bool = False


def sample_of(files: InputFiles) -> FileSample:
    """Look at the first rows of the first file that is not empty, at the schema of a Parquet file.

    Raises `InputUnreadable`, and `UsageError` where there is no row to look at.
    """
    try:
        if files.form == "parquet":
            return _parquet(files)
        return _csv(files) if files.form == "csv" else _json_lines(files)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputUnreadable(f"{files.path} cannot be read ({error}).") from None


def _parquet(files: InputFiles) -> FileSample:
    schema = pq.read_schema(files.files[0].path)
    return _flat({field.name: type_of_arrow(field.type) for field in schema})


def _flat(columns: Mapping[str, Type | Doubt]) -> FileSample:
    return FileSample(columns, frozenset(columns) & set(TIMES))


def _csv(files: InputFiles) -> FileSample:
    records = _first_records(files, csv_splitter(","))
    first = next(records, b"")
    header = header_cells(first.removeprefix(_BYTE_ORDER_MARK), ",")
    if not first:
        raise UsageError(f"{_first(files).path} is empty: it has no header line. {_SAY_STREAM}")
    if header is None or len(set(header)) != len(header):
        raise InputUnreadable(f"The header line of {files.path} cannot be read; it must name each column once.")
    rows = [split_cells(record.decode(errors="replace"), ",") for record in records]
    whole = [row for row in rows if row is not None and len(row) == len(header)]
    return _flat({name: type_of_cells([row[place] for row in whole]) for place, name in enumerate(header)})


def _json_lines(files: InputFiles) -> FileSample:
    rows = [row for record in _first_records(files, split_lines) if (row := _event(record)) is not None]
    if not rows:
        raise UsageError(f"No event is among the first lines of {_first(files).path}. {_SAY_STREAM}")
    payloads = [row["payload"] for row in rows if isinstance(row.get("payload"), dict)]
    if payloads:
        times = frozenset(time for time in TIMES if any(time in row for row in rows))
        return FileSample(_columns(payloads), times, apart=True)
    columns = dict(_columns(rows))
    for word in _WORDS:
        if word in columns:
            columns[word] = Doubt("it may be a field, or what transcripts call so")
    return _flat(columns)


def _columns(rows: list[dict[str, Any]]) -> Mapping[str, Type | Doubt]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: type_of_values([row.get(name) for row in rows]) for name in names}


def _event(record: bytes) -> dict[str, Any] | None:
    """The row, None for one that is no event or cannot be read."""
    try:
        row = json.loads(record.removeprefix(_BYTE_ORDER_MARK).decode(), parse_float=read_number)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and not any(word in row for word in _NO_EVENTS) else None


def _first(files: InputFiles) -> FoundFile:
    return next((file for file in files.files if file.size), files.files[0])


def _first_records(files: InputFiles, split: Any) -> Iterator[bytes]:
    reader = RecordReader(_first(files), RecordMark(row=0, offset=0), split)
    try:
        taken = reader.take(0, ROWS_LOOKED_AT + 1, ROWS_LOOKED_AT + 1)
        each = (records.record(index) for records in taken for index in range(len(records.starts)))
        yield from islice(each, ROWS_LOOKED_AT + 1)
    finally:
        reader.close()
