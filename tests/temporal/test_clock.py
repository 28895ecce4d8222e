"""The clock of a lane: T4 to T8 and T12."""

from typing import Any

import pytest

from streaming.temporal.clock import CtiTaken, LaneClock
from streaming.temporal.events import Cti, Event, edge_end, edge_start, interval, point, strict
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Generate, Late
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, ONE_TICK, Tick, Ticks


def clock(*, late: Late = Late.DROP, count: int | None = None, ticks: int | None = None, **other: Any) -> LaneClock:
    if count is None and ticks is None:
        return LaneClock(AdvanceTime(late=late))
    delay, basis = Ticks(other.get("delay", 0)), other.get("basis", Basis.LAST)
    every_ticks = None if ticks is None else Ticks(ticks)
    return LaneClock(AdvanceTime(Generate(delay, every_count=count, every_ticks=every_ticks, basis=basis), late))


def emitted(lane: LaneClock, *events: Event) -> list[int | None]:
    return [lane.take(event).emitted for event in events]


def points(*starts: int) -> list[Event]:
    return [point(start) for start in starts]


# T2: intervals are half open


def test_a_point_lives_for_one_tick() -> None:
    assert (point(5).start, point(5).end) == (5, 6)


def test_an_event_of_each_shape_has_its_payload_which_is_empty_by_default() -> None:
    one = {"k": "a"}
    given = (point(5, one), interval(5, 7, one), edge_start(5, one), edge_end(5, 7, one))
    assert [event.payload for event in given] == [one] * 4
    assert [event.payload for event in (point(5), interval(5, 7), edge_start(5), edge_end(5, 7))] == [{}] * 4


# T4: CTIs never move back


def test_a_new_lane_has_no_cti() -> None:
    assert clock().cti == NO_CTI


def test_a_higher_cti_moves_the_lane() -> None:
    lane = clock()
    assert lane.take_cti(Cti(Tick(5))) == CtiTaken(moved=True, suppressed=False)
    assert lane.cti == 5


def test_an_equal_cti_does_nothing_and_is_not_counted() -> None:
    lane = clock()
    lane.take_cti(Cti(Tick(5)))
    assert lane.take_cti(Cti(Tick(5))) == CtiTaken(moved=False, suppressed=False)
    assert (lane.cti, lane.cti_suppressed) == (5, 0)


def test_a_lower_cti_does_nothing_and_is_counted() -> None:
    lane = clock()
    lane.take_cti(Cti(Tick(5)))
    assert lane.take_cti(Cti(Tick(4))) == CtiTaken(moved=False, suppressed=True)
    assert (lane.cti, lane.cti_suppressed) == (5, 1)


def test_each_lower_cti_is_counted_and_a_higher_or_equal_one_takes_nothing_off_the_count() -> None:
    lane = clock()
    for at in (5, 4, 3, 5, 6):
        lane.take_cti(Cti(Tick(at)))
    assert lane.cti_suppressed == 2


def test_a_strict_bound_is_the_cti_one_tick_later() -> None:
    assert strict(Tick(5)) == Cti(Tick(6))


def test_of_two_bounds_the_stronger_one_counts() -> None:
    lane = clock(count=1, delay=3)
    lane.take_cti(Cti(Tick(8)))
    assert emitted(lane, point(10)) == [None]
    assert (lane.cti, lane.cti_suppressed) == (8, 1)
    assert emitted(lane, point(20)) == [17]


def test_every_event_after_infinity_is_dropped_with_the_reason_after_end() -> None:
    for late in Late:
        lane = clock(late=late)
        lane.take_cti(Cti(INFINITY))
        for event in (point(5), interval(1, 9), edge_start(3), edge_end(3, 4)):
            judged = lane.take(event)
            assert (judged.outcome, judged.reason, judged.event) == (Outcome.DROPPED_LATE, Reason.AFTER_END, None)
            assert (judged.lateness, judged.original) == (None, event)


def test_a_cti_after_infinity_is_suppressed() -> None:
    lane = clock()
    lane.take_cti(Cti(INFINITY))
    assert lane.take_cti(Cti(INFINITY)) == CtiTaken(moved=False, suppressed=False)
    assert lane.take_cti(Cti(Tick(5))) == CtiTaken(moved=False, suppressed=True)


def test_events_after_infinity_generate_nothing() -> None:
    lane = clock(count=1)
    lane.take_cti(Cti(INFINITY))
    assert emitted(lane, *points(1, 2)) == [None, None]
    assert lane.largest_start == NO_CTI


# T5: the order of judgement


@pytest.mark.parametrize(
    "reason", [Reason.BAD_ROW, Reason.BAD_TIME, Reason.BAD_CTI, Reason.BAD_LIFETIME, Reason.BAD_PAYLOAD]
)
def test_a_malformed_row_keeps_its_reason_and_moves_nothing(reason: Reason) -> None:
    lane = clock(count=1)
    lane.take(point(5))
    before = lane.state()
    judged = lane.take_malformed(reason)
    assert (judged.outcome, judged.reason, judged.event, judged.cti_met) == (Outcome.MALFORMED, reason, None, 5)
    assert lane.state() == before


def test_after_infinity_a_malformed_row_is_after_end_first() -> None:
    lane = clock()
    lane.take_cti(Cti(INFINITY))
    judged = lane.take_malformed(Reason.BAD_TIME)
    assert (judged.outcome, judged.reason) == (Outcome.DROPPED_LATE, Reason.AFTER_END)


def test_a_malformed_row_does_not_count_for_n() -> None:
    lane = clock(count=2)
    lane.take(point(1))
    lane.take_malformed(Reason.BAD_PAYLOAD)
    assert emitted(lane, point(2)) == [2]


# T6: the basis of a generated CTI


def test_a_cti_follows_every_nth_event() -> None:
    assert emitted(clock(count=3), *points(1, 2, 3, 4, 5, 6, 7)) == [None, None, 3, None, None, 6, None]


def test_a_clock_remembers_how_many_events_it_received_since_n_was_last_reached() -> None:
    lane = clock(count=3)
    counts = []
    for event in points(1, 2, 3, 4):
        lane.take(event)
        counts.append(lane.state().since_cti)
    assert counts == [1, 2, 0, 1]


def test_a_generated_cti_is_the_last_start_minus_the_delay() -> None:
    assert emitted(clock(count=2, delay=5), *points(10, 30)) == [None, 25]


def test_a_negative_delay_commits_the_point_just_received() -> None:
    assert emitted(clock(count=1, delay=-1), point(10)) == [11]


def test_with_delay_minus_one_tick_a_second_event_at_the_same_time_is_late() -> None:
    lane = clock(count=1, delay=-1)
    assert [lane.take(point(10)).outcome for _ in range(2)] == [Outcome.ON_TIME, Outcome.DROPPED_LATE]


def test_with_delay_zero_a_second_event_at_the_same_time_is_on_time() -> None:
    lane = clock(count=1)
    assert [lane.take(point(10)).outcome for _ in range(2)] == [Outcome.ON_TIME, Outcome.ON_TIME]


def test_a_generated_cti_follows_the_start_of_an_interval_not_its_end() -> None:
    assert emitted(clock(count=1), interval(10, 90)) == [10]


def test_a_generated_cti_follows_the_original_start_of_an_adjusted_event() -> None:
    lane = clock(count=1, late=Late.ADJUST)
    lane.take_cti(Cti(Tick(10)))
    judged = lane.take(interval(7, 15))
    assert (judged.outcome, judged.emitted) == (Outcome.ADJUSTED, None)
    assert lane.cti_suppressed == 1  # the CTI 7 was generated, not 10


def test_late_events_count_for_n() -> None:
    lane = clock(count=2)
    lane.take_cti(Cti(Tick(10)))
    assert lane.take(point(3)).outcome is Outcome.DROPPED_LATE
    assert emitted(lane, point(20)) == [20]


def test_a_late_event_is_the_last_received_one() -> None:
    lane = clock(count=2)
    lane.take_cti(Cti(Tick(10)))
    assert emitted(lane, *points(20, 3)) == [None, None]
    assert (lane.cti, lane.cti_suppressed) == (10, 1)


def test_edge_ends_count_neither_for_n_nor_as_last_received() -> None:
    lane = clock(count=2)
    assert emitted(lane, edge_start(1), edge_end(1, 50), edge_start(7)) == [None, None, 7]
    assert lane.largest_start == 7


def test_edge_ends_do_not_count_for_a_duration() -> None:
    lane = clock(ticks=10)
    assert emitted(lane, edge_start(1), edge_end(1, 50), edge_start(5), edge_start(11)) == [1, None, None, 11]


def test_basis_last_follows_the_last_received_event() -> None:
    assert emitted(clock(count=2, delay=10), *points(50, 30)) == [None, 20]


def test_basis_max_follows_the_largest_start() -> None:
    assert emitted(clock(count=2, delay=10, basis=Basis.MAX), *points(50, 30)) == [None, 40]


# T7, the duration between CTIs


def test_the_first_event_produces_a_cti_under_a_duration() -> None:
    assert emitted(clock(ticks=10), point(3)) == [3]


def test_a_duration_is_measured_between_the_starts_of_producing_events() -> None:
    assert emitted(clock(ticks=10), *points(3, 12, 13, 22, 23)) == [3, None, 13, None, 23]


def test_a_delay_above_the_duration_does_not_fire_on_every_event() -> None:
    assert emitted(clock(ticks=10, delay=100), *points(3, 4, 5, 13)) == [-97, None, None, -87]


def test_a_suppressed_cti_restarts_the_duration() -> None:
    lane = clock(ticks=10)
    lane.take_cti(Cti(Tick(15)))
    assert emitted(lane, *points(14, 22, 24)) == [None, None, 24]  # 14 produced one that was suppressed
    assert lane.cti_suppressed == 1


def test_an_event_far_back_does_not_produce_under_a_duration() -> None:
    assert emitted(clock(ticks=10, delay=1000), *points(100, 50)) == [-900, None]


# T8: judge, enqueue, then the CTI


def test_an_event_is_judged_before_the_cti_that_it_generates() -> None:
    judged = clock(count=1, delay=-5).take(point(10))
    assert (judged.outcome, judged.cti_met, judged.emitted, judged.cti_after) == (Outcome.ON_TIME, NO_CTI, 15, 15)


def test_the_cti_after_an_element_is_the_lanes_when_none_was_emitted() -> None:
    lane = clock()
    lane.take_cti(Cti(Tick(4)))
    judged = lane.take(point(10))
    assert (judged.cti_met, judged.cti_after, judged.emitted) == (4, 4, None)


# T12: one outcome each


def test_an_event_at_or_after_the_largest_sync_is_on_time_and_one_below_is_reordered() -> None:
    lane = clock()
    outcomes = [lane.take(point(start)).outcome for start in (10, 10, 9, 11)]
    assert outcomes == [Outcome.ON_TIME, Outcome.ON_TIME, Outcome.REORDERED, Outcome.ON_TIME]


def test_the_sync_of_an_edge_end_takes_part_in_order() -> None:
    lane = clock()
    outcomes = [lane.take(event).outcome for event in (edge_start(1), edge_end(1, 50), edge_start(40))]
    assert outcomes == [Outcome.ON_TIME, Outcome.ON_TIME, Outcome.REORDERED]


def test_the_end_of_an_interval_takes_no_part_in_order() -> None:
    lane = clock()
    assert [lane.take(event).outcome for event in (interval(1, 50), point(40))] == [Outcome.ON_TIME, Outcome.ON_TIME]


def test_lateness_is_the_cti_minus_sync_for_violations_only() -> None:
    lane = clock(late=Late.SHIFT)
    lane.take_cti(Cti(Tick(10)))
    late, in_time = lane.take(point(7)), lane.take(point(12))
    assert (late.outcome, late.lateness, late.moved_by) == (Outcome.SHIFTED, 3, 3)
    assert (in_time.lateness, in_time.moved_by) == (None, None)


def test_a_dropped_event_has_the_reason_before_cti() -> None:
    lane = clock()
    lane.take_cti(Cti(Tick(10)))
    judged = lane.take(point(7))
    assert (judged.reason, judged.lateness, judged.event, judged.original) == (Reason.BEFORE_CTI, 3, None, point(7))


# T13: the original is recorded with the adjusted event


def test_the_original_event_is_recorded_with_the_adjusted_one() -> None:
    lane = clock(late=Late.ADJUST)
    lane.take_cti(Cti(Tick(10)))
    judged = lane.take(interval(7, 15))
    assert (judged.event, judged.original) == (interval(10, 15), interval(7, 15))


# The range of ticks


def test_a_generated_cti_below_all_times_is_held_at_the_first_tick() -> None:
    assert emitted(clock(count=1, delay=LAST_TICK), point(FIRST_TICK)) == [FIRST_TICK]
    assert FIRST_TICK > NO_CTI


def test_a_generated_cti_above_all_times_is_held_after_the_last_tick_and_does_not_end_the_input() -> None:
    lane = clock(count=1, delay=-LAST_TICK)
    assert emitted(lane, point(LAST_TICK)) == [LAST_TICK + ONE_TICK]
    assert lane.cti < INFINITY
    assert lane.take(point(LAST_TICK)).reason is Reason.BEFORE_CTI
