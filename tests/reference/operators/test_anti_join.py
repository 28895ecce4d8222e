"""anti_join: the times without a match."""

from collections.abc import Sequence

import pytest
from hypothesis import given

from streaming.reference.flow import VANISHED, FlowOperator
from streaming.temporal.ticks import INFINITY
from tests.reference.operators.port_laws import (
    every_event_is_in_a_row_or_removed,
    holds,
    restarts_change_nothing,
    the_cti_is_held_no_longer_than_needed,
)
from tests.reference.operators.port_runs import Driven, Rows, Scenario, Spec, operator, row, scenarios, spec
from tests.reference.operators.test_join import alone


def anti(where: str | None = None) -> FlowOperator:
    return operator({"kind": "anti_join", "keys": ["k"], "where": where})


def free(where: str | None, specs: Sequence[Spec]) -> Rows:
    return alone(specs, where, {})


@pytest.mark.parametrize("where", [None, "a <= b"])
def test_what_is_left_is_every_tick_without_a_match(where: str | None) -> None:
    @given(scenario=scenarios())
    def law(scenario: Scenario) -> None:
        driven = holds(scenario, lambda: anti(where), lambda specs: free(where, specs))
        restarts_change_nothing(scenario, lambda: anti(where))
        every_event_is_in_a_row_or_removed(driven, scenario)

    law()


@given(scenario=scenarios(late=(True, False)))
def test_kept_late_events_may_come_on_the_left(scenario: Scenario) -> None:
    holds(scenario, anti, lambda specs: free(None, specs))


@given(scenario=scenarios())
def test_the_cti_is_held_no_longer_than_to_the_oldest_undecided_start(scenario: Scenario) -> None:
    the_cti_is_held_no_longer_than_needed(scenario, anti, lambda specs: free(None, specs))


def test_a_piece_is_decided_when_the_right_has_reached_its_end() -> None:
    """The left is whole, so its own CTI only decides when the piece may leave."""
    driven = Driven(anti())
    driven.advance(0, 5)
    driven.give(spec(0, 1, 5, 20))
    driven.advance(1, 19)
    assert driven.net == {}
    driven.advance(1, 20)
    assert driven.net == {row(5, 20, {"k": "a", "a": 0}): 1}


def test_a_match_that_starts_at_the_cti_ends_a_piece_there() -> None:
    driven = Driven(anti())
    driven.give(spec(0, 1, 5, 20), spec(1, 1, 10, 12))
    driven.both(10)
    assert driven.net == {row(5, 10, {"k": "a", "a": 0}): 1}
    assert driven.out == 10


def test_an_edge_that_starts_at_the_cti_may_still_vanish_and_ends_nothing() -> None:
    driven = Driven(anti())
    edge = spec(1, 1, 10, 10, edge=True)
    driven.give(spec(0, 1, 5, 20))
    driven.take(1, edge.flows[0])
    driven.both(10)
    assert (driven.net, driven.out) == ({}, 5)
    driven.take(1, edge.flows[1])
    driven.both(20)
    assert driven.net == {row(5, 20, {"k": "a", "a": 0}): 1}
    assert driven.witness.why(edge).count(VANISHED) == 2


def test_the_cti_is_held_to_the_start_of_an_undecided_piece() -> None:
    driven = Driven(anti())
    driven.give(spec(0, 1, 5, 40), spec(1, 1, 8, 12), spec(0, 2, 30, 33))
    driven.both(25)
    assert driven.out == 12
    driven.both(40)
    assert driven.out == 40


def test_an_edge_on_the_left_holds_the_cti_until_it_ends() -> None:
    driven = Driven(anti())
    opened, closing = spec(0, 1, 5, 25, edge=True).flows
    driven.take(0, opened)
    driven.both(20)
    assert (driven.out, driven.net) == (5, {})
    driven.take(0, closing)
    driven.both(24)
    assert driven.out == 5
    driven.both(25)
    assert driven.net == {row(5, 25, {"k": "a", "a": 0}): 1}
    (piece,) = driven.rows.values()
    assert piece.sources == opened.sources | closing.sources


def test_at_infinity_a_piece_of_an_open_edge_is_an_open_edge() -> None:
    """So later windows contain it up to the horizon and not after it (T4)."""
    driven = Driven(anti())
    driven.give(spec(0, 1, 5, INFINITY, edge=True), spec(1, 1, 5, 8))
    driven.both(INFINITY)
    (piece,) = driven.rows.values()
    assert (piece.start, piece.end, piece.opens) == (8, INFINITY, True)


def test_the_reasons_of_events_that_are_in_no_row() -> None:
    driven = Driven(anti())
    left, right = spec(0, 1, 5, 9), spec(1, 1, 4, 9)
    driven.give(left, right)
    driven.both(9)
    assert driven.witness.why(left) == ["events of 'r' that match it were alive during all of it"]
    assert driven.witness.why(right) == ["anti join 'n' only takes it away from events of 'l'"]
