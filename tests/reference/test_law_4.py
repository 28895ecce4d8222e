"""Law 4: every received element has exactly one outcome; the counts add up."""

from collections import Counter

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.cases import run_case
from streaming.temporal.outcomes import IN_TIME
from streaming.wire.case import CaseRow
from tests.reference.drawn import KINDS, Scope, cases, each_operator
from tests.reference.readable import transcript


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_every_received_element_has_one_outcome(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, Scope(imports=True)))
    note(transcript(case))
    result = run_case(case)
    for stream in case.streams:
        received = [row for row in case.rows if row.stream == stream and is_judged(row)]
        outcomes = result.outcomes[stream]
        assert sum(outcomes.values()) == len(received)
        listed = [row for row in result.late if row.stream == stream]
        assert Counter(row.outcome for row in listed) == {
            outcome: count for outcome, count in outcomes.items() if outcome not in IN_TIME
        }
        assert len({(row.lane, row.position) for row in listed}) == len(listed)


def is_judged(row: CaseRow) -> bool:
    """Whether a row is an element with an outcome: no heartbeat, and no CTI that can be read."""
    return "heartbeat" not in row.fields and ("cti" not in row.fields or row.fields["cti"] == "soon")
