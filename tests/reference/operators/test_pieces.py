"""Pieces of lifetimes against a count of ticks."""

from hypothesis import given
from hypothesis import strategies as st

from streaming.reference.operators.joins.pieces import TickSpan, covered, uncovered
from streaming.temporal.ticks import Tick
from tests.reference.operators.port_runs import runs

SPANS = st.builds(
    lambda start, length: TickSpan(Tick(start), Tick(start + length)), st.integers(0, 15), st.integers(0, 8)
)


@given(whole=SPANS, others=st.lists(SPANS, max_size=6))
def test_what_is_covered_and_what_is_left_are_the_longest_runs_of_such_ticks(
    whole: TickSpan, others: list[TickSpan]
) -> None:
    ticks = set(range(whole.start, whole.end))
    inside = {tick for tick in ticks if any(other.start <= tick < other.end for other in others)}
    assert [(each.start, each.end) for each in covered(whole, others)] == list(runs(inside))
    assert [(each.start, each.end) for each in uncovered(whole, others)] == list(runs(ticks - inside))
