"""Rows that a window missed, also after a join: rows that would have counted if they had been in time."""

from typing import Any

import pytest
from hypothesis import given, settings

from streaming.definition.graph import QueryGraph, WindowNode
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.model import Simulation
from streaming.simulator.recorded.in_time import in_time_run
from streaming.simulator.recorded.missing import MissedRows
from streaming.simulator.recorded.record import record
from streaming.simulator.samples.sample import SampleRow
from streaming.simulator.simulate import simulate
from streaming.temporal.outcomes import IN_TIME
from streaming.wire.execution.case import Case
from tests.reference.drawn.cases import Scope, cases
from tests.simulator.picture import at
from tests.simulator.test_agreement import FIXED, query_of

some = settings(max_examples=max(20, settings.default.max_examples // 4))


@pytest.mark.parametrize("kind", FIXED)
def test_one_more_run_finds_what_following_each_row_finds(kind: str) -> None:
    @some
    @given(cases(kind, Scope(alone=True)))
    def holds(case: Case) -> None:
        recorded = record(query_of(case))
        [node] = [node.id for node in case.graph.nodes if isinstance(node, WindowNode)]
        panes, supposed = recorded.panes[node], in_time_run(recorded)
        late = {
            number
            for number, judged in recorded.judged_by_number()
            if judged.original is not None and judged.original.edge is None and judged.outcome not in IN_TIME
        }
        missed = MissedRows(recorded).by_pane
        for pane in panes.all:
            if pane.gone is None:
                members = supposed.members(panes, pane.pane)
                last = pane.steps[-1].members if pane.steps else ()
                held = {recorded.number_of[element] for flow in last for element in flow.sources}
                assert sorted(frozenset().union(*members) & late - held) == missed.get((node, pane.id), [])

    holds()


STREAM: dict[str, Any] = {
    "shape": "interval",
    "fields": {"k": "string"},
    "advance": {"generate": {"every": 1, "delay": "0s"}, "late": "drop"},
}
GRAPH: dict[str, Any] = {
    "version": 1,
    "name": "joined",
    "nodes": [
        {"id": "l", "kind": "input", "stream": "l"},
        {"id": "r", "kind": "input", "stream": "r"},
        {"id": "j", "kind": "join", "left": "l", "right": "r", "keys": ["k"]},
        {
            "id": "w",
            "kind": "window",
            "input": "j",
            "window": {"kind": "tumbling", "size": "10s"},
            "aggregates": [{"name": "n", "function": "count"}],
        },
        {"id": "out", "kind": "output", "input": "w"},
    ],
}


def simulated(*rows: tuple[str, int, int]) -> Simulation:
    """The count of pairs on rows of a stream, with start and end in seconds; late rows are dropped."""
    graph = QueryGraph.model_validate(GRAPH)
    streams = {name: StreamDefinition.model_validate(STREAM) for name in "lr"}
    sample = [SampleRow(stream=stream, start=at(start), end=at(end), payload={"k": "a"}) for stream, start, end in rows]
    return simulate(graph, streams, {}, sample)


def test_a_window_after_a_join_names_the_rows_that_it_missed() -> None:
    found = simulated(("r", 0, 30), ("l", 1, 2), ("l", 5, 6), ("l", 3, 4), ("l", 12, 13))
    assert [(pane.states[-1].values, pane.missed) for pane in found.panes] == [({"n": 2}, [4]), ({"n": 1}, [])]
    assert found.rows[3].why[-2] == "As received, it would have counted in [10:00:00, 10:00:10) of 'w'."


def test_rows_that_only_met_each_other_say_so() -> None:
    found = simulated(("r", 8, 9), ("l", 8, 9), ("r", 1, 2), ("l", 1, 2))
    assert [(pane.states[-1].values, pane.missed) for pane in found.panes] == [({"n": 1}, [3, 4])]
    sentence = "Had the other late rows come in time too, it would have counted in [10:00:00, 10:00:10) of 'w'."
    assert all(sentence in found.rows[number - 1].why for number in (3, 4))


def test_a_row_that_meets_nothing_missed_nothing() -> None:
    found = simulated(("r", 8, 9), ("l", 8, 9), ("l", 1, 2))
    assert [pane.missed for pane in found.panes] == [[]]
