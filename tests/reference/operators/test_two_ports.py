"""Common rules of the operators that match a left with a right, tested one by one."""

from dataclasses import replace
from typing import Any

import pytest

from streaming.reference.flow import VANISHED, Pane, Timing
from streaming.temporal.ticks import INFINITY, Tick
from tests.reference.operators.port_runs import Driven, Spec, operator, spec

NODES: dict[str, dict[str, Any]] = {
    "join": {"kind": "join"},
    "left outer join": {"kind": "join", "type": "left_outer"},
    "anti_join": {"kind": "anti_join"},
    "semi_join": {"kind": "semi_join"},
    "asof_join": {"kind": "asof_join"},
    "left outer asof_join": {"kind": "asof_join", "type": "left_outer"},
    "clip": {"kind": "clip"},
}
NEVER_IN_A_ROW = {
    "anti_join": ["anti join 'n' only takes it away from events of 'l'"],
    "clip": ["clip 'n' only ends events of 'l' by it"],
}
"""The reasons reported for right events when they come."""


def driven_by(name: str, **more: Any) -> Driven:
    return Driven(operator(NODES[name] | {"keys": ["k"]} | more))


@pytest.mark.parametrize("name", NODES)
def test_a_kept_late_event_on_the_left_is_in_a_row_at_once_when_that_is_decided(name: str) -> None:
    """The right is after its end; the output CTI is not at its start yet, which delays nothing (T19)."""
    driven = driven_by(name)
    driven.give(spec(1, 1, 8, 14, k="b" if name == "anti_join" else "a"))
    driven.advance(1, 15)
    driven.advance(0, 5)
    assert [row.start for row in driven.give(spec(0, 1, 10, 12, late_at=20))] == [10]


@pytest.mark.parametrize("late", [0, 1])
def test_a_pair_with_one_kept_late_event_waits_for_no_cti(late: int) -> None:
    driven = driven_by("join")
    both = [spec(port, 1, 10, 12, late_at=20 if port == late else None) for port in (0, 1)]
    driven.both(5)
    assert [row.late_at for row in driven.give(*both)] == [20]


@pytest.mark.parametrize("port", [0, 1])
@pytest.mark.parametrize("name", NODES)
def test_a_vanished_edge_is_reported_once_for_both_its_ends(name: str, port: int) -> None:
    driven = driven_by(name)
    edge = spec(port, 1, 5, 5, edge=True)
    driven.give(edge)
    driven.both(INFINITY)
    before = NEVER_IN_A_ROW.get(name, []) if port == 1 else []
    assert driven.witness.why(edge) == [*before, VANISHED, VANISHED]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["join", "left outer join", "anti_join", "semi_join"])
def test_a_condition_that_fails_is_reported_whichever_side_comes_last(name: str, first: int) -> None:
    driven = driven_by(name, where="10 / a > b")
    both = [spec(0, 1, 5, 9), spec(1, 1, 5, 9)]
    driven.give(both[first], both[1 - first])
    driven.both(INFINITY)
    ((pair, why),) = driven.witness.failures
    assert why == "division by zero"
    assert pair.sources == {source for each in both for source in each.flows[0].sources}


@pytest.mark.parametrize("other", [spec(1, 1, 2, 5), spec(1, 1, 9, 12)])
@pytest.mark.parametrize("name", ["join", "left outer join", "anti_join", "semi_join"])
def test_a_condition_is_not_evaluated_for_two_that_only_touch(name: str, other: Spec) -> None:
    driven = driven_by(name, where="10 / a > b")
    driven.give(spec(0, 1, 5, 9), other)
    driven.both(INFINITY)
    assert driven.witness.failures == []


@pytest.mark.parametrize("name", NODES)
def test_an_output_row_is_no_longer_the_row_of_a_pane(name: str) -> None:
    driven = driven_by(name)
    pane = Pane(Tick(5), Tick(9), Timing.ON_TIME, 0, True)
    driven.give(spec(1, 1, 5, 9, k="b" if name == "anti_join" else "a"))
    driven.take(0, replace(spec(0, 1, 5, 9).flows[0], pane=pane))
    assert [row.pane for row in driven.both(INFINITY)] == [None]


def test_one_cti_frees_rows_in_order_of_start_and_ends_of_edges_in_order_of_end() -> None:
    driven = Driven(operator({"kind": "union"}, ({"k": "string", "a": "long"},) * 2))
    edges = [spec(0, 1, 1, 5, edge=True), spec(0, 2, 2, 8, edge=True), spec(0, 3, 3, 6, edge=True)]
    for each in edges:
        driven.take(0, each.flows[0])
    driven.both(3)
    for each in edges:
        driven.take(0, each.flows[1])
    driven.give(spec(0, 4, 9, 10), spec(0, 5, 6, 10))
    freed = driven.both(10)
    assert [(row.closes, row.end if row.closes else row.start) for row in freed] == [
        (True, 5),
        (False, 6),
        (True, 6),
        (True, 8),
        (False, 9),
    ]
