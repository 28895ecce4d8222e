"""The explained clock of edge events, where it differs from that of other shapes."""

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.planning.explain import explain


def late_and_advances(shape: str, late: str) -> tuple[str, list[str]]:
    stream = StreamDefinition.model_validate({"shape": shape, "fields": {"k": "string"}})
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, {"id": "out", "kind": "output", "input": "s"}]
    query = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    settings = AdvanceTimeSettings.model_validate({"generate": {"every": 1, "delay": 0}, "late": late})
    explanation = explain(query, {"s": stream}, {"s": settings})
    clock = next(each.clock for each in explanation.nodes if each.clock is not None)
    return clock.late, clock.advances


@pytest.mark.parametrize("late", ["adjust", "shift"])
def test_adjust_and_shift_move_both_starts_and_ends_of_edges(late: str) -> None:
    assert late_and_advances("edge", late)[0] == "Late starts and late ends of edges are moved to the CTI."
    assert "edges" not in late_and_advances("interval", late)[0]


def test_ends_of_edges_generate_no_ctis() -> None:
    sentence = "CTIs follow only the starts of edges, not their ends (T6)."
    assert sentence in late_and_advances("edge", "drop")[1]
    assert sentence not in late_and_advances("interval", "drop")[1]
