"""Law 8 in several buckets, and in two stages: together they agree with the reference, however the input is cut.

All inputs are flushed in the end: a bucket does not wait for rows of another, so a row may leave it sooner.
"""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.engine import execution as engine
from streaming.planning.compile import compile_binding
from streaming.reference import execution as reference
from streaming.wire.execution.case import Case, EndMode
from tests.engine.agreement import differences
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import cut

_ALONE: Final = ("union", "to_intervals", "order_edges", "point_at_end", "extend_by_less")
"""Kinds without a key: plans with them have one bucket unless a keyed node follows."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in _ALONE])
@settings(max_examples=max(20, settings.default.max_examples // 5) if settings.default else 20)
@given(data=st.data(), buckets=st.integers(2, 4))
def test_buckets_together_agree_with_the_reference(kind: str, data: st.DataObject, buckets: int) -> None:
    """Check a random graph around the operator, with random settings and rows."""
    case = replace(data.draw(cases(kind, Scope(imports=True))), end=EndMode.FLUSH)
    note(ReadableCase(case))
    everywhere = replace(cut(case, range(1, len(case.rows))), restart=True)
    for each in (case, everywhere):
        assert not _differs(each, buckets), _differs(each, buckets)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=max(15, settings.default.max_examples // 5) if settings.default else 15)
@given(data=st.data(), buckets=st.integers(2, 4))
def test_two_stages_of_buckets_agree_with_the_reference(kind: str, data: st.DataObject, buckets: int) -> None:
    """Check the same with another operator after it, whose key is computed in between."""
    case = replace(data.draw(cases(kind, Scope(imports=True, chained=True))), end=EndMode.FLUSH)
    advance = temporal_settings(case.graph, case.streams, case.advance)
    plan = compile_binding(case.graph, case.streams, advance, buckets, stages=2)
    event("one bucket" if plan.buckets == 1 else "one stage" if plan.second is None else "two stages")
    note(ReadableCase(case))
    everywhere = replace(cut(case, range(1, len(case.rows))), restart=True)
    for each in (case, everywhere):
        assert not _differs(each, buckets, stages=2), _differs(each, buckets, stages=2)


def _differs(case: Case, buckets: int, stages: int = 1) -> list[str]:
    expected = reference.run_case(replace(case, restart=False))
    return differences(case, expected, engine.run_case(case, buckets, stages), each_alone=case.restart)
