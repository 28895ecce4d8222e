"""The `file` adapter: finds files, journals them with their row counts, reads any span of rows."""

import sys
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.adapters.contract import AdapterError, Position, RecordSample
from streaming.adapters.file.csv_cells import CsvCells
from streaming.adapters.file.found import FoundFile, format_of
from streaming.adapters.file.journal import Journal, RecordMark, TakenFile
from streaming.adapters.file.json_lines import JsonLines, ctis_in_lines
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file.parquet import ParquetFiles, ParquetPart
from streaming.adapters.file.records import RecordReader, Records, read_records
from streaming.adapters.file.sampling import sample_files
from streaming.adapters.file.source import FileStore, FolderFiles
from streaming.adapters.file.text_form import TextForm
from streaming.adapters.formats.text.decoding import decoded
from streaming.adapters.places import why
from streaming.adapters.seeking import BegunJournal, BegunLanes, LaneHeld, positions_within
from streaming.adapters.times.ctis import CtiColumn, with_ctis
from streaming.adapters.times.selections import ARRIVAL, no_such_column, timed_by_arrival
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived

_NS_A_TICK: Final = 1_000


class FileAdapter:
    """Reads the files of one folder as the lane "0"; a position counts the rows of the journaled files (T14).

    A file is journaled as a whole when it is found, so it must be complete by then. A file that changes later is an
    error.
    """

    def __init__(
        self,
        options: FileOptions,
        stream: StreamDefinition,
        root: Path,
        journal: Path | None = None,
        source: FileStore | None = None,
    ) -> None:
        self._options = options
        self._source = FolderFiles(root, options) if source is None else source
        self._journal = Journal.at(journal)
        self._begun = BegunJournal(journal)
        self._counts_whole = journal is not None
        self._counting: RecordReader | None = None
        stream, self._implicit = timed_by_arrival(stream)
        self._ctis = ctis = CtiColumn.named(options.cti_column, stream, strict=options.cti_strict)
        columns = options.columns
        if ctis is not None:  # if every column is named, no row is read as a transcript row
            columns = {**{name: name for name in (*stream.fields, "start")}, **columns}
        self._json_lines = JsonLines(stream, columns, frozenset({ARRIVAL}) if self._implicit else None)
        self._csv = CsvCells(stream, options.columns, options.delimiter, ctis, options.dialect)
        self._parquet = ParquetFiles(stream, options.columns, options.chunk_rows, ctis)

    def lanes(self) -> Sequence[str]:
        """The one lane "0"."""
        return (ONLY_LANE,)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the position `limit_rows` rows further, if there are files; takes as many new files as that needs.

        Raises `AdapterError` for a missing folder, a damaged file, or a file without a column that the stream names.
        """
        reached = start.get(ONLY_LANE, 0)
        self._source.at(now)
        self._take_files(reached + limit_rows)
        return {ONLY_LANE: max(reached, min(reached + limit_rows, self._journal.rows()))}

    def bounds(self, start: Mapping[str, Position]) -> Mapping[str, Position]:
        """The bounds set by `batch_files` and `batch_bytes`, over the files already taken."""
        reached = start.get(ONLY_LANE, 0)
        bound = self._journal.bound(reached, self._options.batch_files, self._options.batch_bytes)
        return {} if bound is None else {ONLY_LANE: bound}

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True if all current files were read to their end; never if the input follows the folder."""
        if self._options.follow or positions.get(ONLY_LANE, 0) < self._journal.rows() or self._counting is not None:
            return False
        return not self._untaken()

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:  # noqa: ARG002
        """Yield the rows `[start, end)`, at most `chunk_rows` in a chunk."""
        if self._journal.rows() < end:
            self._take_files(end)
        for entry in self._journal.between(start, end):
            file = self._source.taken(entry)
            self._refuse_changed(file)
            span = (max(start - entry.first, 0), min(end - entry.first, entry.rows))
            yield from self._read_file(entry, file, span)

    @property
    def time_means(self) -> str:
        """The meaning of arrival times: when the row's file was last written."""
        return "is in a file that was changed then or later"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Start after the current files, after those changed before a time, or at a row that was already read."""
        if isinstance(place, BeginAtPositions):
            return positions_within(place, input_id, {ONLY_LANE: (0, self._journal.rows())})
        self._source.at(now)
        before_ns = place.at * _NS_A_TICK if isinstance(place, BeginAtTime) else None

        def find() -> BegunLanes:
            passed = [each for each in self._untaken() if before_ns is None or each.modified_ns < before_ns]
            self._journal.append([_passed_over(each) for each in passed])
            return BegunLanes({ONLY_LANE: 0}, bool(self._journal.entries()))

        return self._begun.at(place, find)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:
        """The current files, measured in stored bytes."""
        self._source.at(now)
        files = self._source.find()
        times = [each.modified_ns // _NS_A_TICK for each in files]
        sizes = [each.size for each, at in zip(files, times, strict=True) if since is None or at >= since]
        return [
            LaneHeld(
                ONLY_LANE,
                earliest=0,
                from_at=min(times, default=None),
                until_at=max(times, default=None),
                bytes=sum(each.size for each in files),
                bytes_since=None if since is None else sum(sizes),
            )
        ]

    def holds(self, lane: str, start: Position, end: Position) -> bool:  # noqa: ARG002
        """Return True if the files of these rows exist, unchanged since they were taken."""
        if self._journal.rows() < end:
            return False
        try:
            return all(self._source.taken(entry).is_unchanged() for entry in self._journal.between(start, end))
        except OSError:
            return False

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:  # noqa: ARG002
        """Return records of the current files (`sampling`). Raises `AdapterError`."""
        return sample_files(self._source.find(), self._options, most_records, most_bytes)

    def _take_files(self, rows: int) -> None:
        if self._journal.rows() >= rows:
            return
        self._count_on(rows)
        for file in self._untaken() if self._journal.rows() < rows else ():
            first = self._journal.rows()
            self._journal.append([self._entry(file, first, rows - first)])
            if self._journal.rows() >= rows:
                return

    def _count_on(self, rows: int) -> None:
        """Count more rows of the last file, if only the requested rows were counted so far."""
        if self._counting is None:
            return
        last, reader = self._journal.entries()[-1], self._counting
        marks = [*last.marks, *self._counted(reader, rows - last.first)]
        self._journal.replace_last(last.model_copy(update={"rows": reader.row, "marks": marks}))

    def _untaken(self) -> list[FoundFile]:
        taken = {file.path: file for file in (self._source.taken(entry) for entry in self._journal.entries())}
        found = self._source.find()
        for file in found:
            if file.path in taken and taken[file.path] != file:
                raise _changed(file)
        return [file for file in found if file.path not in taken]

    def _refuse_changed(self, file: FoundFile) -> None:
        try:
            unchanged = file.is_unchanged()
        except OSError as error:
            raise AdapterError(f"The file '{file.path}' can't be read ({why(error)}). Restore it.") from None
        if not unchanged:
            raise _changed(file)

    def _entry(self, file: FoundFile, first: int, wanted: int) -> TakenFile:
        """The entry of a file; without a stored journal, only about the `wanted` rows of a text file are counted
        yet.
        """
        if format_of(file.path, self._options) == "parquet":
            rows, columns = self._parquet.describe(ParquetPart(file, self._beside(file)))
            marks: list[RecordMark] = []
            _require(self._parquet.needed(columns), columns, file.path)
        else:
            rows, columns, marks = self._scan(file, sys.maxsize if self._counts_whole else wanted)
        return TakenFile(
            path=file.path,
            modified_ns=file.modified_ns,
            size=file.size,
            first=first,
            rows=rows,
            columns=columns,
            marks=marks,
            tag=file.tag,
        )

    def _scan(self, file: FoundFile, wanted: int) -> tuple[int, list[str], list[RecordMark]]:
        form = self._form(file)
        head = form.head(file)
        if head.columns:
            _require(self._csv.needed(head.columns, file.path), head.columns, file.path)
        reader = RecordReader(file, head.begin, form.split, form.open)
        marks = self._counted(reader, wanted)
        return reader.row, head.columns, marks or [head.begin]

    def _counted(self, reader: RecordReader, wanted: int) -> list[RecordMark]:
        """Count until there are `wanted` rows; a reader that has not reached the end is kept for more."""
        self._counting = None
        try:
            marks = reader.count(wanted)
        except AdapterError:
            reader.close()
            raise
        if reader.ended:
            reader.close()
        else:
            self._counting = reader
            weakref.finalize(self, reader.close)
        return marks

    def _form(self, file: FoundFile) -> TextForm:
        return TextForm(format_of(file.path, self._options), self._options)

    def _read_file(self, entry: TakenFile, file: FoundFile, span: tuple[int, int]) -> Iterator[Arrived]:
        which = format_of(file.path, self._options)
        if which == "parquet":
            parts_of_file = self._parquet.read(ParquetPart(file, self._beside(file)), span, entry.first)
            yield from (self._arrived(file, each) for each in parts_of_file)
            return
        mark, form = entry.mark_before(span[0]), self._form(file)
        parts = read_records(file, mark, span, self._options.chunk_rows, (form.name, form.split), form.open)

        def decode(records: Records) -> Arrived:
            low = entry.first + records.first
            positions = np.arange(low, low + len(records.starts), dtype=np.int64)
            beside = {name: [value.as_py()] * len(records) for name, value in self._beside(file).items()}
            records = replace(records, beside=beside)
            if which == "csv":
                return self._arrived(file, self._csv.decode(records, entry.columns, positions))
            arrived = self._arrived(file, self._json_lines.decode(records, positions))
            return arrived if self._ctis is None else with_ctis(arrived, ctis_in_lines(self._ctis, records))

        yield from decoded(parts, decode)

    def _beside(self, file: FoundFile) -> Mapping[str, pa.Scalar]:
        """Values that each row has in addition to its file's text: for implicit rowtimes the time of last writing
        (T17).
        """
        return {ARRIVAL: pa.scalar(file.modified_ns // _NS_A_TICK, pa.int64())} if self._implicit else {}

    def _arrived(self, file: FoundFile, rows: Arrived) -> Arrived:
        """The rows with their arrival times if rowtimes are implicit."""
        if not self._implicit:
            return rows
        return replace(rows, arrival=np.full(len(rows.kind), file.modified_ns // _NS_A_TICK, dtype=np.int64))


def _passed_over(file: FoundFile) -> TakenFile:
    """The entry of a skipped file: it has no rows, so that they need not be counted."""
    return TakenFile(
        path=file.path,
        modified_ns=file.modified_ns,
        size=file.size,
        first=0,
        rows=0,
        columns=[],
        marks=[],
        tag=file.tag,
    )


def _changed(file: FoundFile) -> AdapterError:
    return AdapterError(
        f"The file '{file.path}' was changed after its rows were counted, so saved positions in it are no longer "
        "valid. Restore the old file, or start the binding from the beginning."
    )


def _require(needed: Sequence[str], columns: Sequence[str], path: str) -> None:
    for name in needed:
        if name not in columns:
            raise no_such_column(f"The file '{path}'", name, columns)
