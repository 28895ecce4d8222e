"""The only row type of a carrier, for the messages of the feed, the operators and the sink."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar

import pyarrow as pa

from streaming.engine.exchange.envelopes import Envelope
from streaming.engine.state.container import framed, unframed
from streaming.spark.messages.carrier_messages import MessageKind
from streaming.spark.messages.shared_keys import place_of

T = TypeVar("T")
SCHEMA_DDL = "place string, bucket int, content binary"
"""The columns that cross between Spark's workers and its JVM, where each value of each row costs some microseconds.

The envelopes of one place (`shared_keys.py`) and bucket are one value, or several values where they are large."""
ARROW_SCHEMA = pa.schema([("place", pa.string()), ("bucket", pa.int32()), ("content", pa.binary())])
_MAX_BATCH_BYTES = 64 << 20
_MAX_CONTENT_BYTES = 1 << 20
_KINDS: Final = {kind.value: kind for kind in MessageKind}
Packed = tuple[str, int, bytes]
"""The columns of SCHEMA_DDL."""


class CarrierMessage(NamedTuple):
    """One envelope. `binding` is the key of a generation, `entry` its control entry.

    It is a tuple because a batch makes a dozen of them for each binding.
    """

    binding: str
    bucket: int
    entry: int
    batch: int
    input: str
    lane: str
    seq: int
    cti: int
    kind: MessageKind
    chunk: bytes


def row_of(envelope: Envelope, key: str, bucket_id: int, entry: int, batch: int) -> CarrierMessage:
    """Return the message to the operators of the generation `key`."""
    kind = _KINDS[envelope.kind]
    where = (envelope.input, envelope.lane, envelope.seq, envelope.cti)
    return CarrierMessage(key, bucket_id, entry, batch, *where, kind, envelope.chunk)


def packed(rows: Iterable[CarrierMessage], pages: Sequence[str]) -> Iterator[Packed]:
    """Yield the same envelopes in the same order, packed by place among `pages`; `unpacked` reverses it.

    A content is a container of chunks. For each binding it lists the columns between `bucket` and `chunk` of its
    envelopes. It holds about 1 MB, or one envelope that is larger.
    """
    places: dict[str, str] = {}

    def where(row: CarrierMessage) -> tuple[str, int]:
        place = places.get(row.binding)
        if place is None:
            place = places[row.binding] = place_of(row.binding, pages)
        return place, row.bucket

    for (place, bucket), mine in groupby(rows, key=where):
        for some in _together(mine, lambda row: len(row.chunk), _MAX_CONTENT_BYTES):
            yield place, bucket, _content(some)


def unpacked(place: str, bucket: int, content: bytes) -> Iterator[CarrierMessage]:  # noqa: ARG001 - the columns as they come
    """Yield the envelopes of one `Packed`."""
    header, chunks = unframed(content)
    chunk = iter(chunks)
    for binding, envelopes in header:
        for entry, batch, name, lane, seq, cti, kind in envelopes:
            where = (name, lane, seq, cti)
            yield CarrierMessage(binding, bucket, entry, batch, *where, _KINDS[kind], next(chunk))


def batches_of(rows: Iterable[CarrierMessage], pages: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield Arrow batches of at most about 64 MB each (one larger envelope is a batch of its own)."""
    for some in _together(packed(rows, pages), lambda each: len(each[2]), _MAX_BATCH_BYTES):
        yield _batch(some)


def rows_of(batch: pa.RecordBatch) -> Iterator[CarrierMessage]:
    """Yield the envelopes of an Arrow batch."""
    for each in zip(*(column.to_pylist() for column in batch.columns), strict=True):
        yield from unpacked(*each)


def _together(items: Iterable[T], size_of: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Yield `items` in lists of at most `most` in size, or of a single larger item."""
    gathered: list[T] = []
    size = 0
    for item in items:
        if gathered and size + size_of(item) > most:
            yield gathered
            gathered, size = [], 0
        gathered.append(item)
        size += size_of(item)
    if gathered:
        yield gathered


def _content(rows: list[CarrierMessage]) -> bytes:
    header = [
        (
            binding,
            [(row.entry, row.batch, row.input, row.lane, row.seq, row.cti, row.kind) for row in mine],
        )
        for binding, mine in groupby(rows, key=attrgetter("binding"))
    ]
    return framed(header, [row.chunk for row in rows])


def _batch(rows: list[Packed]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, ARROW_SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW_SCHEMA)
