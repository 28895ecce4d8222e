"""Law 8 in several buckets: what the buckets give together is what the reference gives, however the input is cut.

All inputs are flushed in the end: a bucket does not wait for what another one holds, so a row may leave it sooner.
"""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from streaming.engine import cases as engine
from streaming.reference import cases as reference
from streaming.wire.case import Case, EndMode
from tests.engine.agreement import differences
from tests.reference.drawn import KINDS, Scope, cases
from tests.reference.readable import transcript
from tests.reference.runs import cut

_ALONE: Final = ("union", "to_intervals", "order_edges", "point_at_end", "extend_by_less")
"""Kinds that have no key, so that plans with them have one bucket unless a keyed node stands behind."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in _ALONE])
@settings(max_examples=max(20, settings.default.max_examples // 5) if settings.default else 20)
@given(data=st.data(), buckets=st.integers(2, 4))
def test_buckets_together_agree_with_the_reference(kind: str, data: st.DataObject, buckets: int) -> None:
    """On a random graph around the operator, with random settings and rows."""
    case = replace(data.draw(cases(kind, Scope(imports=True))), end=EndMode.FLUSH)
    note(transcript(case))
    everywhere = replace(cut(case, range(1, len(case.rows))), restart=True)
    for each in (case, everywhere):
        assert not _differs(each, buckets), _differs(each, buckets)


def _differs(case: Case, buckets: int) -> list[str]:
    expected = reference.run_case(replace(case, restart=False))
    return differences(case, expected, engine.run_case(case, buckets), each_alone=case.restart)
