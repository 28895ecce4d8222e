"""Parquet files: columns with the types declared in the file, checked once against the stream's schema."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streaming.adapters.arrow.texts import whole_rows
from streaming.adapters.arrow.types import is_text, unencoded, unsuited
from streaming.adapters.arrow.values import conformed, either, outermost, plain, without_views
from streaming.adapters.chunks import DecodedColumns, LifetimeColumns, chunk_of
from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.records import SHOWN_OF_TOO_LONG
from streaming.adapters.formats.parquet.row_bytes import is_bytes, nulled, parts_of, row_bytes, without
from streaming.adapters.formats.parquet.unicode_columns import readable_batch
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
from streaming.adapters.places import why
from streaming.adapters.times.columns import Bools, TimeSource, read_times
from streaming.adapters.times.ctis import CtiColumn, with_ctis
from streaming.adapters.times.selections import ColumnPlace, place_of
from streaming.definition.payload.types import Type
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrow_types import fields_of

MOST_NESTED_VALUES: Final = 4_000_000
"""The most values in lists and maps that are read at once, if the file states their number."""
_INT96_UNIT: Final = "us"
"""The unit of moments that older writers store as int96; the reader's default, ns, overflows outside 1677 to 2262."""


@dataclass(frozen=True)
class ParquetPart:
    """A file, and the columns that its rows have in addition to the file's: each has the same value in every row."""

    file: FoundFile
    beside: Mapping[str, pa.Scalar] = field(default_factory=dict)

    def schema(self, file: Any) -> pa.Schema:
        """All columns of the rows; `file` is the opened file."""
        schema = file.schema_arrow
        for name, value in self.beside.items():
            schema = schema.append(pa.field(name, value.type))
        return schema

    def completed(self, batch: pa.RecordBatch, columns: Sequence[str] | None) -> pa.RecordBatch:
        """Add those of `columns` (None: all) that are not in the file to the batch."""
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
        """The columns that are read from a file with `columns`, without duplicates."""
        life = self._lifetimes
        times = [place_of(source, columns).column for source in (life.start, life.end) if source is not None]
        named = [*times, life.edge, *self._column_of.values(), None if self._ctis is None else self._ctis.column]
        return list(dict.fromkeys(name for name in named if name is not None))

    def describe(self, part: ParquetPart) -> tuple[int, list[str]]:
        """Return the file's row count and columns. Raises `AdapterError` if a type does not fit the stream."""
        path = part.file.path
        with opened(part.file) as file:
            schema = part.schema(file)
            for each in self.needed(schema.names):
                refuse_twice(each, schema, path)
            for name, of in self._fields.items():
                column = self._column_of[name]
                if column in schema.names:
                    refuse_unsuited(column, schema.field(column).type, of, (path, f"the field '{name}' of the stream"))
            if self._lifetimes.edge in schema.names:
                _check_edge(schema.field(self._lifetimes.edge), path)
            for source in (self._lifetimes.start, self._lifetimes.end):
                place = place_of(source, schema.names) if source is not None else None
                if source is not None and place is not None and place.column in schema.names:
                    _check_time(_type_inside(schema.field(place.column).type, place, source, path), source, path)
            return file.metadata.num_rows, list(schema.names)

    def read(self, part: ParquetPart, span: tuple[int, int], first_position: int) -> Iterator[Arrived]:
        """Yield the rows `span` of the file; its row 0 is the position `first_position` of the lane."""
        with opened(part.file) as file:
            columns = list(part.schema(file).names)
        for low, batch in self._batches(part, span, self.needed(columns)):
            yield self._chunk(part, low, batch, first_position)

    def _batches(
        self, part: ParquetPart, span: tuple[int, int], columns: list[str] | None
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield the rows `span` in batches, each with the number of its first row in the file."""
        first, last = span
        stored = None if columns is None else [name for name in columns if name not in part.beside]
        with opened(part.file, texts_as_dictionaries=True) as file:
            for group, begin, end in _groups(file):
                if end <= first or begin >= last:
                    continue
                at = begin
                rows = min(self._chunk_rows, last - begin, _rows_at_once(file, group, stored))
                for read in file.iter_batches(rows, row_groups=[group], columns=stored):
                    batch = without_views(read)
                    low, high = max(first - at, 0), min(last - at, batch.num_rows)
                    if low < high:
                        yield from parts_of(at + low, part.completed(batch.slice(low, high - low), columns))
                    at += batch.num_rows
                    if at >= last:
                        break
                if at < min(end, last):
                    raise damaged(part.file.path, f"row group {group + 1} ends before its last row")

    def _chunk(self, part: ParquetPart, low: int, batch: pa.RecordBatch, first_position: int) -> Arrived:
        count = batch.num_rows
        too_large = row_bytes(batch) > MAX_RECORD_BYTES
        batch, escaped = readable_batch(without(batch, too_large))
        life = self._lifetimes
        payload: list[pa.Array] = []
        unfit: Bools | None = None
        for name, of in self._fields.items():
            column = self._column_of[name]
            found = conformed(batch.column(column), of)
            payload.append(found.values)
            unfit = either(unfit, either(found.unfit, escaped.get(column)))
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
            ordered = rows if rows.schema.names == names else rows.select(names)
            taken, _ = readable_batch(ordered.take(pa.array(mine - begin)))
            texts |= zip(mine.tolist(), _texts(taken), strict=True)
        if len(texts) < len(set(wanted.tolist())):
            raise damaged(part.file.path, "its columns have different numbers of rows")
        return [texts[at] for at in wanted.tolist()]


def _texts(rows: pa.RecordBatch) -> list[str]:
    """Each row as JSON; for a row larger than the limit, the beginnings of its values."""
    too_large = row_bytes(rows) > MAX_RECORD_BYTES
    shown = [_beginning(column, too_large) if too_large.any() else column for column in rows.columns]
    texts = whole_rows(pa.RecordBatch.from_arrays(shown, names=rows.schema.names))
    for at in np.flatnonzero(too_large).tolist():
        texts[at] += f" ... (longer than {MAX_RECORD_BYTES} bytes)"
    return texts


def _beginning(column: pa.Array, too_large: Bools) -> pa.Array:
    if pa.types.is_nested(column.type):
        return nulled(column, too_large)
    column = plain(column)
    if pa.types.is_string(column.type):
        return pc.utf8_slice_codeunits(column, 0, SHOWN_OF_TOO_LONG)
    return pc.binary_slice(column, 0, SHOWN_OF_TOO_LONG) if is_bytes(column.type) else column


@contextmanager
def opened(found: FoundFile, *, texts_as_dictionaries: bool = False) -> Iterator[Any]:
    """Open a `pq.ParquetFile`; with `texts_as_dictionaries` a text that is repeated in many rows is read once."""
    try:
        stored = found.open_stored()
    except OSError as error:
        raise AdapterError(f"The file '{found.path}' can't be read ({why(error)}). Restore it.") from None
    with stored:
        try:
            file = pq.ParquetFile(stored, coerce_int96_timestamp_unit=_INT96_UNIT)
            texts = [leaf.path for leaf in _leaves(file) if leaf.physical_type == "BYTE_ARRAY" and _is_text(leaf)]
            if texts_as_dictionaries and texts:
                file = pq.ParquetFile(stored, coerce_int96_timestamp_unit=_INT96_UNIT, read_dictionary=texts)
        except MemoryError:
            raise  # Arrow's MemoryError is also an ArrowException
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise AdapterError(
                f"The file '{found.path}' is not a complete Parquet file ({why(error)}). Replace it."
            ) from None
        try:
            yield file
        except MemoryError:
            raise  # Arrow's MemoryError is also an ArrowException
        except (pa.ArrowException, OSError) as error:
            raise damaged(found.path, why(error)) from None


def damaged(path: str, reason: str) -> AdapterError:
    """The error for a file whose rows can't be read."""
    return AdapterError(f"The file '{path}' can't be read ({reason}): its content is damaged. Replace it.")


def _leaves(file: Any) -> list[Any]:
    return [file.schema.column(at) for at in range(len(file.schema))]


def _is_text(leaf: Any) -> bool:
    return bool(leaf.logical_type.type != "DECIMAL")  # all BYTE_ARRAY columns are text except wide decimals


def _rows_at_once(file: Any, group: int, columns: Sequence[str] | None) -> int:
    """The number of a group's rows to read at once, so that their lists and maps stay within the limit of values.

    PyArrow raises for a damaged description of a column when it reads the column, but crashes the process when it is
    asked for that description: hence a row is read first. `columns` are those that are read, None for all.
    """
    repeated = {
        at: leaf.path
        for at, leaf in enumerate(_leaves(file))
        if leaf.max_repetition_level and (columns is None or any(_is_inside(leaf.path, name) for name in columns))
    }
    if not repeated:
        return sys.maxsize
    next(file.iter_batches(1, row_groups=[group], columns=list(repeated.values())), None)
    about = file.metadata.row_group(group)
    values = max(int(about.column(at).num_values) for at in repeated)
    return max(MOST_NESTED_VALUES * int(about.num_rows) // max(values, 1), 1)


def _is_inside(leaf: str, column: str) -> bool:
    return leaf == column or leaf.startswith(f"{column}.")


def _groups(file: Any) -> Iterator[tuple[int, int, int]]:
    begin = 0
    for group in range(file.metadata.num_row_groups):
        end = begin + file.metadata.row_group(group).num_rows
        yield group, begin, end
        begin = end


def refuse_unsuited(column: str, kind: pa.DataType, of: Type, where: tuple[str, str]) -> None:
    """Raise `AdapterError` if a column of `kind` can't have the type `of`.

    `where`: the path of its file, and a phrase for the thing with the type `of`.
    """
    path, wanted = where
    part = unsuited(kind, of)
    if part is None:
        return
    there = f"'{column}{part.path}' of '{path}'"
    if part.twice:
        raise AdapterError(
            f"There are several fields {there}, so it isn't clear which one to read. Write the file again with "
            "different names."
        )
    remedy = "Change the field's type, choose another column, or write the file with that type."
    inside = f"{wanted} is {part.of} in that place" if part.path else f"{wanted} is {part.of}"
    raise AdapterError(f"The column {there} is {_written(part.kind)}, but {inside}. {remedy}")


def refuse_twice(column: str, schema: pa.Schema, path: str) -> None:
    """Raise `AdapterError` if several columns have this name."""
    if schema.names.count(column) > 1:
        raise AdapterError(
            f"The file '{path}' has several columns named '{column}', so it isn't clear which one to read. Write it "
            "again with different names."
        )


def _check_edge(field: pa.Field, path: str) -> None:
    kind = unencoded(field.type)
    if not (is_text(kind) or pa.types.is_null(kind)):
        raise AdapterError(
            f"The column '{field.name}' of '{path}' is {_written(field.type)}, but it must contain `start` or `end` in "
            "each row. Choose a text column in the stream's event time."
        )


def _written(kind: pa.DataType) -> str:
    """The type as declared in the file, without the dictionary encoding that the reader adds to texts."""
    return re.sub(r"dictionary<values=(\w+),[^>]*>", r"\1", str(kind))


def _check_time(kind: pa.DataType, source: TimeSource, path: str) -> None:
    kind = unencoded(kind)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if source.time_column is not None:
        raise AdapterError(
            f"The event time names the two columns '{source.column}' and '{source.time_column}' of '{path}', but only "
            "CSV and JSON support two columns. Write the time into one column, or name one that holds all of it."
        )
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return
    if number and source.unit == "iso":
        raise AdapterError(
            f"The time column '{source.column}' of '{path}' contains numbers ({kind}). "
            "Choose their unit (s, ms, us or ns) in the stream's event time."
        )
    if not (number or (is_text(kind) and source.unit in ("iso", "auto", "pattern"))):
        raise AdapterError(
            f"The time column '{source.column}' of '{path}' is {_written(kind)}, which can't be read as "
            f"{source.unit}. Choose another unit or column in the stream's event time."
        )


def _type_inside(kind: pa.DataType, place: ColumnPlace, source: TimeSource, path: str) -> pa.DataType:
    """The type of the value at `place`, whose column is `kind`. Raises `AdapterError` if no such field exists."""
    for step in place.inside:
        kind = unencoded(kind)
        names = [kind.field(index).name for index in range(kind.num_fields)] if pa.types.is_struct(kind) else []
        if step not in names:
            there = f"it has {', '.join(names)}" if names else f"it is {_written(kind)}"
            raise AdapterError(
                f"The column '{place.column}' of '{path}' has no field '{step}' for the path '{source.column}'; "
                f"{there}. Correct the path."
            )
        kind = kind.field(names.index(step)).type
    return kind


def _held(batch: pa.RecordBatch, source: TimeSource) -> pa.Array:
    """The column of times; null where a struct around it is null."""
    place = place_of(source, batch.schema.names)
    column = outermost(batch.column(place.column))
    for step in place.inside:
        column = outermost(column.flatten()[column.type.get_field_index(step)])
    return plain(column)
