"""Lifetimes of rows as versions of a table: a start is a version of its key, an end a deletion (T48, T49)."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.streams.stream import EventTime, StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.tables import TableRules
from streaming.temporal.ticks import ONE_TICK
from streaming.wire.rows.arrived import Arrived, RowKind

_OF_TABLES = ("keys", "version", "first", "max_keys", "clock", "follow")


def as_edges(stream: StreamDefinition, times: EventTime) -> StreamDefinition:
    """Return the `stream` of a table as lifetimes of rows."""
    return stream.model_copy(update={**dict.fromkeys(_OF_TABLES), "shape": Shape.EDGE, "event_time": times})


def versions_of(arrived: Arrived, rules: TableRules) -> Arrived:
    """Return lifetimes as versions and deletions. A deletion has its keys alone: with a version field, it could be
    greater than the version that follows at its time. Without a key a row is malformed (T49).
    """
    starts, ends = arrived.kind == RowKind.EDGE_START, arrived.kind == RowKind.EDGE_END
    start = np.where(ends, arrived.end, arrived.start)
    kind = np.where(starts, RowKind.VERSION, np.where(ends, RowKind.DELETE, arrived.kind)).astype(np.int8)
    malformed = dict(arrived.malformed)
    for index in np.flatnonzero((starts | ends) & _lacks_key(arrived.payload, rules)).tolist():
        kind[index], malformed[index] = RowKind.REFUSED, Reason.BAD_PAYLOAD
    return replace(
        arrived,
        kind=kind,
        start=start,
        end=np.where(starts | ends, start + ONE_TICK, arrived.end),
        payload=_keys_alone(arrived.payload, ends, rules),
        malformed=dict(sorted(malformed.items())),
    )


def _lacks_key(payload: pa.RecordBatch, rules: TableRules) -> npt.NDArray[np.bool_]:
    lacking = np.zeros(payload.num_rows, dtype=np.bool_)
    for name in rules.keys:
        lacking |= np.asarray(pc.is_null(payload.column(name)).to_numpy(zero_copy_only=False), dtype=np.bool_)
    return lacking


def _keys_alone(payload: pa.RecordBatch, deletions: npt.NDArray[np.bool_], rules: TableRules) -> pa.RecordBatch:
    if not deletions.any():
        return payload
    kept = pa.array(~deletions)
    columns = [
        column if name in rules.keys else pc.if_else(kept, column, pa.nulls(len(column), column.type))
        for name, column in zip(payload.schema.names, payload.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=payload.schema)
