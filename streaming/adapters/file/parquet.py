"""Parquet files: columns as they are typed in the file, checked once against the stream's schema."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streaming.adapters.chunks import DecodedColumns, LifetimeColumns, chunk_of
from streaming.adapters.contract import AdapterError
from streaming.adapters.ctis import CtiColumn, with_ctis
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.records import SHOWN_OF_TOO_LONG
from streaming.adapters.file.row_bytes import nulled, parts_of, plain, row_bytes, without
from streaming.adapters.file.split import MAX_RECORD_BYTES
from streaming.adapters.file.whole_rows import whole_rows
from streaming.adapters.places import why
from streaming.adapters.selections import ColumnPlace, place_of
from streaming.adapters.times import Bools, TimeSource, read_times
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Boolean, DecimalOf, Double, Long, String, Timestamp, Type
from streaming.temporal.ticks import LAST_TICK
from streaming.wire.arrived import Arrived
from streaming.wire.arrow_types import arrow_type, fields_of

MOST_NESTED_VALUES: Final = 4_000_000
"""In lists and maps that are read at once, where a file says how many it has."""


@dataclass(frozen=True)
class ParquetPart:
    """A file, and the columns that its rows have beside those that stand in it: the same value in each row."""

    file: FoundFile
    beside: Mapping[str, pa.Scalar] = field(default_factory=dict)

    def schema(self, file: Any) -> pa.Schema:
        """All columns of the rows; `file` is the opened file."""
        schema = file.schema_arrow
        for name, value in self.beside.items():
            schema = schema.append(pa.field(name, value.type))
        return schema

    def completed(self, batch: pa.RecordBatch, columns: Sequence[str] | None) -> pa.RecordBatch:
        """The batch with those of `columns` (None: all) that stand beside the file."""
        for name, value in self.beside.items():
            if columns is None or name in columns:
                batch = batch.append_column(name, pa.repeat(value, batch.num_rows))
        return batch


class ParquetFiles:
    """Reads row groups for one stream. Raises `AdapterError` for an event time that does not fit."""

    def __init__(
        self, stream: StreamDefinition, columns: dict[str, str], chunk_rows: int, ctis: CtiColumn | None = None
    ) -> None:
        self._stream = stream
        self._fields = fields_of(stream.fields)
        self._column_of = {name: columns.get(name, name) for name in self._fields}
        self._lifetimes = LifetimeColumns.of(stream, columns)
        self._chunk_rows = chunk_rows
        self._ctis = ctis

    def needed(self, columns: Sequence[str]) -> list[str]:
        """The columns that are read of a file with `columns`, each once."""
        life = self._lifetimes
        times = [place_of(source, columns).column for source in (life.start, life.end) if source is not None]
        named = [*times, life.edge, *self._column_of.values(), None if self._ctis is None else self._ctis.column]
        return list(dict.fromkeys(name for name in named if name is not None))

    def describe(self, part: ParquetPart) -> tuple[int, list[str]]:
        """How many rows and which columns the file has. Raises `AdapterError` where a type does not fit the stream."""
        path = part.file.path
        with opened(part.file) as file:
            schema = part.schema(file)
            for name, of in self._fields.items():
                column = self._column_of[name]
                if column in schema.names and not _suits(schema.field(column).type, of):
                    raise AdapterError(
                        f"The column '{column}' of '{path}' is {_written(schema.field(column).type)}, but the field "
                        f"'{name}' of the stream is {of}; change the field's type, choose another column, or have the "
                        "file written with that type."
                    )
            for source in (self._lifetimes.start, self._lifetimes.end):
                place = place_of(source, schema.names) if source is not None else None
                if source is not None and place is not None and place.column in schema.names:
                    _check_time(_type_inside(schema.field(place.column).type, place, source, path), source, path)
            return file.metadata.num_rows, list(schema.names)

    def read(self, part: ParquetPart, span: tuple[int, int], first_position: int) -> Iterator[Arrived]:
        """The rows `span` of the file; its row 0 is the position `first_position` of the lane."""
        with opened(part.file) as file:
            columns = list(part.schema(file).names)
        for low, batch in self._batches(part, span, self.needed(columns)):
            yield self._chunk(part, low, batch, first_position)

    def _batches(
        self, part: ParquetPart, span: tuple[int, int], columns: list[str] | None
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """The rows `span` in batches, each with the number of its first row in the file."""
        first, last = span
        stored = None if columns is None else [name for name in columns if name not in part.beside]
        with opened(part.file, texts_as_dictionaries=True) as file:
            for group, begin, end in _groups(file):
                if end <= first or begin >= last:
                    continue
                at = begin
                rows = min(self._chunk_rows, last - begin, _rows_at_once(file, group))
                for batch in file.iter_batches(rows, row_groups=[group], columns=stored):
                    low, high = max(first - at, 0), min(last - at, batch.num_rows)
                    if low < high:
                        yield from parts_of(at + low, part.completed(batch.slice(low, high - low), columns))
                    at += batch.num_rows
                    if at >= last:
                        break

    def _chunk(self, part: ParquetPart, low: int, batch: pa.RecordBatch, first_position: int) -> Arrived:
        count = batch.num_rows
        too_large = row_bytes(batch) > MAX_RECORD_BYTES
        batch = without(batch, too_large)
        life = self._lifetimes
        payload, unfit = [], np.zeros(count, dtype=np.bool_)
        for name, of in self._fields.items():
            column, bad = typed(batch.column(self._column_of[name]), of)
            payload.append(column)
            if bad is not None:
                unfit |= bad
        start = read_times(_held(batch, life.start), life.start)
        end = read_times(_held(batch, life.end), life.end) if life.end is not None else None
        edge = plain(batch.column(life.edge)) if life.edge is not None else None
        positions = np.arange(first_position + low, first_position + low + count, dtype=np.int64)

        def raw(indices: Sequence[int]) -> list[str]:
            return self._raw(part, low, batch, indices)

        columns = DecodedColumns(start, end, edge, payload, too_large, unfit)
        arrived = chunk_of(columns, self._stream, positions, raw)
        return (
            arrived if self._ctis is None else with_ctis(arrived, self._ctis.of(plain(batch.column(self._ctis.column))))
        )

    def _raw(self, part: ParquetPart, low: int, batch: pa.RecordBatch, indices: Sequence[int]) -> list[str]:
        """The whole rows as JSON objects; read again if the file has columns that the stream does not use."""
        if not len(indices):
            return []
        with opened(part.file) as file:
            names = list(part.schema(file).names)
        parts: Iterable[tuple[int, pa.RecordBatch]] = [(low, batch)]
        if set(names) != set(batch.schema.names):
            parts = self._batches(part, (low, low + batch.num_rows), None)
        wanted = np.asarray(indices, dtype=np.int64) + low
        texts: dict[int, str] = {}
        for begin, rows in parts:
            mine = wanted[(wanted >= begin) & (wanted < begin + rows.num_rows)]
            taken = rows.select(names).take(pa.array(mine - begin))
            texts |= zip(mine.tolist(), _texts(taken), strict=True)
        return [texts[at] for at in wanted.tolist()]


def _texts(rows: pa.RecordBatch) -> list[str]:
    """Each row as JSON; of one that is larger than a record may be, how its values begin."""
    too_large = row_bytes(rows) > MAX_RECORD_BYTES
    shown = [_beginning(column, too_large) if too_large.any() else plain(column) for column in rows.columns]
    texts = whole_rows(pa.table(shown, names=rows.schema.names))
    for at in np.flatnonzero(too_large).tolist():
        texts[at] += f" ... (longer than {MAX_RECORD_BYTES} bytes)"
    return texts


def _beginning(column: pa.Array, too_large: Bools) -> pa.Array:
    column = plain(nulled(column, too_large) if pa.types.is_nested(column.type) else column)
    return pc.utf8_slice_codeunits(column, 0, SHOWN_OF_TOO_LONG) if pa.types.is_string(column.type) else column


@contextmanager
def opened(found: FoundFile, *, texts_as_dictionaries: bool = False) -> Iterator[Any]:
    """The file, a `pq.ParquetFile`; with `texts_as_dictionaries` a text that stands in a million rows is read once."""
    try:
        stored = found.open_stored()
    except OSError as error:
        raise AdapterError(f"The file '{found.path}' cannot be read ({why(error)}); put it back.") from None
    with stored:
        try:
            file = pq.ParquetFile(stored)
            texts = [leaf.path for leaf in _leaves(file) if leaf.physical_type == "BYTE_ARRAY" and _is_text(leaf)]
            if texts_as_dictionaries and texts:
                file = pq.ParquetFile(stored, read_dictionary=texts)
        except (pa.ArrowInvalid, OSError) as error:
            raise AdapterError(
                f"The file '{found.path}' is not a complete Parquet file ({why(error)}); replace it."
            ) from None
        yield file


def _leaves(file: Any) -> list[Any]:
    return [file.schema.column(at) for at in range(len(file.schema))]


def _is_text(leaf: Any) -> bool:
    return bool(leaf.logical_type.type != "DECIMAL")  # of such bytes, all but a number of many digits


def _rows_at_once(file: Any, group: int) -> int:
    """So many rows of a group that their lists and maps have not too many values, if all rows have as many."""
    about = file.metadata.row_group(group)
    values = max((about.column(at).num_values for at in range(about.num_columns)), default=0)
    return max(MOST_NESTED_VALUES * int(about.num_rows) // max(int(values), 1), 1)


def _groups(file: Any) -> Iterator[tuple[int, int, int]]:
    begin = 0
    for group in range(file.metadata.num_row_groups):
        end = begin + file.metadata.row_group(group).num_rows
        yield group, begin, end
        begin = end


def _suits(kind: pa.DataType, of: Type) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if isinstance(of, String):
        return _is_string(kind)
    if isinstance(of, Boolean):
        return bool(pa.types.is_boolean(kind))
    if isinstance(of, Long):
        return bool(pa.types.is_integer(kind))
    if isinstance(of, Double | DecimalOf):
        return bool(number)
    if isinstance(of, Timestamp):
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_integer(kind))
    return bool(pa.types.is_nested(kind) or pa.types.is_null(kind))


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _written(kind: pa.DataType) -> str:
    """The type as it stands in the file: that texts are read as dictionaries is our affair."""
    return re.sub(r"dictionary<values=(\w+),[^>]*>", r"\1", str(kind))


def _check_time(kind: pa.DataType, source: TimeSource, path: str) -> None:
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return
    if number and source.unit == "iso":
        raise AdapterError(
            f"The time column '{source.column}' of '{path}' holds numbers ({kind}); "
            "choose their unit (s, ms, us or ns) in the stream's event time."
        )
    text = _is_string(kind) or pa.types.is_dictionary(kind)
    if not (number or (text and source.unit in ("iso", "auto"))):
        raise AdapterError(
            f"The time column '{source.column}' of '{path}' is {_written(kind)}, which cannot be read as "
            f"{source.unit}; choose another unit or column in the stream's event time."
        )


def _type_inside(kind: pa.DataType, place: ColumnPlace, source: TimeSource, path: str) -> pa.DataType:
    """The type of the value at `place`, whose column is `kind`. Raises `AdapterError` where nothing is there."""
    for step in place.inside:
        names = [kind.field(index).name for index in range(kind.num_fields)] if pa.types.is_struct(kind) else []
        if step not in names:
            there = f"it has {', '.join(names)}" if names else f"it is {_written(kind)}"
            raise AdapterError(
                f"The column '{place.column}' of '{path}' has no field '{step}', where '{source.column}' was to "
                f"be read; {there}. Correct the path."
            )
        kind = kind.field(names.index(step)).type
    return kind


def _held(batch: pa.RecordBatch, source: TimeSource) -> pa.Array:
    """The column of times; null where a struct around it is."""
    place = place_of(source, batch.schema.names)
    column = batch.column(place.column)
    return plain(pc.struct_field(column, list(place.inside)) if place.inside else column)


def typed(column: pa.Array, of: Type) -> tuple[pa.Array, Bools | None]:
    """The column as the stream's type, and which values do not fit: NaN, infinity, or more digits than it holds."""
    column = plain(column)
    if pa.types.is_null(column.type):
        return pa.nulls(len(column), arrow_type(of)), None
    if isinstance(of, Timestamp):
        times = read_times(column, TimeSource("", "us"))
        null = _bools(column.is_null())
        bad = (times.bad | (times.ticks > LAST_TICK)) & ~null
        return pa.array(times.ticks, mask=bad | null), bad
    if isinstance(of, Double):
        number = column.cast(pa.float64(), safe=False)
        finite = pc.is_finite(number).fill_null(True)
        return number, None if pc.all(finite, min_count=0).as_py() else ~_bools(finite)
    if isinstance(of, String | Boolean) or column.type == arrow_type(of):
        return column, None
    try:
        return column.cast(arrow_type(of)), None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _each(column, of)


def _each(column: pa.Array, of: Type) -> tuple[pa.Array, Bools]:
    read = [read_payload({"_": value}, {"_": of}) for value in column.to_pylist()]
    values = [None if isinstance(value, BadPayload) else value["_"] for value in read]
    bad = np.array([isinstance(value, BadPayload) for value in read], dtype=np.bool_)
    return pa.array(values, arrow_type(of)), bad


def _bools(column: pa.Array) -> Bools:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.bool_)
