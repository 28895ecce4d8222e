"""Elements that were read row by row as a chunk of columns: for transcripts and tests."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streaming.definition.types import Fields
from streaming.temporal.events import Cti, EdgeKind
from streaming.temporal.outcomes import Reason
from streaming.wire.arrived import Arrived, RowKind
from streaming.wire.arrow_types import arrow_schema
from streaming.wire.rows import Element, MalformedRow

_EDGES = {None: RowKind.INSERT, EdgeKind.START: RowKind.EDGE_START, EdgeKind.END: RowKind.EDGE_END}


def arrived_of(elements: Sequence[Element], fields: Fields, positions: Sequence[int], raw: Sequence[str]) -> Arrived:
    """One chunk of `elements` of one lane; `positions` and `raw` have an entry for each."""
    kinds, starts, ends = [], [], []
    payloads: list[dict[str, Any]] = []
    malformed: dict[int, Reason] = {}
    for row, element in enumerate(elements):
        kind, start, end, payload = RowKind.MALFORMED, 0, 0, {}
        if isinstance(element, MalformedRow):
            malformed[row] = element.reason
        elif isinstance(element, Cti):
            kind, start = RowKind.CTI, element.at
        else:
            kind, start, end, payload = _EDGES[element.edge], element.start, element.end, dict(element.payload)
        kinds.append(kind)
        starts.append(start)
        ends.append(end)
        payloads.append(payload)
    return Arrived(
        kind=np.array(kinds, np.int8),
        start=np.array(starts, np.int64),
        end=np.array(ends, np.int64),
        positions=np.array(positions, np.int64),
        payload=pa.RecordBatch.from_pylist(payloads, schema=arrow_schema(fields)),
        malformed=malformed,
        raw=_picker(raw),
    )


def _picker(raw: Sequence[str]) -> Callable[[Sequence[int]], list[str]]:
    return lambda rows: [raw[row] for row in rows]
