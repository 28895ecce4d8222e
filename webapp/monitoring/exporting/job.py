"""Writes an export in a limited process: reads stored rows, never the database."""

import gzip
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from streaming.storage.disk import FULL
from webapp.core.disk import is_disk_full
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.monitoring.exporting.chosen_rows import ChosenResults, RowChoice
from webapp.monitoring.exporting.columns import ExportTable
from webapp.monitoring.exporting.formats import (
    ArrowWriter,
    CsvWriter,
    ExportFormat,
    ExportWriter,
    JsonLinesWriter,
    ParquetFileWriter,
)
from webapp.monitoring.exporting.problems import ExportProblem, NoRoomLeft
from webapp.monitoring.exporting.reading import damaged
from webapp.monitoring.exporting.spreadsheet import SpreadsheetWriter

LIMITS: Final = Limits(cpu_s=1_500, wall_s=2_400, memory_bytes=768 * MIB, file_bytes=2**40)
"""Ten million rows of five columns take 2 to 20 minutes, depending on the format."""
CHUNK_ROWS: Final = 8_192
FILE: Final = "export"
_COMPRESSION: Final = 5


@dataclass(frozen=True, kw_only=True)
class ExportWork(RowChoice):
    """One export: the chosen rows as a file in `scratch`. `most_bytes` is the room for everything there."""

    format: ExportFormat
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
    scratch = Path(work.scratch)
    chosen = ChosenResults(work)
    rows = iter(chosen)
    room = _Room(scratch, work.most_bytes)
    with _opened(work, scratch / FILE, chosen.table) as opened:
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
    return ExportOutcome(chosen.output, count, opened.bytes or (scratch / FILE).stat().st_size)


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
