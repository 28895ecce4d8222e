"""Result rows as JSON values, for people and programs that read results."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

from streaming.definition.payload.types import Fields
from streaming.engine.columns.flows import CLOSE, GONE, OPEN, TIMINGS, Flows, PaneColumns
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.payload_json import column_to_json

_EDGES: Final = {OPEN: "start", CLOSE: "end"}


def result_rows(output: str, table: pa.Table, schema: Fields) -> list[dict[str, Any]]:
    """Return ResultRow values as JSON: lifetimes in ticks (infinity null), timestamps in the payload as ISO text.

    `table` belongs to an `OperatorOutput` of kind rows; final rows have only output, start, end and payload.
    """
    flows = Flows.of_table(table)
    columns = [column.to_pylist() for column in flows.columns.values()]
    named = [column_to_json(column, of) for column, of in zip(columns, schema.values(), strict=True)]
    names = list(schema)
    payloads: Sequence[tuple[Any, ...]] = list(zip(*named, strict=True)) if named else [()] * len(flows)
    rows: list[dict[str, Any]] = [
        {"output": output, "start": start, "end": _finite(end), "payload": dict(zip(names, payload, strict=True))}
        for start, end, payload in zip(flows.start.tolist(), flows.end.tolist(), payloads, strict=True)
    ]
    return rows if flows.id is None else [row | extra for row, extra in zip(rows, _not_final(flows), strict=True)]


def _not_final(flows: Flows) -> Iterator[dict[str, Any]]:
    """Yield the fields next to the payload of each row that a later row may replace."""
    pane = flows.pane
    for place, (key, flag, start, end) in enumerate(
        zip(flows.ids.to_pylist(), flows.flags.tolist(), flows.start.tolist(), flows.end.tolist(), strict=True)
    ):
        if key is None:
            yield {}
            continue
        extra = {"key": key, "edge": _EDGES.get(flag), "deleted": flag == GONE or (flag == CLOSE and end <= start)}
        yield extra if pane is None else {**extra, "pane": _pane(pane, place)}


def _pane(pane: PaneColumns, place: int) -> dict[str, Any] | None:
    """Return the pane of a row; None (an index below zero) for a row that no window made."""
    if pane.index[place] < 0:
        return None
    return {
        "start": int(pane.start[place]),
        "end": _finite(int(pane.end[place])),
        "timing": TIMINGS[pane.timing[place]],
        "index": int(pane.index[place]),
        "is_last": bool(pane.is_last[place]),
    }


def _finite(end: int) -> int | None:
    return None if end == INFINITY else end
