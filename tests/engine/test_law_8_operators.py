"""Law 8 for every operator, alone and among others: engine and reference agree, however the input is cut.

Cut as drawn, before every row with a restart at each cut, and not at all. If rows share a micro-batch, the inputs are
flushed in the end: the cause of a row's delay may end in the same micro-batch as the CTI, and then the row leaves
sooner.
"""

from dataclasses import replace

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from streaming.engine import execution as engine
from streaming.reference import execution as reference
from streaming.wire.execution.case import Case, EndMode
from tests.engine.agreement import differences
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import cut

several = settings(max_examples=max(20, settings.default.max_examples // 2))
"""Half as many examples as for other properties: each runs three times on both executors."""


@pytest.mark.parametrize("kind", KINDS)
@several
@given(data=st.data())
def test_engine_and_reference_agree(kind: str, data: st.DataObject) -> None:
    """Check a random graph around the operator, with random settings and rows."""
    case = data.draw(cases(kind, Scope(imports=True)))
    note(ReadableCase(case))
    everywhere = replace(cut(case, range(1, len(case.rows))), restart=True)
    flushed = replace(case, end=EndMode.FLUSH)
    for each in (flushed, everywhere, cut(flushed, ())):
        assert not _differs(each), _differs(each)


def _differs(case: Case) -> list[str]:
    expected = reference.run_case(replace(case, restart=False))
    return differences(case, expected, engine.run_case(case), each_alone=case.restart)
