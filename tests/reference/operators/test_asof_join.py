"""asof_join: the latest right event that does not start after the left one."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given

from streaming.reference.flow import VANISHED, FlowOperator
from streaming.temporal.ticks import INFINITY
from tests.reference.operators.port_laws import every_event_is_in_a_row_or_removed, holds, restarts_change_nothing
from tests.reference.operators.port_runs import Driven, Rows, Scenario, Spec, drive, operator, row, scenarios, spec
from tests.reference.operators.test_join import match, sides


def asof(of: str = "inner") -> FlowOperator:
    return operator({"kind": "asof_join", "keys": ["k"], "type": of})


def last_by_then(of: str, specs: Sequence[Spec]) -> Rows:
    found: Rows = Counter()
    lefts, rights = sides(specs)
    for left in lefts:
        started = [right for right in rights if match(left, right, None) and right.start <= left.start]
        latest = [right for right in started if right.start == max(each.start for each in started)]
        values = [right.payload["b"] for right in latest]
        if values or of == "left_outer":
            b = max((value for value in values if value is not None), default=None)
            found[row(left.start, left.end, left.payload | {"b": b})] += 1
    return found


@pytest.mark.parametrize("of", ["inner", "left_outer"])
def test_each_left_event_has_the_last_match_that_had_started(of: str) -> None:
    @given(scenario=scenarios())
    def law(scenario: Scenario) -> None:
        driven = holds(scenario, lambda: asof(of), lambda specs: last_by_then(of, specs))
        every_event_is_in_a_row_or_removed(driven, scenario)
        restarts_change_nothing(scenario, lambda: asof(of))

    law()


@given(scenario=scenarios(late=(True, False)))
def test_kept_late_events_may_come_on_the_left(scenario: Scenario) -> None:
    holds(scenario, asof, lambda specs: last_by_then("inner", specs))


@given(scenario=scenarios())
def test_its_cti_is_the_smallest(scenario: Scenario) -> None:
    def smallest(driven: Driven) -> None:
        assert driven.out == min(driven.ctis)

    drive(scenario, asof(), smallest)


def test_a_right_event_may_come_until_the_cti_is_after_the_left_start() -> None:
    driven = Driven(asof())
    driven.give(spec(0, 1, 5, 9), spec(1, 1, 3, 4, v=1))
    driven.both(5)
    assert driven.net == {}
    driven.give(spec(1, 2, 5, 6, v=2))
    driven.advance(1, 6)
    assert driven.net == {row(5, 9, {"k": "a", "a": 0, "b": 2}): 1}


def test_the_end_of_a_left_edge_passes_once_its_start_has() -> None:
    left = spec(0, 1, 5, 9, edge=True)
    late = Driven(asof())
    late.give(spec(1, 1, 5, 6), left)
    assert [(flow.opens, flow.end) for flow in late.both(6)] == [(False, 9)]
    early = Driven(asof())
    early.give(spec(1, 1, 5, 6))
    early.take(0, left.flows[0])
    (start,) = early.both(6)
    (end,) = early.take(0, left.flows[1])
    assert (start.opens, end.closes, end.end, end.payload) == (True, True, 9, start.payload)


def test_the_row_of_a_left_edge_waits_until_it_can_no_longer_vanish() -> None:
    driven = Driven(asof())
    left = spec(0, 1, 5, 5, edge=True)
    driven.give(spec(1, 1, 4, 6))
    driven.take(0, left.flows[0])
    driven.advance(0, 5)
    assert driven.advance(1, 6) == []
    assert driven.take(0, left.flows[1]) == []
    assert driven.witness.why(left) == [VANISHED, VANISHED]


def test_ends_of_right_events_do_not_matter() -> None:
    driven = Driven(asof())
    right = spec(1, 1, 1, 2, edge=True)
    driven.give(right, spec(0, 1, 8, INFINITY))
    driven.both(9)
    assert driven.net == {row(8, INFINITY, {"k": "a", "a": 0, "b": 0}): 1}
    assert driven.witness.why(right) == ["as-of join 'n' ignores the end of an event of 'r'"]


def test_both_sides_have_a_reason_for_being_in_no_row() -> None:
    driven = Driven(asof())
    left, right, later = spec(0, 1, 2, 9), spec(1, 1, 3, 4), spec(1, 2, 7, 8)
    driven.give(left, right, later)
    driven.both(6)
    assert driven.witness.why(left) == ["no event of 'r' with equal keys had started by its start"]
    assert driven.witness.why(right) == []
    driven.both(8)
    assert driven.witness.why(right) == ["no event of 'l' with equal keys started while it was the latest of 'r'"]
    assert driven.witness.why(later) == []
    driven.both(INFINITY)
    assert len(driven.witness.why(later)) == 1


def test_a_left_edge_in_no_row_has_a_reason_for_both_its_ends() -> None:
    driven = Driven(asof())
    left = spec(0, 1, 5, 9, edge=True)
    driven.take(0, left.flows[0])
    driven.both(6)
    driven.take(0, left.flows[1])
    assert driven.witness.why(left) == ["no event of 'r' with equal keys had started by its start"] * 2


def test_a_row_is_made_of_both_and_neither_has_another_reason() -> None:
    driven = Driven(asof())
    left, right = spec(0, 1, 2, 9), spec(1, 1, 1, 3)
    driven.give(left, right)
    driven.both(INFINITY)
    (found,) = driven.rows.values()
    assert (found.sources, found.stamp) == (left.flows[0].sources | right.flows[0].sources, 2)
    assert driven.witness.removals == []


def test_the_smaller_of_two_that_start_together_is_reported_at_once() -> None:
    driven = Driven(asof())
    smaller, greater = spec(1, 1, 3, 5, v=1), spec(1, 2, 3, 5, v=2)
    driven.give(smaller, greater)
    driven.both(4)
    assert len(driven.witness.why(smaller)) == 1
    assert driven.witness.why(greater) == []


@pytest.mark.parametrize(
    ("start", "key", "reported"), [(2, "a", True), (3, "a", False), (6, "a", False), (7, "a", True), (5, "b", True)]
)
def test_only_a_waiting_left_event_delays_the_report_on_a_right_one(start: int, key: str, reported: bool) -> None:
    """The right event is the latest in [3, 7), and its stream is still at 2: another may come in between."""
    driven = Driven(asof())
    right = spec(1, 1, 3, 4)
    driven.give(right, spec(1, 2, 7, 8), spec(0, 1, start, 20, k=key))
    driven.advance(1, 2)
    driven.advance(0, 10)
    assert bool(driven.witness.why(right)) == reported
