"""Edge ends match their starts (T11), also if the start was moved or dropped."""

from decimal import Decimal
from typing import Any

import pytest

from streaming.temporal.clock import JudgedElement, LaneClock
from streaming.temporal.events import Cti, Event, edge_end, edge_start
from streaming.temporal.open_edges import OpenEdge, payload_key
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Late, LateEnd
from streaming.temporal.ticks import Tick


def lane(late: Late, *, cti: int | None = None, late_end: LateEnd = LateEnd.LEAVE_OPEN) -> LaneClock:
    clock = LaneClock(AdvanceTime(late=late, late_end=late_end))
    if cti is not None:
        clock.take_cti(Cti(Tick(cti)))
    return clock


def judge(clock: LaneClock, *elements: Event | Cti) -> list[JudgedElement]:
    judged = []
    for element in elements:
        if isinstance(element, Cti):
            clock.take_cti(element)
        else:
            judged.append(clock.take(element))
    return judged


def cti(at: int) -> Cti:
    return Cti(Tick(at))


def test_an_end_closes_the_edge_with_its_start_and_payload() -> None:
    clock = lane(Late.DROP)
    _, end = judge(clock, edge_start(1, {"k": "a"}), edge_end(1, 5, {"k": "a"}))
    assert (end.outcome, end.event) == (Outcome.ON_TIME, edge_end(1, 5, {"k": "a"}))
    assert clock.state().open_edges == ()


@pytest.mark.parametrize("late", list(Late))
def test_an_end_without_an_open_edge_is_an_orphan(late: Late) -> None:
    for end in (edge_end(2, 5), edge_end(1, 5, {"k": "b"})):
        judged = judge(lane(late), edge_start(1), end)[-1]
        assert (judged.outcome, judged.reason, judged.event) == (Outcome.MALFORMED, Reason.ORPHAN_END, None)
        assert judged.original == end


def test_a_second_end_of_one_edge_is_an_orphan() -> None:
    judged = judge(lane(Late.DROP), edge_start(1), edge_end(1, 5), edge_end(1, 5))[-1]
    assert judged.reason is Reason.ORPHAN_END


def test_a_late_orphan_is_dropped_late_before_it_is_an_orphan() -> None:
    judged = judge(lane(Late.DROP, cti=10), edge_end(1, 5))[-1]
    assert (judged.outcome, judged.reason) == (Outcome.DROPPED_LATE, Reason.BEFORE_CTI)


@pytest.mark.parametrize("late", [Late.ADJUST, Late.SHIFT, Late.KEEP])
def test_a_late_orphan_that_the_policy_would_keep_is_an_orphan(late: Late) -> None:
    assert judge(lane(late, cti=10), edge_end(1, 5))[-1].reason is Reason.ORPHAN_END


def test_an_orphan_moves_neither_the_largest_sync_nor_the_clock() -> None:
    clock = lane(Late.DROP)
    before = clock.state()
    judge(clock, edge_end(1, 50))
    assert clock.state() == before


def test_the_end_of_a_dropped_start_is_dropped_with_the_reason_start_dropped() -> None:
    start, end = judge(lane(Late.DROP, cti=10), edge_start(7), edge_end(7, 20))
    assert (start.outcome, start.reason) == (Outcome.DROPPED_LATE, Reason.BEFORE_CTI)
    assert (end.outcome, end.reason, end.event) == (Outcome.DROPPED_LATE, Reason.START_DROPPED, None)
    assert end.original == edge_end(7, 20)
    assert end.lateness is None  # its own time was not late


def test_the_end_of_a_dropped_start_at_the_cti_is_not_late() -> None:
    end = judge(lane(Late.DROP, cti=10), edge_start(7), edge_end(7, 10))[-1]
    assert (end.reason, end.lateness) == (Reason.START_DROPPED, None)


def test_the_late_end_of_a_dropped_start_is_start_dropped_too() -> None:
    end = judge(lane(Late.DROP, cti=10), edge_start(7), edge_end(7, 9))[-1]
    assert (end.reason, end.lateness) == (Reason.START_DROPPED, 1)


def test_a_dropped_start_is_forgotten_with_its_end() -> None:
    judged = judge(lane(Late.DROP, cti=10), edge_start(7), edge_end(7, 20), edge_end(7, 20))[-1]
    assert judged.reason is Reason.ORPHAN_END


def test_the_end_of_an_adjusted_start_finds_it_under_the_original_and_carries_the_adjusted_one() -> None:
    start, end = judge(lane(Late.ADJUST, cti=10), edge_start(7), edge_end(7, 20))
    assert start.event == edge_start(10)
    assert (end.outcome, end.event, end.original) == (Outcome.ON_TIME, edge_end(10, 20), edge_end(7, 20))


def test_an_end_that_names_the_adjusted_start_is_an_orphan() -> None:
    assert judge(lane(Late.ADJUST, cti=10), edge_start(7), edge_end(10, 20))[-1].reason is Reason.ORPHAN_END


@pytest.mark.parametrize("late", [Late.ADJUST, Late.SHIFT])
def test_a_late_end_of_an_adjusted_start_at_the_same_cti_makes_the_edge_vanish(late: Late) -> None:
    clock = lane(late, cti=10)
    end = judge(clock, edge_start(7), edge_end(7, 9))[-1]
    assert (end.outcome, end.reason, end.event) == (Outcome.ADJUSTED, Reason.VANISHED, edge_end(10, 10))
    assert clock.state().open_edges == ()


def test_an_end_in_time_at_the_adjusted_start_makes_the_edge_vanish() -> None:
    end = judge(lane(Late.ADJUST, cti=10), edge_start(7), edge_end(7, 10))[-1]
    assert (end.outcome, end.reason, end.lateness) == (Outcome.ADJUSTED, Reason.VANISHED, None)


def test_a_late_end_after_a_later_cti_leaves_what_lies_between() -> None:
    end = judge(lane(Late.ADJUST, cti=10), edge_start(7), cti(15), edge_end(7, 9))[-1]
    assert (end.outcome, end.reason, end.event, end.moved_by) == (Outcome.ADJUSTED, None, edge_end(10, 15), 6)


def test_a_dropped_end_leaves_the_edge_open_for_a_later_end() -> None:
    clock = lane(Late.DROP)
    _, dropped, closed = judge(clock, edge_start(1), cti(10), edge_end(1, 5), edge_end(1, 12))
    assert (dropped.outcome, dropped.reason) == (Outcome.DROPPED_LATE, Reason.BEFORE_CTI)
    assert (closed.outcome, closed.event) == (Outcome.ON_TIME, edge_end(1, 12))


def test_close_at_cti_closes_the_edge_and_forgets_it() -> None:
    clock = lane(Late.DROP, late_end=LateEnd.CLOSE_AT_CTI)
    end = judge(clock, edge_start(1), cti(10), edge_end(1, 5))[-1]
    assert (end.outcome, end.event, end.moved_by) == (Outcome.ADJUSTED, edge_end(1, 10), 5)
    assert clock.state().open_edges == ()


def test_keep_passes_late_starts_and_ends_on_and_still_matches_them() -> None:
    clock = lane(Late.KEEP, cti=10)
    start, end = judge(clock, edge_start(3), edge_end(3, 5))
    assert (start.outcome, start.event) == (Outcome.LATE_KEPT, edge_start(3))
    assert (end.outcome, end.event) == (Outcome.LATE_KEPT, edge_end(3, 5))
    assert clock.state().open_edges == ()


def test_equal_edges_are_closed_first_in_first_out() -> None:
    # the first start is in time at 7, the second, after CTI 10, is adjusted to 10
    elements = (edge_start(7), cti(10), edge_start(7), edge_end(7, 20), edge_end(7, 30))
    judged = judge(lane(Late.ADJUST), *elements)
    assert [each.event for each in judged] == [edge_start(7), edge_start(10), edge_end(7, 20), edge_end(10, 30)]


def test_payloads_are_equal_by_value_and_null_equals_a_missing_field() -> None:
    assert payload_key({"a": Decimal("1.50"), "b": None}) == payload_key({"a": Decimal("1.5")})
    assert payload_key({"a": 0.0}) == payload_key({"a": -0.0})
    assert payload_key({"a": {"x": [1, None]}, "b": "t"}) == payload_key({"b": "t", "a": {"x": [1, None], "y": None}})


def test_a_decimal_zero_has_one_key_whatever_its_sign_and_digits() -> None:
    zeros = [Decimal(text) for text in ("0", "-0", "0.00", "-0.0", "0E+5")]
    assert len({payload_key({"a": zero}) for zero in zeros}) == 1


def test_decimals_that_differ_in_their_last_digit_have_different_keys() -> None:
    digits = "1234567890" * 3
    assert payload_key({"a": Decimal(digits + "1")}) != payload_key({"a": Decimal(digits + "2")})


def test_payloads_that_differ_have_different_keys() -> None:
    payloads: list[dict[str, Any]] = [
        {},
        {"a": 1},
        {"a": "1"},
        {"a": True},
        {"a": 1.0},
        {"a": 0.0},
        {"a": 1e-300},
        {"a": [1]},
        {"a": [2]},
        {"a": {"x": 1}},
        {"a": {"x": 2}},
        {"a": Decimal(0)},
        {"a": Decimal(1)},
    ]
    assert len({payload_key(payload) for payload in payloads}) == len(payloads)


def test_an_end_names_the_edge_that_it_closes_and_the_start_position() -> None:
    clock = lane(Late.ADJUST, cti=10)
    for position in (3, 4):
        clock.take(edge_start(5, {"k": "a"}), None, position)
    clock = LaneClock(AdvanceTime(late=Late.ADJUST), clock.state())
    closed = [clock.take(edge_end(5, end, {"k": "a"})).closed for end in (20, 30)]
    assert closed == [OpenEdge(Tick(5), payload_key({"k": "a"}), Tick(10), position) for position in (3, 4)]


def test_a_dropped_end_closes_nothing() -> None:
    clock = lane(Late.DROP)
    (start,) = judge(clock, edge_start(5))
    late = judge(clock, cti(10), edge_end(5, 7))
    assert [each.closed for each in (start, *late)] == [None, None]
