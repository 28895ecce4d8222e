"""Conversion between rows and columns: chunks from judged rows, and the rows of a chunk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, EdgeKind, Event, OverlapRow
from streaming.temporal.tables import MalformedVersion, Snapshot, TableRow, Version
from streaming.temporal.ticks import NO_CTI, ONE_TICK, Tick
from streaming.wire.rows.arrived import Arrived, Int64s, RowKind
from streaming.wire.rows.arrow_types import schema_of
from streaming.wire.rows.row_json import Element, MalformedRow

_EDGE_KINDS = {None: RowKind.INSERT, EdgeKind.START: RowKind.EDGE_START, EdgeKind.END: RowKind.EDGE_END}
_EDGES = {kind: edge for edge, kind in _EDGE_KINDS.items()}


@dataclass(frozen=True)
class JudgedRow:
    """One row for a chunk. `arrival` is the wall clock at its arrival, None where unknown."""

    position: int
    element: Element
    raw: str
    arrival: int | None = None


def arrived_of(rows: Sequence[JudgedRow], stream: StreamDefinition) -> Arrived:
    """Return the chunk of `rows`, of one lane in arrival order. An unknown arrival is NO_CTI in its column."""
    count = len(rows)
    kind = np.zeros(count, dtype=np.int8)
    start = np.zeros(count, dtype=np.int64)
    end = np.zeros(count, dtype=np.int64)
    malformed = {}
    loads = {}
    for index, row in enumerate(rows):
        match row.element:
            case Cti(at):
                kind[index], start[index] = RowKind.CTI, at
            case MalformedRow(reason):
                kind[index], malformed[index] = RowKind.MALFORMED, reason
            case Event() as event:
                kind[index], start[index], end[index] = _EDGE_KINDS[event.edge], event.start, event.end
            case OverlapRow(begin, until):
                kind[index], start[index], end[index] = RowKind.OVERLAP, _or_none(begin), _or_none(until)
            case Version() | Snapshot() | MalformedVersion() as version:
                kind[index], start[index], end[index] = _kind_of(version), version.start, version.start + ONE_TICK
                if isinstance(version, Snapshot):
                    loads[index] = version.rows
                elif isinstance(version, MalformedVersion):
                    malformed[index] = version.reason
    raws = [row.raw for row in rows]
    return Arrived(
        kind=kind,
        start=start,
        end=end,
        positions=np.fromiter((row.position for row in rows), dtype=np.int64, count=count),
        payload=_payload(rows, stream),
        malformed=malformed,
        raw=_raw_of(raws),
        arrival=_arrival(rows),
        loads=loads,
    )


def _or_none(tick: Tick | None) -> int:
    return NO_CTI if tick is None else tick


def _kind_of(row: TableRow) -> RowKind:
    match row:
        case Version(deleted=deleted):
            return RowKind.DELETE if deleted else RowKind.VERSION
        case Snapshot():
            return RowKind.SNAPSHOT
        case MalformedVersion():
            return RowKind.REFUSED


def _payload(rows: Sequence[JudgedRow], stream: StreamDefinition) -> pa.RecordBatch:
    schema = schema_of(stream.fields)
    payloads = [row.element.payload if isinstance(row.element, Event | Version) else {} for row in rows]
    columns = [pa.array([payload.get(field.name) for payload in payloads], field.type) for field in schema]
    if not columns:
        return without_fields(len(rows))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def without_fields(rows: int) -> pa.RecordBatch:
    """Return a payload of `rows` rows for a stream without fields."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))


def _arrival(rows: Sequence[JudgedRow]) -> Int64s | None:
    if all(row.arrival is None for row in rows):
        return None
    return np.array([NO_CTI if row.arrival is None else row.arrival for row in rows], dtype=np.int64)


def _raw_of(texts: Sequence[str]) -> Callable[[Sequence[int]], list[str]]:
    return lambda indices: [texts[index] for index in indices]


def elements(arrived: Arrived) -> Iterator[Element]:
    """Yield the rows of a chunk one by one, in the reference's form; timestamps in payloads are ticks."""
    payloads = arrived.payload.to_pylist()
    for index, (kind, start, end) in enumerate(
        zip(arrived.kind.tolist(), arrived.start.tolist(), arrived.end.tolist(), strict=True)
    ):
        if kind == RowKind.CTI:
            yield Cti(Tick(start))
        elif kind == RowKind.MALFORMED:
            yield MalformedRow(arrived.malformed[index])
        elif kind == RowKind.OVERLAP:
            readable = start != NO_CTI
            yield OverlapRow(Tick(start) if readable else None, Tick(end) if readable else None)
        elif kind == RowKind.SNAPSHOT:
            yield Snapshot(Tick(start), tuple(arrived.loads[index]))
        elif kind == RowKind.REFUSED:
            yield MalformedVersion(Tick(start), arrived.malformed[index])
        elif kind in (RowKind.VERSION, RowKind.DELETE):
            yield Version(Tick(start), payloads[index], kind == RowKind.DELETE)
        else:
            yield Event(Tick(start), Tick(end), payloads[index], _EDGES[RowKind(kind)])
