"""Explanations match the reference, for random graphs around every operator."""

from dataclasses import replace

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.checks.check import check
from streaming.definition.graph import sources
from streaming.planning.compile import compile_binding
from streaming.planning.explain import Explanation, explain
from streaming.planning.plan import MatchSpec, TopKSpec, WindowSpec
from streaming.planning.validity import checked_graph
from streaming.reference.build import build
from streaming.reference.executor import ReferenceRun
from streaming.reference.operators.per_event import PerEvent
from streaming.reference.output import OutputOperator
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.execution.case import Case
from tests.planning.explain.runs import leaving, seen, steps
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.reference.drawn.readable import ReadableCase

ANY = Scope(imports=True)
MEETING = WindowSpec | TopKSpec | MatchSpec
NO_WALL = Scope(wall=False)
KIND = st.sampled_from(KINDS)
in_runs = settings(max_examples=max(25, settings.default.max_examples // 4))
"""Settings for tests that check every operator after each row of a run."""


def drawn(data: st.DataObject, kind: str, scope: Scope = ANY) -> tuple[Case, Explanation]:
    case = data.draw(cases(kind, scope))
    case = replace(case, graph=seen(case.graph))
    note(ReadableCase(case))
    return case, explain(case.graph, case.streams, case.advance)


@pytest.mark.parametrize("kind", KINDS)
@in_runs
@given(data=st.data())
def test_no_cti_is_delayed_more_than_explained(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind)
    holds = {node.id: node.hold for node in explained.nodes}
    for run in steps(case):
        ctis = leaving(run)
        for node in case.graph.nodes:
            coming = min((ctis[source] for source in sources(node)), default=NO_CTI)
            if coming in (NO_CTI, INFINITY):
                continue
            hold, left = holds[node.id], ctis[node.id]
            assert left <= coming - hold.at_least, node.id
            assert hold.at_most is None or left >= coming - hold.at_most, node.id


@pytest.mark.parametrize("kind", KINDS)
@in_runs
@given(data=st.data())
def test_no_path_is_slower_than_explained(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind)
    for run in steps(case):
        ctis = leaving(run)
        for output in {path.output for path in explained.paths}:
            paths = [path for path in explained.paths if path.output == output]
            coming = [ctis[path.input] for path in paths]
            if NO_CTI in coming or any(path.at_most is None for path in paths):
                continue
            due = [cti - (path.at_most or 0) for path, cti in zip(paths, coming, strict=True) if cti != INFINITY]
            assert ctis[output] >= min(due, default=INFINITY)


@pytest.mark.parametrize("kind", KINDS)
@in_runs
@given(data=st.data())
def test_rows_have_the_explained_fields_and_lifetimes(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind)
    stated = {node.id: node for node in explained.nodes}
    *_, run = steps(case)
    for row in run.released:
        node = stated[row.output]
        assert list(row.flow.payload) == list(node.fields)
        ended = row.released_by is not None and row.released_by.cti == INFINITY  # open events stay open (T4)
        assert row.edge is None or node.lifetime.shape == "edges" or ended
        if row.edge is None and node.lifetime.longest is not None:
            assert row.flow.end - row.flow.start <= node.lifetime.longest


@given(kind=KIND, data=st.data())
def test_schemas_are_those_of_check(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind)
    schemas = check(case.graph, case.streams).schemas
    texts = {name: {field: str(of) for field, of in fields.items()} for name, fields in schemas.items()}
    assert {node.id: node.fields for node in explained.nodes} == texts
    for node in case.graph.nodes:
        (stated,) = [each for each in explained.nodes if each.id == node.id]
        assert [port.node for port in stated.reads] == list(sources(node))


@given(kind=KIND, data=st.data())
def test_stateless_nodes_have_no_state(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind)
    state = {node.id: bool(node.state) for node in explained.nodes}
    shapes = {node.id: node.lifetime.shape for node in explained.nodes}
    operators = build(
        checked_graph(case.graph, case.streams, temporal_settings(case.graph, case.streams, case.advance))
    )
    for node in case.graph.nodes:
        if node.id not in operators:
            continue
        operator = operators[node.id]
        times = operator.times if isinstance(operator, OutputOperator) else operator
        edges = any(shapes[source] == "edges" for source in sources(node))
        waits = node.kind in ("to_intervals", "point_at_end", "extend", "chop", "output") and not isinstance(
            times, PerEvent
        )
        assert state[node.id] == (edges if waits else not isinstance(times, PerEvent)), node.id


@pytest.mark.parametrize("kind", KINDS)
@in_runs
@given(data=st.data())
def test_the_clock_lags_the_events_of_its_lanes_by_no_more_than_explained(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind, NO_WALL)
    clocks = {node.id: node.clock for node in explained.nodes}
    for run in steps(case):
        ctis = leaving(run)
        for name, clock in clocks.items():
            if clock is None or clock.behind is None:
                continue
            largest = [_largest_start(run, name, lane) for lane in clock.lanes or ()]
            assert ctis[name] >= min(largest) - clock.behind


def _largest_start(run: ReferenceRun, name: str, lane: str) -> int:
    starts = [
        judged.original.start
        for element, judged in run.judged.items()
        if (element.input, element.lane) == (name, lane)
        and judged.original is not None
        and judged.outcome is not Outcome.MALFORMED
        and judged.reason is not Reason.AFTER_END
        and judged.original.edge != "end"
    ]
    return max(starts, default=2 * NO_CTI)


@given(kind=KIND, data=st.data())
def test_buckets_and_stages_are_those_of_the_engine(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind, Scope(chained=True))
    settings = temporal_settings(case.graph, case.streams, case.advance)
    plan = compile_binding(case.graph, case.streams, settings, buckets=8, stages=2)
    meeting = [node for each in (plan, plan.second) if each for node in each.nodes if isinstance(node.spec, MEETING)]
    stated = explained.buckets if meeting else ""
    assert ("one bucket per core" in stated) == (bool(meeting) and plan.one_bucket is None)
    assert ("A single task must decide" in stated) == (bool(meeting) and plan.one_bucket == "one_place")
    assert ("second exchange" in stated) == (bool(meeting) and plan.second is not None)
    if meeting and plan.second is not None:
        assert (plan.second.buckets == 8) == ("one bucket per core after it" in stated)


@given(kind=KIND, data=st.data())
def test_every_node_is_in_one_part_of_one_stage_after_its_inputs(kind: str, data: st.DataObject) -> None:
    case, explained = drawn(data, kind)
    stages = {name: stage.number for stage in explained.stages for part in stage.parts for name in part.nodes}
    listed = [name for stage in explained.stages for part in stage.parts for name in part.nodes]
    assert sorted(listed) == sorted(node.id for node in case.graph.nodes)
    assert stages == {node.id: node.stage for node in explained.nodes}
    for node in case.graph.nodes:
        assert all(stages[source] <= stages[node.id] for source in sources(node))
    assert [stage.number for stage in explained.stages] == list(range(len(explained.stages)))
    assert [stage.kind for stage in explained.stages[:: len(explained.stages) - 1]] == ["feed", "sink"]
