"""Every operator with a left and a right agrees with the reference, however its events are cut into turns."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.ticks import NO_CTI
from tests.engine.operators.joins.joining import PairedRun, net_of
from tests.reference.operators.port_runs import Driven, Scenario, scenarios

OPERATORS: dict[str, dict[str, Any]] = {
    "inner": {"kind": "join", "keys": ["k"]},
    "inner_where": {"kind": "join", "keys": ["k"], "where": "a <= b"},
    "outer": {"kind": "join", "keys": ["k"], "type": "left_outer"},
    "outer_where": {"kind": "join", "keys": ["k"], "type": "left_outer", "where": "a <= b"},
    "anti": {"kind": "anti_join", "keys": ["k"]},
    "anti_where": {"kind": "anti_join", "keys": ["k"], "where": "a <= b"},
    "semi": {"kind": "semi_join", "keys": ["k"]},
    "semi_where": {"kind": "semi_join", "keys": ["k"], "where": "a <= b"},
    "clip": {"kind": "clip", "keys": ["k"]},
    "asof": {"kind": "asof_join", "keys": ["k"]},
    "asof_outer": {"kind": "asof_join", "keys": ["k"], "type": "left_outer"},
}
CUTS = st.lists(st.booleans(), min_size=1, max_size=9)
KEPT = st.sampled_from([0, 0, -1, -2, -3, -6])


UNHELD = ("inner", "inner_where", "asof", "asof_outer")
"""Their CTI is the minimum over both ports."""


@pytest.mark.parametrize("name", OPERATORS)
def test_each_single_step_agrees_with_the_reference(name: str) -> None:
    @given(scenario=scenarios(), keep=KEPT)
    def law(scenario: Scenario, keep: int) -> None:
        beside = PairedRun(OPERATORS[name])
        driven, ours = beside.run(scenario, [True], keep)
        assert ours.net == net_of(driven)
        assert ours.outs == beside.outs

    law()


@pytest.mark.parametrize("name", OPERATORS)
def test_however_it_is_cut_the_rows_are_the_same(name: str) -> None:
    """CTIs equal those of the reference.

    They are larger if an event after the last CTI of a turn limits the reference's CTI.
    """

    @given(scenario=scenarios(), cuts=CUTS, keep=KEPT)
    def law(scenario: Scenario, cuts: list[bool], keep: int) -> None:
        beside = PairedRun(OPERATORS[name])
        driven, ours = beside.run(scenario, cuts, keep)
        if name in UNHELD or not keep:
            assert ours.net == net_of(driven)
            assert ours.outs[-1:] == beside.outs[-1:]
        if name in UNHELD:
            assert set(ours.outs) <= set(beside.outs)
        assert max(ours.outs, default=NO_CTI) >= max(beside.outs, default=NO_CTI)

    law()


@pytest.mark.parametrize("name", OPERATORS)
def test_kept_late_events_of_the_left_meet_all_that_came_before_them(name: str) -> None:
    @given(scenario=scenarios(late=(True, name.startswith("inner"))), cuts=CUTS)
    def law(scenario: Scenario, cuts: list[bool]) -> None:
        beside = PairedRun(OPERATORS[name], forgets=False)
        driven, ours = beside.run(scenario, cuts, 0)
        assert ours.net == net_of(driven)
        assert ours.outs[-1:] == beside.outs[-1:]

    law()


@pytest.mark.parametrize("name", OPERATORS)
def test_single_kept_late_events_leave_when_those_of_the_reference_do(name: str) -> None:
    @given(scenario=scenarios(late=(True, name.startswith("inner"))), keep=KEPT)
    def law(scenario: Scenario, keep: int) -> None:
        beside = PairedRun(OPERATORS[name], forgets=False)
        driven, ours = beside.run(scenario, [True], keep)
        assert ours.net == net_of(driven)
        assert ours.outs == beside.outs

    law()


def test_the_scenarios_are_not_idle() -> None:
    """Some scenario has rows; otherwise the tests above would prove nothing."""

    @given(scenario=scenarios())
    def some(scenario: Scenario) -> None:
        driven, ours = PairedRun(OPERATORS["inner"]).run(scenario, [True], 0)
        seen.append((driven, sum(ours.net.values())))

    seen: list[tuple[Driven, int]] = []
    some()
    assert any(rows for _, rows in seen)
