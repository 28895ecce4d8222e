"""union: a multiset, in order of start."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given

from streaming.reference.flow import FlowOperator
from tests.reference.operators.port_laws import holds, restarts_change_nothing
from tests.reference.operators.port_runs import Driven, Rows, Scenario, Spec, drive, operator, row, scenarios

SAME = ({"k": "string", "v": "long"}, {"v": "long", "k": "string"})


def union() -> FlowOperator:
    return operator({"kind": "union"}, SAME)


def at(port: int, number: int, start: int, end: int, **more: Any) -> Spec:
    """Return an event whose fields are in another order on the right."""
    payload = {"k": "a", "v": number} if port == 0 else {"v": number, "k": "a"}
    return Spec(port, number, start, end, payload, **more)


def renamed(scenario: Scenario) -> Scenario:
    """Return the events of both sides with the same fields."""

    def fields(payload: dict[str, object]) -> dict[str, object]:
        return {"k": payload["k"], "v": payload.get("a", payload.get("b"))}

    for each in scenario.specs:
        new = fields(each.payload)
        each.payload.clear()
        each.payload.update(new)
    return scenario


def all_of_them(specs: Sequence[Spec]) -> Rows:
    return Counter(row(each.start, each.end, {"k": each.payload["k"], "v": each.payload["v"]}) for each in specs)


@given(scenario=scenarios().map(renamed))
def test_it_gives_all_events_and_its_cti_is_the_smallest(scenario: Scenario) -> None:
    holds(scenario, union, all_of_them)
    restarts_change_nothing(scenario, union)


@given(scenario=scenarios(late=(True, True)).map(renamed))
def test_kept_late_events_are_there_too(scenario: Scenario) -> None:
    holds(scenario, union, all_of_them)


@given(scenario=scenarios().map(renamed))
def test_what_has_left_is_in_order_of_start(scenario: Scenario) -> None:
    """Between two CTIs rows start at the CTI or wait, so starts never go back."""
    passed = drive(scenario, union()).passed
    starts = [flow.start for flow in passed if not flow.closes]
    assert starts == sorted(starts)


def test_nothing_leaves_before_every_port_has_a_cti() -> None:
    driven = Driven(union())
    assert driven.give(at(0, 1, 5, 9), at(1, 2, 3, 4)) == []
    assert driven.advance(0, 9) == []
    assert [flow.start for flow in driven.advance(1, 4)] == [3]
    assert driven.out == 4
    assert [flow.start for flow in driven.advance(1, 5)] == [5]


def test_an_event_at_the_cti_passes_at_once() -> None:
    driven = Driven(union())
    driven.both(5)
    assert [flow.start for flow in driven.give(at(1, 1, 5, 8))] == [5]
    assert driven.give(at(1, 2, 6, 8)) == []


def test_an_event_that_comes_by_both_ports_is_there_twice() -> None:
    driven = Driven(union())
    driven.give(at(0, 1, 5, 8), at(1, 1, 5, 8))
    driven.both(5)
    assert driven.net == {row(5, 8, {"k": "a", "v": 1}): 2}


def test_an_edge_end_waits_for_the_cti_to_reach_it() -> None:
    driven = Driven(union())
    driven.give(at(0, 1, 2, 8, edge=True))
    assert [(flow.opens, flow.start) for flow in driven.both(7)] == [(True, 2)]
    assert [(flow.closes, flow.end) for flow in driven.both(8)] == [(True, 8)]


def test_a_kept_late_end_goes_right_after_its_start() -> None:
    """The other port is slower, so the start waits; the late end does not wait any longer than that."""
    driven = Driven(union())
    opened, closing = at(0, 1, 10, 12, edge=True, late_at=20).flows
    driven.advance(1, 5)
    driven.advance(0, 20)
    assert driven.take(0, replace(opened, late_at=None)) == []
    assert driven.take(0, closing) == []
    assert [(flow.opens, flow.closes) for flow in driven.advance(1, 10)] == [(True, False), (False, True)]


def test_the_vanishing_of_an_edge_passes_on_with_its_start_or_after_it() -> None:
    gone = at(0, 1, 5, 5, edge=True)
    waiting = Driven(union())
    assert waiting.give(gone) == []
    assert [flow.vanishes for flow in waiting.both(5)] == [False, True]
    passed = Driven(union())
    passed.both(5)
    assert [flow.vanishes for flow in passed.give(gone)] == [False, True]
    assert passed.net == {}
    assert passed.witness.removals == []


def test_a_union_reports_nothing_for_the_events_that_it_passes_on() -> None:
    driven = Driven(union())
    driven.give(at(0, 1, 5, 8))
    driven.both(9)
    assert (driven.witness.taken, driven.witness.removals) == ([], [])
