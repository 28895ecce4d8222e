"""A runner under a backup's hold: it answers once nothing is in flight, and resumes when the hold ends."""

from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from streaming.runtime.process.stillness import keep_still
from streaming.storage.backup_hold import has_answered, release_hold, write_hold
from tests.runtime.paper import ORGANISATION, Desk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ORGANISATION
    folder.mkdir()
    return folder


def no_turn() -> None:
    """Renew no lease."""


def at_pause(*actions: Callable[[], object]) -> Callable[[float], None]:
    """Return a wait that does one of `actions` at each call, and fails when they are used up."""
    left = iter(actions)
    return lambda _: (next(left)(), None)[1]


def test_without_a_hold_a_runner_turns_on(folder: Path) -> None:
    assert not keep_still(folder, lambda: True, no_turn, at_pause())


def test_a_runner_answers_until_the_hold_is_released(folder: Path) -> None:
    write_hold(folder.parent, "one")
    turns, answers = [], []

    def seen() -> None:
        answers.append(has_answered(folder, "one"))

    waits = at_pause(seen, seen, lambda: release_hold(folder.parent))
    assert keep_still(folder, lambda: True, lambda: turns.append(1), waits)
    assert answers == [True, True]
    assert len(turns) == 3  # its lease is renewed all the time
    assert not has_answered(folder, "one")


def test_a_runner_with_a_batch_in_flight_makes_its_turns_and_does_not_answer(folder: Path) -> None:
    write_hold(folder.parent, "one")
    assert keep_still(folder, lambda: False, no_turn, at_pause(no_turn))
    assert not has_answered(folder, "one")


def test_a_second_backup_is_answered_on_its_own(folder: Path) -> None:
    write_hold(folder.parent, "one")
    assert keep_still(folder, lambda: True, no_turn, at_pause(lambda: write_hold(folder.parent, "two")))
    assert not has_answered(folder, "one")
    assert not has_answered(folder, "two")


def test_a_failure_withdraws_the_answer(folder: Path) -> None:
    write_hold(folder.parent, "one")

    def broken() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        keep_still(folder, lambda: True, broken, at_pause())
    assert not has_answered(folder, "one")


def test_a_runner_is_not_quiet_while_a_carrier_has_a_batch(redis_server_url: str, folder: Path) -> None:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        desk = Desk.laid(connection, folder)
        desk.carrier.quiet = False
        write_hold(folder.parent, "one")
        assert desk.runner.hold_still()
        assert not has_answered(folder, "one")
        release_hold(folder.parent)
        assert not desk.runner.hold_still()
