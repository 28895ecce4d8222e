"""Laws 2 and 3: neither cutting the input into micro-batches, nor killing and restarting, changes anything.

For `running` windows this applies to the last row of each group and pane; law 2 excludes `import_from` (T26).
"""

from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.execution import run_case
from streaming.wire.execution.case import Case, CaseResult
from tests.reference.drawn.cases import KINDS, Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import cut, net, running


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_cuts_and_restarts_change_nothing(kind: str, data: st.DataObject) -> None:
    """Cut as drawn, and before every row; restart at each cut."""
    case = data.draw(cases(kind, Scope(imports=True)))
    note(ReadableCase(case))
    everywhere = cut(case, range(1, len(case.rows)))
    some, all_cuts = assert_restarts(case), assert_restarts(everywhere)
    if any(stream.advance.import_from for stream in case.streams.values()):
        return
    whole = run_case(cut(case, ()))
    for result in (some, all_cuts):
        assert net(result.events) == net(whole.events)
        assert running(case) or (result.events, result.rows) == (whole.events, whole.rows)
        assert replace(result, events=(), rows=()) == replace(whole, events=(), rows=())


def assert_restarts(case: Case) -> CaseResult:
    """Return the result, and check that pickling the state at every cut does not change it."""
    result = run_case(case)
    assert run_case(replace(case, restart=True)) == result
    return result
