"""Session, snapshot and count windows and top_k as whole queries: the engine gives what the reference gives (law 8)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.engine import execution as engine
from streaming.reference import execution as reference
from tests.engine.agreement import differences
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import cut
from tests.reference.windows.windowing import Row, arrivals, case_of

WINDOWS: tuple[Row, ...] = (
    {"kind": "session", "gap": 6},
    {"kind": "session", "gap": 5, "max": 11},
    {"kind": "snapshot"},
    {"kind": "count", "n": 2},
)
SAYING: tuple[Row, ...] = (
    {},
    {"emit": "on_complete"},
    {"emit": "running"},
    {"emit": "running", "retract": True},
)
AGGREGATES = [
    {"name": "n", "function": "count"},
    {"name": "total", "function": "sum", "of": "v"},
    {"name": "first", "function": "first", "of": "v"},
    {"name": "weighed", "function": "time_weighted_sum", "of": "v"},
]


@st.composite
def nodes(draw: st.DrawFn) -> Row:
    """Draw a window node with every way of emitting, or a top_k node."""
    window = draw(st.sampled_from(WINDOWS))
    group_by = {"group_by": draw(st.sampled_from(([], ["k"])))}
    if draw(st.integers(0, 3)) == 0:
        return {"kind": "top_k", "window": window, "by": "v", "k": 2, **group_by}
    grace = {"grace": draw(st.sampled_from((0, 4)))}
    return {"window": window, "aggregates": AGGREGATES, **group_by, **grace, **draw(st.sampled_from(SAYING))}


@pytest.mark.parametrize("shape", ["point", "interval", "edge"])
@given(
    data=st.data(), node=nodes(), late=st.sampled_from(("drop", "adjust", "shift", "keep", "keep")), one=st.booleans()
)
def test_engine_and_reference_agree(shape: str, data: st.DataObject, node: Row, late: str, one: bool) -> None:
    """Check with one lane or two, however the rows are cut."""
    rows: list[Any] = data.draw(arrivals(shape))
    case = case_of([row | {"lane": "a"} for row in rows] if one else rows, node, shape=shape, late=late)
    note(ReadableCase(case))
    places = data.draw(st.sets(st.integers(1, max(1, len(case.rows) - 1))))
    everywhere = replace(cut(case, range(1, len(case.rows))), restart=True)
    for each in (cut(case, sorted(places)), everywhere, cut(case, ())):
        expected = reference.run_case(replace(each, restart=False))
        assert not differences(each, expected, engine.run_case(each), each_alone=each.restart)
