"""join, inner and left outer: the ticks at which pairs live, and when that is decided."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given

from streaming.reference.flow import FlowOperator
from streaming.temporal.ticks import INFINITY
from tests.reference.operators.port_laws import every_event_is_in_a_row_or_removed, holds, restarts_change_nothing
from tests.reference.operators.port_runs import (
    Driven,
    Rows,
    Scenario,
    Spec,
    alive,
    drive,
    operator,
    row,
    runs,
    scenarios,
    spec,
)


def inner(where: str | None = None) -> FlowOperator:
    return operator({"kind": "join", "keys": ["k"], "where": where})


def outer(where: str | None = None) -> FlowOperator:
    return operator({"kind": "join", "keys": ["k"], "where": where, "type": "left_outer"})


def match(left: Spec, right: Spec, where: str | None) -> bool:
    """Return true for equal keys that are not null, and `a <= b` of values that are not null."""
    if left.payload["k"] is None or left.payload["k"] != right.payload["k"]:
        return False
    if where is None:
        return True
    a, b = left.payload["a"], right.payload["b"]
    return a is not None and b is not None and bool(a <= b)


def sides(specs: Sequence[Spec]) -> tuple[list[Spec], list[Spec]]:
    return [each for each in specs if each.port == 0], [each for each in specs if each.port == 1]


def pairs(specs: Sequence[Spec], where: str | None) -> Rows:
    """Return for every matching pair the runs of ticks at which both live."""
    found: Rows = Counter()
    for left in sides(specs)[0]:
        for right in sides(specs)[1]:
            if match(left, right, where):
                payload = left.payload | {"b": right.payload["b"]}
                found.update(row(start, end, payload) for start, end in runs(alive(left) & alive(right)))
    return found


def alone(specs: Sequence[Spec], where: str | None, extra: dict[str, Any]) -> Rows:
    """Return for every left event the runs of ticks at which it lives and no match does."""
    found: Rows = Counter()
    for left in sides(specs)[0]:
        ticks = alive(left)
        for right in sides(specs)[1]:
            if match(left, right, where):
                ticks -= alive(right)
        found.update(row(start, end, left.payload | extra) for start, end in runs(ticks))
    return found


@pytest.mark.parametrize("where", [None, "a <= b"])
def test_pairs_live_while_both_do(where: str | None) -> None:
    @given(scenario=scenarios())
    def law(scenario: Scenario) -> None:
        driven = holds(scenario, lambda: inner(where), lambda specs: pairs(specs, where))
        every_event_is_in_a_row_or_removed(driven, scenario)
        restarts_change_nothing(scenario, lambda: inner(where))

    law()


@given(scenario=scenarios(late=(True, True)))
def test_kept_late_events_meet_all_that_came_before_them(scenario: Scenario) -> None:
    holds(scenario, inner, lambda specs: pairs(specs, None))


@given(scenario=scenarios())
def test_the_cti_of_an_inner_join_is_the_smallest(scenario: Scenario) -> None:
    def smallest(driven: Driven) -> None:
        assert driven.out == min(driven.ctis)

    drive(scenario, inner(), smallest)


@pytest.mark.parametrize("where", [None, "a <= b"])
def test_left_outer_adds_the_times_without_a_partner(where: str | None) -> None:
    @given(scenario=scenarios(late=(False, False)))
    def law(scenario: Scenario) -> None:
        def truth(specs: Sequence[Spec]) -> Rows:
            return pairs(specs, where) + alone(specs, where, {"b": None})

        driven = holds(scenario, lambda: outer(where), truth)
        every_event_is_in_a_row_or_removed(driven, scenario)
        restarts_change_nothing(scenario, lambda: outer(where))

    law()


@given(scenario=scenarios(late=(True, False)))
def test_kept_late_events_may_come_on_the_left_of_a_left_outer_join(scenario: Scenario) -> None:
    holds(scenario, outer, lambda specs: pairs(specs, None) + alone(specs, None, {"b": None}))


def test_a_pair_is_made_of_both() -> None:
    driven = Driven(inner())
    left, right = spec(0, 1, 2, 9, v=1, late_at=4), spec(1, 1, 5, 12, v=2, late_at=7)
    driven.give(left, right)
    (pair,) = driven.rows.values()
    assert (pair.start, pair.end, pair.payload) == (5, 9, {"k": "a", "a": 1, "b": 2})
    assert pair.sources == left.flows[0].sources | right.flows[0].sources
    assert (pair.stamp, pair.late_at) == (5, 7)


def test_a_pair_waits_for_the_cti_to_reach_its_start() -> None:
    driven = Driven(inner())
    driven.advance(0, 1)
    driven.give(spec(0, 1, 2, 9), spec(1, 1, 5, 12))
    assert driven.advance(1, 8) == []
    assert driven.advance(0, 4) == []
    assert [(flow.start, flow.end) for flow in driven.advance(0, 5)] == [(5, 9)]


def test_an_open_pair_leaves_as_an_edge_start_once_it_can_no_longer_vanish() -> None:
    driven = Driven(inner())
    driven.give(spec(1, 1, 0, 20))
    opened, closing = spec(0, 1, 5, 9, edge=True).flows
    driven.take(0, opened)
    assert driven.both(5) == []
    (start,) = driven.both(6)
    assert (start.opens, start.start, start.end) == (True, 5, INFINITY)
    (end,) = driven.take(0, closing)
    assert (end.closes, end.id, end.end) == (True, start.id, 9)
    assert end.sources == opened.sources | closing.sources | spec(1, 1, 0, 20).flows[0].sources


def test_an_open_pair_ends_where_its_known_side_does_once_the_cti_is_there() -> None:
    driven = Driven(inner())
    driven.give(spec(1, 1, 0, 20))
    driven.take(0, spec(0, 1, 5, 30, edge=True).flows[0])
    assert [flow.opens for flow in driven.both(19)] == [True]
    assert [(flow.closes, flow.end) for flow in driven.both(20)] == [(True, 20)]


def test_at_infinity_an_open_pair_is_endless() -> None:
    driven = Driven(inner())
    driven.give(spec(0, 1, 5, INFINITY, edge=True), spec(1, 1, 7, INFINITY, edge=True))
    driven.both(INFINITY)
    (pair,) = driven.rows.values()
    assert (pair.start, pair.end, pair.opens) == (7, INFINITY, True)


def test_a_null_key_is_reported_at_once() -> None:
    driven = Driven(inner())
    null = spec(0, 1, 5, 9, k=None)
    driven.give(null)
    assert driven.witness.why(null) == ["its key 'k' is null, and in 'n' null equals nothing"]


def test_an_event_without_partner_is_reported_when_none_can_come() -> None:
    driven = Driven(inner("a <= b"))
    left = spec(0, 1, 5, 9, v=1)
    driven.give(left, spec(1, 1, 5, 9, v=0))
    driven.advance(1, 8)
    assert driven.witness.why(left) == []
    driven.advance(1, 9)
    assert driven.witness.why(left) == [
        "no event of 'r' with equal keys and for which 'where' is true was alive during it"
    ]


def test_a_condition_that_fails_is_not_true_and_is_reported_once() -> None:
    driven = Driven(inner("10 / a > b"))
    driven.give(spec(0, 1, 5, 9, v=0), spec(1, 1, 5, 9))
    driven.both(INFINITY)
    assert driven.net == {}
    assert len(driven.witness.failures) == 1


def test_the_end_of_an_edge_whose_pairs_are_over_is_reported() -> None:
    driven = Driven(inner())
    driven.give(spec(1, 1, 0, 6))
    left = spec(0, 1, 5, 30, edge=True)
    driven.take(0, left.flows[0])
    driven.both(10)
    driven.take(0, left.flows[1])
    driven.both(30)
    assert driven.witness.why(left) == ["it ended an event, but 'n' had no row of that event left to end"]


def test_a_left_outer_join_holds_its_cti_to_the_oldest_undecided_start() -> None:
    driven = Driven(outer())
    driven.give(spec(0, 1, 5, 9))
    driven.both(8)
    assert driven.out == 5
    driven.both(9)
    assert driven.out == 9
    assert driven.net == {row(5, 9, {"k": "a", "a": 0, "b": None}): 1}


def test_keys_are_equal_by_value_and_without_keys_everything_meets() -> None:
    cross = Driven(operator({"kind": "join"}, ({"a": "long"}, {"b": "long"})))
    cross.give(Spec(0, 1, 5, 9, {"a": None}), Spec(1, 1, 5, 9, {"b": None}))
    cross.both(5)
    assert cross.net == {row(5, 9, {"a": None, "b": None}): 1}


def test_at_infinity_nothing_ends_the_row_of_an_open_pair_that_has_left() -> None:
    driven = Driven(inner())
    driven.give(spec(0, 1, 5, INFINITY, edge=True), spec(1, 1, 7, INFINITY, edge=True))
    assert [flow.opens for flow in driven.both(8)] == [True]
    assert driven.both(INFINITY) == []


def test_an_edge_and_the_next_one_that_starts_at_its_end_are_in_no_row() -> None:
    driven = Driven(inner())
    left = spec(0, 1, 3, 10, edge=True)
    driven.take(0, left.flows[0])
    driven.give(spec(1, 1, 10, 20))
    assert driven.both(10) == []
    assert driven.take(0, left.flows[1]) == []
    assert driven.both(INFINITY) == []


def test_the_end_of_a_row_is_not_late_where_its_start_was() -> None:
    """A kept late event matches an edge: the row starts late, but its end waited for its CTI like all others."""
    driven = Driven(inner())
    edge = spec(1, 1, 5, 30, edge=True)
    driven.take(1, edge.flows[0])
    driven.both(10)
    (start,) = driven.give(spec(0, 1, 6, 25, late_at=10))
    (end,) = driven.both(25)
    assert (start.opens, start.late_at) == (True, 10)
    assert (end.closes, end.end, end.late_at) == (True, 25, None)
