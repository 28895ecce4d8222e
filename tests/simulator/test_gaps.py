"""The reach of a gap: if the first rows of inputs are missing, results that start after the gap are still right."""

from typing import Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from streaming.simulator.replay.replaying import ReadRows, replay
from streaming.simulator.samples.sample import SampledQuery
from streaming.temporal.events import Event
from streaming.temporal.outcomes import Outcome
from streaming.transcripts.load import parse
from streaming.transcripts.prepare import define, prepare
from streaming.wire.messages import LateEvent
from streaming.wire.yaml_data import yaml_documents
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.simulator.test_agreement import query_of
from tests.simulator.test_repairing import released
from tests.simulator.test_replaying import of, read_of, whole_run

some = settings(max_examples=max(6, settings.default.max_examples // 16))

MADE_BY_ROWS: Final = ("snapshot", "count")
"""Windows that depend on the rows: one that starts before the gap ends, and is marked so, may have other bounds."""


def lost(place: tuple[str, str, int], start: int) -> LateEvent:
    """A row that the run without it never received."""
    of_row = {"input": place[0], "lane": place[1], "position": place[2], "start": start, "end": None}
    fields = {
        "cti": None,
        "outcome": str(Outcome.DROPPED_LATE),
        "reason": None,
        "policy": "",
        "moved_by": None,
        "raw": "",
    }
    return LateEvent(**of_row, **fields)


def require_right_after(query: SampledQuery, rows: int, *, lacking: bool = True) -> bool:
    """Check that without the events of the first `rows` only results that start before the end of the gap differ.

    `lacking`: also check that only such rows are missing. False if there are no such events.
    """
    _, found = released(query)
    read = read_of(query, whole_run(query))
    come = [
        (row.identity.input, row.identity.lane, row.identity.position)
        for row in query.elements[:rows]
        if row.identity is not None
    ]
    events = {place: element for place in come if isinstance(element := read.elements.get(place), Event)}
    missing = {place: event for place, event in events.items() if place not in read.judged}
    if not missing:
        return False
    until = max(event.end for event in missing.values())
    gapped = ReadRows(read.elements, {**read.judged, **{place: lost(place, e.start) for place, e in missing.items()}})
    for row in replay(of(query), gapped, missing).rows:
        if row.mark == "only_here" and not lacking:
            continue
        whole = found[row.output].gap.whole
        starts = [row.start] if row.today_start is None else [row.start, row.today_start]
        assert row.mark == "same" or whole is None or min(starts) < until + whole, row
    return True


@pytest.mark.parametrize("kind", KINDS)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_results_that_start_after_a_gap_are_right(kind: str, data: st.DataObject) -> None:
    query = query_of(data.draw(cases(kind, Scope())))
    rows = data.draw(st.integers(1, max(len(query.elements), 1)))
    assume(require_right_after(query, rows, lacking=kind not in MADE_BY_ROWS))


CLIPPED = """
name: clipped
streams:
  s: {shape: interval, fields: {k: long}, advance: {late: drop}}
  r: {shape: point, fields: {k: long}, advance: {late: drop}}
query:
  nodes:
    - {id: s, kind: input, stream: s}
    - {id: r, kind: input, stream: r}
    - {id: shorter, kind: clip, input: s, by: r, keys: [k]}
    - id: w
      kind: window
      input: shorter
      window: {kind: tumbling, size: 10us}
      aggregates: [{name: n, function: count}]
    - {id: out, kind: output, input: w}
input:
  - {stream: r, start: 5, payload: {k: 1}}
  - {stream: s, start: 0, end: 100, payload: {k: 1}}
expect: {events: []}
"""


def test_a_row_that_is_not_cut_off_may_be_wrong_for_as_long_as_it_lasts() -> None:
    [document] = yaml_documents(CLIPPED)
    transcript = parse(document, "clipped")
    assert require_right_after(query_of(prepare(transcript, define(transcript))), 1)


EXTENDED = """
name: extended
streams:
  s: {shape: interval, fields: {k: long}, advance: {late: drop}}
query:
  nodes:
    - {id: s, kind: input, stream: s}
    - {id: longer, kind: extend, input: s, by: 50us}
    - {id: ends, kind: point_at_end, input: longer}
    - {id: out, kind: output, input: ends}
input:
  - {stream: s, start: 0, end: 100, payload: {k: 1}}
expect: {events: []}
"""


def test_the_point_at_an_extended_end_may_be_missing() -> None:
    [document] = yaml_documents(EXTENDED)
    transcript = parse(document, "extended")
    assert require_right_after(query_of(prepare(transcript, define(transcript))), 1)
