"""What the result of a case says of elements that were late (T12)."""

import pytest

from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import Tick, Ticks
from streaming.wire.case import CaseLate
from tests.reference.windowing import cti, point, result_of

WIDE = {"window": {"kind": "tumbling", "size": 100}}


@pytest.mark.parametrize(
    ("late", "outcome", "reason", "moved_by"),
    [
        ("drop", Outcome.DROPPED_LATE, Reason.BEFORE_CTI, None),
        ("keep", Outcome.LATE_KEPT, None, None),
        ("shift", Outcome.SHIFTED, None, Ticks(7)),
    ],
)
def test_a_late_element_is_named_by_its_lane_and_place_and_told_how_far_its_policy_moved_it(
    late: str, outcome: Outcome, reason: Reason | None, moved_by: Ticks | None
) -> None:
    result = result_of([point(1, lane="b"), cti(10, "b"), point(3, lane="b"), point(4)], WIDE, late=late)
    assert result.late == (CaseLate("s", "b", 2, outcome, reason, Tick(3), Tick(4), None, moved_by),)
