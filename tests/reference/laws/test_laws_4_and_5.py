"""Law 4: every received element has exactly one outcome; the counts add up.

Law 5: nothing is ever emitted that starts before an output CTI already emitted; output CTIs never go back.
"""

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.execution import finished_run
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.temporal.events import Cti
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.case import Case
from streaming.wire.execution.case_execution import stream_by_input
from tests.reference.drawn.cases import KINDS, Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_each_element_has_one_outcome_and_no_row_starts_before_a_cti(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, Scope(imports=True)))
    note(ReadableCase(case))
    run = finished_run(case)
    assert_outcomes(run, case)
    assert_ctis(run)


def assert_outcomes(run: ReferenceRun, case: Case) -> None:
    """Check all rows but heartbeats and readable CTIs, by their place in their lane (law 4)."""
    inputs = {stream: name for name, stream in stream_by_input(case).items()}
    received = set()
    positions: dict[tuple[str, str], int] = {}
    for row in case.rows:
        if "heartbeat" in row.fields:
            continue
        position = positions[row.stream, row.lane] = positions.get((row.stream, row.lane), -1) + 1
        if "cti" not in row.fields or row.fields["cti"] == "soon":
            received.add(ElementId(inputs[row.stream], row.lane, position))
    assert set(run.judged) == received


def assert_ctis(run: ReferenceRun) -> None:
    """Check law 5; late events that were kept and pass without a window are excepted; an edge end counts by its end."""
    for log in run.logs.values():
        reached = NO_CTI
        for entry in log:
            if isinstance(entry, Cti):
                assert entry.at > reached
                reached = entry.at
            elif entry.flow.late_at is None:
                assert (entry.flow.end if entry.flow.closes else entry.flow.start) >= reached
