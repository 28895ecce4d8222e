"""Law 2: cutting the input into micro-batches at any positions changes nothing.

Of `running` windows the last row of each group and pane is meant; `import_from` is excepted (T26).
"""

from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.cases import run_case
from tests.reference.drawn import KINDS, Scope, cases, each_operator
from tests.reference.readable import transcript
from tests.reference.runs import cut, net, running


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_cuts_change_nothing(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, Scope()))
    note(transcript(case))
    whole = run_case(cut(case, ()))
    for other in (case, cut(case, range(1, len(case.rows)))):
        result = run_case(other)
        if running(case):
            assert net(result.events) == net(whole.events)
            result = replace(result, events=whole.events, rows=whole.rows)
        assert result == whole
