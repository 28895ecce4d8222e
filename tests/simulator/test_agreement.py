"""A simulation shows the results of the reference: on random graphs, settings and rows, row by row."""

import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import InputNode, QueryGraph, WindowNode, sources
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.output import OutputRow
from streaming.reference.substreams import WHOLE
from streaming.simulator.model import Simulation, TrackRow
from streaming.simulator.recorded.record import record
from streaming.simulator.samples.sample import SampledQuery, elements_of
from streaming.simulator.simulate import present
from streaming.simulator.stepping import step
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.execution.case import Case, CaseRow, EndMode
from streaming.wire.rows.payload_json import payload_to_json
from tests.reference.drawn.cases import KINDS, Scope, cases

SCOPE = Scope(imports=True)
some = settings(max_examples=max(5, settings.default.max_examples // 12))
"""Enough examples of each operator to find errors that a page would show."""


def query_of(case: Case) -> SampledQuery:
    """Return the simulation's query for a drawn case; rows of streams that no input reads have no input."""
    found = temporal_settings(case.graph, case.streams, case.advance)
    rows = [row for row in case.rows if row.stream in case.streams]
    return SampledQuery(case.graph, case.streams, found, elements_of(case.graph, case.streams, rows), case.end)


def stepped(query: SampledQuery) -> Iterator[tuple[int, ReferenceRun]]:
    """Run without recorders, after each row and after its end; boundaries belong to the row before them."""
    run = ReferenceRun(query.graph, query.streams, query.settings)
    for number, row in enumerate(query.elements):
        for _ in range(row.ends_batch):
            run.boundary()
        if number:
            yield number, run
        step(run, replace(row, ends_batch=0))
    if query.elements:
        run.boundary()
        yield len(query.elements), run
    run.end(query.end)
    yield len(query.elements) + 1, run


def shown_rows(found: Simulation, node: str) -> list[TrackRow]:
    return next(track.rows for track in found.tracks if track.node == node)


def infinite(tick: int | None) -> int:
    return INFINITY if tick is None else tick


@pytest.mark.parametrize("kind", KINDS)
def test_the_simulation_shows_the_results_of_the_reference(kind: str) -> None:
    @some
    @given(cases(kind, SCOPE))
    def holds(case: Case) -> None:
        query = query_of(case)
        found = present(record(query))
        *_, (_, run) = stepped(query)
        check_rows(found, query, run)
        check_outputs(found, query, run)
        check_staircases(found, query)

    holds()


VANISHED_EDGE = ("edge", "start", "end"), [("start", 1, None), ("end", 1, 2), ("start", 0, None), ("end", 0, 1)]
"""The second edge is late: its start moves to 1, where it ends."""


def test_an_edge_that_has_vanished_keeps_the_row_that_began_it() -> None:
    names, edges = VANISHED_EDGE
    stream = StreamDefinition.model_validate(
        {
            "shape": "edge",
            "fields": {"k": "string"},
            "lanes": ["0", "1"],
            "rowtime": "explicit",
            "advance": {"generate": {"every": 1, "basis": "last"}, "late": "adjust"},
        }
    )
    nodes = [
        {"kind": "input", "id": "s", "stream": "s"},
        {"kind": "order_edges", "id": "op", "input": "s"},
        {"kind": "output", "id": "out", "input": "op"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    fields = [{**dict(zip(names, edge, strict=True)), "payload": {"k": "a"}} for edge in edges]
    rows = tuple(CaseRow("s", "0", 0, {name: each for name, each in row.items() if each is not None}) for row in fields)
    query = query_of(Case("vanished", graph, {"s": stream}, rows, EndMode.FLUSH))
    found = present(record(query))
    *_, (_, run) = stepped(query)
    check_outputs(found, query, run)
    began = [row for row in shown_rows(found, "out") if row.rows == [3]]
    assert [row.parents for row in began] == [[6, 7]]


def check_rows(found: Simulation, query: SampledQuery, run: ReferenceRun) -> None:
    """Every row has its outcome, and nothing else has one; the counts are those of the run."""
    judged = {query.elements[row.number - 1].identity: row for row in found.rows if row.outcome is not None}
    assert set(judged) == set(run.judged)
    counts: dict[str, Counter[str]] = {}
    streams = {node.id: node.stream for node in query.graph.nodes if isinstance(node, InputNode)}
    for element, judgement in run.judged.items():
        row = judged[element]
        counts.setdefault(streams[element.input], Counter())[judgement.outcome] += 1
        assert (row.outcome, row.reason, row.lateness) == (judgement.outcome, judgement.reason, judgement.lateness)
        assert row.moved_by == judgement.moved_by
        assert infinite(row.cti_met) == (INFINITY if judgement.cti_met == NO_CTI else judgement.cti_met)
        assert row.kept == (judgement.event is not None)
        if judgement.event is not None:
            assert (row.kept_start, infinite(row.kept_end)) == (judgement.event.start, judgement.event.end)
        assert (row.absent is None) == (run.why_absent(element) is None)
        assert all(sentence.endswith(".") for sentence in row.why)
        assert row.why
    assert found.outcomes == {stream: dict(each) for stream, each in counts.items()}


def check_outputs(found: Simulation, query: SampledQuery, run: ReferenceRun) -> None:
    """The track of each output is its log, and its remaining rows are the net result."""
    numbers = {row.identity: row.number for row in query.elements if row.identity is not None}
    by_id = {row.id: row for track in found.tracks for row in track.rows}
    for output in {row.output for row in run.released} | {row.output for row in run.outputs}:
        track = shown_rows(found, output)
        released = [row for row in run.released if row.output == output]
        fields = record_fields(query, output)
        assert [(row.start, infinite(row.end), row.payload, row.edge, row.deleted, row.rows) for row in track] == [
            (
                row.flow.start,
                row.flow.end,
                payload_to_json(row.flow.payload, fields),
                None if row.edge is None else row.edge.value,
                row.flow.gone or row.flow.vanishes,
                sorted(numbers[element] for element in row.flow.sources),
            )
            for row in released
        ]
        assert [None if row.released_cti is None else row.released_cti for row in track] == [
            None if row.released_by is None or row.released_by.cti == INFINITY else row.released_by.cti
            for row in released
        ]
        standing = [row for row in track if row.gone_after is None and not row.deleted and row.edge != "end"]
        ends = [infinite(row.end if row.closed_after is None else row.closed_end) for row in standing]
        net = Counter((row.flow.start, row.flow.end) for row in run.outputs if row.output == output)
        assert Counter(zip([row.start for row in standing], ends, strict=True)) == net
        for row in track:
            assert set(row.rows) <= {number for parent in row.parents for number in by_id[parent].rows} | set(
                by_id[row.closes].rows if row.closes is not None else ()
            )


def record_fields(query: SampledQuery, output: str) -> dict[str, object]:
    from streaming.planning.validity import checked_graph

    return dict(checked_graph(query.graph, query.streams, query.settings).schemas[output])


def check_staircases(found: Simulation, query: SampledQuery) -> None:
    """At every step each lane, input and output has the CTI of a run without recorders."""
    for after, run in stepped(query):
        for node, feed in run.feeds.items():
            lanes = {unit[0]: cti for unit, cti in feed.clocks.ctis.items() if unit[1] == WHOLE}
            for lane, cti in lanes.items():
                assert standing_at(found, node, lane, after) == cti
            assert standing_at(found, node, None, after) == feed.cti
        for node, log in run.logs.items():
            ctis = [entry.at for entry in log if hasattr(entry, "at")]
            assert standing_at(found, node, None, after) == (ctis[-1] if ctis else NO_CTI)


def standing_at(found: Simulation, node: str, lane: str | None, after: int) -> int:
    """Return the CTI of a lane, or of a node, after so many rows."""
    steps = [
        step
        for each in found.staircases
        if (each.node, each.lane, each.substream) == (node, lane, None)
        for step in each.steps
        if step.after <= after
    ]
    return infinite(steps[-1].at) if steps else NO_CTI


FIXED = ("tumbling", "hopping", "time_interval")
few_fit = settings(some, suppress_health_check=[HealthCheck.filter_too_much])
"""One window in seven emits every pane once, at its end; without such windows this would fail as unsatisfiable."""


@pytest.mark.parametrize("kind", FIXED)
def test_panes_hold_the_rows_that_they_would_emit_if_the_input_ended_now(kind: str) -> None:
    @few_fit
    @given(cases(kind, Scope(alone=True)), st.integers(1, 12))
    def holds(case: Case, at: int) -> None:
        [window] = [node for node in case.graph.nodes if isinstance(node, WindowNode)]
        assume(sources(window) == ("s",) and window.emit == "final" and window.empty == "skip")
        query = query_of(case)
        assume(query.elements)
        found = present(record(query))
        flushed: list[OutputRow] = []
        for after, run in stepped(query):
            if after == min(at, len(query.elements)):
                copy: ReferenceRun = pickle.loads(pickle.dumps(run))
                before = len(copy.released)
                copy.end(EndMode.FLUSH)
                flushed = copy.released[before:]
        fields = record_fields(query, window.id)
        given_now = Counter(
            (row.flow.start, row.flow.end, str(payload_to_json(row.flow.payload, fields))) for row in flushed
        )
        assert held_at(found, min(at, len(query.elements)), list(fields)) == given_now

    holds()


def held_at(found: Simulation, after: int, fields: list[str]) -> Counter[tuple[int, int, str]]:
    """Return the rows that the open panes would emit after so many rows."""
    held: Counter[tuple[int, int, str]] = Counter()
    for pane in found.panes:
        states = [state for state in pane.states if state.after <= after]
        if not states or (pane.closed is not None and pane.closed <= after):
            continue
        if pane.gone is not None and pane.gone <= after:
            continue
        payload = {**pane.group, **states[-1].values}
        held[states[-1].start, infinite(states[-1].end), str({name: payload[name] for name in fields})] += 1
    return held
