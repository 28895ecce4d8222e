"""Law 3: killing and restarting at any position changes nothing."""

from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.cases import run_case
from tests.reference.drawn import KINDS, Scope, cases, each_operator
from tests.reference.readable import transcript
from tests.reference.runs import cut


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_restarts_change_nothing(kind: str, data: st.DataObject) -> None:
    """The state is written to bytes and read back before every batch: as drawn, or before every row."""
    case = data.draw(cases(kind, Scope(imports=True)))
    if data.draw(st.booleans(), label="before every row"):
        case = cut(case, range(1, len(case.rows)))
    note(transcript(case))
    assert run_case(replace(case, restart=True)) == run_case(case)
