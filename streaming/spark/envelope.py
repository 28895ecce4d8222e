"""The one row type of a carrier: what the feed sends, what the operators send on, what the sink writes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Literal

import pyarrow as pa

Kind = Literal[
    "partials",
    "events",
    "ctis",
    "watched",
    "counts",
    "late",
    "state",
    "clear",
    "save",
    "saved",
    "enter",
    "rows",
    "moved",
    "corrections",
]
"""To the operators: partials, events, ctis, watched, clear, save, enter. Through them: counts, late, state. From them:
rows, moved, late, corrections, saved (which the feed sends too).

`counts` is a LaneCounts as JSON, `late` an Arrow IPC stream, `state` a StateChange as JSON; `rows` and `moved` are what
an output released (rows; output CTIs); `corrections` is what windows refused, as `Output` says; `save` asks a bucket
for its state and holds the head of the savepoint, `saved` is a piece of one and `enter` one that a bucket begins with.
"""

SCHEMA_DDL = (
    "binding string, bucket int, entry bigint, batch bigint, input string, lane string, seq int, cti bigint, "
    "kind string, chunk binary"
)
ARROW_SCHEMA = pa.schema(
    [
        ("binding", pa.string()),
        ("bucket", pa.int32()),
        ("entry", pa.int64()),
        ("batch", pa.int64()),
        ("input", pa.string()),
        ("lane", pa.string()),
        ("seq", pa.int32()),
        ("cti", pa.int64()),
        ("kind", pa.string()),
        ("chunk", pa.binary()),
    ]
)
_MAX_BATCH_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Row:
    """One envelope: columns as in SCHEMA_DDL. `binding` is the key of a generation, `entry` its control entry."""

    binding: str
    bucket: int
    entry: int
    batch: int
    input: str
    lane: str
    seq: int
    cti: int
    kind: str
    chunk: bytes


values_of: Callable[[Row], tuple[Any, ...]] = attrgetter(*(column.name for column in fields(Row)))
"""The columns of an envelope. `astuple` copies each of them deeply, which cost more than the rest of the sending."""


def batches_of(rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Arrow batches of at most about 64 MB each (one larger envelope is a batch of its own)."""
    gathered: list[Row] = []
    size = 0
    for row in rows:
        if gathered and size + len(row.chunk) > _MAX_BATCH_BYTES:
            yield _batch(gathered)
            gathered, size = [], 0
        gathered.append(row)
        size += len(row.chunk)
    if gathered:
        yield _batch(gathered)


def _batch(rows: list[Row]) -> pa.RecordBatch:
    columns = zip(*map(values_of, rows), strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, ARROW_SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW_SCHEMA)


def rows_of(batch: pa.RecordBatch) -> Iterator[Row]:
    """The envelopes of an Arrow batch."""
    for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
        yield Row(*values)
