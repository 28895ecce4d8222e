"""Messages as rows: the value by the JSON lines reader, with keys, headers and metadata as columns; CTIs in band."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import methodcaller
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from streaming.adapters.file.json_lines import JsonLines
from streaming.adapters.file.records import Records
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
from streaming.adapters.formats.values import Unreadable
from streaming.adapters.kafka.formats.rows import SchemaValues
from streaming.adapters.kafka.formats.sources import RegistrySource
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.times.ctis import WrittenCtis, scalar, with_ctis
from streaming.definition.payload.reading import read_object
from streaming.definition.streams.event_time import EventPath, event_path
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Arrived, Int64s
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.row_json import MalformedRow

_TICKS_PER_MS: Final = 1_000
_LOG_APPEND: Final = 2
"""TIMESTAMP_LOG_APPEND_TIME of the client: the broker's clock at the arrival."""
_TIMESTAMP_TYPES: Final = {0: None, 1: "create_time", _LOG_APPEND: "log_append_time"}
_BROKERS_TIME: Final = TimeColumn(column="_meta.timestamp", unit="ms")
_NO_VALUE: Final = "null"
_EMPTY: Final = b"{}"
_Read = Callable[[Any], Any]
# These run for millions of messages: `map` takes a third of the time of a Python loop.
_VALUE, _OFFSET, _TIMESTAMP = map(methodcaller, ("value", "offset", "timestamp"))


class MessageDecoder:
    """Decodes messages of one topic for one stream. Raises `AdapterError` for an event time that does not fit.

    With implicit rowtimes an event starts at the timestamp of its message, which is also its arrival (T17). Otherwise
    the arrival is recorded only if the broker sets the timestamps.
    """

    def __init__(self, stream: StreamDefinition, options: KafkaOptions, reach: Reach) -> None:
        self._options = options
        self._implicit = stream.rowtime is Rowtime.IMPLICIT
        if self._implicit:
            event_time = EventTime(start=_BROKERS_TIME)
            stream = stream.model_copy(update={"event_time": event_time, "rowtime": Rowtime.EXPLICIT})
        named = stream.event_time
        sources = () if named is None else (named.start, named.end)
        times = [each.column for each in sources if each is not None]
        paths = [event_path(text) for text in (*times, *options.columns.values())]
        keys = RegistrySource(options, reach, None, of_records=False) if options.key == "registry" else None
        self._beside = {path.text: _reader_of(path, options, keys) for path in paths if not path.in_payload}
        names = frozenset(self._beside)
        self._json = JsonLines(stream, options.columns, names)
        self.schemas = None if options.format == "json" else SchemaValues(stream, options, reach, names)
        self._written = WrittenCtis.of(stream, strict=options.cti_strict)
        self._field = options.cti_field
        self._field_word = json.dumps(options.cti_field).encode()

    def decode(self, messages: Sequence[Any]) -> Arrived:
        """Decode `messages`, which are from one partition and in the order of their offsets."""
        if self.schemas is not None:
            return self._decode_by_schema(self.schemas, messages)
        ctis = self._ctis(messages)
        values = list(map(_VALUE, messages))
        records = self._records(messages, values, ctis)
        positions = _offsets(messages)
        arrived = replace(self._json.decode(records, positions), arrival=self._arrivals(messages))

        def raw(indices: Sequence[int]) -> list[str]:
            return [_original_text(values[index], records, index) for index in indices]

        return with_ctis(replace(arrived, raw=raw), ctis)

    def _decode_by_schema(self, schemas: SchemaValues, messages: Sequence[Any]) -> Arrived:
        positions = _offsets(messages)
        rows = schemas.rows(list(map(_VALUE, messages)), self._values_beside(messages), positions)
        ctis = self._header_ctis(messages)
        if self._field is not None:
            for index, written in enumerate(schemas.written(rows.without(ctis), self._field)):
                if written is not None and index not in ctis:
                    ctis[index] = self._written.tick(written)
        arrived = schemas.decode(rows.without(ctis))

        def raw(indices: Sequence[int]) -> list[str]:
            return [rows.text(index) for index in indices]

        return with_ctis(replace(arrived, arrival=self._arrivals(messages), raw=raw), ctis)

    def _values_beside(self, messages: Sequence[Any]) -> Mapping[str, Sequence[Any]]:
        return {name: [read(each) for each in messages] for name, read in self._beside.items()}

    def _records(self, messages: Sequence[Any], values: Sequence[bytes | None], ctis: Mapping[int, Any]) -> Records:
        """The values as lines; an empty object replaces a CTI, so that the fast path remains possible."""
        texts = [value or b"" for value in values]
        for index in ctis:
            texts[index] = _EMPTY
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        starts = np.concatenate(([0], np.cumsum(sizes + 1)[:-1])).astype(np.int64)
        broken = (sizes == 0) | (sizes > MAX_RECORD_BYTES)
        return Records(b"\n".join(texts), starts, starts + sizes, broken, 0, self._values_beside(messages))

    def _arrivals(self, messages: Sequence[Any]) -> Int64s | None:
        flat = chain.from_iterable(map(_TIMESTAMP, messages))
        kinds, times = np.fromiter(flat, np.int64, 2 * len(messages)).reshape(-1, 2).T
        known: npt.NDArray[np.bool_] = (times >= 0) if self._implicit else (kinds == _LOG_APPEND)
        if not known.any():
            return None
        return np.where(known, times * _TICKS_PER_MS, NO_CTI)

    def _ctis(self, messages: Sequence[Any]) -> dict[int, int | None]:
        """The messages that are CTIs, by index: the CTI in ticks, None for one that can't be read."""
        found = self._header_ctis(messages)
        if self._field is not None:
            for index, each in enumerate(messages):
                value = each.value() or b""
                if index not in found and (self._field_word in value or b"\\u" in value):
                    written = (read_object(value) or {}).get(self._field)
                    if written is not None:
                        found[index] = self._written.tick(written)
        return found

    def _header_ctis(self, messages: Sequence[Any]) -> dict[int, int | None]:
        found: dict[int, int | None] = {}
        if self._options.cti_header is not None:
            for index, each in enumerate(messages):
                written = _header(each.headers(), self._options.cti_header)
                if written is not None:
                    found[index] = self._written.tick(scalar(written))
        return found


def _offsets(messages: Sequence[Any]) -> Int64s:
    """The offsets of messages of one partition, which ascend: without gaps the first and the last determine them
    all.
    """
    first, last = messages[0].offset(), messages[-1].offset()
    if last - first + 1 == len(messages):
        return np.arange(first, last + 1, dtype=np.int64)
    return np.fromiter(map(_OFFSET, messages), np.int64, len(messages))


def _original_text(value: bytes | None, records: Records, index: int) -> str:
    """The original value of a message; a missing value is shown as JSON null."""
    if value is None:
        return _NO_VALUE
    if records.broken[index]:
        return records.text(index)
    return value.decode(errors="replace")


def _reader_of(path: EventPath, options: KafkaOptions, keys: RegistrySource | None) -> _Read:
    """Return a reader for the value at `path`, in the key or the metadata of a message."""
    if path.facet == "key" and keys is not None:
        return _registered_key_reader(path.steps, keys)
    if path.facet == "key":
        return _key_reader(path.steps, as_json=bool(path.steps) or options.key == "json")
    return _meta_reader(path.steps)


def _key_reader(steps: tuple[str, ...], *, as_json: bool) -> _Read:
    def read(message: Any) -> Any:
        key = message.key()
        if key is None:
            return None
        text = key.decode(errors="replace")
        return _inside(_json(text), steps) if as_json else text

    return read


def _registered_key_reader(steps: tuple[str, ...], keys: RegistrySource) -> _Read:
    def read(message: Any) -> Any:
        key = message.key()
        if key is None:
            return None
        reader, at = keys.reader_of(key)
        found = reader if isinstance(reader, Unreadable) else reader.read(key[at:])
        return None if isinstance(found, Unreadable) else _inside(found, steps)

    return read


def _meta_reader(steps: tuple[str, ...]) -> _Read:
    if steps[:1] == ("headers",):
        return lambda message: _header(message.headers(), ".".join(steps[1:]))
    known: Mapping[tuple[str, ...], _Read] = {
        ("topic",): lambda message: message.topic(),
        ("partition",): lambda message: message.partition(),
        ("offset",): lambda message: message.offset(),
        ("timestamp",): lambda message: None if message.timestamp()[0] == 0 else message.timestamp()[1],
        ("timestamp_type",): lambda message: _TIMESTAMP_TYPES[message.timestamp()[0]],
    }
    return known.get(steps, lambda _: None)


def _header(headers: Iterable[tuple[str, bytes | None]] | None, name: str) -> str | None:
    """The text of the last header with that name; None if there is no such header."""
    found = [value for key, value in headers or () if key == name and value is not None]
    return found[-1].decode(errors="replace") if found else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _inside(value: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def deleted_span(lane: str, start: int, end: int, stream: StreamDefinition) -> Arrived:
    """A malformed row in place of the offsets `[start, end)`, which were deleted before they were read."""
    message = f"The messages {start} to {end - 1} of partition {lane} were deleted before they were read."
    return arrived_of([JudgedRow(start, MalformedRow(Reason.BAD_ROW), message)], stream)
