"""Everyday definitions have no errors and no warnings."""

from typing import Any

import pytest

from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check, check_advance
from streaming.definition.faults import Fault
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from tests.definition.checks.graphs import CARS, COUNT, OUT, OWNERS, STREAMS, graph, join, top_k, window
from webapp.runs.demo import QUERIES
from webapp.runs.demo import STREAMS as DEMO_STREAMS

WATERMARK = {"preset": "watermark(5s)"}
HOUR = window(id="h", window={"kind": "tumbling", "size": "1h"}, group_by=["plate"], aggregates=[COUNT])
MINUTES = window(
    id="m",
    window={"kind": "tumbling", "size": "5m"},
    group_by=["plate"],
    aggregates=[COUNT | {"name": "recent"}],
)


def all_faults(
    raw: dict[str, Any], streams: dict[str, StreamDefinition], advance: dict[str, AdvanceTimeSettings]
) -> list[Fault]:
    """Return the faults of a whole binding, with adapters that send no CTIs."""
    read = QueryGraph.model_validate(raw)
    inputs = {node.id: node.stream for node in read.nodes if node.kind == "input"}
    faults = [*check(read, streams).faults, *check_binding(read, streams, advance, ())]
    for node, stream in inputs.items():
        settings = advance.get(node, streams[stream].advance)
        faults += check_advance(settings, streams[stream], adapter_sends_ctis=False)
    return faults


@pytest.mark.parametrize("raw", QUERIES, ids=[raw["name"] for raw in QUERIES])
def test_the_demo_has_no_fault(raw: dict[str, Any]) -> None:
    streams = {name: definition for name, (definition, _) in DEMO_STREAMS.items()}
    assert all_faults(raw, streams, {}) == []


@pytest.mark.parametrize(
    "nodes",
    [
        [CARS, window(), OUT],
        [CARS, window(window={"kind": "session", "gap": "30s"}, group_by=["plate"]), OUT],
        [CARS, top_k(group_by=["plate"]), OUT],
        [CARS, OWNERS, join(), OUT],
        [CARS, OWNERS, join("asof_join", type="left_outer"), OUT],
        [CARS, HOUR, MINUTES, join(left="m", right="h"), OUT],
        [CARS, HOUR, MINUTES, OUT | {"input": "h"}, OUT | {"id": "out2", "input": "m"}],
    ],
)
def test_plain_queries_after_a_watermark_have_no_fault(nodes: list[Any]) -> None:
    settings = AdvanceTimeSettings.model_validate(WATERMARK)
    assert all_faults(graph(*nodes), STREAMS, {"cars": settings, "owners": settings}) == []


def test_kept_late_events_and_a_grace_have_no_fault() -> None:
    settings = AdvanceTimeSettings.model_validate({"generate": {"every": 1, "basis": "max"}, "late": "keep"})
    assert all_faults(graph(CARS, window(grace="30s"), OUT), STREAMS, {"cars": settings}) == []
