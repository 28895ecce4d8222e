"""Late events that windows of every kind refuse, and their reports (T12, T19)."""

from dataclasses import replace

import pytest

from streaming.definition.graph import QueryGraph
from streaming.reference.execution import run_case
from streaming.reference.flow import ElementId
from streaming.temporal.outcomes import Outcome
from tests.reference.windows.windowing import COUNTED, Row, case_of, cti, ends, interval, opens, result_of, run_of


@pytest.mark.parametrize(
    ("window", "refused_at"),
    [
        ({"kind": "session", "gap": 10}, 7 + 4 + 1),
        ({"kind": "count", "n": 1}, 7 + 4 + 1),
        ({"kind": "snapshot"}, 12 + 4),
        ({"kind": "tumbling", "size": 10}, 20 + 4),
    ],
    ids=str,
)
def test_an_event_is_refused_from_a_certain_cti_on(window: Row, refused_at: int) -> None:
    """The trace names that CTI."""
    node, event = {"window": window, "grace": 4}, interval(7, 12)
    assert not result_of([cti(refused_at), event], node, shape="interval").events
    assert len(result_of([cti(refused_at - 1), event], node, shape="interval").events) == 1
    run = run_of([cti(90), event], node, shape="interval")
    removals = run.trace.removals(ElementId("s", "a", 1))
    assert [(each.node, each.closed_at) for each in removals] == [("w", refused_at)]


def test_an_edge_that_one_window_refuses_may_be_kept_by_another() -> None:
    case = case_of([cti(50), opens(7), ends(7, 60)], {"window": {"kind": "session", "gap": 10}}, shape="edge")
    raw = case.graph.model_dump()
    wide = {"id": "x", "kind": "window", "input": "s", "window": {"kind": "tumbling", "size": 100}}
    raw["nodes"] += [wide | {"aggregates": COUNTED}, {"id": "all", "kind": "output", "input": "x"}]
    result = run_case(replace(case, graph=QueryGraph.model_validate(raw)))
    assert [(row.output, row.payload) for row in result.events] == [("all", {"n": 1})]
    assert [row.outcome for row in result.late] == [Outcome.LATE_KEPT]
