"""Runs are in the order of their requests, independent of the clocks of the web servers."""

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.runs.access import latest_run, latest_runs, runs_before
from webapp.runs.models import Run
from webapp.runs.starts.next_start import start_mark


def started_again(scene: Scene) -> tuple[str, str]:
    """The first run, which a server whose clock is an hour ahead wrote down, and the one that follows it."""
    first = scene.run_id
    scene.running()
    scene.report("completed")
    scene.turn()
    with organisation_context(scene.person.organisation.pk):
        Run.objects.filter(pk=first).update(created_at=timezone.now() + timedelta(hours=1))
    answered = scene.person.post(f"bindings/{scene.binding['id']}/start/")
    assert answered.status_code == 201, answered.content
    return first, str(answered.json()["id"])


def test_the_run_that_was_asked_for_last_is_the_latest_everywhere(alice: Person, scene: Scene) -> None:
    first, second = started_again(scene)
    with organisation_context(alice.organisation.pk):
        runs = {str(run.pk): run for run in Run.objects.all()}
        binding = runs[second].binding
        assert runs[first].created_at > runs[second].created_at
        assert str(latest_run(binding).pk) == second  # type: ignore[union-attr]
        assert {key: str(run.pk) for key, run in latest_runs().items()} == {binding.pk: second}
        assert [str(run.pk) for run in runs_before(runs[second])] == [first]
        assert list(runs_before(runs[first])) == []
        assert start_mark(binding) is not None
        assert [run.number for run in Run.objects.all()] == [2, 1], "newest first"
    assert [each["id"] for each in alice.get("runs/").json()] == [second, first]
    assert alice.get(f"bindings/{scene.binding['id']}/").json()["latest_run"]["id"] == second


def test_the_report_of_the_earlier_run_is_forgotten_once_the_later_one_has_ended(alice: Person, scene: Scene) -> None:
    first, second = started_again(scene)
    scene.connection.hset(f"punctual:{scene.organisation}:progress", first, "{}")
    scene.run_id = second
    scene.running()
    scene.progress(1)
    scene.report("completed")
    scene.turn()
    kept = {key.decode() for key in scene.connection.hkeys(f"punctual:{scene.organisation}:progress")}
    assert kept == {second}


def test_a_run_of_the_release_before_gets_the_next_number_where_it_may_write(alice: Person, scene: Scene) -> None:
    """On PostgreSQL its web processes run in parallel with ours, and know no numbers."""
    scene.running()
    scene.report("completed")
    scene.turn()
    with organisation_context(alice.organisation.pk):
        run = Run.objects.get(pk=scene.run_id)
        run.pk, run.number = None, 0
        run.save(force_insert=True)
        run.refresh_from_db()
        assert run.number == (2 if connection.vendor == "postgresql" else 0)
