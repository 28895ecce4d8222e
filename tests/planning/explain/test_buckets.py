"""Rows in different buckets of a stage never meet: each bucket alone produces its share of the results."""

from dataclasses import replace

import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st

from streaming.planning.explain import explain
from streaming.reference.execution import run_case
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.case import Case, CaseResult, CaseRow, EndMode
from tests.reference.drawn.cases import Scope, cases
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import Rows, net

EXPLICIT = Scope(explicit=True, wall=False, odd=False, ends=(EndMode.NONE,), policies=("drop", "adjust", "shift"))
"""CTIs go to every bucket, so that they are the same in each."""
KEYED = (
    *("clip", "union", "join", "left_outer_join", "anti_join", "semi_join", "asof_join", "left_outer_asof_join"),
    *("tumbling", "hopping", "session", "snapshot", "count", "top_k", "to_intervals", "order_edges"),
)


@pytest.mark.parametrize("kind", KEYED)
@settings(max_examples=max(25, settings.default.max_examples // 4))
@given(data=st.data())
def test_two_buckets_by_the_keys_of_the_stage_produce_the_results_of_one(kind: str, data: st.DataObject) -> None:
    case = ended(data.draw(cases(kind, EXPLICIT)))
    stages = explain(case.graph, case.streams, case.advance).stages[1:-1]
    if len(stages) != 1 or any(part.keys not in (["k"], None) for part in stages[0].parts):
        event("other keys than those of the buckets")
        return
    note(ReadableCase(case))
    whole = run_case(case)
    one, other = (run_case(bucket(case, first=first)) for first in (True, False))
    reached = {name: min(last(result, name) for result in (whole, one, other)) for name in whole.ctis}
    assert before(reached, one) + before(reached, other) == before(reached, whole)


def last(result: CaseResult, output: str) -> int:
    """Return the last CTI of `output`; an edge without an end delays it, but only in its own bucket."""
    return max(result.ctis.get(output, ()), default=NO_CTI)


def before(reached: dict[str, int], result: CaseResult) -> Rows:
    """Return the rows that start before the CTI that their output `reached` in every bucket."""
    return net(each for each in result.events if each.start < reached.get(each.output, NO_CTI))


def ended(case: Case) -> Case:
    """Return `case` with a CTI after its events on each lane, so that every bucket has emitted its decided rows."""
    last = max((row.batch for row in case.rows), default=0)
    lanes = [(name, lane) for name, stream in case.streams.items() for lane in stream.lanes or ()]
    return replace(case, rows=(*case.rows, *(CaseRow(name, lane, last, {"cti": 200}) for name, lane in lanes)))


def bucket(case: Case, *, first: bool) -> Case:
    """Return `case` with every CTI and the rows of one of two buckets: those whose key is `a`, or all others."""
    return replace(case, rows=tuple(row for row in case.rows if "cti" in row.fields or _is_a(row) == first))


def _is_a(row: CaseRow) -> bool:
    return bool(row.fields["payload"].get("k") == "a")
