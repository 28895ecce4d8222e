"""semi_join: the times with a match."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given

from streaming.reference.flow import FlowOperator
from streaming.temporal.ticks import INFINITY
from tests.reference.operators.port_laws import (
    every_event_is_in_a_row_or_removed,
    holds,
    restarts_change_nothing,
    the_cti_is_held_no_longer_than_needed,
)
from tests.reference.operators.port_runs import (
    Driven,
    Rows,
    Scenario,
    Spec,
    alive,
    operator,
    row,
    runs,
    scenarios,
    spec,
)
from tests.reference.operators.test_join import match, sides


def semi(where: str | None = None) -> FlowOperator:
    return operator({"kind": "semi_join", "keys": ["k"], "where": where})


def accompanied(where: str | None, specs: Sequence[Spec]) -> Rows:
    found: Rows = Counter()
    lefts, rights = sides(specs)
    for left in lefts:
        matches = [alive(right) for right in rights if match(left, right, where)]
        found.update(row(start, end, left.payload) for start, end in runs(alive(left) & set[int]().union(*matches)))
    return found


@pytest.mark.parametrize("where", [None, "a <= b"])
def test_what_is_there_is_every_tick_with_a_match(where: str | None) -> None:
    @given(scenario=scenarios())
    def law(scenario: Scenario) -> None:
        driven = holds(scenario, lambda: semi(where), lambda specs: accompanied(where, specs))
        every_event_is_in_a_row_or_removed(driven, scenario)
        restarts_change_nothing(scenario, lambda: semi(where))

    law()


@given(scenario=scenarios(late=(True, False)))
def test_kept_late_events_may_come_on_the_left(scenario: Scenario) -> None:
    holds(scenario, semi, lambda specs: accompanied(None, specs))


@given(scenario=scenarios())
def test_the_cti_is_held_no_longer_than_to_the_oldest_undecided_start(scenario: Scenario) -> None:
    the_cti_is_held_no_longer_than_needed(scenario, semi, lambda specs: accompanied(None, specs))


def test_a_piece_may_continue_while_a_match_can_start_at_its_end() -> None:
    driven = Driven(semi())
    driven.give(spec(0, 1, 0, 20), spec(1, 1, 5, 10))
    driven.both(10)
    assert (driven.net, driven.out) == ({}, 5)
    driven.give(spec(1, 2, 10, 12))
    driven.both(13)
    assert driven.net == {row(5, 12, {"k": "a", "a": 0}): 1}
    assert driven.out == 13


def test_a_piece_that_ends_with_its_left_event_is_decided_there() -> None:
    driven = Driven(semi())
    driven.give(spec(0, 1, 5, 10), spec(1, 1, 0, 30))
    driven.both(9)
    assert (driven.net, driven.out) == ({}, 5)
    driven.both(10)
    assert driven.net == {row(5, 10, {"k": "a", "a": 0}): 1}


def test_a_row_is_made_of_the_left_and_of_all_that_cover_it() -> None:
    driven = Driven(semi())
    left, *rights = spec(0, 1, 5, 20), spec(1, 1, 0, 7), spec(1, 2, 6, 9), spec(1, 3, 12, 13)
    driven.give(left, *rights)
    driven.both(20)
    first, second = driven.rows.values()
    assert first.sources == {*left.flows[0].sources, *rights[0].flows[0].sources, *rights[1].flows[0].sources}
    assert second.sources == left.flows[0].sources | rights[2].flows[0].sources
    assert (first.stamp, second.stamp) == (6, 12)


def test_at_infinity_a_piece_of_two_open_edges_is_an_open_edge() -> None:
    driven = Driven(semi())
    driven.give(spec(0, 1, 5, INFINITY, edge=True), spec(1, 1, 8, INFINITY, edge=True))
    driven.both(INFINITY)
    (piece,) = driven.rows.values()
    assert (piece.start, piece.end, piece.opens) == (8, INFINITY, True)


def test_both_sides_have_a_reason_for_being_in_no_row() -> None:
    driven = Driven(semi())
    left, right = spec(0, 1, 5, 9), spec(1, 1, 9, 12)
    driven.give(left, right)
    driven.both(12)
    assert driven.witness.why(left) == ["no event of 'r' with equal keys was alive during it"]
    assert driven.witness.why(right) == ["no event of 'l' with equal keys was alive during it"]


def test_a_piece_of_an_open_edge_that_ends_is_a_whole_lifetime() -> None:
    driven = Driven(semi())
    driven.give(spec(0, 1, 5, INFINITY, edge=True), spec(1, 1, 6, 8))
    driven.both(INFINITY)
    assert [(each.start, each.end, each.opens) for each in driven.rows.values()] == [(6, 8, False)]


def test_at_infinity_a_piece_is_an_open_edge_if_either_side_is_one() -> None:
    driven = Driven(semi())
    driven.give(spec(0, 1, 5, INFINITY), spec(1, 1, 8, INFINITY, edge=True))
    driven.give(spec(0, 2, 5, INFINITY, k="b"), spec(1, 2, 9, INFINITY, k="b"))
    driven.both(INFINITY)
    assert sorted((each.start, each.opens) for each in driven.rows.values()) == [(8, True), (9, False)]


def test_what_only_touches_the_left_event_is_in_no_row_of_it() -> None:
    """While the edges are open nobody knows that they only touch."""
    driven = Driven(semi())
    before, left, after = spec(1, 1, 2, 5, edge=True), spec(0, 1, 5, 9, edge=True), spec(1, 2, 9, 12)
    covering = spec(1, 3, 5, 9)
    for each in (before, left):
        driven.take(each.port, each.flows[0])
    driven.give(after, covering)
    for each in (before, left):
        driven.take(each.port, each.flows[1])
    driven.both(INFINITY)
    (found,) = driven.rows.values()
    assert (found.start, found.end) == (5, 9)
    assert found.sources == {source for each in (left, covering) for flow in each.flows for source in flow.sources}
    for each in (before, after):
        assert set(driven.witness.why(each)) == {"no event of 'l' with equal keys was alive during it"}
