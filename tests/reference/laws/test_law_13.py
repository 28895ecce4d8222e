"""Law 13: history then live equals one run over the joined data, for every seam and cut (T54)."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.engine import execution as engine
from streaming.reference import execution as reference
from streaming.temporal.outcomes import Outcome
from streaming.wire.execution.case import Case, CaseResult, EndMode
from streaming.wire.execution.case_execution import run_case
from tests.reference.drawn.cases import Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase
from tests.reference.drawn.seams import divided
from tests.reference.laws.runs import cut, late, net

KINDS = ("filter", "to_intervals", "union", "join", "asof_join", "tumbling", "session", "snapshot", "count", "top_k")
SCOPE = Scope(wall=False, odd=False, ends=(EndMode.FLUSH, EndMode.NONE))
FLUSHED = Scope(wall=False, odd=False, ends=(EndMode.FLUSH,))
"""For to_intervals in the engine: the last CTI of a batch follows all its ends of edges, so cuts can delay a row."""
EXECUTORS: Mapping[str, Callable[[Case], CaseResult]] = {
    "reference": lambda case: run_case(reference.execute, case),
    "engine": lambda case: run_case(engine.execute, case),
}


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_history_then_live_equals_one_run_over_the_joined_data(kind: str, executor: str, data: st.DataObject) -> None:
    """Cut as drawn and before every row, killed and restarted at each cut."""
    run = EXECUTORS[executor]
    scope = FLUSHED if (executor, kind) == ("engine", "to_intervals") else SCOPE
    both = data.draw(divided(data.draw(cases(kind, scope))))
    note(ReadableCase(both.joined))
    note(ReadableCase(both.divided))
    places = data.draw(st.sets(st.integers(1, 30)))
    joined = run(both.joined)
    assert joined.failure is None
    for case in (
        both.divided,
        replace(cut(both.divided, places), restart=True),
        replace(cut(both.divided, range(1, len(both.divided.rows))), restart=True),
    ):
        assert_equal(run(case), joined)


def assert_equal(divided_result: CaseResult, joined: CaseResult) -> None:
    """Compare everything but the overlaps, which the joined data doesn't have."""
    assert divided_result.failure is None
    assert net(divided_result.events) == net(joined.events)
    outcomes = {name: Counter(counts) for name, counts in divided_result.outcomes.items()}
    for counts in outcomes.values():
        counts.pop(Outcome.OVERLAP, None)
    assert {name: each for name, each in outcomes.items() if each} == {
        name: Counter(each) for name, each in joined.outcomes.items() if each
    }
    listed = Counter({each: n for each, n in late(divided_result).items() if each[1] is not Outcome.OVERLAP})
    assert listed == late(joined)
