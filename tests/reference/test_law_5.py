"""Law 5: nothing is ever emitted that starts before an output CTI already emitted; output CTIs never go back."""

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.cases import finished_run
from streaming.temporal.events import Cti
from streaming.temporal.ticks import NO_CTI
from tests.reference.drawn import KINDS, Scope, cases, each_operator
from tests.reference.readable import transcript


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_nothing_starts_before_an_output_cti_that_was_emitted(kind: str, data: st.DataObject) -> None:
    """Late events that were kept and pass without a window are excepted; an edge end counts by its end."""
    case = data.draw(cases(kind, Scope(imports=True)))
    note(transcript(case))
    for log in finished_run(case).logs.values():
        reached = NO_CTI
        for entry in log:
            if isinstance(entry, Cti):
                assert entry.at > reached
                reached = entry.at
            elif entry.flow.late_at is None:
                assert (entry.flow.end if entry.flow.closes else entry.flow.start) >= reached
