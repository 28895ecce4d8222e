"""An organisation without news has no turn; a report, a request or due work gives it one."""

from typing import Any

import pytest

from tests.webapp.scene import Scene
from webapp.accounts.models import Organisation
from webapp.core.context import installation_context, organisation_context
from webapp.runs import tasks
from webapp.runs.runners.own_runners import give_own_runner
from webapp.runs.turns.quiet import QUIET_S, note_quiet, unquiet


def is_quiet(scene: Scene) -> bool:
    organisation = scene.person.organisation.pk
    return list(unquiet(scene.connection, [organisation])) == []


@pytest.fixture
def runs(scene: Scene) -> Scene:
    """The run runs, and a turn has found it so."""
    scene.running()
    scene.lease()
    scene.turn()
    assert is_quiet(scene)
    return scene


def test_a_starting_run_is_checked_again_and_again(scene: Scene) -> None:
    for step in (lambda: None, scene.lease, lambda: scene.report("starting")):
        step()
        scene.turn()
        assert not is_quiet(scene)
    scene.report("running")
    assert not is_quiet(scene)
    scene.turn()
    assert is_quiet(scene)


def test_whatever_a_runner_says_or_says_no_more_gives_a_turn(runs: Scene) -> None:
    runs.lease()
    assert is_quiet(runs), "a beat of its heart is no news"
    for step in (lambda: runs.progress(5), lambda: runs.report("failed", "external", "away"), runs.silence):
        step()
        assert not is_quiet(runs)
        runs.lease()
        runs.report("running")
        for _ in range(12):  # a failure is tried again after a while
            runs.turn()
            runs.report("running")
        runs.turn()
        assert is_quiet(runs)


def test_a_lease_of_another_runner_gives_a_turn(runs: Scene) -> None:
    runs.lease_of_pool(1)
    assert not is_quiet(runs)


def test_what_is_asked_for_has_its_turns_until_it_is_there(runs: Scene) -> None:
    runs.stop()
    runs.turn()
    assert not is_quiet(runs)
    runs.report("stopped")
    runs.turn()
    runs.turn()
    assert is_quiet(runs), "nothing is open any more"


def test_one_that_is_to_be_carried_elsewhere_is_not_quiet(runs: Scene, settings: Any) -> None:
    settings.POOLS = 1
    runs.turn()
    assert not is_quiet(runs)
    runs.lease_of_pool(1)
    runs.turn()
    runs.turn()
    assert is_quiet(runs)
    with organisation_context(runs.person.organisation.pk):
        give_own_runner(heap_mb=None, worker_mb=None, cores=None)
    runs.turn()
    assert not is_quiet(runs)


def test_the_quiet_have_a_turn_now_and_then(runs: Scene) -> None:
    [key] = runs.connection.keys(f"punctual:{runs.organisation}:quiet")
    assert 0 < runs.connection.ttl(key) <= QUIET_S


def test_the_beat_asks_for_turns_of_those_alone_that_are_not_quiet(
    runs: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installation_context("others"):
        others = [Organisation.objects.create(slug=f"o-{number}", name="o") for number in range(150)]
    asked: list[str] = []
    monkeypatch.setattr(tasks.reconcile, "apply_async", lambda kwargs, expires: asked.append(kwargs["organisation"]))
    tasks.reconcile_all()
    assert sorted(asked) == sorted(str(each.pk) for each in others)
    note_quiet(runs.connection, runs.person.organisation.pk, None)
    asked.clear()
    tasks.reconcile_all()
    assert set(asked) == {runs.organisation, *(str(each.pk) for each in others)}
