"""What an explanation says of the clock of edge events, where it differs from that of other shapes."""

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import AdvanceTimeSettings, StreamDefinition
from streaming.planning.explain import explain


def late_and_advances(shape: str, late: str) -> tuple[str, list[str]]:
    stream = StreamDefinition.model_validate({"shape": shape, "fields": {"k": "string"}})
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, {"id": "out", "kind": "output", "input": "s"}]
    query = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    settings = AdvanceTimeSettings.model_validate({"generate": {"every": 1, "delay": 0}, "late": late})
    said = explain(query, {"s": stream}, {"s": settings})
    clock = next(each.clock for each in said.nodes if each.clock is not None)
    return clock.late, clock.advances


@pytest.mark.parametrize("late", ["adjust", "shift"])
def test_adjust_and_shift_move_starts_and_ends_of_edges_alike(late: str) -> None:
    assert late_and_advances("edge", late)[0] == "Late starts of edges become the CTI, and so do late ends."
    assert "edges" not in late_and_advances("interval", late)[0]


def test_ends_of_edges_make_no_ctis() -> None:
    told = "Ends of edges count for nothing here: CTIs follow starts alone (T6)."
    assert told in late_and_advances("edge", "drop")[1]
    assert told not in late_and_advances("interval", "drop")[1]
