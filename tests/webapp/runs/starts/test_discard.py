"""A stop that discards the state: no later start resumes it, whatever runners have received."""

from typing import Any

import pytest
from django.conf import LazySettings

from streaming.wire.messages import RunSpec
from tests.webapp.runs.starts.test_next_start import keep, next_start_of
from tests.webapp.runs.starts.test_timeline import timeline
from tests.webapp.scene import Scene
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.runs.starts.next_start import DISCARDED, POSITION_ALONE


def stop(scene: Scene, **how: bool) -> Any:
    return scene.person.post(f"bindings/{scene.binding['id']}/stop/", how)


def start(scene: Scene, begin: Any = None) -> Any:
    body = None if begin is None else {"begin": begin}
    return scene.person.post(f"bindings/{scene.binding['id']}/start/", body)


def ended(scene: Scene) -> Scene:
    """Its run was carried, and stopped with discard."""
    scene.running()
    scene.progress(1)
    scene.turn()
    assert stop(scene, discard=True).status_code == 200
    scene.turn()
    scene.report("stopped")
    scene.turn()
    assert scene.run.observed == "stopped"
    return scene


def spec_of_next(scene: Scene, begin: Any = None) -> RunSpec:
    made = start(scene, begin)
    assert made.status_code == 201, made.json()
    scene.run_id = made.json()["id"]
    return scene.run.read_spec()


def test_the_runner_the_journal_and_the_audit_log_know_it(scene: Scene) -> None:
    scene.running()
    stop(scene, discard=True)
    scene.turn()
    assert [(spec.desired, spec.discard) for spec in scene.desired().values()] == [("stopped", True)]
    journal = scene.person.get(f"runs/{scene.run_id}/journal/").json()["events"]
    assert [each["message"] for each in journal if each["kind"] == "stop"] == [
        "Its state is discarded, so the next start can't resume from it. Emitted results stay."
    ]
    with organisation_context(scene.person.organisation.pk):
        event = AuditEvent.objects.filter(action="run.stopped").latest("at")
    assert (event.before["discard"], event.after["discard"]) == (False, True)


def test_the_next_start_begins_at_the_beginning_by_default(scene: Scene) -> None:
    spec = spec_of_next(ended(scene))
    assert (spec.begin, spec.after_discard) == ("beginning", True)


@pytest.mark.parametrize("begin", ["old_positions", "now", {"kind": "time", "at": 5}])
def test_its_start_position_may_be_chosen(scene: Scene, begin: Any) -> None:
    timeline(ended(scene))
    spec = spec_of_next(scene, begin)
    assert spec.after_discard
    assert spec.model_dump(mode="json")["begin"] == begin


def test_what_was_open_cannot_be_asked_for_again(scene: Scene) -> None:
    refused = start(ended(scene), "oldest_open")
    assert refused.status_code == 409
    assert "was discarded" in refused.json()["message"]


def test_asking_twice_is_one_start(scene: Scene) -> None:
    first = start(ended(scene))
    assert (first.status_code, start(scene).status_code) == (201, 200)


def test_a_discard_of_a_lost_run_needs_no_runner_even_if_it_was_to_flush(scene: Scene) -> None:
    scene.running().silence()
    stop(scene, flush=True)
    stop(scene, discard=True)
    scene.turn()
    assert (scene.run.observed, len(scene.launcher.launches)) == ("stopped", 1)
    assert spec_of_next(scene).after_discard


def test_keep_and_then_discard_while_it_stops_is_a_discard(scene: Scene) -> None:
    scene.running()
    stop(scene)
    scene.turn()
    scene.report("stopping")
    stop(scene, discard=True)
    scene.turn()
    assert [spec.discard for spec in scene.desired().values()] == [True]
    stop(scene)
    assert scene.run.discard  # asking for less takes nothing back


def test_both_at_once_are_refused(scene: Scene) -> None:
    refused = stop(scene, flush=True, discard=True)
    assert refused.status_code == 422
    assert "not both" in str(refused.json())


def test_a_start_that_never_began_leaves_the_state_discarded(scene: Scene) -> None:
    spec_of_next(ended(scene))
    scene.turn()
    scene.report("failed", "user", "The file is gone.")
    scene.turn()
    assert scene.run.ended_at is not None
    assert spec_of_next(scene).after_discard


def test_a_later_run_is_resumed(scene: Scene) -> None:
    spec_of_next(ended(scene))
    scene.running()
    stop(scene)
    scene.turn()
    scene.report("stopped")
    scene.turn()
    spec = spec_of_next(scene)
    assert (spec.begin, spec.after_discard) == (None, False)


def test_the_next_start_is_explained_before_it(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    before = next_start_of(scene)
    assert (before["open_windows"], before["open_rows"]) == (1, None)
    answer = next_start_of(ended(scene))
    assert (answer["goes_on"], answer["reason"], answer["open_from"]) == (False, DISCARDED, None)
    assert [each["begin"] for each in answer["options"]] == ["beginning", "old_positions"]
    assert answer["options"][1]["sentence"].startswith(POSITION_ALONE), "the position is not the state"
    assert answer["options"][1]["incomplete"]
