"""clip: every lifetime up to the first later start of a match."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given

from streaming.reference.flow import FlowOperator
from streaming.temporal.ticks import INFINITY
from tests.reference.operators.port_laws import holds, restarts_change_nothing, the_cti_is_held_no_longer_than_needed
from tests.reference.operators.port_runs import Driven, Rows, Scenario, Spec, alive, operator, row, scenarios, spec
from tests.reference.operators.test_join import match, sides


def clip() -> FlowOperator:
    return operator({"kind": "clip", "keys": ["k"]})


def clipped(specs: Sequence[Spec]) -> Rows:
    """Return the ticks of each life before which no match has started, its own start left out."""
    found: Rows = Counter()
    lefts, rights = sides(specs)
    for left in lefts:
        starts = [right.start for right in rights if match(left, right, None)]
        ticks = [tick for tick in alive(left) if not any(left.start < start <= tick for start in starts)]
        found[row(left.start, max(ticks) + 1, left.payload)] += 1
    return found


@given(scenario=scenarios())
def test_it_ends_lifetimes_at_the_first_later_start_of_a_match(scenario: Scenario) -> None:
    holds(scenario, clip, clipped)
    restarts_change_nothing(scenario, clip)
    the_cti_is_held_no_longer_than_needed(scenario, clip, clipped)


@given(scenario=scenarios(late=(True, False)))
def test_kept_late_events_may_come_on_the_left(scenario: Scenario) -> None:
    holds(scenario, clip, clipped)


def test_a_start_at_its_own_start_clips_nothing() -> None:
    driven = Driven(clip())
    driven.give(spec(0, 1, 5, 9), spec(1, 1, 5, 6))
    driven.both(9)
    assert driven.net == {row(5, 9, {"k": "a", "a": 0}): 1}


def test_it_is_decided_when_the_other_stream_has_reached_its_end() -> None:
    driven = Driven(clip())
    driven.give(spec(0, 1, 5, 20), spec(1, 1, 12, 13), spec(1, 2, 8, 9))
    driven.both(7)
    assert (driven.net, driven.out) == ({}, 5)
    driven.both(8)
    assert driven.net == {row(5, 8, {"k": "a", "a": 0}): 1}
    assert driven.out == 8


def test_a_clipping_event_is_reported_as_in_no_row() -> None:
    driven = Driven(clip())
    right = spec(1, 1, 5, 9)
    driven.give(right)
    assert driven.witness.why(right) == ["clip 'n' only ends events of 'l' by it"]


def test_an_edge_that_was_clipped_is_over_when_its_own_end_comes() -> None:
    driven = Driven(clip())
    left = spec(0, 1, 5, 20, edge=True)
    driven.give(spec(1, 1, 8, 9))
    driven.take(0, left.flows[0])
    driven.both(10)
    driven.take(0, left.flows[1])
    driven.both(INFINITY)
    assert driven.net == {row(5, 8, {"k": "a", "a": 0}): 1}


def test_only_an_edge_that_nothing_has_clipped_is_still_open_at_infinity() -> None:
    """So later windows contain it up to the horizon and not after it (T4)."""
    driven = Driven(clip())
    driven.give(spec(0, 1, 5, INFINITY, edge=True), spec(0, 2, 8, INFINITY, edge=True), spec(1, 1, 7, 9))
    driven.both(INFINITY)
    assert [(each.start, each.end, each.opens) for each in driven.rows.values()] == [
        (5, 7, False),
        (8, INFINITY, True),
    ]
