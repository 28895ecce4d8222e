"""The table of legal moves."""

from webapp.runs.states import CARRIED, MOVES, Observed, may_move


def test_every_state_is_in_the_table() -> None:
    assert set(MOVES) == set(Observed)


def test_stopped_is_final() -> None:
    assert MOVES[Observed.STOPPED] == frozenset()


def test_every_state_but_stopped_can_be_stopped() -> None:
    assert {state for state in Observed if may_move(state, Observed.STOPPED)} == set(Observed) - {Observed.STOPPED}


def test_exactly_what_a_runner_carries_can_be_lost() -> None:
    assert {state for state in Observed if may_move(state, Observed.LOST)} == CARRIED


def test_a_failed_run_starts_again_only_by_a_new_request() -> None:
    assert MOVES[Observed.FAILED] == {Observed.REQUESTED, Observed.STOPPED}
