"""The trace: the events of a row, the CTI that released it, and the reason of an absent event, as a sentence."""

from typing import Any

from streaming.definition.checks.advance import to_temporal
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import CausingCti, ElementId
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.execution.case import ONLY_LANE, EndMode
from streaming.wire.rows.row_json import read_row

WINDOW = {
    "id": "w",
    "kind": "window",
    "input": "f",
    "window": {"kind": "hopping", "size": "4us", "hop": "10us"},
    "aggregates": [{"name": "n", "function": "count"}, {"name": "x", "function": "sum", "of": "12 / v"}],
}


def run_of(rows: list[dict[str, Any]], late: str = "drop", shape: str = "point") -> ReferenceRun:
    """Run rows through `v >= 0` into windows [0, 4), [10, 14) ..."""
    stream = StreamDefinition.model_validate({"shape": shape, "fields": {"v": "long"}, "advance": {"late": late}})
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "f", "kind": "filter", "input": "s", "where": "v >= 0"},
        WINDOW,
        {"id": "out", "kind": "output", "input": "w"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "traced", "nodes": nodes})
    run = ReferenceRun(graph, {"s": stream}, {"s": to_temporal(stream.advance)})
    for row in rows:
        run.take("s", ONLY_LANE, read_row(row, stream))
    return run


def element(position: int) -> ElementId:
    return ElementId("s", ONLY_LANE, position)


def sentence(run: ReferenceRun, position: int) -> str:
    absence = run.why_absent(element(position))
    assert absence is not None
    return absence.sentence


def event(start: int, v: int = 1) -> dict[str, Any]:
    return {"start": start, "payload": {"v": v}}


def test_a_row_names_its_events_and_the_cti_that_released_it() -> None:
    run = run_of([event(1), event(12), event(3), {"cti": 7}])
    (row,) = run.outputs
    assert row.flow.sources == {element(0), element(2)}
    assert row.released_by == CausingCti("s", Tick(7))


def test_rows_that_infinity_releases_say_so() -> None:
    run = run_of([event(1)])
    run.end(EndMode.FLUSH)
    assert [row.released_by for row in run.outputs] == [CausingCti("s", INFINITY)]


def test_an_event_in_a_row_is_not_absent() -> None:
    run = run_of([event(1), {"cti": 7}])
    assert run.why_absent(element(0)) is None


def test_a_filter_says_that_it_removed_the_event() -> None:
    run = run_of([event(1, v=-1)])
    assert sentence(run, 0) == ("row 0 of lane '0' of 's' is in no result: filter 'f' removed it: v >= 0 is false.")


def test_a_late_event_says_how_late_it_was() -> None:
    run = run_of([{"cti": 10}, event(3)])
    assert sentence(run, 1) == (
        "row 1 of lane '0' of 's' is in no result: it was 7us late for the CTI 1970-01-01T00:00:00.000010Z, "
        "and its policy dropped it."
    )


def test_a_gap_says_that_it_is_one() -> None:
    run = run_of([event(5)])
    assert "it is in a gap between the windows of 'w'" in sentence(run, 0)
    assert [each.node for each in run.trace.removals(element(0))] == ["w"]


def test_a_closed_window_says_when_it_closed() -> None:
    run = run_of([{"cti": 10}, event(3)], late="keep")
    assert run.judged[element(1)].outcome is Outcome.DROPPED_WINDOW_CLOSED
    assert "all its windows in 'w' were closed, the last at 1970-01-01T00:00:00.000004Z" in sentence(run, 1)


def test_an_event_that_waits_says_so() -> None:
    run = run_of([event(1)])
    assert sentence(run, 0) == "row 0 of lane '0' of 's' is in no result yet: it waits in 'w' for a CTI."


def test_malformed_rows_and_rows_after_the_end_give_their_reason() -> None:
    run = run_of([{"start": "noon"}, {"cti": None}, event(1)])
    assert "it is malformed (bad_time)" in sentence(run, 0)
    assert "it arrived after CTI infinity had ended its lane" in sentence(run, 2)


def test_an_edge_that_vanished_says_so() -> None:
    start = {"edge": "start", "start": 3, "payload": {"v": 1}}
    end = {"edge": "end", "start": 3, "end": 5, "payload": {"v": 1}}
    run = run_of([{"cti": 10}, start, end], late="adjust", shape="edge")
    run.end(EndMode.FLUSH)
    assert run.judged[element(2)].reason is Reason.VANISHED
    for position in (1, 2):
        assert "nothing was left of its edge" in sentence(run, position)


def test_an_edge_in_a_gap_says_so_for_both_of_its_ends() -> None:
    start = {"edge": "start", "start": 5, "payload": {"v": 1}}
    end = {"edge": "end", "start": 5, "end": 9, "payload": {"v": 1}}
    run = run_of([start, end], shape="edge")
    for position in (0, 1):
        assert "its edge is in a gap between the windows of 'w'" in sentence(run, position)


def test_an_expression_that_fails_is_in_the_trace() -> None:
    run = run_of([event(1, v=0), {"cti": 4}])
    (failure,) = run.trace.failures
    assert (failure.node, failure.field, failure.why) == ("w", "x", "division by zero")
    assert failure.elements == {element(0)}
    assert run.outputs[0].flow.payload == {"n": 1, "x": None}


def test_an_open_edge_is_cut_off_after_ten_thousand_windows() -> None:
    start = {"edge": "start", "start": 0, "payload": {"v": 1}}
    run = run_of([start, {"cti": 100_100}], shape="edge")
    assert len(run.outputs) == 10_000
    assert run.judged[element(0)].reason is Reason.TOO_MANY_WINDOWS
    assert run.judged[element(0)].outcome is Outcome.MALFORMED
