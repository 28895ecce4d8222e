"""The web application with a runner of another release: it reads what it knows, and stops and launches nothing."""

import json
from typing import Any

from streaming.wire import keys
from streaming.wire.message import RELEASE
from streaming.wire.messages import RunIncident, RunnerLease
from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.runs.lifecycle.incidents import UNREAD
from webapp.runs.lifecycle.liveness import NEWER_RUNNER
from webapp.runs.models import Run


def journal(person: Person, scene: Scene) -> list[str]:
    found = person.get(f"runs/{scene.run_id}/journal/").json()["events"]
    return [each["message"] for each in found if each["kind"] == "told"]


def seen(scene: Scene, **changed: Any) -> None:
    """Let the runner say something of the run in words of its own release."""
    scene.report("running")
    key = keys.observed(scene.organisation)
    content = json.loads(scene.connection.hget(key, scene.run_id) or b"")  # type: ignore[arg-type]
    scene.connection.hset(key, scene.run_id, json.dumps({**content, **changed}))


def test_fields_of_a_newer_runner_are_ignored(scene: Scene) -> None:
    scene.turn()
    lease = RunnerLease(token="t", host="here", pid=1, started_at=0, beat_at=scene.clock.ticks)
    scene.connection.set(keys.lease(scene.organisation), json.dumps({**lease.model_dump(), "later": 1}))
    seen(scene, later=[1])
    scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", None)
    assert len(scene.launcher.launches) == 1


def test_a_state_that_cannot_be_read_leaves_the_run_as_it_is_and_says_so_once(alice: Person, scene: Scene) -> None:
    scene.running()
    for _ in range(3):
        seen(scene, state="hibernating")
        scene.lease()
        scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", NEWER_RUNNER)
    assert journal(alice, scene) == [NEWER_RUNNER]
    assert alice.get(f"runs/{scene.run_id}/").json()["message"] == NEWER_RUNNER
    seen(scene)
    scene.lease()
    scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", None)
    assert len(scene.launcher.launches) == 1


def test_a_lease_that_cannot_be_read_makes_nothing_lost_and_launches_nothing(scene: Scene) -> None:
    scene.running()
    scene.launcher.living.clear()
    for _ in range(5):
        scene.connection.set(keys.lease(scene.organisation), json.dumps({"token": "t", "of": "a later release"}))
        scene.turn()
    assert scene.run.observed == "running"
    assert len(scene.launcher.launches) == 1
    scene.silence()
    scene.turn()
    assert scene.run.observed == "lost", "a newer runner that dies is heard of no more"


def test_a_runner_that_cannot_read_its_orders_is_named_in_the_journal(alice: Person, scene: Scene) -> None:
    scene.running()
    incident = RunIncident(run=scene.run_id, at=scene.clock.ticks, what="unread", release="0.0.9")
    scene.connection.xadd(keys.incidents(scene.organisation), {"incident": incident.to_json()})
    scene.turn()
    assert journal(alice, scene) == [UNREAD.format(runner="0.0.9", web=RELEASE)]
    assert scene.run.observed == "running"


def test_runs_that_a_newer_web_application_stored_are_read(alice: Person, scene: Scene) -> None:
    scene.running()
    with organisation_context(alice.organisation.pk):
        run = Run.objects.get(pk=scene.run_id)
        run.spec = {**run.spec, "later": {"of": "a newer release"}}
        run.progress = {**json.loads(scene.progress(3).model_dump_json()), "later": 1}
        run.save(update_fields=["spec", "progress"])
    assert alice.get(f"runs/{scene.run_id}/").status_code == 200
    assert len(alice.get("runs/").json()) == 1
    scene.turn()
    assert scene.run.observed == "running"


def test_both_sides_send_their_release_and_orders_contain_no_defaults(scene: Scene) -> None:
    scene.turn()
    assert scene.connection.hget(keys.releases(scene.organisation), keys.WEB) == RELEASE.encode()
    [content] = scene.connection.hvals(keys.desired(scene.organisation))  # type: ignore[misc]
    assert {"beside", "takes_over", "discard"}.isdisjoint(json.loads(content))
