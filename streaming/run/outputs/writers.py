"""Files that a run writes: complete, or unchanged."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streaming.definition.payload.types import Array, Fields, Struct, Timestamp, Type
from streaming.run.errors import RunFailed, UsageError
from streaming.run.outputs.places import OutputPlace
from streaming.temporal.ticks import INFINITY
from streaming.wire.execution.interface import ReleasedRow
from streaming.wire.rows.arrow_types import arrow_schema, arrow_type
from streaming.wire.rows.payload_json import row_text

_MOMENT: Final = pa.timestamp("us", "UTC")
_ROWS_A_GROUP: Final = 50_000


class OutputWriter(Protocol):
    """Takes the rows of one output. Nothing is at its place before `finish`."""

    def rows(self, rows: Iterable[ReleasedRow]) -> None:
        """Write rows. Raises `OSError`."""

    def table(self, table: pa.Table) -> None:
        """Write rows in columns: start and end, by position, then the fields. Raises `OSError`."""

    def finish(self) -> None:
        """Move the complete file to its place. Raises `OSError`."""

    def discard(self) -> None:
        """Remove the unfinished file."""


def writer_of(place: OutputPlace, output: str | None, fields: Fields) -> OutputWriter:
    """Return the writer of one output; rows name it if `output` is given. Raises `RunFailed` and `UsageError`."""
    if place.form == "parquet" and place.path is not None:
        return ParquetWriter(place.path, fields)
    return JsonWriter(place.path, output, fields)


class LinesFile:
    """Text lines on their way to `path`, or without a path to standard output.

    Raises `RunFailed` for an impossible path.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._temporary = None if path is None else temporary_of(path)
        self._file: IO[str] = sys.stdout if self._temporary is None else _opened(self._temporary)

    def write(self, line: str) -> None:
        """Write one line. Raises `OSError`."""
        self._file.write(line + "\n")

    def finish(self) -> None:
        """Move the file to its place. Raises `OSError`."""
        self._file.flush()
        if self._path is not None and self._temporary is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._temporary.replace(self._path)

    def discard(self) -> None:
        """Remove the unfinished file; lines on standard output remain."""
        if self._temporary is not None:
            with suppress(OSError):
                self._file.close()
            self._temporary.unlink(missing_ok=True)


class JsonWriter:
    """JSON lines in the form of transcript rows."""

    def __init__(self, path: Path | None, output: str | None, fields: Fields) -> None:
        self._lines = LinesFile(path)
        self._named = {} if output is None else {"output": output}
        self._fields = fields

    def rows(self, rows: Iterable[ReleasedRow]) -> None:
        """Write rows; see `OutputWriter`."""
        for start, end, payload in rows:
            self._lines.write(row_text(start, end, payload, self._fields, **self._named))

    def table(self, table: pa.Table) -> None:
        """Write a table; see `OutputWriter`."""
        starts, ends, *columns = (column.to_pylist() for column in table.columns)
        names = list(self._fields)
        for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
            self.rows([(start, end, {name: column[index] for name, column in zip(names, columns, strict=True)})])

    def finish(self) -> None:
        """Finish the file; see `OutputWriter`."""
        self._lines.finish()

    def discard(self) -> None:
        """Remove the file; see `OutputWriter`."""
        self._lines.discard()


class ParquetWriter:
    """Parquet with the columns start, end (null for an open one) and the fields; times are UTC timestamps."""

    def __init__(self, path: Path, fields: Fields) -> None:
        taken = [name for name in ("start", "end") if name in fields]
        if taken:
            raise UsageError(f"A Parquet file already has the columns start and end. Rename the field {taken[0]}.")
        self._path = path
        self._temporary = temporary_of(path)
        self._fields = fields
        named = [pa.field(name, _column_type(of)) for name, of in fields.items()]
        self._schema = pa.schema([pa.field("start", _MOMENT, nullable=False), pa.field("end", _MOMENT), *named])
        _opened(self._temporary).close()
        try:
            self._writer: Any = pq.ParquetWriter(self._temporary, self._schema)
        except OSError as error:
            self._temporary.unlink(missing_ok=True)
            raise RunFailed(
                f"{path} cannot be written ({os.strerror(error.errno) if error.errno else error})."
            ) from None
        self._waiting: list[ReleasedRow] = []

    def rows(self, rows: Iterable[ReleasedRow]) -> None:
        """Write rows; see `OutputWriter`."""
        every = iter(rows)
        while more := list(islice(every, _ROWS_A_GROUP)):
            self._waiting += more
            if len(self._waiting) >= _ROWS_A_GROUP:
                self._flush()

    def table(self, table: pa.Table) -> None:
        """Write a table; see `OutputWriter`."""
        self._flush()
        self._write(table.columns)

    def finish(self) -> None:
        """Finish the file; see `OutputWriter`."""
        self._flush()
        self._writer.close()
        self._temporary.replace(self._path)

    def discard(self) -> None:
        """Remove the file; see `OutputWriter`."""
        with suppress(OSError, pa.ArrowException):
            self._writer.close()
        self._temporary.unlink(missing_ok=True)

    def _flush(self) -> None:
        if not self._waiting:
            return
        starts, ends, payloads = zip(*self._waiting, strict=True)
        self._waiting = []
        columns = [
            pa.array([payload.get(field.name) for payload in payloads], field.type)
            for field in arrow_schema(self._fields)
        ]
        self._write([pa.array(starts, pa.int64()), pa.array(ends, pa.int64()), *columns])

    def _write(self, columns: Sequence[pa.Array | pa.ChunkedArray]) -> None:
        start, end, *values = columns
        end = pc.if_else(pc.equal(end, INFINITY), pa.scalar(None, pa.int64()), end)
        typed = [value.cast(arrow_type(of)) for value, of in zip(values, self._fields.values(), strict=True)]
        cast = [column.cast(field.type) for column, field in zip([start, end, *typed], self._schema, strict=True)]
        self._writer.write_table(pa.table(cast, schema=self._schema))


def _column_type(of: Type) -> pa.DataType:
    """Return the type of a Parquet column: as between executors, but with timestamps as such."""
    if isinstance(of, Timestamp):
        return _MOMENT
    if isinstance(of, Array):
        return pa.list_(_column_type(of.element))
    if isinstance(of, Struct):
        return pa.struct([pa.field(name, _column_type(inner)) for name, inner in of.fields])
    return arrow_type(of)


def temporary_of(path: Path) -> Path:
    """Return the temporary path of a file: next to its place, with a name that inputs leave out."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def _opened(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise RunFailed(f"{path.parent} cannot be written ({error.strerror}).") from None
