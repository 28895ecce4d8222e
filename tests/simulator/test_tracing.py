"""What made a row, over rows that are read again: as the run that gave it says itself."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from streaming.planning.soundness import checked_graph
from streaming.simulator.lane_stories import FRESH, lane_stories
from streaming.simulator.tracing import KnownInput, trace_row
from streaming.simulator.words import finite
from streaming.temporal.events import Event
from streaming.temporal.outcomes import IN_TIME
from streaming.wire.messages import ResultRow
from streaming.wire.payload_json import payload_to_json
from tests.reference.drawn import KINDS, Scope, cases
from tests.simulator.test_agreement import asked
from tests.simulator.test_replaying import of, read_of, whole_run

some = settings(max_examples=max(4, settings.default.max_examples // 20))
SCOPE = Scope(imports=True)


@pytest.mark.parametrize("kind", KINDS)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_row_is_made_of_the_rows_of_which_the_run_made_it(kind: str, data: st.DataObject) -> None:
    query = asked(data.draw(cases(kind, SCOPE)))
    run = whole_run(query)
    assume(run.outputs)
    read = read_of(query, run)
    assume(not any(late.outcome == "late_kept" for late in read.judged.values()))
    row = data.draw(st.sampled_from(run.outputs))
    assume(not any(isinstance(each, Event) and each.edge is not None for each in read.elements.values()))
    alike = Counter((each.output, each.flow.start, each.flow.end, repr(each.flow.payload)) for each in run.outputs)
    assume(alike[row.output, row.flow.start, row.flow.end, repr(row.flow.payload)] == 1)
    fields = checked_graph(query.graph, query.streams, query.settings).schemas[row.output]
    shown = ResultRow(
        output=row.output,
        start=row.flow.start,
        end=finite(row.flow.end),
        payload=payload_to_json(row.flow.payload, fields),
    )
    trace = trace_row(KnownInput(of(query), read, {}, read.judged, {}), shown, {})
    assert trace is not None
    assert trace.same
    made_of = [(each.input, each.lane, each.position) for each in trace.made_of.rows]
    assert sorted(made_of) == sorted((each.input, each.lane, each.position) for each in row.flow.sources)


@pytest.mark.parametrize("kind", KINDS)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_lane_says_of_its_rows_what_the_run_said(kind: str, data: st.DataObject) -> None:
    query = asked(data.draw(cases(kind, SCOPE)))
    run = whole_run(query)
    read = read_of(query, run)
    lanes = {place[:2] for place in read.elements}
    stories = lane_stories(of(query), read, dict.fromkeys(lanes, FRESH))
    for identity, judged in run.judged.items():
        told = stories.of((identity.input, identity.lane, identity.position))
        if told is None:
            continue
        assert (told[0].outcome in IN_TIME) is (judged.outcome in IN_TIME)
        assert told[0].cti_met == judged.cti_met
        assert told[1] is None or told[1].at <= judged.cti_met
