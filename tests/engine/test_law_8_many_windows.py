"""Law 8 with events in too many windows (T24): the limit is three here, so that it happens in every other case."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from streaming.engine import execution as engine
from streaming.engine.columns.folding import admission as admit
from streaming.engine.operators.windows import fixed_panes, open_edges
from streaming.planning import watched
from streaming.reference import execution as reference
from streaming.reference.windows import fixed_windows
from streaming.wire.execution.case import Case, EndMode
from tests.engine.agreement import differences
from tests.reference.drawn.cases import Scope, cases
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import cut


@pytest.fixture(autouse=True, scope="module")
def few_windows() -> Iterator[None]:
    """Set the limit in all modules that have it, except the check of definitions."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (admit, watched, fixed_panes, open_edges, fixed_windows):
            patch.setattr(module, "MAX_WINDOWS_PER_EVENT", 3)
        yield


@pytest.mark.parametrize("kind", ["tumbling", "hopping", "time_interval", "top_k", "order_edges", "union"])
@settings(max_examples=max(20, settings.default.max_examples // 5) if settings.default else 20)
@given(data=st.data(), buckets=st.sampled_from((1, 1, 3)))
def test_engine_and_reference_agree(kind: str, data: st.DataObject, buckets: int) -> None:
    """Check a random graph around the operator, with edges that windows cut off long after they took them."""
    case = replace(data.draw(cases(kind, Scope(imports=True))), end=EndMode.FLUSH)
    note(ReadableCase(case))
    everywhere = replace(cut(case, range(1, len(case.rows))), restart=True)
    for each in (case, everywhere, cut(case, ())):
        assert not _differs(each, buckets), _differs(each, buckets)


def _differs(case: Case, buckets: int) -> list[str]:
    expected = reference.run_case(replace(case, restart=False))
    return differences(case, expected, engine.run_case(case, buckets), each_alone=case.restart)
