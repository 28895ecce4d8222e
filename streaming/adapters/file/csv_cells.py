"""CSV (RFC 4180): text cells from records, typed by the stream's schema.

An empty cell is null; in quotes it is the empty text where the field is one, and null elsewhere.

A record with another number of cells than the header, with ill-formed quotes, or with bytes that are not UTF-8 in a
cell that is read, is a bad row.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from streaming.adapters.chunks import DecodedColumns, LifetimeColumns, chunk_of
from streaming.adapters.ctis import CtiColumn, with_ctis
from streaming.adapters.file.records import Records
from streaming.adapters.selections import ARRIVAL, flat_column
from streaming.adapters.times import Bools, TimeSource, read_cells, read_times
from streaming.definition.payload import BadPayload, WrittenNumber, read_payload
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Boolean, Double, Long, String, Timestamp, Type
from streaming.temporal.ticks import LAST_TICK
from streaming.wire.arrived import Arrived, Int64s
from streaming.wire.arrow_types import arrow_type, fields_of

ROWS_ONE_BY_ONE = 256
PARTS = 16


class _EmptyCell(str):
    """An empty cell that is known by its identity."""


UNQUOTED_EMPTY: Final = _EmptyCell()
QUOTED_EMPTY: Final = _EmptyCell()


class CsvCells:
    """Decodes records of CSV for one stream. Raises `AdapterError` for an event time that does not fit."""

    def __init__(
        self, stream: StreamDefinition, columns: dict[str, str], delimiter: str, ctis: CtiColumn | None = None
    ) -> None:
        self._stream = stream
        self._ctis = ctis
        self._fields = fields_of(stream.fields)
        self._column_of = {name: columns.get(name, name) for name in self._fields}
        self._lifetimes = LifetimeColumns.of(stream, columns)
        self._delimiter = delimiter

    def needed(self, header: Sequence[str], path: str = "") -> list[str]:
        """The columns that are read of the file `path`, each once.

        Raises `AdapterError` where the start or end is said to stand where no column of a CSV file can be.
        """
        cti = None if self._ctis is None else self._ctis.column
        named = [*self._times(header, path), self._lifetimes.edge, *self._column_of.values(), cti]
        return list(dict.fromkeys(name for name in named if name not in (None, ARRIVAL)))

    def _times(self, header: Sequence[str], path: str = "") -> tuple[str, str | None]:
        """The columns of the start and of the end."""
        life = self._lifetimes
        end = None if life.end is None else flat_column(life.end, header, path)
        if life.start.column == ARRIVAL:
            return ARRIVAL, end
        return flat_column(life.start, header, path), end

    def decode(self, records: Records, header: Sequence[str], positions: Int64s) -> Arrived:
        """The chunk of `records` of a file with that header."""
        cells, broken = self._joined(self._cells(records, header), self.needed(header))
        return self._chunk(records, (cells, broken), self._times(header), positions)

    def decode_slowly(self, records: Records, header: Sequence[str], positions: Int64s) -> Arrived:
        """As `decode`, one row at a time: what the fast path must agree with."""
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
        if count <= ROWS_ONE_BY_ONE:
            return [self._cells_one_by_one(records, header)]
        step = -(-count // PARTS)
        found = []
        for low in range(0, count, step):
            found += self._cells(records.part(low, low + step), header)
        return found

    def _cells_fast(self, records: Records, header: Sequence[str]) -> dict[str, pa.Array] | None:
        body = records.body()
        names = self.needed(header)
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(pa.py_buffer(body)),
                read_options=arrow_csv.ReadOptions(
                    use_threads=False, column_names=list(header), block_size=len(body) + 1
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={name: pa.string() for name in names},
                    include_columns=names,
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            return None
        if table.num_rows != len(records.starts):
            return None
        return {name: _one(table.column(name)) for name in names}

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
        cells = split_cells(text, self._delimiter)
        if cells is None or len(cells) != width:
            return None
        wanted = [cells[place] for place in places]
        return wanted if all(_is_unicode(cell) for cell in wanted) else None

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
            column, bad = typed(cells[self._column_of[name]], of)
            payload.append(column)
            unfit |= bad
        life = self._lifetimes
        if times[0] == ARRIVAL:
            start = read_times(pa.array(records.beside[ARRIVAL], pa.int64()), life.start)
        else:
            start = read_cells(_or_null(cells[times[0]]), life.start)
        end = None
        if life.end is not None and times[1] is not None:
            end = read_cells(_or_null(cells[times[1]]), life.end)
        edge = cells[life.edge] if life.edge is not None else None
        columns = DecodedColumns(start, end, edge, payload, broken, unfit)
        arrived = chunk_of(columns, self._stream, positions, lambda indices: [records.text(index) for index in indices])
        return arrived if self._ctis is None else with_ctis(arrived, self._ctis.of(_or_null(cells[self._ctis.column])))


def header_cells(record: bytes, delimiter: str) -> list[str] | None:
    """The names in a header line; None when it cannot be read."""
    text = record.decode(errors="surrogateescape")
    cells = split_cells(text, delimiter)
    return cells if cells is not None and all(_is_unicode(cell) for cell in cells) else None


def split_cells(text: str, delimiter: str) -> list[str] | None:
    """The cells of one record; None when its quotes are ill-formed. An empty one is one of the two empty cells."""
    if '"' not in text:
        return [cell or UNQUOTED_EMPTY for cell in text.split(delimiter)]
    cells: list[str] = []
    at = 0
    while True:
        if text[at : at + 1] == '"':
            close = at + 1
            while text[close : close + 1] != '"' or text[close + 1 : close + 2] == '"':
                if close >= len(text):
                    return None
                close += 2 if text[close] == '"' else 1
            cells.append(text[at + 1 : close].replace('""', '"') or QUOTED_EMPTY)
            end = close + 1
        else:
            found = text.find(delimiter, at)
            end = len(text) if found < 0 else found
            cells.append(text[at:end] or UNQUOTED_EMPTY)
            if '"' in cells[-1]:
                return None
        if end >= len(text):
            return cells
        if text[end] != delimiter:
            return None
        at = end + 1


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def typed(cells: pa.Array, of: Type) -> tuple[pa.Array, Bools]:
    """A column of cells by type, and which cells do not fit.

    long: an optional sign and digits; double: decimal or exponent notation, finite; boolean: true or false in any
    case; timestamp: a whole number of ticks or ISO 8601 (UTC without an offset); decimal: a JSON
    number, exact; array and struct: JSON. Spaces around numbers do not count.
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
    if isinstance(of, Long):
        return _kept(text, text.cast(pl.Int64, strict=False))
    if isinstance(of, Double):
        number = text.cast(pl.Float64, strict=False)
        return _kept(text, number.set(~number.is_finite().fill_null(False), None))
    if isinstance(of, Boolean):
        lower = text.str.to_lowercase()
        return _kept(text, lower.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean))
    return _each(cells, of)


def _kept(text: "pl.Series", values: "pl.Series") -> tuple[pa.Array, Bools]:
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
    """The cells, where one in quotes that is empty is null too."""
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
