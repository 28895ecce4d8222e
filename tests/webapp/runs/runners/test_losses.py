"""Runners that die, hang or fall silent, and runs that fail: reports, and retries."""

from uuid import UUID

import pytest

from streaming.wire import keys
from tests.webapp.scene import BEAT_S, Recorded, Scene
from webapp.runs.runners.launching import USUAL, LaunchedRunner, RunnerScale
from webapp.runs.turns.reconciler import Reconciler


def test_a_killed_runner_is_lost_within_15_s_and_launched_again(scene: Scene) -> None:
    scene.running()
    scene.clock.pass_by(keys.LEASE_TTL_S)
    scene.silence()
    scene.turn()
    assert keys.LEASE_TTL_S + BEAT_S <= 15
    assert scene.run.observed == "lost"
    assert (scene.run.message or "").startswith("Unknown since 12:00:17 UTC")
    assert len(scene.launcher.launches) == 2


def test_a_lost_run_comes_back_by_the_new_runner_only(scene: Scene) -> None:
    scene.running().silence()
    scene.turn()
    scene.turn()
    assert scene.run.observed == "lost"
    scene.clock.pass_by(1)
    scene.lease(started_at=scene.clock.ticks)
    scene.turn()
    assert scene.run.observed == "recovering"
    assert "started at 12:00:13 UTC" in (scene.run.message or "")
    scene.report("starting")
    scene.turn()
    assert scene.run.observed == "recovering"
    scene.report("running")
    scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", None)
    assert len(scene.launcher.launches) == 2


def test_a_runner_that_was_silent_for_a_while_need_not_repeat_itself(scene: Scene) -> None:
    scene.running()
    scene.connection.delete(keys.lease(scene.organisation))
    scene.turn()
    assert scene.run.observed == "lost"
    scene.lease()
    scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", None)


def test_a_run_that_makes_progress_after_redis_forgot_it_is_running(scene: Scene) -> None:
    scene.running()
    scene.connection.flushall()
    scene.turn()
    assert scene.run.observed == "lost"
    scene.lease()
    scene.progress(batch=3)
    scene.turn()
    assert scene.run.observed == "running"


def test_a_runner_that_dies_at_its_start_is_launched_with_back_off(scene: Scene) -> None:
    for _ in range(40):
        scene.turn()
        scene.launcher.living.clear()
    assert len(scene.launcher.launches) == 6  # 120 s hold pauses of 2, 4, 8, 16, 32 s, each up to a beat longer
    assert scene.run.domain == "internal"
    assert "the end of the runner's log" in (scene.run.message or "")


def test_a_runner_that_hangs_at_its_start_is_given_up(scene: Scene) -> None:
    for _ in range(21):
        scene.turn()
    assert len(scene.launcher.launches) == 2


def test_a_user_error_ends_the_run_with_its_sentence(scene: Scene) -> None:
    scene.running()
    scene.report("failed", "user", "There is no field 'sped'. Mend the query.")
    scene.turn()
    run = scene.run
    assert (run.desired, run.observed, run.domain) == ("stopped", "failed", "user")
    assert run.message == "There is no field 'sped'. Mend the query."
    assert run.ended_at is not None
    assert scene.desired() == {}


def test_an_internal_error_ends_the_run_and_is_logged(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.running()
    scene.report("failed", "internal", "The job ended.")
    scene.turn()
    assert scene.run.ended_at is not None
    assert scene.run_id in caplog.text


def test_an_external_error_is_tried_again_with_back_off(scene: Scene) -> None:
    scene.running()
    pauses = []
    for _ in range(3):
        scene.report("failed", "external", "The broker does not answer.")
        scene.turn()
        assert (scene.run.observed, scene.desired()) == ("failed", {})
        failed_at = scene.clock.at
        while scene.run.observed == "failed":
            scene.turn(after_s=1)
        pauses.append((scene.clock.at - failed_at).total_seconds())
        assert list(scene.desired()) == [scene.binding["id"]]
        scene.report("running")
        scene.turn()
    assert all(least <= pause < least * 1.25 + 1 for pause, least in zip(pauses, (5, 10, 20), strict=True)), pauses
    assert scene.run.observed == "running"


def test_a_run_that_had_settled_restarts_its_back_off(scene: Scene) -> None:
    scene.running()
    for _ in range(2):
        scene.clock.pass_by(3600)
        scene.report("failed", "external", "The broker does not answer.")
        scene.turn()
        assert scene.run.failures == 1
        scene.turn(after_s=10)
        scene.report("running")
        scene.turn()


def test_a_stop_while_a_retry_waits_ends_the_run(scene: Scene) -> None:
    scene.running()
    scene.report("failed", "external", "The broker does not answer.")
    scene.turn()
    scene.stop()
    scene.turn()
    assert (scene.run.observed, scene.desired()) == ("stopped", {})


def test_reports_that_make_no_legal_move_are_ignored(scene: Scene) -> None:
    scene.running()
    scene.report("stopping")
    scene.turn()
    scene.report("running")
    scene.turn()
    assert scene.run.observed == "stopping"


def test_what_cannot_be_read_from_redis_changes_nothing(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.running()
    scene.connection.hset(keys.observed(scene.organisation), scene.run_id, "{broken")
    scene.turn()
    assert scene.run.observed == "running"
    assert "cannot be read" in caplog.text


def test_a_lease_that_cannot_be_read_is_of_a_newer_runner(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.running()
    scene.connection.set(keys.lease(scene.organisation), "{broken")
    scene.turn()
    assert scene.run.observed == "running"
    assert "lease cannot be read" in caplog.text


def test_what_is_desired_is_written_again_after_redis_lost_it(scene: Scene) -> None:
    scene.running()
    scene.connection.flushall()
    scene.lease()
    scene.turn()
    assert list(scene.desired()) == [scene.binding["id"]]


def test_a_turn_that_takes_too_long_is_logged(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    class Slow(Recorded):
        """So slow that its lock ran out."""

        def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
            scene.connection.delete(f"punctual:{organisation}:reconcile")
            return super().launch(organisation, scale)

    Reconciler(scene.person.organisation.pk, scene.connection, Slow(), scene.clock).turn()
    assert "took longer than 30 s" in caplog.text
