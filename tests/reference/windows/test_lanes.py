"""No decision of a window depends on how the lanes of its input interleave (T14)."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.reference.execution import run_case
from streaming.wire.execution.case import CaseResult, CaseRow
from tests.reference.windows.windowing import Row, arrivals, case_of

FILLED = {"empty": "default", "empty_gap": 25}
NODES: tuple[Row, ...] = (
    {"window": {"kind": "tumbling", "size": 10}},
    {"window": {"kind": "tumbling", "size": 5}, **FILLED},
    {"window": {"kind": "hopping", "size": 10, "hop": 4, "offset": -3}},
    {"window": {"kind": "time_interval", "duration": 4, "period": 9, "discard_age": 3}},
    {"window": {"kind": "session", "gap": 6}},
    {"window": {"kind": "session", "gap": 5, "max": 11}},
    {"window": {"kind": "snapshot"}},
    {"window": {"kind": "count", "n": 2}},
    {"kind": "top_k", "window": {"kind": "session", "gap": 6}, "by": "v", "k": 2},
)


def rows_and_outcomes(result: CaseResult) -> tuple[Counter[Any], Counter[Any]]:
    """Return the net rows, and the outcomes of late elements."""
    rows = Counter((row.start, row.end, str(row.payload)) for row in result.events)
    return rows, Counter((row.lane, row.position, row.outcome, row.reason) for row in result.late)


def interleaved(rows: tuple[CaseRow, ...], seed: Random) -> tuple[CaseRow, ...]:
    """Return another order of arrival, in which each lane keeps its own."""
    lanes = [row.lane for row in rows]
    queues = {lane: [row for row in rows if row.lane == lane] for lane in lanes}
    seed.shuffle(lanes)
    return tuple(queues[lane].pop(0) for lane in lanes)


@pytest.mark.parametrize("node", NODES, ids=lambda node: f"{node.get('kind', 'window')} {node['window']['kind']}")
@pytest.mark.parametrize("shape", ["point", "interval", "edge"])
@given(data=st.data(), grace=st.sampled_from((0, 0, 4)), late=st.sampled_from(("drop", "adjust", "shift", "keep")))
def test_lanes_may_interleave_as_they_like(shape: str, node: Row, data: st.DataObject, grace: int, late: str) -> None:
    graced = node | ({"grace": grace} if "discard_age" not in node["window"] and "kind" not in node else {})
    case = case_of(data.draw(arrivals(shape)), graced, shape=shape, late=late)
    other = interleaved(case.rows, data.draw(st.randoms(use_true_random=False)))
    assert rows_and_outcomes(run_case(replace(case, rows=other))) == rows_and_outcomes(run_case(case))
