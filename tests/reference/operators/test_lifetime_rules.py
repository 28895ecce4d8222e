"""Single flows through the operators over lifetimes: the range of years, lateness, removals and their reasons."""

from dataclasses import replace

import pytest

from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, ElementId, Flow, FlowOperator, Pane, Timing
from streaming.reference.operators.lifetimes.extend import ExtendRule, ShorteningRule
from streaming.reference.operators.lifetimes.order_edges import OrderEdges
from streaming.reference.operators.lifetimes.point_at_end import PointAtEnd
from streaming.reference.operators.lifetimes.set_duration import SetDuration
from streaming.reference.operators.lifetimes.shift import ShiftOperator
from streaming.reference.operators.lifetimes.to_intervals import ToIntervals
from streaming.reference.operators.output_times import output_times
from streaming.reference.operators.per_event import PerEvent
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick, Ticks

START = ElementId("s", "0", 0)
END = ElementId("s", "0", 1)


class RecordingWitness:
    """A witness that records removals, element by element."""

    cause: CausingCti | None = None

    def __init__(self) -> None:
        self.removals: dict[ElementId, list[str]] = {START: [], END: []}

    def took(self, node: str, flow: Flow) -> None:
        raise AssertionError(f"{node} makes no result of {flow}: only windows, joins and outputs do")

    def removed(self, node: str, flow: Flow, why: str) -> None:
        assert node == "n"
        for element in flow.sources:
            self.removals[element].append(why)

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        raise AssertionError(f"{node} has no window that refuses {flow}: {reason}, {why}, {closed_at}")

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        raise AssertionError(f"{field} of {node} fails on {flow}: {why}")


def whole(start: int, end: int, late_at: int | None = None) -> Flow:
    late = None if late_at is None else Tick(late_at)
    return Flow(START, Tick(start), Tick(end), {"k": "a"}, frozenset({START}), Tick(start), late)


def opens(start: int, late_at: int | None = None) -> Flow:
    return replace(whole(start, INFINITY, late_at), opens=True)


def closes(start: int, end: int, late_at: int | None = None) -> Flow:
    return replace(whole(start, end, late_at), sources=frozenset({END}), closes=True)


def shift(by: int) -> FlowOperator:
    return PerEvent(ShiftOperator("n", Ticks(by)))


def set_duration(length: int) -> FlowOperator:
    return PerEvent(SetDuration("n", Ticks(length)))


def extend(by: int) -> FlowOperator:
    return PerEvent(ExtendRule("n", Ticks(by)))


def lifetimes(operator: FlowOperator, *flows: Flow) -> list[tuple[int, int]]:
    """Return the lifetimes of the operator's output when it takes `flows`."""
    return [(flow.start, flow.end) for flow in through(operator, *flows)]


def through(operator: FlowOperator, *flows: Flow) -> list[Flow]:
    heard = RecordingWitness()
    return [given for flow in flows for given in operator.take(0, flow, heard)]


def why(operator: FlowOperator, *flows: Flow) -> list[str]:
    """Return the reasons of the operator for the start and the end of `flows`, after it took them and infinity."""
    heard = RecordingWitness()
    for flow in flows:
        operator.take(0, flow, heard)
    operator.advance(0, INFINITY, Tick(100), heard)
    return heard.removals[START] + heard.removals[END]


def test_shift_removes_what_starts_outside_the_years_1_to_9999() -> None:
    assert lifetimes(shift(-5), whole(FIRST_TICK + 5, FIRST_TICK + 9)) == [(FIRST_TICK, FIRST_TICK + 4)]
    assert lifetimes(shift(-5), whole(FIRST_TICK + 4, FIRST_TICK + 90)) == []
    assert lifetimes(shift(5), whole(LAST_TICK - 5, LAST_TICK - 4)) == [(LAST_TICK, LAST_TICK + 1)]
    assert lifetimes(shift(5), whole(LAST_TICK - 4, LAST_TICK - 3)) == []
    assert why(shift(5), whole(LAST_TICK, LAST_TICK + 1)) == ["shift 'n' moved its start out of the years 1 to 9999"]


def test_shift_cuts_an_end_at_the_last_that_there_is_and_leaves_infinity() -> None:
    assert lifetimes(shift(5), whole(0, LAST_TICK)) == [(5, LAST_TICK + 1)]
    assert lifetimes(shift(5), whole(0, INFINITY)) == [(5, INFINITY)]


def test_shift_removes_both_ends_of_an_edge_that_leaves_the_years() -> None:
    assert lifetimes(shift(-5), opens(FIRST_TICK), closes(FIRST_TICK, FIRST_TICK + 90)) == []


@pytest.mark.parametrize(
    ("by", "cti", "after"),
    [
        (5, 10, 15),
        (-5, 10, 5),
        (5, INFINITY, INFINITY),
        (-5, INFINITY, INFINITY),
        (5, NO_CTI, NO_CTI),
        (5, LAST_TICK + 1, LAST_TICK + 1),
        (-5, FIRST_TICK + 2, FIRST_TICK),
    ],
)
def test_shift_moves_ctis_within_the_range_of_times(by: int, cti: int, after: int) -> None:
    advanced = shift(by).advance(0, Tick(cti), Tick(20), RecordingWitness())
    assert (advanced.cti, advanced.horizon) == (after, 20 + by)


def test_shift_moves_the_other_times_of_an_event() -> None:
    """The CTI that a late event met is compared with windows after the shift, in shifted times."""
    (moved,) = through(shift(-5), whole(10, 20, late_at=15))
    assert (moved.late_at, moved.stamp) == (10, 5)


def test_a_duration_is_cut_at_the_last_end_that_there_is() -> None:
    assert lifetimes(set_duration(10), whole(LAST_TICK, LAST_TICK + 1)) == [(LAST_TICK, LAST_TICK + 1)]


def test_extend_is_cut_at_the_last_end_that_there_is() -> None:
    assert lifetimes(extend(10), whole(0, LAST_TICK - 3)) == [(0, LAST_TICK + 1)]


def test_a_point_at_the_last_end_that_there_is_does_not_fit() -> None:
    assert lifetimes(PointAtEnd("n"), whole(0, LAST_TICK)) == [(LAST_TICK, LAST_TICK + 1)]
    assert lifetimes(PointAtEnd("n"), whole(0, LAST_TICK + 1)) == []


def test_set_duration_gives_an_edge_its_lifetime_when_it_opens() -> None:
    (event,) = through(set_duration(3), opens(5))
    assert (event.start, event.end, event.opens) == (5, 8, False)


def test_set_duration_is_not_undone_when_the_edge_vanishes() -> None:
    assert lifetimes(set_duration(3), opens(5), closes(5, 5)) == [(5, 8)]
    assert why(set_duration(3), opens(5), closes(5, 5)) == ["set_duration 'n' reads starts only: edge ends disappear"]


def test_extend_passes_an_edge_and_later_its_moved_end() -> None:
    opened, closed = through(extend(4), opens(5), closes(5, 9))
    assert (opened.end, opened.opens) == (INFINITY, True)
    assert (closed.end, closed.closes) == (13, True)


def test_extend_does_not_revive_an_edge_that_vanished() -> None:
    assert through(extend(4), closes(5, 5))[0].vanishes


def test_a_negative_extend_reports_removed_events() -> None:
    reason = "extend 'n' left nothing of its lifetime"
    assert why(ShorteningRule("n", Ticks(-4)), opens(5), closes(5, 9)) == [reason, reason]


@pytest.mark.parametrize("operator", [ToIntervals("n"), ShorteningRule("n", Ticks(-1)), PointAtEnd("n")])
def test_an_edge_that_vanished_gives_nothing(operator: FlowOperator) -> None:
    reason = "nothing was left of its edge after the late policy had moved its ends"
    assert why(operator, opens(5), closes(5, 5)) == [reason, reason]


def test_an_edge_that_vanishes_before_its_start_was_released_still_passes() -> None:
    operator = OrderEdges()
    assert through(operator, opens(5), closes(5, 5)) == []
    assert operator.advance(0, Tick(9), Tick(9), RecordingWitness()).flows == [opens(5), closes(5, 5)]


def test_an_edge_that_vanishes_after_its_start_was_released_is_retracted() -> None:
    operator = OrderEdges()
    operator.advance(0, Tick(5), Tick(5), RecordingWitness())
    assert through(operator, opens(5), closes(5, 5)) == [opens(5), closes(5, 5)]


def test_an_endless_event_has_no_point_at_its_end() -> None:
    reason = "it never ends, so 'n' has no point for it"
    assert why(PointAtEnd("n"), opens(5)) == [reason]
    assert why(PointAtEnd("n"), whole(5, INFINITY)) == [reason]


def test_a_point_at_the_end_of_an_edge_is_late_if_the_end_was() -> None:
    (point,) = through(PointAtEnd("n"), opens(5), closes(5, 9, late_at=20))
    assert point.late_at == 20
    (point,) = through(PointAtEnd("n"), opens(5, late_at=7), closes(5, 9))
    assert point.late_at is None


def test_an_interval_of_an_edge_is_late_if_the_start_was() -> None:
    """No CTI has passed the start while the edge was open, so a late end is in time for later nodes."""
    (interval,) = through(ToIntervals("n"), opens(5), closes(5, 9, late_at=20))
    assert interval.late_at is None
    (interval,) = through(ToIntervals("n"), opens(5, late_at=7), closes(5, 9))
    assert interval.late_at == 7


def test_the_cti_of_to_intervals_does_not_go_back_to_a_late_start() -> None:
    operator = ToIntervals("n")
    assert operator.advance(0, Tick(10), Tick(10), RecordingWitness()).cti == 10
    operator.take(0, opens(3, late_at=10), RecordingWitness())
    assert operator.advance(0, Tick(20), Tick(20), RecordingWitness()).cti == 10


def test_an_interval_has_the_elements_of_both_its_ends() -> None:
    (interval,) = through(ToIntervals("n"), opens(5), closes(5, 9))
    assert interval.sources == {START, END}


def test_ends_come_before_starts_of_the_same_tick() -> None:
    operator = OrderEdges()
    later = replace(opens(9), id=END)
    through(operator, later, opens(5), closes(5, 9))
    assert operator.advance(0, Tick(9), Tick(9), RecordingWitness()).flows == [opens(5), closes(5, 9), later]


PANE = Pane(Tick(0), Tick(10), Timing.EARLY, 0, is_last=False)
EARLY = replace(whole(0, 10), payload={"n": 1}, pane=PANE)
REPLACING = replace(EARLY, payload={"n": 2}, replaces=EARLY)


@pytest.mark.parametrize(
    ("operator", "start", "end"),
    [
        (shift(5), 5, 15),
        (set_duration(3), 0, 3),
        (extend(5), 0, 15),
        (ShorteningRule("n", Ticks(-5)), 0, 5),
        (PointAtEnd("n"), 10, 11),
        (output_times("n", "lifetime"), 0, 10),
        (output_times("n", "point_at_end"), 10, 11),
        (output_times("n", "latest_input"), 0, 1),
    ],
)
def test_a_row_that_replaces_another_still_does_with_both_moved(operator: FlowOperator, start: int, end: int) -> None:
    first, second = through(operator, EARLY, REPLACING)
    assert (first.start, first.end, first.pane) == (start, end, PANE)
    assert second == replace(first, payload={"n": 2}, replaces=first)
    (taken_back,) = through(operator, replace(EARLY, gone=True))
    assert taken_back == replace(first, gone=True)


def test_a_row_is_retracted_when_its_replacement_is_removed() -> None:
    longer = replace(whole(0, 10), end=Tick(3), replaces=whole(0, 10))
    (row,) = through(ShorteningRule("n", Ticks(-5)), longer)
    assert row == replace(whole(0, 5), gone=True)


def test_latest_input_is_the_latest_start_but_not_before_the_rows_own() -> None:
    times = output_times("n", "latest_input")
    assert lifetimes(times, replace(whole(0, 10), stamp=Tick(7))) == [(7, 8)]
    assert lifetimes(times, replace(whole(10, 20), stamp=Tick(7))) == [(10, 11)]


def test_latest_input_gives_one_point_for_an_edge() -> None:
    assert lifetimes(output_times("n", "latest_input"), opens(5), closes(5, 9)) == [(5, 6)]
