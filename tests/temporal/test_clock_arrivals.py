"""The clock of a lane when the wall clock or another lane affects it: T9, T14, T16, T18, T26."""

from streaming.temporal.clock import LaneClock, started_at
from streaming.temporal.events import Cti, edge_end, edge_start, point
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Late
from streaming.temporal.ticks import FIRST_TICK, INFINITY, NO_CTI, Tick, Ticks

# T9: minimum gap and arrival bound


def test_a_generated_cti_that_advances_by_less_than_the_minimum_gap_is_not_emitted_nor_suppressed() -> None:
    lane = LaneClock(AdvanceTime(Generate(Ticks(5), every_count=1, basis=Basis.MAX, minimum_gap=Ticks(10)), Late.KEEP))
    assert [lane.take(point(start)).emitted for start in (20, 29, 30, 3)] == [15, None, 25, None]
    assert lane.cti_suppressed == 0


def test_the_minimum_gap_is_measured_from_the_lanes_cti_whatever_moved_it() -> None:
    lane = LaneClock(AdvanceTime(Generate(Ticks(0), every_count=1, minimum_gap=Ticks(10))))
    lane.take_cti(Cti(Tick(15)))
    assert [lane.take(point(start)).emitted for start in (24, 25)] == [None, 25]


def azure() -> LaneClock:
    return LaneClock(AdvanceTime(late_arrival=Ticks(20)))


def test_an_arrival_raises_the_lane_before_its_event_is_judged() -> None:
    judged = azure().take(point(9), Tick(30))
    assert (judged.outcome, judged.cti_met, judged.lateness) == (Outcome.DROPPED_LATE, 10, 1)


def test_an_arrival_bound_that_is_lower_is_not_counted_as_suppressed() -> None:
    lane = azure()
    lane.take_cti(Cti(Tick(15)))
    assert not lane.take_arrival(Tick(30))
    assert (lane.cti, lane.cti_suppressed) == (15, 0)


def test_without_an_arrival_or_a_bound_nothing_moves() -> None:
    for lane, arrival in ((azure(), None), (LaneClock(AdvanceTime()), Tick(30))):
        assert not lane.take_arrival(arrival)
        assert lane.cti == NO_CTI


def test_an_arrival_bound_stays_inside_the_years() -> None:
    lane = LaneClock(AdvanceTime(late_arrival=Ticks(2**62)))
    assert lane.take_arrival(Tick(0))
    assert lane.cti == FIRST_TICK


def test_the_arrival_raises_the_lane_also_under_a_dropped_event_from_the_future() -> None:
    lane = LaneClock(AdvanceTime(late_arrival=Ticks(20), max_ahead=Ticks(5), future=Future.DROP))
    assert lane.take(point(100), Tick(30)).outcome is Outcome.DROPPED_EARLY
    assert lane.cti == 10


# T16, T26: CTIs that come from outside the lane


def test_raising_a_lane_moves_it_up_only_and_counts_nothing() -> None:
    lane = LaneClock(AdvanceTime())
    assert [lane.raise_to(Tick(at)) for at in (10, 10, 9)] == [True, False, False]
    assert (lane.cti, lane.cti_suppressed) == (10, 0)


def test_a_clock_that_begins_at_the_inputs_cti_judges_by_it() -> None:
    lane = LaneClock(AdvanceTime(), started_at(Tick(10)))
    judged = lane.take(point(9))
    assert (judged.outcome, judged.lateness, judged.fixed_cti) == (Outcome.DROPPED_LATE, 1, 10)


# T18: the future guard


def guarded(future: Future, count: int = 1) -> LaneClock:
    return LaneClock(AdvanceTime(Generate(Ticks(0), every_count=count), max_ahead=Ticks(100), future=future))


def test_an_event_exactly_max_ahead_is_not_from_the_future() -> None:
    for future in Future:
        assert guarded(future).take(point(1100), Tick(1000)).emitted == 1100


def test_a_held_event_is_enqueued_and_moves_nothing() -> None:
    lane = guarded(Future.HOLD)
    before = lane.state()
    judged = lane.take(point(1101), Tick(1000))
    assert (judged.outcome, judged.event, judged.emitted) == (Outcome.ON_TIME, point(1101), None)
    assert lane.state() == before


def test_a_held_event_that_violates_the_cti_is_still_late() -> None:
    lane = guarded(Future.HOLD)
    lane.take_cti(Cti(Tick(5000)))
    assert lane.take(point(1101), Tick(1000)).outcome is Outcome.DROPPED_LATE


def test_a_dropped_event_from_the_future_says_so() -> None:
    judged = guarded(Future.DROP).take(point(1101), Tick(1000))
    assert (judged.outcome, judged.reason, judged.event) == (Outcome.DROPPED_EARLY, Reason.FUTURE, None)
    assert (judged.original, judged.lateness) == (point(1101), None)


def test_an_accepted_event_from_the_future_moves_the_clock() -> None:
    assert guarded(Future.ACCEPT).take(point(1101), Tick(1000)).emitted == 1101


def test_after_infinity_an_event_from_the_future_is_after_end() -> None:
    lane = guarded(Future.DROP)
    lane.take_cti(Cti(INFINITY))
    assert lane.take(point(1101), Tick(1000)).reason is Reason.AFTER_END


def test_the_future_guard_checks_the_sync_of_an_edge_end() -> None:
    lane = guarded(Future.HOLD, count=5)
    lane.take(edge_start(1000), Tick(1000))
    largest = lane.largest_sync
    assert lane.take(edge_end(1000, 1101), Tick(1000)).outcome is Outcome.ON_TIME
    assert lane.largest_sync == largest
    assert lane.state().open_edges == ()


def test_the_end_of_a_start_from_the_future_is_start_dropped_even_in_the_future() -> None:
    lane = guarded(Future.DROP)
    lane.take(edge_start(2000), Tick(1000))
    judged = lane.take(edge_end(2000, 3000), Tick(1000))
    assert (judged.outcome, judged.reason) == (Outcome.DROPPED_LATE, Reason.START_DROPPED)
    assert lane.state().open_edges == ()


def test_a_dropped_end_from_the_future_leaves_its_edge_open() -> None:
    lane = guarded(Future.DROP)
    lane.take(edge_start(1000), Tick(1000))
    assert lane.take(edge_end(1000, 3000), Tick(1000)).outcome is Outcome.DROPPED_EARLY
    assert lane.take(edge_end(1000, 1050), Tick(1000)).event == edge_end(1000, 1050)


# The CTI that no delay would have changed


def test_the_fixed_cti_counts_explicit_ctis_suppressed_ones_too_and_no_generated_ones() -> None:
    lane = LaneClock(AdvanceTime(Generate(Ticks(0), every_count=1)))
    lane.take_cti(Cti(Tick(5)))
    lane.take(point(20))
    lane.take_cti(Cti(Tick(12)))
    judged = lane.take(point(15))
    assert (judged.cti_met, judged.fixed_cti) == (20, 12)
