"""The first rows of an input, for the inference of its stream."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

import pyarrow as pa

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.parquet import opened
from streaming.adapters.file.records import RecordReader
from streaming.adapters.file.sampling import sniffed_file
from streaming.adapters.file.sniffing import SniffedFile
from streaming.adapters.file.text_form import TextForm
from streaming.definition.payload.types import Type
from streaming.run.errors import InputUnreadable, UsageError
from streaming.run.inputs.files import InputFiles
from streaming.run.inputs.infer_types import Doubt, LeftOut, read_number, type_of_arrow, type_of_cells, type_of_values

ROWS_LOOKED_AT: Final = 1_000
TIMES: Final = ("start", "end", "edge")
_NO_EVENTS: Final = ("cti", "heartbeat", "bad")
_SAY_STREAM: Final = "Its stream cannot be inferred. Describe it with --streams FILE."
_WORDS: Final = ("lane", "arrival", "stream")


@dataclass(frozen=True)
class FileSample:
    """The columns of an input with their types, and which of start, end and edge are next to the payload.

    In rows without a separate payload (`apart` False) the times are columns as well. `reading` are the options of the
    file adapter that fit the form of the text, `notes` their reasons.
    """

    columns: Mapping[str, Type | Doubt]
    times: frozenset[str]
    apart: bool = False
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()


def sample_of(files: InputFiles) -> FileSample:
    """Read the first rows of the first file that is not empty, or the schema of a Parquet file.

    Raises `InputUnreadable`, and `UsageError` without any row.
    """
    try:
        if files.form == "parquet":
            return _parquet(files)
        return _csv(files) if files.form == "csv" else _json(files)
    except AdapterError as error:
        raise InputUnreadable(str(error)) from None
    except MemoryError:
        raise  # Arrow's is an ArrowException as well
    except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
        raise InputUnreadable(f"{files.path} cannot be read ({error}).") from None


def _parquet(files: InputFiles) -> FileSample:
    with opened(_first(files)) as file:
        schema = file.schema_arrow
    twice = LeftOut("several columns have this name")
    return _flat(
        {each.name: twice if schema.names.count(each.name) > 1 else type_of_arrow(each.type) for each in schema}
    )


def _flat(columns: Mapping[str, Type | Doubt]) -> FileSample:
    return FileSample(columns, frozenset(columns) & set(TIMES))


def _csv(files: InputFiles) -> FileSample:
    file = _first(files)
    if not file.size:
        raise UsageError(f"{file.path} is empty: it has no header line. {_SAY_STREAM}")
    found = sniffed_file(file, files.options)
    form, marks = TextForm("csv", found.options), found.options.dialect.marks
    names = form.head(file).columns
    rows = [form.cells.of_row(record.decode(errors="replace"), len(names)) for record in _first_records(file, form)]
    whole = [row for row in rows if row is not None]
    types = {name: type_of_cells([row[place] for row in whole], marks) for place, name in enumerate(names)}
    return replace(_flat(types), reading=_reading(found, files), notes=found.notes)


def _json(files: InputFiles) -> FileSample:
    """Read lines, or one document with a list of records."""
    file = _first(files)
    found = sniffed_file(file, files.options) if file.size else SniffedFile(files.options, "json_lines")
    rows = _events(file, TextForm("json_lines", found.options))
    if found.form == "json" and (not rows or _is_document(file, rows)):
        rows = _events(file, TextForm("json", found.options))
    elif found.form == "json":
        dialect = found.options.dialect.model_copy(update={"records": ""})
        options = found.options.model_copy(update={"format": "auto", "dialect": dialect})
        found = SniffedFile(options, "json_lines", found.notes[:-1])
    if not rows:
        raise UsageError(f"The first lines of {file.path} contain no event. {_SAY_STREAM}")
    return replace(_of_rows(rows), reading=_reading(found, files), notes=found.notes)


def _reading(found: SniffedFile, files: InputFiles) -> Mapping[str, Any]:
    return {name: getattr(found.options, name) for name in found.changes(files.options)}


def _is_document(file: FoundFile, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return true if a file of one line is a document.

    Its name ends in .json, and its line is not a row of a transcript.
    """
    return (
        len(rows) == 1
        and re.search(r"\.json(\.gz|\.zst)?$", file.path, re.IGNORECASE) is not None
        and not (rows[0].keys() & {"payload", *TIMES})
    )


def _events(file: FoundFile, form: TextForm) -> list[dict[str, Any]]:
    return [row for record in _first_records(file, form) if (row := _event(record)) is not None]


def _of_rows(rows: list[dict[str, Any]]) -> FileSample:
    payloads = [row["payload"] for row in rows if isinstance(row.get("payload"), dict)]
    if payloads:
        times = frozenset(time for time in TIMES if any(time in row for row in rows))
        return FileSample(_columns(payloads), times, apart=True)
    columns = dict(_columns(rows))
    for word in _WORDS:
        if word in columns:
            columns[word] = Doubt("it may be a field, or a key of transcript rows")
    return _flat(columns)


def _columns(rows: list[dict[str, Any]]) -> Mapping[str, Type | Doubt]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: type_of_values([row.get(name) for row in rows]) for name in names}


def _event(record: bytes) -> dict[str, Any] | None:
    """Return the row, None if it is not an event or cannot be read."""
    try:
        row = json.loads(record.decode(), parse_float=read_number)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and not any(word in row for word in _NO_EVENTS) else None


def _first(files: InputFiles) -> FoundFile:
    return next((file for file in files.files if file.size), files.files[0])


def _first_records(file: FoundFile, form: TextForm) -> Iterator[bytes]:
    reader = RecordReader(file, form.head(file).begin, form.split, form.open)
    try:
        taken = reader.take(0, ROWS_LOOKED_AT, ROWS_LOOKED_AT)
        each = (records.record(index) for records in taken for index in range(len(records.starts)))
        yield from islice(each, ROWS_LOOKED_AT)
    finally:
        reader.close()
