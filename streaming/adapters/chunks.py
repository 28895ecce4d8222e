"""Chunks built from columns: lifetimes, malformed rows in the order of T5, and chunks joined together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.contract import AdapterError
from streaming.adapters.times.columns import Bools, Times, TimeSource
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, LAST_TICK, ONE_TICK
from streaming.wire.rows.arrived import Arrived, Int64s, RowKind
from streaming.wire.rows.arrived_rows import without_fields
from streaming.wire.rows.arrow_types import schema_of

Raw = Callable[[Sequence[int]], list[str]]


@dataclass(frozen=True)
class LifetimeColumns:
    """The columns that hold a row's lifetime; `end` and `edge` as the shape needs them."""

    start: TimeSource
    end: TimeSource | None
    edge: str | None

    @staticmethod
    def of(stream: StreamDefinition, columns: dict[str, str]) -> "LifetimeColumns":
        """The columns that the stream's event time names, otherwise `columns`, otherwise start, end and edge.

        Raises `AdapterError` when an interval or edge stream does not name its end column.
        """
        named = stream.event_time
        if named is None:
            start, end, edge = (columns.get(name, name) for name in ("start", "end", "edge"))
            sources: tuple[TimeSource, TimeSource | None, str | None]
            sources = TimeSource(start, "auto"), TimeSource(end, "auto"), edge
        else:
            sources = TimeSource.of(named.start), TimeSource.of(named.end) if named.end else None, named.edge
        for source in sources[:2]:
            _check_zone(source)
        if stream.shape.lasts and sources[1] is None:
            raise AdapterError(f"The stream's shape is {stream.shape}; name the column with the end in its event time.")
        if stream.shape is Shape.EDGE and sources[2] is None:
            raise AdapterError("The stream's shape is edge; name the column with `start` or `end` in its event time.")
        needs_end = stream.shape.lasts
        return LifetimeColumns(
            sources[0], sources[1] if needs_end else None, sources[2] if stream.shape is Shape.EDGE else None
        )


def _check_zone(source: TimeSource | None) -> None:
    if source is None:
        return
    try:
        ZoneInfo(source.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise AdapterError(
            f"'{source.zone}' is not a time zone. Use an IANA name, for example UTC or Europe/Zurich."
        ) from None


@dataclass(frozen=True)
class DecodedColumns:
    """The decoded columns of a chunk. `edge` is text; `broken` and `unfit` mark bad rows and bad payloads."""

    start: Times
    end: Times | None
    edge: pa.Array | None
    payload: list[pa.Array]
    broken: Bools | None
    unfit: Bools | None


def chunk_of(columns: DecodedColumns, stream: StreamDefinition, positions: Int64s, raw: Raw) -> Arrived:
    """Check every row in the order bad_row, bad_time, bad_lifetime, bad_payload, and build the chunk."""
    count = len(positions)
    kind = np.zeros(count, dtype=np.int8)
    start = columns.start.ticks
    bad_row = columns.broken if columns.broken is not None else np.zeros(count, dtype=np.bool_)
    bad_time = columns.start.bad | (start > LAST_TICK)
    end = start + ONE_TICK
    if columns.edge is not None:
        kind, unknown = _edges(columns.edge)
        bad_row = bad_row | unknown
    if columns.end is not None:
        opens = kind == RowKind.EDGE_START
        end = np.where(opens, INFINITY, columns.end.ticks)
        bad_time = bad_time | (columns.end.bad & ~opens)
    judged = [(Reason.BAD_ROW, bad_row), (Reason.BAD_TIME, bad_time), (Reason.BAD_LIFETIME, end <= start)]
    if columns.unfit is not None:
        judged.append((Reason.BAD_PAYLOAD, columns.unfit))
    malformed: dict[int, Reason] = {}
    for reason, rows in judged:
        for index in np.flatnonzero(rows).tolist():
            malformed.setdefault(index, reason)
    if malformed:
        kind[np.fromiter(malformed, dtype=np.int64)] = RowKind.MALFORMED
        malformed = dict(sorted(malformed.items()))
    return Arrived(kind, start, end, positions, payload_of(columns.payload, stream, count), malformed, raw)


def _edges(column: pa.Array) -> tuple[np.ndarray[tuple[int], np.dtype[np.int8]], Bools]:
    starts = _true(pc.equal(column, "start"))
    ends = _true(pc.equal(column, "end"))
    kind = np.where(starts, RowKind.EDGE_START, RowKind.EDGE_END).astype(np.int8)
    return kind, ~(starts | ends)


def _true(column: pa.Array) -> Bools:
    return np.asarray(column.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_)


def payload_of(columns: list[pa.Array], stream: StreamDefinition, rows: int) -> pa.RecordBatch:
    """The payload columns as one batch, with `rows` rows even if the stream has no fields."""
    if not columns:
        return without_fields(rows)
    return pa.RecordBatch.from_arrays(columns, schema=schema_of(stream.fields))


def joined(pieces: Sequence[Arrived], stream: StreamDefinition, raw: Raw) -> Arrived:
    """Join consecutive chunks into one; `raw` takes indices in the joined chunk."""
    if len(pieces) == 1:
        only = pieces[0]
        return Arrived(only.kind, only.start, only.end, only.positions, only.payload, only.malformed, raw)
    malformed: dict[int, Reason] = {}
    count = 0
    for piece in pieces:
        malformed.update({index + count: reason for index, reason in piece.malformed.items()})
        count += len(piece.kind)
    columns = [pa.concat_arrays([piece.payload.column(i) for piece in pieces]) for i in range(len(stream.fields))]
    return Arrived(
        np.concatenate([piece.kind for piece in pieces]),
        np.concatenate([piece.start for piece in pieces]),
        np.concatenate([piece.end for piece in pieces]),
        np.concatenate([piece.positions for piece in pieces]),
        payload_of(columns, stream, count),
        malformed,
        raw,
    )
