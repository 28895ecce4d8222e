"""Law 6: with no violation, or with `keep` and unbounded grace, the result is the batch query's over all events.

The first half is tested in a stronger form: whatever the late policy did, the result is the batch query's over the
events that it admitted, in their admitted form.
"""

from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.execution import finished_run
from streaming.wire.execution.case import Case, EndMode
from tests.reference.batch.batch import batch
from tests.reference.batch.lives import let_through
from tests.reference.drawn.cases import KINDS, Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import Rows, row

IN_TIME = Scope(wall=False, ends=(EndMode.FLUSH,), policies=("drop", "adjust", "shift"))
KEPT = replace(IN_TIME, policies=("keep",), unbounded=True)


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_the_result_is_the_batch_querys(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, data.draw(st.sampled_from((IN_TIME, KEPT)), label="scope")))
    note(ReadableCase(case))
    assert_batch(case)


def assert_batch(case: Case) -> None:
    run = finished_run(case)
    expected = batch(case.graph, let_through(run, case))
    have = Rows(row(each.output, each.flow.start, each.flow.end, each.flow.payload) for each in run.outputs)
    assert have == Rows(
        row(output, life.start, life.end, life.payload) for output, lives in expected.items() for life in lives
    )
