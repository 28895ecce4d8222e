"""Quarantined rows taken as if in time: the standing results are those of the binding.

The others are computed apart.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from streaming.definition.graph import InputNode
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.output import OutputRow
from streaming.simulator.comparing import ComparedRow
from streaming.simulator.replay.replaying import OPEN_EDGES, PlaceRead, ReadRows, ReplayedQuery, replay
from streaming.simulator.samples.sample import SampledQuery
from streaming.simulator.stepping import step
from streaming.temporal.events import Event
from streaming.temporal.outcomes import IN_TIME, QUARANTINED
from streaming.temporal.settings import AdvanceTime
from streaming.transcripts.load import load
from streaming.transcripts.prepare import define, prepare
from streaming.wire.execution.case import EndMode
from streaming.wire.messages import LateEvent
from streaming.wire.rows.payload_json import payload_to_json
from streaming.wire.rows.row_json import Element
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.simulator.test_agreement import query_of

some = settings(max_examples=max(8, settings.default.max_examples // 12))
SCOPE = Scope(imports=True)
Rows = Counter[tuple[str, int, int | None, str]]


def whole_run(query: SampledQuery) -> ReferenceRun:
    """Run the binding and flush it at its end."""
    run = ReferenceRun(query.graph, query.streams, query.settings)
    for row in query.elements:
        step(run, row)
    if query.elements:
        run.boundary()
    run.end(EndMode.FLUSH)
    return run


def read_of(query: SampledQuery, run: ReferenceRun) -> ReadRows:
    """Return the rows as an adapter reads them, and the quarantine as a runner writes it."""
    elements: dict[PlaceRead, Element] = {}
    late: dict[PlaceRead, LateEvent] = {}
    for row in query.elements:
        if row.identity is None or row.element is None:
            continue
        place = (row.identity.input, row.identity.lane, row.identity.position)
        elements[place] = row.element
        judged = run.judged.get(row.identity)
        if judged is None or judged.outcome in IN_TIME:
            continue
        late[place] = LateEvent(
            input=place[0],
            lane=place[1],
            position=place[2],
            start=None if judged.original is None else judged.original.start,
            end=None,
            cti=judged.cti_met,
            outcome=str(judged.outcome),
            reason=None if judged.reason is None else str(judged.reason),
            policy="",
            moved_by=judged.moved_by,
            raw="",
        )
    return ReadRows(elements, late)


def of(query: SampledQuery) -> ReplayedQuery:
    streams = {node.id: query.streams[node.stream] for node in query.graph.nodes if isinstance(node, InputNode)}
    return ReplayedQuery(query.graph, streams, {name: query.settings.get(name, AdvanceTime()) for name in streams})


def result_rows(rows: Iterable[OutputRow], run: ReferenceRun, query: SampledQuery) -> Rows:
    fields = checked_graph(query.graph, query.streams, query.settings).schemas
    found: Rows = Counter()
    for row in rows:
        payload = payload_to_json(row.flow.payload, fields[row.output])
        end = None if row.flow.end >= 2**62 else row.flow.end
        found[row.output, row.flow.start, end, repr(payload)] += 1
    return found


def standing(rows: Iterable[ComparedRow]) -> Rows:
    found: Rows = Counter()
    for row in rows:
        if row.mark == "changed":
            assert row.today_start is not None
            found[row.output, row.today_start, row.today_end, repr(row.today_payload)] += 1
        elif row.mark != "only_here":
            found[row.output, row.start, row.end, repr(row.payload)] += 1
    return found


def would_be(rows: Iterable[ComparedRow]) -> Rows:
    kept = (row for row in rows if row.mark != "missing")
    return Counter((row.output, row.start, row.end, repr(row.payload)) for row in kept)


@pytest.mark.parametrize("kind", KINDS)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_standing_results_are_those_of_the_binding(kind: str, data: st.DataObject) -> None:
    query = query_of(data.draw(cases(kind, SCOPE)))
    run = whole_run(query)
    found = replay(of(query), read_of(query, run), {})
    assert {row.mark for row in found.rows} <= {"same"}
    assume(not found.notes)
    assert standing(found.rows) == result_rows(run.outputs, run, query)


@pytest.mark.parametrize("kind", KINDS)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_the_replayed_results_are_those_of_the_counted_and_the_chosen_rows(kind: str, data: st.DataObject) -> None:
    query = query_of(data.draw(cases(kind, SCOPE)))
    run = whole_run(query)
    assume(not any(isinstance(row.element, Event) and row.element.edge for row in query.elements))
    read = read_of(query, run)
    late = [place for place in read.judged if isinstance(read.elements[place], Event)]
    assume(late)
    chosen = data.draw(st.sets(st.sampled_from(late), min_size=1))
    found = replay(of(query), read, {place: read.elements[place] for place in chosen})
    assume(not found.notes)
    assert standing(found.rows) == result_rows(run.outputs, run, query)
    if any(judged.outcome == "late_kept" for judged in read.judged.values()):
        return  # only the clocks know what closed windows refused
    apart = counted_apart(query, run, {place: read.elements[place] for place in chosen})
    assert would_be(found.rows) == result_rows(apart.outputs, apart, query)


def counted_apart(query: SampledQuery, run: ReferenceRun, chosen: Mapping[PlaceRead, Element]) -> ReferenceRun:
    """Run with no clock at all: the enqueued events as enqueued, and the chosen rows as received."""
    apart = ReferenceRun(query.graph, query.streams, {})
    for identity, judged in run.judged.items():
        element = chosen.get((identity.input, identity.lane, identity.position), judged.event)
        if judged.outcome in QUARANTINED and (identity.input, identity.lane, identity.position) not in chosen:
            continue
        if isinstance(element, Event):
            apart.take(identity.input, identity.lane, element)
    apart.end(EndMode.FLUSH)
    return apart


OPEN_EDGE: Final = """
name: an_open_edge_and_an_orphan_end
streams:
  s: {shape: edge, fields: {}, advance: {generate: {every: 1}, late: drop, max_ahead: 1us, future: drop}}
query:
  nodes:
    - {id: s, kind: input, stream: s}
    - id: windows
      kind: window
      input: s
      window: {kind: hopping, size: 1us, hop: 1us}
      aggregates: [{name: n, function: count}]
    - {id: out, kind: output, input: windows}
input:
  - {stream: s, heartbeat: 0}
  - {stream: s, edge: start, start: 0}
  - {stream: s, edge: start, start: 0}
  - {stream: s, edge: start, start: 2}           # too far ahead, so that it is dropped
  - {stream: s, edge: end, start: 0, end: 1}
  - {stream: s, edge: end, start: 2, end: 3}     # the end of a dropped start
expect: {events: []}
"""


def test_a_replay_notes_an_open_edge_next_to_the_end_of_a_dropped_start(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(OPEN_EDGE)
    [loaded] = load([path])
    transcript = loaded.transcript
    query = query_of(prepare(transcript, define(transcript)))
    found = replay(of(query), read_of(query, whole_run(query)), {})
    assert found.notes == [OPEN_EDGES]
