"""The ends of an element's paths: waiting, retraction, and the outcome of several paths (T12)."""

from typing import Any

import pytest

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import Decision
from streaming.reference.flow import ElementId
from streaming.reference.trace import FailedExpression
from streaming.temporal.clock import JudgedElement
from streaming.temporal.outcomes import Outcome
from streaming.temporal.ticks import Tick
from streaming.wire.execution.case import EndMode
from streaming.wire.rows.row_json import read_row
from tests.reference.windows.windowing import COUNTED, FIELDS, LANES, Row, cti, ends, opens, point

TUMBLING = {"kind": "tumbling", "size": 10}
SESSION = {"kind": "session", "gap": 5}


def window(name: str, source: str, of: Row, **more: Any) -> Row:
    return {"id": name, "kind": "window", "input": source, "window": of, "aggregates": COUNTED, **more}


def run_through(*nodes: Row, shape: str = "point", **advance: Any) -> ReferenceRun:
    """Run the input `s` with two lanes, then `nodes`; each last node has its own output."""
    stream_settings = {"shape": shape, "fields": FIELDS, "advance": {"late": "keep"} | advance, "lanes": list(LANES)}
    streams = {"s": StreamDefinition.model_validate(stream_settings)}
    read = {node["input"] for node in nodes}
    ends_in = [each["id"] for each in nodes if each["kind"] != "output" and each["id"] not in read]
    outputs = [{"id": f"{name}_out", "kind": "output", "input": name} for name in ends_in]
    every = [{"id": "s", "kind": "input", "stream": "s"}, *nodes, *outputs]
    graph = QueryGraph.model_validate({"version": 1, "name": "ways", "nodes": every})
    return ReferenceRun(graph, streams, temporal_settings(graph, streams, {}))


def take(run: ReferenceRun, *rows: Row, shape: str = "point") -> list[JudgedElement | None]:
    """Return the judgement of each row."""
    stream = StreamDefinition.model_validate({"shape": shape, "fields": FIELDS})
    return [
        run.take("s", row["lane"], read_row({name: row[name] for name in row if name != "lane"}, stream))
        for row in rows
    ]


def element(position: int) -> ElementId:
    return ElementId("s", "a", position)


def outcome(run: ReferenceRun, position: int) -> Outcome:
    return run.judged[element(position)].outcome


CLOSED, KEPT = Outcome.DROPPED_WINDOW_CLOSED, Outcome.LATE_KEPT
OTHER_LANE = cti(100, "b")


# Emitted and retracted rows


def test_an_event_whose_row_was_retracted_by_a_filter_is_removed_and_waits_in_no_output() -> None:
    single = {"id": "single", "kind": "filter", "input": "w", "where": "n < 2"}
    run = run_through(window("w", "s", TUMBLING, emit="running"), single)
    take(run, point(1))
    run.boundary()
    assert run.why_absent(element(0)) is None
    take(run, point(2), cti(10), OTHER_LANE)
    absence = run.why_absent(element(0))
    assert absence is not None
    assert (absence.decision, absence.nodes) == (Decision.REMOVED, ("single",))


def test_an_event_whose_session_was_retracted_waits_in_the_window_alone() -> None:
    run = run_through(window("w", "s", SESSION, emit="on_complete", grace=50))
    take(run, OTHER_LANE, point(0), cti(5))
    assert run.why_absent(element(0)) is None
    take(run, point(4), cti(6))
    absence = run.why_absent(element(0))
    assert absence is not None
    assert (absence.decision, absence.nodes) == (Decision.WAITING, ("w",))


# Waiting rows


@pytest.mark.parametrize(
    "node",
    [{"kind": "to_intervals"}, {"kind": "point_at_end"}, {"kind": "extend", "by": -1}, {"kind": "order_edges"}],
    ids=str,
)
def test_an_edge_waits_in_the_node_that_does_not_report_it(node: Row) -> None:
    run = run_through(node | {"id": "n", "input": "s"}, shape="edge")
    take(run, opens(3), shape="edge")
    assert run.trace.waits_in(element(0)) == ("n",)


@pytest.mark.parametrize(
    ("timestamp", "absent", "why"),
    [
        ("point_at_end", 2, "it never ends, so 'o' has no point for it"),
        ("latest_input", 1, "'o' emits the latest start, which an edge end does not change"),
    ],
)
def test_an_output_with_another_timestamp_reports_events_without_one(timestamp: str, absent: int, why: str) -> None:
    run = run_through({"id": "o", "kind": "output", "input": "s", "timestamp": timestamp}, shape="edge")
    take(run, opens(3), ends(3, 5), opens(7), shape="edge")
    run.end(EndMode.FLUSH)
    assert [(each.node, each.why) for each in run.trace.removals(element(absent))] == [("o", why)]


# Outcomes of several paths


def late_edges(grace: int) -> ReferenceRun:
    """Run the lane a at 100: a session refuses much earlier starts.

    To_intervals holds events with v > 0 for a window.
    """
    return run_through(
        window("early", "s", SESSION),
        {"id": "f", "kind": "filter", "input": "s", "where": "v > 0"},
        {"id": "whole", "kind": "to_intervals", "input": "f"},
        window("w", "whole", TUMBLING, grace=grace),
        shape="edge",
    )


@pytest.mark.parametrize(("grace", "after"), [(100, KEPT), (0, CLOSED)])
def test_an_edge_that_one_window_refused_has_its_outcome_when_its_other_path_has_ended(
    grace: int, after: Outcome
) -> None:
    run = late_edges(grace)
    take(run, cti(100), opens(20, v=1), shape="edge")
    assert outcome(run, 1) is KEPT
    take(run, ends(20, 30, v=1), shape="edge")
    assert outcome(run, 1) is after


def test_a_waiting_event_does_not_delay_the_outcome_of_another() -> None:
    run = late_edges(100)
    take(run, cti(100), opens(20, v=1), opens(30, v=0), shape="edge")
    assert (outcome(run, 1), outcome(run, 2)) == (KEPT, CLOSED)


def test_an_event_that_another_window_took_does_not_delay_the_outcome_of_a_refused_one() -> None:
    run = run_through(
        {"id": "o", "kind": "order_edges", "input": "s"},
        window("early", "o", TUMBLING),
        {"id": "f", "kind": "filter", "input": "o", "where": "v > 0"},
        window("w", "f", TUMBLING, grace=1_000),
    )
    take(run, cti(100), point(20, v=1), point(30, v=0), OTHER_LANE)
    assert (outcome(run, 1), outcome(run, 2)) == (KEPT, CLOSED)


# The result of `take`, and its records


def test_taking_an_element_gives_its_judgement_with_the_outcome_that_its_windows_gave_it() -> None:
    run = run_through(window("w", "s", TUMBLING))
    first, nothing, late = take(run, point(5), cti(100), point(5))
    assert nothing is None
    assert first is not None
    assert late is not None
    assert (first.outcome, late.outcome) == (Outcome.ON_TIME, CLOSED)


def test_an_expression_for_substreams_that_fails_is_in_the_trace_with_its_element() -> None:
    run = run_through(window("w", "s", TUMBLING), over="10 / v")
    take(run, point(1, v=5), point(2, v=0))
    assert run.trace.failures == [FailedExpression(frozenset({element(1)}), "s", "over", "division by zero")]


def test_a_row_that_was_final_when_its_event_came_was_released_by_no_cti() -> None:
    run = run_through({"id": "f", "kind": "filter", "input": "s", "where": "true"})
    take(run, cti(1), cti(1, "b"), point(2))
    assert [row.released_by for row in run.outputs] == [None]


def test_an_input_without_settings_drops_what_is_late() -> None:
    streams = {"s": StreamDefinition.model_validate({"fields": FIELDS})}
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, window("w", "s", SESSION)]
    out = {"id": "out", "kind": "output", "input": "w"}
    graph = QueryGraph.model_validate({"version": 1, "name": "bare", "nodes": [*nodes, out]})
    run = ReferenceRun(graph, streams, {})
    found = [run.take("s", "0", read_row(row, streams["s"])) for row in ({"cti": 10}, {"start": 9})]
    assert [judged and judged.outcome for judged in found] == [None, Outcome.DROPPED_LATE]
    assert run.judged[ElementId("s", "0", 1)].cti_met == Tick(10)
