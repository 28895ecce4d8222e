"""The values of panes after each row are those of the reference, and each member is evaluated once."""

import pytest
from hypothesis import given

from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.aggregates.result_column import aggregate_value
from streaming.simulator.recorded import held_values
from streaming.simulator.recorded.record import RecordedRun, record
from streaming.simulator.recorded.silence import SILENT
from streaming.simulator.simulate import present, simulate
from streaming.temporal.events import Shape
from streaming.transcripts.format import TranscriptRow
from streaming.wire.execution.case import Case, EndMode
from tests.reference.drawn.cases import KINDS, cases
from tests.simulator.test_agreement import SCOPE, query_of, some

WINDOWS = [kind for kind in KINDS if kind in ("tumbling", "hopping", "time_interval", "session", "snapshot", "count")]


@pytest.mark.parametrize("kind", WINDOWS)
def test_each_step_of_each_pane_has_the_values_of_the_reference(kind: str) -> None:
    @some
    @given(cases(kind, SCOPE))
    def holds(case: Case) -> None:
        recorded = record(query_of(case))
        check_values(recorded)
        check_members(recorded)

    holds()


def check_values(recorded: RecordedRun) -> None:
    for node in recorded.panes.values():
        for pane in node.all:
            for step, values in zip(pane.steps, pane.values, strict=True):
                bounds = (step.pane.start, step.pane.end)
                expected = {
                    column.name: aggregate_value(column, step.members, bounds, node.node, SILENT)
                    for column in (node.columns if step.members else ())
                }
                assert not node.columns or values == expected


def check_members(recorded: RecordedRun) -> None:
    """The members that joined and left a pane, step by step, add up to its contents."""
    shown = iter(present(recorded).panes)
    for node in recorded.panes.values():
        for pane in node.all:
            held: set[int] = set()
            for step, state in zip(pane.steps, next(shown).states, strict=True):
                assert not held & set(state.added)
                assert set(state.removed) <= held
                held = (held | set(state.added)) - set(state.removed)
                assert held == {recorded.number_of[each] for flow in step.members for each in flow.sources}


@pytest.mark.parametrize("window", ["TUMBLE 10h", "SESSION 10m"])
def test_each_member_of_a_large_pane_is_evaluated_once(window: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If each later row evaluated it again, a sample with a pane of 2,000 would take ten times as long."""
    graph = parse_sql(f"INSERT INTO o SELECT STREAM SUM(v) AS total FROM cars WINDOW BY {window};").graph
    assert graph is not None
    streams = {"cars": StreamDefinition(shape=Shape.POINT, fields={"v": "double"})}
    rows = [TranscriptRow(stream="cars", start=at * 1_000_000, payload={"v": float(at)}) for at in range(200)]
    looked: list[object] = []
    genuine = held_values.lived_value
    monkeypatch.setattr(held_values, "lived_value", lambda *given: looked.append(given) or genuine(*given))
    [pane] = simulate(graph, streams, {}, rows, EndMode.FLUSH).panes
    assert [state.values["total"] for state in pane.states[:4]] == [0.0, 1.0, 3.0, 6.0]
    assert len(pane.states) == len(looked) == 200
