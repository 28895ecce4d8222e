"""Between rows and columns: chunks made of judged rows, and the row-by-row view of a chunk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streaming.definition.streams import StreamDefinition
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.arrived import Arrived, Int64s, RowKind
from streaming.wire.arrow_types import schema_of
from streaming.wire.rows import Element, MalformedRow

_EDGE_KINDS = {None: RowKind.INSERT, EdgeKind.START: RowKind.EDGE_START, EdgeKind.END: RowKind.EDGE_END}
_EDGES = {kind: edge for edge, kind in _EDGE_KINDS.items()}


@dataclass(frozen=True)
class JudgedRow:
    """One row as it will stand in a chunk. `arrival` is None where the wall clock at its arrival is not known."""

    position: int
    element: Element
    raw: str
    arrival: int | None = None


def arrived_of(rows: Sequence[JudgedRow], stream: StreamDefinition) -> Arrived:
    """The chunk of `rows`, which are of one lane and in arrival order. An unknown arrival is NO_CTI in its column."""
    count = len(rows)
    kind = np.zeros(count, dtype=np.int8)
    start = np.zeros(count, dtype=np.int64)
    end = np.zeros(count, dtype=np.int64)
    malformed = {}
    for index, row in enumerate(rows):
        match row.element:
            case Cti(at):
                kind[index], start[index] = RowKind.CTI, at
            case MalformedRow(reason):
                kind[index], malformed[index] = RowKind.MALFORMED, reason
            case Event() as event:
                kind[index], start[index], end[index] = _EDGE_KINDS[event.edge], event.start, event.end
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
    )


def _payload(rows: Sequence[JudgedRow], stream: StreamDefinition) -> pa.RecordBatch:
    schema = schema_of(stream.fields)
    payloads = [row.element.payload if isinstance(row.element, Event) else {} for row in rows]
    columns = [pa.array([payload.get(field.name) for payload in payloads], field.type) for field in schema]
    if not columns:
        return without_fields(len(rows))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def without_fields(rows: int) -> pa.RecordBatch:
    """A payload of `rows` rows for a stream that has no fields."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))


def _arrival(rows: Sequence[JudgedRow]) -> Int64s | None:
    if all(row.arrival is None for row in rows):
        return None
    return np.array([NO_CTI if row.arrival is None else row.arrival for row in rows], dtype=np.int64)


def _raw_of(texts: Sequence[str]) -> Callable[[Sequence[int]], list[str]]:
    return lambda indices: [texts[index] for index in indices]


def elements(arrived: Arrived) -> Iterator[Element]:
    """The rows of a chunk one by one, as the reference takes them; timestamps in payloads are ticks."""
    payloads = arrived.payload.to_pylist()
    for index, (kind, start, end) in enumerate(
        zip(arrived.kind.tolist(), arrived.start.tolist(), arrived.end.tolist(), strict=True)
    ):
        if kind == RowKind.CTI:
            yield Cti(Tick(start))
        elif kind == RowKind.MALFORMED:
            yield MalformedRow(arrived.malformed[index])
        else:
            yield Event(Tick(start), Tick(end), payloads[index], _EDGES[RowKind(kind)])
