"""Runs follow their desired state: real Redis, a clock set by tests, and a launcher that only records."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from streaming.wire import keys
from tests.webapp.conftest import Person
from tests.webapp.scene import Recorded, Scene
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.core.secrets import organisation_keys
from webapp.runs import tasks
from webapp.runs.lifecycle.moves import retry_after
from webapp.runs.runner_models import RunnerLaunch
from webapp.runs.runners.launching import USUAL, LaunchedRunner, RunnerScale
from webapp.runs.runners.places import nobody_waits, standbys_wanted
from webapp.runs.runners.redis_users import user_of
from webapp.runs.runners.standbys import QUIET
from webapp.runs.turns.alone import alone
from webapp.runs.turns.reconciler import ELSEWHERE, Reconciler


def test_a_requested_run_is_desired_and_a_runner_is_launched(scene: Scene) -> None:
    scene.turn()
    assert scene.desired() == {scene.binding["id"]: scene.run.read_spec()}
    assert scene.launcher.launches == [scene.person.organisation.pk]


def test_no_second_runner_while_the_first_one_starts(scene: Scene) -> None:
    for _ in range(10):
        scene.turn()
    assert len(scene.launcher.launches) == 1


def test_no_second_runner_with_a_live_lease(scene: Scene) -> None:
    scene.lease()
    scene.turn()
    assert scene.launcher.launches == []


def test_two_workers_never_launch_two(scene: Scene) -> None:
    class Impatient(Recorded):
        """While it launches, another worker takes its turn."""

        def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
            Reconciler(organisation, scene.connection, scene.launcher, scene.clock).turn()
            return super().launch(organisation, scale)

    first = Impatient()
    Reconciler(scene.person.organisation.pk, scene.connection, first, scene.clock).turn()
    assert (len(first.launches), scene.launcher.launches) == (1, [])


def test_what_the_runner_reports_is_copied(scene: Scene) -> None:
    scene.turn()
    scene.lease()
    for state in ("starting", "running"):
        scene.report(state)
        scene.turn()
        assert scene.run.observed == state


def test_a_run_that_a_new_reconciler_finds_running_continues(scene: Scene) -> None:
    scene.running()
    scene.launcher = Recorded()
    scene.turn()
    assert (scene.run.observed, scene.launcher.launches) == ("running", [])


def test_a_stop_is_passed_on_and_ends_with_the_runners_word(scene: Scene) -> None:
    scene.running()
    scene.stop(flush=True)
    scene.turn()
    assert [(spec.desired, spec.flush) for spec in scene.desired().values()] == [("stopped", True)]
    scene.report("stopping")
    scene.turn()
    scene.report("stopped")
    scene.turn()
    assert (scene.run.observed, scene.desired()) == ("stopped", {})
    assert scene.run.ended_at is not None


def test_a_stop_before_any_runner_took_the_run_needs_no_runner(scene: Scene) -> None:
    scene.stop()
    scene.turn()
    assert (scene.run.observed, scene.launcher.launches) == ("stopped", [])


def test_a_stop_of_a_lost_run_needs_no_runner_unless_it_flushes(scene: Scene) -> None:
    scene.running().silence()
    scene.stop()
    scene.turn()
    assert (scene.run.observed, len(scene.launcher.launches)) == ("stopped", 1)


def test_a_flush_of_a_lost_run_waits_for_a_new_runner(scene: Scene) -> None:
    scene.running().silence()
    scene.stop(flush=True)
    scene.turn()
    assert (scene.run.observed, len(scene.launcher.launches)) == ("lost", 2)
    assert [spec.flush for spec in scene.desired().values()] == [True]


def test_a_binding_starts_again_after_its_run_has_ended(scene: Scene) -> None:
    scene.running()
    scene.report("stopped")
    scene.turn()
    again = scene.person.post(f"bindings/{scene.binding['id']}/start/")
    assert again.status_code == 201
    scene.turn()
    assert [spec.run for spec in scene.desired().values()] == [again.json()["id"]]


def test_the_last_report_of_a_binding_stays_for_a_runner_that_resumes(scene: Scene) -> None:
    kept = []
    for batch in range(2):
        scene.running()
        scene.progress(batch)
        scene.report("stopped")
        scene.turn()
        kept.append(scene.connection.hkeys(keys.progress(scene.organisation)))
        assert kept[-1] == [scene.run_id.encode()]
        scene.run_id = scene.person.post(f"bindings/{scene.binding['id']}/start/").json()["id"]
    assert kept[0] != kept[1]


def test_what_nobody_desires_any_more_is_taken_out(scene: Scene) -> None:
    scene.connection.hset(keys.desired(scene.organisation), "left-over", "{}")
    scene.turn()
    assert list(scene.desired()) == [scene.binding["id"]]


def test_the_newest_report_is_kept_in_the_database(scene: Scene) -> None:
    report = scene.progress(batch=3)
    scene.running()
    assert scene.person.get(f"runs/{scene.run_id}/").json()["progress"] == report.model_dump(mode="json")


def test_another_organisation_has_a_runner_of_its_own(scene: Scene, charlie: Person) -> None:
    scene.running()
    Reconciler(charlie.organisation.pk, scene.connection, scene.launcher, scene.clock).turn()
    assert len(scene.launcher.launches) == 1
    assert not scene.connection.exists(keys.desired(str(charlie.organisation.pk)))


def test_a_run_that_has_read_its_inputs_to_their_end_is_completed(scene: Scene) -> None:
    scene.running()
    scene.report("completed", message="The input has ended and every result was written.")
    scene.turn()
    run = scene.run
    assert (run.observed, run.ended_at, scene.desired()) == ("completed", scene.clock(), {})
    with organisation_context(run.organisation_id):
        event = AuditEvent.objects.filter(target_id=str(run.pk), action="run.ended").get()
    assert event.after["observed"] == "completed"


@pytest.mark.parametrize(("attempts", "ago_s"), [(1, 61), (3, 3_600), (0, 1)])
def test_a_runner_that_lives_without_a_lease_keeps_its_place(
    scene: Scene, charlie: Person, settings: Any, attempts: int, ago_s: int
) -> None:
    """The process waits for its lease, hangs, or still ends: its memory is in use, whatever its lease says."""
    settings.MOST_RUNNERS = 1
    launched_at = scene.clock() - timedelta(seconds=ago_s)
    with organisation_context(charlie.organisation.pk):
        RunnerLaunch.objects.create(host="here", pid=99, launched_at=launched_at, attempts=attempts)
    scene.launcher.living.add(99)
    scene.turn()
    assert scene.launcher.launches == []
    scene.launcher.living.clear()
    scene.turn()
    assert scene.launcher.launches == [scene.person.organisation.pk]


@pytest.mark.parametrize(("most", "left"), [(0, 2), (1, 0), (2, 1), (3, 2), (4, 2)])
def test_runners_stand_by_in_places_that_nobody_has(
    scene: Scene, charlie: Person, settings: Any, most: int, left: int
) -> None:
    settings.MOST_RUNNERS, settings.STANDBY_RUNNERS = most, 2
    with organisation_context(charlie.organisation.pk):
        RunnerLaunch.objects.create(host="here", pid=99, launched_at=scene.clock(), attempts=1)
    scene.launcher.living.add(99)
    assert standbys_wanted(scene.connection, scene.launcher, scene.clock()) == left


def test_no_runner_is_brought_up_to_stand_by_while_somebody_waits_for_one(scene: Scene) -> None:
    assert not nobody_waits(scene.clock()), "a run is requested"
    scene.running()
    assert not nobody_waits(scene.clock()), "its runner has just been launched"
    scene.clock.pass_by(QUIET.total_seconds())
    assert nobody_waits(scene.clock())
    scene.clock.pass_by(-3_600)
    assert nobody_waits(scene.clock()), "the clock was set back"
    scene.silence()
    scene.turn()
    assert not nobody_waits(scene.clock()), "a run is lost"


def test_a_run_waits_for_a_place_when_others_have_all_runners_and_says_so(
    scene: Scene, charlie: Person, settings: Any
) -> None:
    settings.MOST_RUNNERS = 1
    with organisation_context(charlie.organisation.pk):
        RunnerLaunch.objects.create(host="here", pid=99, launched_at=scene.clock(), attempts=1)
    scene.launcher.living.add(99)
    scene.turn()
    assert scene.launcher.launches == []
    assert "All places for runners of this installation (1) are taken" in (scene.run.message or "")
    scene.launcher.living.clear()
    scene.turn()
    assert scene.launcher.launches == [scene.person.organisation.pk]
    assert scene.run.message is None


def test_runs_that_failed_together_are_not_tried_again_together() -> None:
    for failures, least in ((1, 5), (3, 20), (9, 300)):
        pauses = [retry_after(failures, UUID(int=each)).total_seconds() for each in range(1_000)]
        assert least <= min(pauses) < max(pauses) <= least * 1.25
        assert len(set(pauses)) > 500


def test_where_runners_are_started_elsewhere_none_is_launched_and_the_run_says_so(scene: Scene, settings: Any) -> None:
    settings.RUNNERS = "elsewhere"
    scene.turn()
    assert scene.launcher.launches == []
    assert (scene.run.domain, scene.run.message) == ("external", ELSEWHERE)
    scene.lease()
    scene.report("running")
    scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", None)


def test_the_input_of_a_runner_elsewhere_is_printed_for_its_organisation(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("runnerconfiguration", scene.person.organisation.slug)
    text = json.loads(capsys.readouterr().out)
    assert text["keys"] == organisation_keys(scene.person.organisation.pk)
    assert user_of(scene.person.organisation.pk) in text["redis"]
    with pytest.raises(CommandError, match="No organisation is named 'nobody'"):
        call_command("runnerconfiguration", "nobody")


def test_who_carries_an_organisation_is_called_when_something_new_is_desired_and_left_alone_when_all_is_well(
    scene: Scene,
) -> None:
    scene.turn()
    assert scene.connection.lrange(keys.calls(scene.organisation), 0, -1) == [scene.organisation.encode()]
    assert 0 < scene.connection.ttl(keys.calls(scene.organisation)) <= keys.CALLS_TTL_S
    scene.connection.delete(keys.calls(scene.organisation))
    scene.running()
    scene.connection.delete(keys.calls(scene.organisation))
    scene.turn()
    assert not scene.connection.exists(keys.calls(scene.organisation))


def test_a_turn_that_somebody_waits_for_is_made_after_the_one_that_is_under_way(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = []
    monkeypatch.setattr(tasks.reconcile, "apply_async", lambda **options: later.append(options))
    with alone(scene.connection, scene.person.organisation.pk) as mine:
        assert mine
        tasks.reconcile(organisation=scene.organisation, again=2)
        tasks.reconcile(organisation=scene.organisation)
    assert later == [{"kwargs": {"organisation": scene.organisation, "again": 1}, "countdown": tasks.AGAIN_S}]
    assert scene.run.observed == "requested"
