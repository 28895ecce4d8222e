"""The violation table of TEMPORAL.md section 3, one fact a test; the CTI is 10 throughout."""

from streaming.temporal.admission import Admission, AdmittedEvent, DroppedEvent, InTime, admit
from streaming.temporal.events import EdgeKind, Event, edge_end, edge_start, interval, point
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import Late, LateEnd
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks

CTI = Tick(10)


def at_ten(event: Event, late: Late, late_end: LateEnd = LateEnd.LEAVE_OPEN) -> Admission:
    return admit(event, CTI, late, late_end)


def passes(
    event: Event, outcome: Outcome, *, late_by: int, moved_by: int, reason: Reason | None = None
) -> AdmittedEvent:
    return AdmittedEvent(event, outcome, Ticks(late_by), Ticks(moved_by), reason)


def test_sync_at_the_cti_is_legal_for_every_shape_and_policy() -> None:
    for late in Late:
        for event in (point(10), interval(10, 12), edge_start(10), edge_end(3, 10)):
            assert at_ten(event, late) == InTime(event)


def test_one_tick_before_the_cti_is_a_violation_for_every_shape() -> None:
    for event in (point(9), interval(9, 12), edge_start(9), edge_end(3, 9)):
        assert at_ten(event, Late.DROP) == DroppedEvent(Ticks(1))


def test_nothing_is_late_before_the_first_cti() -> None:
    for late in Late:
        assert admit(point(-5), NO_CTI, late) == InTime(point(-5))


# Points


def test_drop_drops_a_late_point() -> None:
    assert at_ten(point(7), Late.DROP) == DroppedEvent(Ticks(3))


def test_adjust_drops_a_late_point_whose_lifetime_has_always_ended() -> None:
    # even the point at 9 lives in [9, 10), so nothing of it is left from 10 on
    assert at_ten(point(9), Late.ADJUST) == DroppedEvent(Ticks(1))
    assert at_ten(point(7), Late.ADJUST) == DroppedEvent(Ticks(3))


def test_shift_moves_a_late_point_to_the_cti() -> None:
    assert at_ten(point(7), Late.SHIFT) == passes(point(10), Outcome.SHIFTED, late_by=3, moved_by=3)


def test_keep_passes_a_late_point_on_unchanged() -> None:
    assert at_ten(point(7), Late.KEEP) == passes(point(7), Outcome.LATE_KEPT, late_by=3, moved_by=0)


# Intervals


def test_drop_drops_a_late_interval_even_if_it_reaches_past_the_cti() -> None:
    assert at_ten(interval(7, 15), Late.DROP) == DroppedEvent(Ticks(3))


def test_adjust_moves_the_start_and_leaves_the_end() -> None:
    #     final | open
    # [7-----10-|---15)   ->   [10---15)
    assert at_ten(interval(7, 15), Late.ADJUST) == passes(interval(10, 15), Outcome.ADJUSTED, late_by=3, moved_by=3)


def test_adjust_drops_an_interval_that_ends_at_the_cti() -> None:
    assert at_ten(interval(3, 10), Late.ADJUST) == DroppedEvent(Ticks(7))


def test_adjust_leaves_one_tick_of_an_interval_that_ends_one_tick_after_the_cti() -> None:
    assert at_ten(interval(3, 11), Late.ADJUST) == passes(interval(10, 11), Outcome.ADJUSTED, late_by=7, moved_by=7)


def test_shift_moves_a_late_interval_and_keeps_its_length() -> None:
    assert at_ten(interval(3, 5), Late.SHIFT) == passes(interval(10, 12), Outcome.SHIFTED, late_by=7, moved_by=7)


def test_shift_leaves_an_endless_interval_endless() -> None:
    endless = Event(Tick(3), INFINITY, {})
    assert at_ten(endless, Late.SHIFT) == passes(Event(Tick(10), INFINITY, {}), Outcome.SHIFTED, late_by=7, moved_by=7)


def test_keep_passes_a_late_interval_on_unchanged() -> None:
    assert at_ten(interval(3, 5), Late.KEEP) == passes(interval(3, 5), Outcome.LATE_KEPT, late_by=7, moved_by=0)


# Edge starts


def test_drop_drops_a_late_edge_start() -> None:
    assert at_ten(edge_start(7), Late.DROP) == DroppedEvent(Ticks(3))


def test_adjust_opens_a_late_edge_at_the_cti() -> None:
    assert at_ten(edge_start(7), Late.ADJUST) == passes(edge_start(10), Outcome.ADJUSTED, late_by=3, moved_by=3)


def test_shift_treats_a_late_edge_start_as_adjust_does() -> None:
    assert at_ten(edge_start(7), Late.SHIFT) == at_ten(edge_start(7), Late.ADJUST)


def test_keep_passes_a_late_edge_start_on_unchanged() -> None:
    assert at_ten(edge_start(7), Late.KEEP) == passes(edge_start(7), Outcome.LATE_KEPT, late_by=3, moved_by=0)


# Edge ends


def test_drop_drops_a_late_edge_end_by_default() -> None:
    assert at_ten(edge_end(2, 8), Late.DROP) == DroppedEvent(Ticks(2))


def test_close_at_cti_closes_the_edge_of_a_late_end_at_the_cti() -> None:
    assert at_ten(edge_end(2, 8), Late.DROP, LateEnd.CLOSE_AT_CTI) == passes(
        edge_end(2, 10), Outcome.ADJUSTED, late_by=2, moved_by=2
    )


def test_close_at_cti_still_drops_late_starts() -> None:
    assert at_ten(edge_start(7), Late.DROP, LateEnd.CLOSE_AT_CTI) == DroppedEvent(Ticks(3))


def test_adjust_moves_a_late_edge_end_to_the_cti() -> None:
    assert at_ten(edge_end(2, 8), Late.ADJUST) == passes(edge_end(2, 10), Outcome.ADJUSTED, late_by=2, moved_by=2)


def test_a_late_end_of_an_edge_that_starts_at_the_cti_makes_it_vanish() -> None:
    # the start was adjusted to 10 and the end becomes 10: [10, 10) is nothing
    assert at_ten(edge_end(10, 8), Late.ADJUST) == passes(
        edge_end(10, 10), Outcome.ADJUSTED, late_by=2, moved_by=2, reason=Reason.VANISHED
    )


def test_an_end_in_time_at_its_adjusted_start_makes_the_edge_vanish() -> None:
    assert at_ten(edge_end(10, 10), Late.ADJUST) == passes(
        edge_end(10, 10), Outcome.ADJUSTED, late_by=0, moved_by=0, reason=Reason.VANISHED
    )


def test_shift_treats_a_late_edge_end_as_adjust_does() -> None:
    for event in (edge_end(2, 8), edge_end(10, 8), edge_end(10, 10)):
        assert at_ten(event, Late.SHIFT) == at_ten(event, Late.ADJUST)


def test_keep_passes_a_late_edge_end_on_unchanged() -> None:
    assert at_ten(edge_end(2, 8), Late.KEEP) == passes(edge_end(2, 8), Outcome.LATE_KEPT, late_by=2, moved_by=0)


def test_an_admitted_event_is_never_before_the_cti_unless_the_policy_is_keep() -> None:
    for late in (Late.ADJUST, Late.SHIFT):
        for event in (point(1), interval(1, 30), edge_start(1), edge_end(0, 1)):
            admission = at_ten(event, late)
            assert isinstance(admission, DroppedEvent) or admission.event.sync >= CTI


def test_the_payload_and_the_kind_of_an_edge_survive_every_policy() -> None:
    for late in (Late.ADJUST, Late.SHIFT, Late.KEEP):
        admission = at_ten(Event(Tick(2), Tick(5), {"k": "a"}, EdgeKind.END), late)
        assert not isinstance(admission, DroppedEvent)
        assert (admission.event.payload, admission.event.edge) == ({"k": "a"}, EdgeKind.END)
