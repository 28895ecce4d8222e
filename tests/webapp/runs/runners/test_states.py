"""The table of legal moves."""

from webapp.runs.states import CARRIED, ENDED, MOVES, Observed, may_move


def test_every_state_is_in_the_table() -> None:
    assert set(MOVES) == set(Observed)


def test_what_has_ended_is_final() -> None:
    assert {state for state in Observed if not MOVES[state]} == {Observed.STOPPED, Observed.COMPLETED} == ENDED


def test_every_state_that_has_not_ended_can_be_stopped() -> None:
    assert {state for state in Observed if may_move(state, Observed.STOPPED)} == set(Observed) - ENDED


def test_only_what_waits_to_be_tried_again_cannot_complete() -> None:
    assert {state for state in Observed if may_move(state, Observed.COMPLETED)} == set(Observed) - ENDED - {
        Observed.FAILED
    }


def test_exactly_what_a_runner_carries_can_be_lost() -> None:
    assert {state for state in Observed if may_move(state, Observed.LOST)} == CARRIED


def test_a_failed_run_starts_again_only_by_a_new_request() -> None:
    assert MOVES[Observed.FAILED] == {Observed.REQUESTED, Observed.STOPPED}
