"""Values with schemas as chunks: by columns if all values of a stretch fit, otherwise one at a time."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.chunks import joined
from streaming.adapters.file.json_lines import PARTS, ROWS_ONE_BY_ONE, JsonLines
from streaming.adapters.formats.avro.reading import AvroReader
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
from streaming.adapters.formats.values import Unreadable, written_row, written_unreadable
from streaming.adapters.kafka.formats.framing import HEADER_BYTES
from streaming.adapters.kafka.formats.sources import RegistrySource, SchemaReader, text_reader
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.times.columns import KnownTick
from streaming.definition.payload.types import Boolean, Double, String, Type
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.arrived import Arrived, Int64s, no_raw
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.row_json import MalformedRow

MOMENT: Final = pa.timestamp("us", "UTC")
_NULL: Final = type(None)
Reading = tuple[SchemaReader | Unreadable, int]
"""The reader of a value, and the offset of the value's body."""


@dataclass(frozen=True)
class SchemaRows:
    """Values of messages, the reader of each, and the columns of the messages' other parts."""

    values: Sequence[bytes | None]
    readings: Sequence[Reading]
    beside: Mapping[str, Sequence[Any]]
    positions: Int64s

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.values)

    def part(self, low: int, high: int) -> "SchemaRows":
        """The rows `low` to `high` of these."""
        cut = slice(low, high)
        beside = {name: values[cut] for name, values in self.beside.items()}
        return SchemaRows(self.values[cut], self.readings[cut], beside, self.positions[cut])

    def without(self, indices: Collection[int]) -> "SchemaRows":
        """Replace the rows at `indices` (CTIs) by a copy of another row; their values are never used.

        So CTIs don't prevent reading a stretch by columns.
        """
        other = next((index for index in range(len(self)) if index not in indices), None)
        if not indices or other is None:
            return self
        values, readings = list(self.values), list(self.readings)
        for index in indices:
            values[index], readings[index] = values[other], readings[other]
        return replace(self, values=values, readings=readings)

    def record(self, index: int) -> Any:
        """Return the fields of a row; `Unreadable` if it has none."""
        value, (reader, at) = self.values[index], self.readings[index]
        if isinstance(reader, Unreadable):
            return reader
        return reader.read((value or b"")[at:])

    def text(self, index: int) -> str:
        """The row as JSON; for an unreadable row its bytes and the reason."""
        value = self.values[index]
        if value is None:
            return "null"
        found = self.record(index)
        return written_unreadable(value, found.why) if isinstance(found, Unreadable) else written_row(found)


class SchemaValues:
    """Decodes values for one stream by the schemas in the options, which are loaded on first use."""

    def __init__(self, stream: StreamDefinition, options: KafkaOptions, reach: Reach, beside: frozenset[str]) -> None:
        self._stream = stream
        self._options = options
        self._reach = reach
        self._beside = beside
        self._lines = JsonLines(stream, options.columns, beside)
        self._reader: SchemaReader | None = None
        self._registry: RegistrySource | None = None
        if options.schema_from == "registry":
            self._registry = RegistrySource(options, reach, options.format)

    def check(self) -> None:
        """Load the schema in the options, or the newest of the registry's subject. Raises `AdapterError`."""
        if self._registry is not None:
            self._registry.check()
        else:
            self._text_reader()

    def newest(self) -> SchemaReader:
        """Return the reader for messages that are written now. Raises `AdapterError`."""
        return self._text_reader() if self._registry is None else self._registry.newest()

    def rows(
        self, values: Sequence[bytes | None], beside: Mapping[str, Sequence[Any]], positions: Int64s
    ) -> SchemaRows:
        """Return the values with their readers. Raises `AdapterError`, also if a registry does not answer."""
        known: dict[bytes, Reading] = {}
        return SchemaRows(values, [self.reading(value, known) for value in values], beside, positions)

    def written(self, rows: SchemaRows, name: str) -> list[Any]:
        """The values of the field `name`, None in rows without it."""
        columns = self._columns(rows, [name])
        if columns is not None:
            found = columns[name]
            values = found.to_pylist() if isinstance(found, pa.Array) and not _is_moment(found) else None
            if values is not None or not isinstance(found, pa.Array):
                return list(found) if values is None else values
        records = [rows.record(index) for index in range(len(rows))]
        return [each.get(name) if isinstance(each, Mapping) else None for each in records]

    def decode(self, rows: SchemaRows) -> Arrived:
        """Decode `rows`; their texts must be taken from `rows`."""
        return joined(self._pieces(rows), self._stream, no_raw)

    def decode_slowly(self, rows: SchemaRows) -> Arrived:
        """As `decode`, one row at a time: the reference for the fast path."""
        judged = []
        for index, position in enumerate(rows.positions.tolist()):
            found = rows.record(index)
            if isinstance(found, Unreadable):
                judged.append(JudgedRow(position, MalformedRow(Reason.BAD_ROW), ""))
            else:
                beside = {name: values[index] for name, values in rows.beside.items()}
                judged.append(JudgedRow(position, self._lines.judge_decoded({**found, **beside}), ""))
        return arrived_of(judged, self._stream)

    def reading(self, value: bytes | None, known: dict[bytes, Reading]) -> Reading:
        """Return the reader of `value`; `known` caches readers by the beginning of values, which usually determines
        them.
        """
        if value is None:
            return Unreadable("The message has no value."), 0
        if len(value) > MAX_RECORD_BYTES:
            return Unreadable(f"The message is longer than {MAX_RECORD_BYTES} bytes."), 0
        begin = b"" if self._registry is None else value[: HEADER_BYTES + 1]
        found = known.get(begin)
        if found is None:
            found = (self._text_reader(), 0) if self._registry is None else self._registry.reader_of(value)
            if isinstance(found[0], AvroReader) or (found[1] <= len(begin) and not isinstance(found[0], Unreadable)):
                known[begin] = found
        return found

    def _text_reader(self) -> SchemaReader:
        if self._reader is None:
            self._reader = text_reader(self._options)
        return self._reader

    def _pieces(self, rows: SchemaRows) -> list[Arrived]:
        count = len(rows)
        fast = self._decode_fast(rows) if count > ROWS_ONE_BY_ONE // 16 else None
        if fast is not None:
            return [fast]
        if count <= ROWS_ONE_BY_ONE:
            return [self.decode_slowly(rows)]
        step = -(-count // PARTS)
        return [each for low in range(0, count, step) for each in self._pieces(rows.part(low, low + step))]

    def _decode_fast(self, rows: SchemaRows) -> Arrived | None:
        times, others = self._lines.time_columns, self._lines.other_columns
        named = [name for name in (*times, *(name for name, _ in others)) if name not in self._beside]
        columns = self._columns(rows, list(dict.fromkeys(named)))
        if columns is None:
            return None
        all_of_them = {**columns, **rows.beside}
        found: dict[str, pa.Array] = {}
        wanted: list[tuple[str, Type | None]] = [*((name, None) for name in times), *others]
        for name, of in wanted:
            column = _typed(all_of_them[name], of)
            if column is None or (name in found and found[name].type != column.type):
                return None
            found[name] = column
        return self._lines.chunk(found, rows.positions)

    def _columns(self, rows: SchemaRows, names: Sequence[str]) -> Mapping[str, Any] | None:
        """The columns `names` of rows that share a reader; None if the rows must be read one by one."""
        first = rows.readings[0] if len(rows) else (Unreadable(""), 0)
        reader, at = first
        if isinstance(reader, Unreadable) or any(each is not first and each != first for each in rows.readings):
            return None
        if not self._lines.reads_by_columns(reader.names):
            return None
        return reader.columns([(value or b"")[at:] if at else value or b"" for value in rows.values], names)


def _is_moment(column: pa.Array) -> bool:
    return bool(pa.types.is_timestamp(column.type))


def _typed(values: Any, of: Type | None) -> pa.Array | None:
    """The values as a column of the type `of` (None: a time); None if a value has another type."""
    if isinstance(values, pa.Array):
        return _fitting(values, of)
    kinds = set(map(type, values)) - {_NULL}
    try:
        if kinds == {KnownTick}:
            return _fitting(pa.array(values, pa.int64()).cast(MOMENT), of)
        if not kinds or (len(kinds) == 1 and kinds <= {int, float, str, bool}):
            return _fitting(pa.array(values), of)
    except (pa.ArrowInvalid, OverflowError):
        return None
    return None


def _arrow(of: Type | None) -> pa.DataType:
    if isinstance(of, Double):
        return pa.float64()
    if isinstance(of, String):
        return pa.string()
    return pa.bool_() if isinstance(of, Boolean) else pa.int64()


def _fitting(column: pa.Array, of: Type | None) -> pa.Array | None:
    """`column` converted for the check by `of` (None: a time); None if rows must be checked one by one."""
    kind = column.type
    if pa.types.is_null(kind):
        return pa.nulls(len(column), _arrow(of))
    if of is None or str(of) == "timestamp":
        return None if pa.types.is_boolean(kind) else column
    if isinstance(of, Double) and pa.types.is_integer(kind):
        low, high = pc.min(column).as_py(), pc.max(column).as_py()
        return column.cast(pa.float64()) if low is None or (low > -(2**53) and high < 2**53) else None
    if kind != _arrow(of):
        return column.cast(pa.int64()) if _is_moment(column) and str(of) == "long" else None
    if isinstance(of, Double) and not np.isfinite(column.fill_null(0.0).to_numpy(zero_copy_only=False)).all():
        return None
    return column
