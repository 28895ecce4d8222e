"""Writes an export in a limited process: reads stored rows, never the database."""

import gzip
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from streaming.definition.counts import counted
from streaming.definition.payload.type_text import TypeTextError
from streaming.storage.blobs import LocalFolder
from streaming.storage.disk import FULL
from streaming.storage.result_columns import columns_of, read_columns
from streaming.wire.messages import RunSpec
from webapp.core.disk import is_disk_full
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.monitoring.exporting.columns import ExportTable, RowState, Values, union_of
from webapp.monitoring.exporting.formats import (
    ArrowWriter,
    CsvWriter,
    ExportFormat,
    ExportWriter,
    JsonLinesWriter,
    ParquetFileWriter,
)
from webapp.monitoring.exporting.net import NetRows, net_rows
from webapp.monitoring.exporting.problems import ExportProblem, NoRoomLeft
from webapp.monitoring.exporting.reading import OutputReader, damaged
from webapp.monitoring.exporting.spreadsheet import SpreadsheetWriter

LIMITS: Final = Limits(cpu_s=1_500, wall_s=2_400, memory_bytes=768 * MIB, file_bytes=2**40)
"""Ten million rows of five columns take 2 to 20 minutes, depending on the format."""
CHUNK_ROWS: Final = 8_192
FILE: Final = "export"
_COMPRESSION: Final = 5


@dataclass(frozen=True)
class ExportWork:
    """One export: the rows of `folder` as a file in `scratch`, an empty folder.

    `run`: only the rows of this run. `specification` is the RunSpec of the run, or of the newest one: it has the
    columns of runs that recorded none. `begin` and `end` are ticks: rows that start in [begin, end). `every_change`:
    all rows as they were committed, instead of those that count after all changes. `most_bytes` is the room for
    everything in `scratch`.
    """

    folder: str
    scratch: str
    format: ExportFormat
    output: str | None
    run: str | None
    specification: Mapping[str, Any]
    begin: int | None
    end: int | None
    every_change: bool
    gzip: bool
    most_bytes: int


@dataclass(frozen=True)
class ExportOutcome:
    """The written file: its rows, and its bytes before compression; or a `problem` with its remedy and parameter."""

    output: str = ""
    rows: int = 0
    bytes: int = 0
    problem: str | None = None
    remedy: str = ""
    field: str | None = None


@limited("This export", "Export a shorter range, or choose CSV, which is the fastest format.", LIMITS)
def write_export(work: ExportWork) -> ExportOutcome:
    """Write the file; a problem leaves a part of it, which the caller deletes."""
    try:
        return _written(work)
    except ExportProblem as problem:
        return ExportOutcome(problem=problem.message, remedy=problem.remedy, field=problem.field)
    except OSError as error:
        known = NoRoomLeft() if is_disk_full(error) or error.errno in FULL else damaged()
        return ExportOutcome(problem=known.message, remedy=known.remedy)


def _written(work: ExportWork) -> ExportOutcome:
    folder, scratch = LocalFolder(work.folder), Path(work.scratch)
    versions = _versions(work, OutputReader(folder, None, work.run).runs())
    output = _chosen_output(work.output, versions)
    reader = OutputReader(folder, output, work.run)
    try:
        fields = union_of(each[output] for each in versions if output in each)
    except TypeTextError:
        raise damaged() from None
    table = ExportTable(fields, every_run=work.run is None, every_change=work.every_change)
    net = None if work.every_change else net_rows(reader, scratch)
    rows = _rows(work, table, reader, net)
    room = _Room(scratch, work.most_bytes)
    with _opened(work, scratch / FILE, table) as opened:
        count = 0
        while chunk := list(islice(rows, CHUNK_ROWS)):
            try:
                opened.writer.write(chunk)
            except (ValueError, TypeError, ArithmeticError):  # a stored value is not of its column's type
                raise damaged() from None
            count += len(chunk)
            room.check()
        opened.writer.close()
    room.check()
    return ExportOutcome(output, count, opened.bytes or (scratch / FILE).stat().st_size)


def _versions(work: ExportWork, runs: Sequence[str | None]) -> list[Mapping[str, Mapping[str, str]]]:
    """Return the columns of each output in each run, newest first.

    Runs from before columns were recorded get those of the specification; `ExportTable` checks their rows.
    """
    folder = LocalFolder(work.folder)
    recorded = [{} if run is None else read_columns(folder, run) for run in reversed(runs)]
    if recorded and all(recorded):
        return recorded
    current = columns_of(RunSpec.model_validate(work.specification))
    return [each or current for each in recorded] or [current]


def _chosen_output(wanted: str | None, versions: Sequence[Mapping[str, Any]]) -> str:
    outputs = list(dict.fromkeys(name for each in versions for name in each))
    if wanted in outputs:
        return wanted
    listed = ", ".join(outputs)
    if wanted is not None:
        message = f"These results have no output {wanted[:80]!r}."
        raise ExportProblem(message, f"Pass one of: {listed}.", field="output")
    if len(outputs) != 1:
        message = f"These results have {counted(len(outputs), 'output')} with separate columns: {listed}."
        raise ExportProblem(message, "Pass the name of one as `output`.", field="output")
    return outputs[0]


def _rows(work: ExportWork, table: ExportTable, reader: OutputReader, net: NetRows | None) -> Iterator[Values]:
    ctis = reader.final_until()
    known = ctis is not None and reader.output in ctis
    cti = None if ctis is None else ctis.get(str(reader.output))
    ever = known and cti is None  # the end of everything
    for number, line in enumerate(reader.lines()):
        if net is not None and not net.may_count(number):
            continue
        row = line.row()
        if net is not None and net.takes_back(row):
            continue
        start, end = row["start"], row["end"]
        if (work.begin is not None and start < work.begin) or (work.end is not None and start >= work.end):
            continue
        if row.get("key") is None or ever:
            final: bool | None = True
        else:
            final = (end is not None and end <= cti) if cti is not None else (None if ctis is None else False)
        yield table.values(row, RowState(line.run, final))
    if net is not None:
        net.check(reader.rows_read)


@dataclass
class _OpenedExport:
    """A file that is being written; `bytes` is its size before compression, known after it is closed."""

    writer: ExportWriter
    bytes: int = 0


@contextmanager
def _opened(work: ExportWork, path: Path, table: ExportTable) -> Iterator[_OpenedExport]:
    if work.format == "xlsx":
        with _abandoned_on_errors(SpreadsheetWriter(path, table)) as writer:
            yield _OpenedExport(writer)
        return
    with path.open("wb") as file:
        if not work.gzip:
            with _abandoned_on_errors(_writer(work.format, file, table)) as writer:
                yield _OpenedExport(writer)
            return
        # a name of random length hides the exact size of the content, as Django does for its answers (BREACH)
        name = "-" * random.SystemRandom().randint(1, 100)
        with gzip.GzipFile(name, "wb", _COMPRESSION, file, mtime=0) as packed:
            with _abandoned_on_errors(_writer(work.format, packed, table)) as writer:  # type: ignore[arg-type]
                opened = _OpenedExport(writer)
                yield opened
            opened.bytes = packed.tell()


@contextmanager
def _abandoned_on_errors(writer: ExportWriter) -> Iterator[ExportWriter]:
    try:
        yield writer
    except BaseException:
        writer.abandon()
        raise


def _writer(form: ExportFormat, file: BinaryIO, table: ExportTable) -> ExportWriter:
    match form:
        case "csv":
            return CsvWriter(file, table)
        case "json_lines":
            return JsonLinesWriter(file, table)
        case "arrow":
            return ArrowWriter(file, table)
        case _:
            return ParquetFileWriter(file, table)


class _Room:
    """The room for all files of an export, temporary ones included."""

    def __init__(self, scratch: Path, most_bytes: int) -> None:
        self._scratch = scratch
        self._most_bytes = most_bytes

    def check(self) -> None:
        """Raise `NoRoomLeft` if the files are larger than their room."""
        with os.scandir(self._scratch) as entries:
            if sum(entry.stat().st_size for entry in entries if entry.is_file()) > self._most_bytes:
                raise NoRoomLeft
