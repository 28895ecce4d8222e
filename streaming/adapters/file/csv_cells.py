"""CSV (RFC 4180): text cells from records, converted to the types of the stream's fields.

An unquoted empty cell is null. A quoted one is the empty text for a text field, and null for other fields.

A record is a bad row if its number of cells differs from the header's, if its quotes are ill-formed, or if a cell that
is read contains bytes that are not UTF-8.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from streaming.adapters.chunks import DecodedColumns, LifetimeColumns, chunk_of
from streaming.adapters.file.records import Records
from streaming.adapters.formats.text.cells import UNQUOTED_EMPTY, CellSplitter, is_unicode
from streaming.adapters.formats.text.dialect import PLAIN_DIALECT, Dialect
from streaming.adapters.number_marks import PLAIN, NumberMarks
from streaming.adapters.times.columns import Bools, Times, TimeSource, joined_cells, read_cells, read_times
from streaming.adapters.times.ctis import CtiColumn, with_ctis
from streaming.adapters.times.selections import ARRIVAL, flat_column
from streaming.definition.payload.reading import BadPayload, WrittenNumber, read_payload
from streaming.definition.payload.types import Boolean, DecimalOf, Double, Long, String, Timestamp, Type
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.ticks import LAST_TICK
from streaming.wire.rows.arrived import Arrived, Int64s
from streaming.wire.rows.arrow_types import arrow_type, fields_of

ROWS_ONE_BY_ONE = 256
PARTS = 16


class CsvCells:
    """Decodes CSV records for one stream. Raises `AdapterError` for an event time that does not fit."""

    def __init__(
        self,
        stream: StreamDefinition,
        columns: dict[str, str],
        delimiter: str,
        ctis: CtiColumn | None = None,
        dialect: Dialect = PLAIN_DIALECT,
    ) -> None:
        self._stream = stream
        self._ctis = ctis
        self._fields = fields_of(stream.fields)
        self._column_of = {name: columns.get(name, name) for name in self._fields}
        self._lifetimes = LifetimeColumns.of(stream, columns)
        self._cells_of = CellSplitter(delimiter, dialect)
        self._dialect = dialect
        self._delimiter = delimiter

    def needed(self, header: Sequence[str], path: str = "") -> list[str]:
        """Return the columns that are read from the file `path`, without duplicates.

        Raises `AdapterError` if the start or end is configured as a path that can't be a CSV column.
        """
        cti = None if self._ctis is None else self._ctis.column
        clocks = [source.time_column for source in (self._lifetimes.start, self._lifetimes.end) if source is not None]
        named = [*self._times(header, path), *clocks, self._lifetimes.edge, *self._column_of.values(), cti]
        return list(dict.fromkeys(name for name in named if name not in (None, ARRIVAL)))

    def _times(self, header: Sequence[str], path: str = "") -> tuple[str, str | None]:
        """The columns of the start and of the end."""
        life = self._lifetimes
        end = None if life.end is None else flat_column(life.end, header, path)
        if life.start.column == ARRIVAL:
            return ARRIVAL, end
        return flat_column(life.start, header, path), end

    def decode(self, records: Records, header: Sequence[str], positions: Int64s) -> Arrived:
        """Decode `records` of a file with that header."""
        cells, broken = self._joined(self._cells(records, header), self.needed(header))
        return self._chunk(records, (cells, broken), self._times(header), positions)

    def decode_slowly(self, records: Records, header: Sequence[str], positions: Int64s) -> Arrived:
        """As `decode`, one row at a time: the reference for the fast path."""
        cells, broken = self._cells_one_by_one(records, header)
        return self._chunk(records, (cells, broken), self._times(header), positions)

    def _joined(
        self, pieces: list[tuple[dict[str, pa.Array], Bools]], names: list[str]
    ) -> tuple[dict[str, pa.Array], Bools]:
        if len(pieces) == 1:
            return pieces[0]
        cells = {name: pa.concat_arrays([piece[name] for piece, _ in pieces]) for name in names}
        return cells, np.concatenate([broken for _, broken in pieces])

    def _cells(self, records: Records, header: Sequence[str]) -> list[tuple[dict[str, pa.Array], Bools]]:
        count = len(records.starts)
        fast = None if records.broken.any() else self._cells_fast(records, header)
        if fast is not None:
            return [(fast, np.zeros(count, dtype=np.bool_))]
        if count <= ROWS_ONE_BY_ONE or self._dialect.ragged == "fill":
            return [self._cells_one_by_one(records, header)]
        step = -(-count // PARTS)
        found = []
        for low in range(0, count, step):
            found += self._cells(records.part(low, low + step), header)
        return found

    def _cells_fast(self, records: Records, header: Sequence[str]) -> dict[str, pa.Array] | None:
        body = self._fast_body(records)
        if body is None:
            return None
        names = self.needed(header)
        escape = "\\" if self._dialect.escape == "backslash" else False
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(pa.py_buffer(body)),
                read_options=arrow_csv.ReadOptions(
                    use_threads=False, column_names=list(header), block_size=len(body) + 1
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=self._delimiter, newlines_in_values=True, escape_char=escape
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={name: pa.string() for name in names},
                    include_columns=names,
                    null_values=["", *self._dialect.null_values],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            return None
        if table.num_rows != len(records.starts):
            return None
        return {name: _one(table.column(name)) for name in names}

    def _fast_body(self, records: Records) -> bytes | memoryview | None:
        """The text of the records for Arrow; None if Arrow would not split it into the same records."""
        body = records.body()
        if self._dialect.escape == "backslash" and b"\\" in (content := bytes(body)):
            data = np.frombuffer(records.block, dtype=np.uint8)
            if (data[records.ends - 1] == ord("\\")).any():
                return None
            if any(each.encode() in content for each in self._dialect.null_values if "\\" in each):
                return None
        if self._dialect.comment and b"\n" + self._dialect.comment.encode() in bytes(body):
            return b"\n".join(records.record(index) for index in range(len(records)))
        return body

    def _cells_one_by_one(self, records: Records, header: Sequence[str]) -> tuple[dict[str, pa.Array], Bools]:
        names = self.needed(header)
        places = [list(header).index(name) for name in names]
        count = len(records.starts)
        broken = records.broken.copy()
        columns: list[list[str | None]] = [[None] * count for _ in names]
        for index in range(count):
            cells = None if broken[index] else self._split(records.record(index), len(header), places)
            if cells is None:
                broken[index] = True
                continue
            for column, cell in zip(columns, cells, strict=True):
                column[index] = None if cell is UNQUOTED_EMPTY else cell
        return {name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)}, broken

    def _split(self, record: bytes, width: int, places: list[int]) -> list[str] | None:
        text = record.decode(errors="surrogateescape")
        cells = self._cells_of.of_row(text, width)
        if cells is None:
            return None
        wanted = [cells[place] for place in places]
        return wanted if all(is_unicode(cell) for cell in wanted) else None

    def _chunk(
        self,
        records: Records,
        read: tuple[dict[str, pa.Array], Bools],
        times: tuple[str, str | None],
        positions: Int64s,
    ) -> Arrived:
        cells, broken = read
        payload, unfit = [], np.zeros(len(positions), dtype=np.bool_)
        for name, of in self._fields.items():
            column, bad = typed(cells[self._column_of[name]], of, self._dialect.marks)
            payload.append(column)
            unfit |= bad
        life = self._lifetimes
        if times[0] == ARRIVAL:
            start = read_times(pa.array(records.beside[ARRIVAL], pa.int64()), life.start)
        else:
            start = self._read_times(cells, times[0], life.start)
        end = None
        if life.end is not None and times[1] is not None:
            end = self._read_times(cells, times[1], life.end)
        edge = cells[life.edge] if life.edge is not None else None
        columns = DecodedColumns(start, end, edge, payload, broken, unfit)
        arrived = chunk_of(columns, self._stream, positions, lambda indices: [records.text(index) for index in indices])
        return arrived if self._ctis is None else with_ctis(arrived, self._ctis.of(_or_null(cells[self._ctis.column])))

    def _read_times(self, cells: dict[str, pa.Array], column: str, source: TimeSource) -> Times:
        texts = _or_null(cells[column])
        if source.time_column is not None:
            texts = joined_cells(texts, _or_null(cells[source.time_column]))
        elif not source.is_text and not self._dialect.marks.plain:
            texts = self._dialect.marks.plainly(pl.Series(pl.from_arrow(texts)).str.strip_chars(" \t")).to_arrow()
            texts = texts.cast(pa.string())
        return read_cells(texts, source)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def typed(cells: pa.Array, of: Type, marks: NumberMarks = PLAIN) -> tuple[pa.Array, Bools]:
    """Convert a column of cells to the type `of`, and mark the cells that do not fit; numbers are written with `marks`.

    long: an optional sign and digits; double: decimal or exponent notation, finite; boolean: true or false in any case;
    timestamp: a whole number of ticks or ISO 8601 (UTC without an offset); decimal: a JSON number, exact; array and
    struct: JSON. Spaces around numbers are ignored.
    """
    if isinstance(of, String):
        return cells, np.zeros(len(cells), dtype=np.bool_)
    cells = _or_null(cells)
    if isinstance(of, Timestamp):
        times = read_cells(cells, TimeSource("", "auto"))
        null = _nulls(cells)
        bad = (times.bad | (times.ticks > LAST_TICK)) & ~null
        return pa.array(times.ticks, mask=bad | null), bad
    text = pl.Series(pl.from_arrow(cells)).str.strip_chars(" \t")
    if isinstance(of, Long | Double | DecimalOf) and not marks.plain:
        text = marks.plainly(text)
        cells = text.to_arrow().cast(pa.string())
    if isinstance(of, Long):
        return _mark_misfits(text, text.cast(pl.Int64, strict=False))
    if isinstance(of, Double):
        number = text.cast(pl.Float64, strict=False)
        return _mark_misfits(text, number.set(~number.is_finite().fill_null(False), None))
    if isinstance(of, Boolean):
        lower = text.str.to_lowercase()
        return _mark_misfits(
            text, lower.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
        )
    return _each(cells, of)


def _mark_misfits(text: "pl.Series", values: "pl.Series") -> tuple[pa.Array, Bools]:
    bad = values.is_null() & text.is_not_null()
    return values.to_arrow(), np.asarray(bad.to_numpy(), dtype=np.bool_)


def _each(cells: pa.Array, of: Type) -> tuple[pa.Array, Bools]:
    values: list[Any] = []
    bad = np.zeros(len(cells), dtype=np.bool_)
    for index, cell in enumerate(cells.to_pylist()):
        value = None if cell is None else _parsed(cell, of)
        bad[index] = isinstance(value, BadPayload)
        values.append(None if isinstance(value, BadPayload) else value)
    return pa.array(values, arrow_type(of)), bad


def _or_null(cells: pa.Array) -> pa.Array:
    """The cells, with quoted empty cells as null too."""
    return pc.if_else(pc.equal(cells, ""), pa.scalar(None, pa.string()), cells)


def _parsed(cell: str, of: Type) -> Any:
    try:
        value = json.loads(cell, parse_float=WrittenNumber)
    except (ValueError, RecursionError):
        return BadPayload("", "not JSON")
    read = read_payload({"_": value}, {"_": of})
    return read if isinstance(read, BadPayload) else read["_"]


def _nulls(column: pa.Array) -> Bools:
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
