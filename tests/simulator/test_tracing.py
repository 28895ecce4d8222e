"""Origins of a row, traced over rows that are read again, agree with the run that emitted it."""

import math
import re
from collections import Counter
from typing import Literal

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.output import OutputRow
from streaming.simulator.origins.lane_stories import FRESH, lane_stories
from streaming.simulator.origins.mattering import mattering_times
from streaming.simulator.origins.results import ResultTrace, trace_row
from streaming.simulator.origins.tracing import KnownInput
from streaming.simulator.replay.replaying import ReadRows
from streaming.simulator.words import finite
from streaming.temporal.events import EdgeKind, Event, Shape
from streaming.temporal.outcomes import IN_TIME
from streaming.wire.execution.case import Case, CaseRow, EndMode
from streaming.wire.messages import ResultRow
from streaming.wire.rows.payload_json import payload_to_json
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.simulator.test_agreement import query_of
from tests.simulator.test_replaying import of, read_of, whole_run

some = settings(max_examples=max(4, settings.default.max_examples // 20))
SCOPE = Scope(imports=True)


def given_rows(run: ReferenceRun) -> list[tuple[OutputRow, Literal["start", "end"] | None]]:
    """Return the rows of all outputs and, as a runner does, which end of an edge each is.

    For edges their starts too.
    """
    closed = {(row.output, row.flow.id) for row in run.released if row.flow.closes}
    whole = [row for row in run.outputs if row.edge is not EdgeKind.START]
    starts = [row for row in run.released if row.edge is EdgeKind.START]
    ends = [(row, "end" if (row.output, row.flow.id) in closed else None) for row in whole]
    return [*ends, *((row, "start") for row in starts)]


def has_open_edges(read: ReadRows) -> bool:
    """Return true if an edge has no end in its own lane."""
    open_edges: Counter[tuple[str, int, str]] = Counter()
    for (_, lane, _), element in read.elements.items():
        if isinstance(element, Event) and element.edge is not None:
            change = 1 if element.edge is EdgeKind.START else -1
            open_edges[lane, element.start, repr(element.payload)] += change
    return any(open_edges.values())


def undated(trace: ResultTrace | None) -> str:
    """Return the trace as text without dates: times have one only if the rows that were read are of several days."""
    return re.sub(r"\d{4}-\d\d-\d\d |(?<=\d)Z\b", "", repr(trace))


@pytest.mark.parametrize("kind", KINDS)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_trace_has_the_origins_of_the_run(kind: str, data: st.DataObject) -> None:
    query = query_of(data.draw(cases(kind, SCOPE)))
    run = whole_run(query)
    every = given_rows(run)
    assume(every)
    read = read_of(query, run)
    edges = any(each.shape is Shape.EDGE for each in query.streams.values())
    assume(not edges or len(query.streams) == 1)  # with two inputs, their order decides which of them ended a row
    assume(not has_open_edges(read))  # without the CTIs of the run, it isn't known how far they reach
    assume(not any(late.outcome == "late_kept" for late in read.judged.values()))
    row, edge = data.draw(st.sampled_from(every))
    alike = Counter((each.output, each.flow.start, each.flow.end, of, repr(each.flow.payload)) for each, of in every)
    assume(alike[row.output, row.flow.start, row.flow.end, edge, repr(row.flow.payload)] == 1)
    fields = checked_graph(query.graph, query.streams, query.settings).schemas[row.output]
    shown = ResultRow(
        output=row.output,
        start=row.flow.start,
        end=finite(row.flow.end),
        payload=payload_to_json(row.flow.payload, fields),
        edge=edge,
    )
    trace = trace_row(KnownInput(of(query), read, {}, read.judged, {}), shown, {})
    assert trace is not None
    assert trace.same
    made_of = {(each.input, each.lane, each.position) for each in trace.made_of.rows}
    sources = {(each.input, each.lane, each.position) for each in row.flow.sources}
    ends = {place for place, of in read.elements.items() if isinstance(of, Event) and of.edge is EdgeKind.END}
    assert made_of - ends == sources - ends
    assert sources <= made_of, "the end of a life may come after what it lived in had left"
    times = mattering_times(query.graph, of(query).streams, row.output, row.flow.start, finite(row.flow.end))
    alone = {place: each for place, each in read.elements.items() if place in read.judged or times.holds(each)}
    few = trace_row(KnownInput(of(query), ReadRows(alone, read.judged), {}, read.judged, {}, lanes=read), shown, {})
    assert undated(few) == undated(trace), "rows that cannot matter were needed"


@pytest.mark.parametrize("kind", KINDS)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_the_story_of_a_lane_agrees_with_the_run(kind: str, data: st.DataObject) -> None:
    query = query_of(data.draw(cases(kind, SCOPE)))
    run = whole_run(query)
    read = read_of(query, run)
    lanes = {place[:2] for place in read.elements}
    stories = lane_stories(of(query), read, dict.fromkeys(lanes, FRESH))
    for identity, judged in run.judged.items():
        story = stories.of((identity.input, identity.lane, identity.position))
        if story is None:
            continue
        assert (story[0].outcome in IN_TIME) is (judged.outcome in IN_TIME)
        assert story[0].cti_met == judged.cti_met
        assert story[1] is None or story[1].at <= judged.cti_met


def test_the_end_of_an_edge_has_the_origins_of_its_start_too() -> None:
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, {"id": "out", "kind": "output", "input": "s"}]
    rows = ({"edge": "start", "start": 0}, {"edge": "end", "start": 0, "end": 5})
    case = Case(
        "life",
        QueryGraph.model_validate({"version": 1, "name": "life", "nodes": nodes}),
        {"s": StreamDefinition(shape=Shape.EDGE, fields={"v": "long"})},
        tuple(CaseRow("s", "0", number, {**row, "payload": {"v": 1}}) for number, row in enumerate(rows)),
        EndMode.FLUSH,
    )
    query = query_of(case)
    known = KnownInput(of(query), read_of(query, whole_run(query)), {}, {}, {})
    given = ResultRow(output="out", start=0, end=5, payload={"v": 1}, edge="end")
    started = given.model_copy(update={"end": None, "edge": "start"})
    for row, positions in ((given, [0, 1]), (started, [0])):
        trace = trace_row(known, row, {})
        assert trace is not None
        assert trace.same
        assert [each.position for each in trace.made_of.rows] == positions


@pytest.mark.parametrize(("column", "same"), [("total", False), ("mean", False), ("spread", True), ("twice", True)])
def test_last_digits_count_if_they_are_the_same_everywhere(column: str, *, same: bool) -> None:
    aggregates = [
        {"name": name, "function": function, "of": "x"}
        for name, function in (("total", "sum"), ("mean", "avg"), ("spread", "stddev"))
    ]
    columns = [{"name": name, "of": name} for name in ("total", "mean", "spread")]
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {
            "id": "w",
            "kind": "window",
            "input": "s",
            "window": {"kind": "tumbling", "size": 10},
            "aggregates": aggregates,
        },
        {"id": "p", "kind": "project", "input": "w", "columns": [*columns, {"name": "twice", "of": "spread * 2"}]},
        {"id": "out", "kind": "output", "input": "p"},
    ]
    case = Case(
        "digits",
        QueryGraph.model_validate({"version": 1, "name": "digits", "nodes": nodes}),
        {"s": StreamDefinition(shape=Shape.POINT, fields={"x": "double"})},
        tuple(CaseRow("s", "0", at, {"start": at, "payload": {"x": at / 3}}) for at in range(1, 6)),
        EndMode.FLUSH,
    )
    query = query_of(case)
    run = whole_run(query)
    known = KnownInput(of(query), read_of(query, run), {}, {}, {})
    payload = dict(run.outputs[0].flow.payload)
    given = ResultRow(output="out", start=0, end=10, payload=payload)
    moved = given.model_copy(update={"payload": {**payload, column: math.nextafter(payload[column], math.inf)}})
    for row, expected in ((given, True), (moved, same)):
        trace = trace_row(known, row, {})
        assert trace is not None
        assert trace.same is expected
