"""JSON lines: a strict columnar reader for clean stretches, one row at a time around a broken line.

A stream with an event time (or with renamed columns) is read by columns. Any other is read as transcript rows: `start`,
`end`, `edge`, `cti`, and the payload under `payload` or at the top level. With an event time and no renamed columns,
rows in the form of transcripts are read as such, with the start from the place that the event time names.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json as arrow_json

from streaming.adapters.chunks import DecodedColumns, LifetimeColumns, chunk_of, joined
from streaming.adapters.file.records import Records
from streaming.adapters.times.columns import (
    Bools,
    Times,
    TimeSource,
    from_floats,
    from_integers,
    joined_text,
    read_time,
    read_times,
    text_ticks,
)
from streaming.adapters.times.ctis import CtiColumn
from streaming.adapters.times.selections import has_facets, judge_facets
from streaming.definition.payload.reading import BadPayload, read_object, read_payload
from streaming.definition.payload.types import STRING, TIMESTAMP, Boolean, Double, Long, String, Timestamp, Type
from streaming.definition.streams.event_time import EventPath, event_path, value_at
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import EdgeKind, Event
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, LAST_TICK, NO_CTI, ONE_TICK, Tick
from streaming.wire.rows.arrived import Arrived, Int64s, no_raw
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.arrow_types import arrow_type, fields_of
from streaming.wire.rows.row_json import Element, MalformedRow, read_row

ROWS_ONE_BY_ONE = 256
PARTS = 16
_TRANSCRIPT_WORDS = (b'"payload"', b'"cti"', b'"bad"')
_ESCAPED = b"\\u"
_ESCAPED_LETTER = re.compile(rb"\\u00[4-7]")
"""Matches escaped letters, which could hide a key; no writer of JSON needs them."""
_NOT_JSON = (b"NaN", b"Inf")
_FAST_TYPES = (Long, Double, String, Boolean, Timestamp)


class JsonLines:
    """Decodes records of JSON lines for one stream. Raises `AdapterError` for an event time that does not fit.

    `beside` names additional columns that are not in the text of the records; they take precedence over the text. With
    `beside`, the names in `columns` may also be paths into a row.
    """

    def __init__(self, stream: StreamDefinition, columns: dict[str, str], beside: frozenset[str] | None = None) -> None:
        self._stream = stream
        self._beside = beside or frozenset()
        self._fields = fields_of(stream.fields)
        self._column_of = {name: columns.get(name, name) for name in self._fields}
        self._lifetimes = LifetimeColumns.of(stream, columns)
        self._as_transcript = stream.event_time is None and not columns
        self._may_have_facets = stream.event_time is not None and not columns and not self._beside
        life = self._lifetimes
        sources = [source for source in (life.start, life.end) if source is not None]
        self._paths = {source.column: event_path(source.column) for source in sources}
        apart = [source.time_column for source in sources if source.time_column is not None]
        self._paths |= {column: event_path(column) for column in apart}
        of_fields = {} if beside is None else {column: event_path(column) for column in self._column_of.values()}
        self._field_paths = {column: path for column, path in of_fields.items() if not self._is_column(path)}
        columnar = not self._field_paths and all(map(self._is_column, self._paths.values()))
        self._never_fast = (
            bool(apart) or not columnar or not all(isinstance(of, _FAST_TYPES) for of in self._fields.values())
        )
        self._slow_words: tuple[bytes, ...] = _NOT_JSON
        if self._as_transcript or self._may_have_facets:
            self._slow_words += _TRANSCRIPT_WORDS
        if self._as_transcript:
            self._slow_words += (_ESCAPED,)
        if any(path.facet == "value" for path in self._paths.values()):
            self._slow_words += (b'"_value',)  # a column of that name takes precedence

    def decode(self, records: Records, positions: Int64s) -> Arrived:
        """Decode `records`."""
        pieces = list(self._pieces(records, positions))
        return joined(pieces, self._stream, lambda indices: [records.text(index) for index in indices])

    def decode_slowly(self, records: Records, positions: Int64s) -> Arrived:
        """As `decode`, one row at a time: the reference for the fast path."""
        rows = [JudgedRow(int(position), self._judge(records, i), "") for i, position in enumerate(positions)]
        return arrived_of(rows, self._stream)

    def decode_arrived(self, records: Records, positions: Int64s, arrivals: Int64s) -> Arrived:
        """Decode transcript rows that arrived at `arrivals` (ticks, or NO_CTI), one row at a time.

        With implicit rowtimes they start at their arrival (T17).
        """
        rows = []
        for index, (position, at) in enumerate(zip(positions.tolist(), arrivals.tolist(), strict=True)):
            row = None if records.broken[index] else read_object(records.record(index))
            arrival = None if at == NO_CTI else at
            element = MalformedRow(Reason.BAD_ROW) if row is None else self.judge(row, arrival)
            rows.append(JudgedRow(position, element, records.text(index), arrival))
        return arrived_of(rows, self._stream)

    def _pieces(self, records: Records, positions: Int64s) -> list[Arrived]:
        count = len(positions)
        if count <= ROWS_ONE_BY_ONE // 16 or self._never_fast:
            return [self.decode_slowly(records, positions)]
        fast = self._decode_fast(records, positions)
        if fast is not None:
            return [fast]
        if count <= ROWS_ONE_BY_ONE:
            return [self.decode_slowly(records, positions)]
        step = -(-count // PARTS)
        found: list[Arrived] = []
        for low in range(0, count, step):
            found += self._pieces(records.part(low, low + step), positions[low : low + step])
        return found

    def _decode_fast(self, records: Records, positions: Int64s) -> Arrived | None:
        body = records.body()
        if records.broken.any() or not _is_plain(records, body, self._slow_words):
            return None
        if self._may_have_facets and _ESCAPED in (content := bytes(body)) and _ESCAPED_LETTER.search(content):
            return None
        schema = self._schema(records)
        if schema is None:
            return None
        table = _parse(body, pa.schema([each for each in schema if each.name not in self._beside]))
        if table is None or table.num_rows != len(positions):
            return None
        columns = {name: _one(table.column(name)) for name in schema.names if name not in self._beside}
        for name in self._beside.intersection(schema.names):
            column = _column_of(records.beside[name], schema.field(name).type)
            if column is None:
                return None
            columns[name] = column
        return self.chunk(columns, positions)

    def _schema(self, records: Records) -> pa.Schema | None:
        """The Arrow types to parse with; times have the type of the first row. None if a column needs two types."""
        row = read_object(records.record(0))
        if row is None:
            return None
        row.update({name: values[0] for name, values in records.beside.items()})
        types: dict[str, pa.DataType] = {}
        wanted = [(column, _time_type(row.get(column))) for column in self._time_columns()]
        if self._lifetimes.edge is not None:
            wanted.append((self._lifetimes.edge, pa.string()))
        for name, of in self._fields.items():
            column = self._column_of[name]
            written = _time_type(row.get(column)) if isinstance(of, Timestamp) else arrow_type(of)
            wanted.append((column, written))
        for column, kind in wanted:
            if kind is None or types.setdefault(column, kind) != kind:
                return None
        return pa.schema(list(types.items()))

    def _time_columns(self) -> list[str]:
        sources = (self._lifetimes.start, self._lifetimes.end)
        return [self._column(source) for source in sources if source is not None]

    def _column(self, source: TimeSource) -> str:
        """The column that holds a time, in rows that are read by columns."""
        return self._paths[source.column].names[-1]

    @property
    def time_columns(self) -> Sequence[str]:
        """The columns that hold times, in rows that are read by columns."""
        return self._time_columns()

    @property
    def other_columns(self) -> Sequence[tuple[str, Type]]:
        """The columns of fields, and the column of the edge kind, with the types that they must have."""
        edge = [] if self._lifetimes.edge is None else [(self._lifetimes.edge, STRING)]
        return [*edge, *((self._column_of[name], of) for name, of in self._fields.items())]

    def reads_by_columns(self, names: Collection[str]) -> bool:
        """Return True if rows decoded elsewhere, with values at `names`, may be read by columns."""
        words = ("payload", "cti", "bad") if self._as_transcript or self._may_have_facets else ()
        return not self._never_fast and not any(each in words or each.startswith("_value") for each in names)

    def chunk(self, columns: Mapping[str, pa.Array], positions: Int64s) -> Arrived | None:
        """Build the chunk of rows with these columns; None if the rows must be checked one by one."""
        life = self._lifetimes
        sources = [source for source in (life.start, life.end) if source is not None]
        if not all(_fits(columns[self._column(source)], source) for source in sources):
            return None
        payload, unfit = [], None
        for name, of in self._fields.items():
            column = columns[self._column_of[name]]
            if isinstance(of, Timestamp):
                times = _timestamps(column)
                unfit = _either(unfit, times.bad & ~_nulls(column))
                column = pa.array(times.ticks, mask=_nulls(column) | times.bad)
            payload.append(column)
        start = read_times(columns[self._column(life.start)], life.start)
        end = read_times(columns[self._column(life.end)], life.end) if life.end is not None else None
        if self._as_transcript and end is not None and end.bad.any():
            return None  # only the slow path distinguishes a null end (infinity) from an absent one
        edge = columns[life.edge] if life.edge is not None else None
        return chunk_of(DecodedColumns(start, end, edge, payload, None, unfit), self._stream, positions, no_raw)

    def _judge(self, records: Records, index: int) -> Element:
        row = None if records.broken[index] else read_object(records.record(index))
        if row is None:
            return MalformedRow(Reason.BAD_ROW)
        return self.judge({**row, **{name: values[index] for name, values in records.beside.items()}})

    def judge(self, row: Mapping[str, Any], arrival: int | None = None) -> Element:
        """Convert one decoded row, which arrived at `arrival` (ticks; None if not recorded)."""
        if self._as_transcript:
            if "payload" not in row:
                row = {**row, "payload": {key: value for key, value in row.items() if key not in ("start", "end")}}
            return read_row(row, self._stream, arrival)
        if self._may_have_facets and has_facets(row, self._stream):
            return judge_facets(row, self._stream, arrival)
        return self._judge_mapped(row)

    def judge_decoded(self, row: Mapping[str, Any]) -> Element:
        """Convert a row of a format in which each row has every field: null in a transcript field counts as absent."""
        words = ("payload", "cti", "bad") if self._as_transcript or self._may_have_facets else ()
        return self.judge({name: value for name, value in row.items() if value is not None or name not in words})

    def _judge_mapped(self, row: Mapping[str, Any]) -> Element:
        life = self._lifetimes
        edge = None
        if life.edge is not None:
            if row.get(life.edge) not in ("start", "end"):
                return MalformedRow(Reason.BAD_ROW)
            edge = EdgeKind(row[life.edge])
        start = self._time(row, life.start)
        end = self._end(row, start, edge)
        if start is None or start > LAST_TICK or end is None:
            return MalformedRow(Reason.BAD_TIME)
        if end <= start:
            return MalformedRow(Reason.BAD_LIFETIME)
        values = {name: self._value(row, column) for name, column in self._column_of.items()}
        payload = read_payload(values, self._fields)
        if isinstance(payload, BadPayload):
            return MalformedRow(Reason.BAD_PAYLOAD)
        return Event(Tick(start), Tick(end), payload, edge)

    def _value(self, row: Mapping[str, Any], column: str) -> Any:
        path = self._field_paths.get(column)
        return row.get(column) if path is None else value_at(row, path)

    def _is_column(self, path: EventPath) -> bool:
        """Return True if the path is a single column, from `beside` or from the payload under any of its names."""
        return path.text in self._beside or (path.in_payload and len(path.steps) <= 1)

    def _end(self, row: Mapping[str, Any], start: int | None, edge: EdgeKind | None) -> int | None:
        if not self._stream.shape.lasts:
            return None if start is None else start + ONE_TICK
        if edge is EdgeKind.START:
            return INFINITY
        source = self._lifetimes.end
        return self._time(row, source) if source else None

    def _time(self, row: Mapping[str, Any], source: TimeSource) -> int | None:
        value = value_at(row, self._paths[source.column])
        if source.time_column is not None:
            value = joined_text(value, value_at(row, self._paths[source.time_column]))
        return read_time(value, source)


def ctis_in_lines(column: CtiColumn, records: Records) -> dict[int, int | None]:
    """The CTIs among `records`, by index: those in which `column` is not null; None for one that can't be read."""
    found: dict[int, int | None] = {}
    word = json.dumps(column.column, ensure_ascii=False).encode()
    for index in range(len(records)):
        record = b"" if records.broken[index] else records.record(index)
        written = (read_object(record) or {}).get(column.column) if word in record or _ESCAPED in record else None
        if written is not None:
            found[index] = column.written.tick_in_column(written)
    return found


def _is_plain(records: Records, body: memoryview, slow_words: tuple[bytes, ...]) -> bool:
    """Return True if every line looks like one object: PyArrow's reader crashes on a bare `null` and joins broken
    lines.
    """
    data = np.frombuffer(records.block, dtype=np.uint8)
    if not ((data[records.starts] == ord("{")).all() and (data[records.ends - 1] == ord("}")).all()):
        return False
    content = bytes(body)
    if any(word[:1] in content and word in content for word in slow_words):  # searching one byte is ten times as fast
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parse(body: memoryview, schema: pa.Schema) -> pa.Table | None:
    try:
        return arrow_json.read_json(
            pa.BufferReader(pa.py_buffer(body)),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(body) + 1),
            parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None


def _column_of(values: Sequence[Any], wanted: pa.DataType) -> pa.Array | None:
    """The values as a column; None unless they all have exactly the type `wanted`."""
    try:
        column = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None
    return column if column.type == wanted else pa.nulls(len(values), wanted) if pa.types.is_null(column.type) else None


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _time_type(written: object) -> pa.DataType | None:
    """The type of a time column, judged by one of its values."""
    if isinstance(written, str):
        return pa.string()
    if isinstance(written, float):
        return pa.float64()
    return pa.int64() if isinstance(written, int) and not isinstance(written, bool) else None


def _fits(column: pa.Array, source: TimeSource) -> bool:
    """Return True if the column gives the same result for every row as `read_time` for its value."""
    if pa.types.is_timestamp(column.type):
        return True
    if pa.types.is_string(column.type):
        return source.unit in ("iso", "auto", "pattern")
    if pa.types.is_integer(column.type):
        return source.unit != "iso"
    if source.unit in ("iso", "auto", "ns", "pattern"):
        return False
    if source.unit == "excel":
        return True
    times = from_floats(column, source.unit)
    return bool((np.abs(times.ticks) < 2**53).all() and not times.bad.any())


def _timestamps(column: pa.Array) -> Times:
    """Ticks of a payload field: moments, numbers of ticks, or ISO 8601 text."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    whole = pa.types.is_integer(column.type)
    times = from_integers(column, "us") if whole else text_ticks(column, "UTC", _timestamp)
    return Times(times.ticks, times.bad | (times.ticks > LAST_TICK))


def _timestamp(text: str) -> int | None:
    read = read_payload({"_": text}, {"_": TIMESTAMP})
    return None if isinstance(read, BadPayload) else int(read["_"])


def _either(one: Bools | None, other: Bools) -> Bools:
    return other if one is None else one | other


def _nulls(column: pa.Array) -> Bools:
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
