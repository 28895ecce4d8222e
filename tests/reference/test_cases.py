"""The late elements in the result of a case (T12)."""

import pytest

from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import Tick, Ticks
from streaming.wire.execution.case import CaseLate
from tests.reference.windows.windowing import cti, point, result_of

WIDE = {"window": {"kind": "tumbling", "size": 100}}


@pytest.mark.parametrize(
    ("late", "outcome", "reason", "moved_by"),
    [
        ("drop", Outcome.DROPPED_LATE, Reason.BEFORE_CTI, None),
        ("keep", Outcome.LATE_KEPT, None, None),
        ("shift", Outcome.SHIFTED, None, Ticks(7)),
    ],
)
def test_a_late_element_has_its_lane_its_position_and_how_far_it_was_moved(
    late: str, outcome: Outcome, reason: Reason | None, moved_by: Ticks | None
) -> None:
    result = result_of([point(1, lane="b"), cti(10, "b"), point(3, lane="b"), point(4)], WIDE, late=late)
    assert result.late == (CaseLate("s", "b", 2, outcome, reason, Tick(3), Tick(4), None, moved_by),)
