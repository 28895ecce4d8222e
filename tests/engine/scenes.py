"""Small plans and chunks for the tests of this room."""

from typing import Any

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.compile import compile_binding
from streaming.planning.plan import QueryPlan
from streaming.temporal.events import Cti, point
from streaming.temporal.settings import AdvanceTime, Generate, Late
from streaming.temporal.ticks import INFINITY, Tick, Ticks
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of

FIELDS = {"k": "string", "v": "long"}
EVERY_EVENT = Generate(delay=Ticks(0), every_count=1)


def plan(
    window: dict[str, Any] | None = None, *, late: Late = Late.DROP, generate: Generate | None = None, buckets: int = 1
) -> QueryPlan:
    """Return s -> a window by k with n and total -> out; it generates nothing by default."""
    nodes: list[dict[str, Any]] = [
        {"id": "s", "kind": "input", "stream": "s"},
        {
            "id": "w",
            "kind": "window",
            "input": "s",
            "group_by": ["k"],
            "window": window or {"kind": "tumbling", "size": 10},
            "aggregates": [{"name": "n", "function": "count"}, {"name": "total", "function": "sum", "of": "v"}],
        },
        {"id": "out", "kind": "output", "input": "w"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "scene", "nodes": nodes})
    stream = StreamDefinition.model_validate({"fields": FIELDS})
    return compile_binding(graph, {"s": stream}, {"s": AdvanceTime(generate, late)}, buckets)


def chunk(*rows: tuple[int, str, int] | int, first_position: int = 0) -> Arrived:
    """(start, k, v) is a point; a bare number is a CTI, INFINITY included."""
    elements = [Cti(Tick(row)) if isinstance(row, int) else point(row[0], {"k": row[1], "v": row[2]}) for row in rows]
    judged = [
        JudgedRow(first_position + number, element, f"raw {row}")
        for number, (element, row) in enumerate(zip(elements, rows, strict=True))
    ]
    return arrived_of(judged, StreamDefinition.model_validate({"fields": FIELDS}))


__all__ = ["EVERY_EVENT", "FIELDS", "INFINITY", "chunk", "plan"]
