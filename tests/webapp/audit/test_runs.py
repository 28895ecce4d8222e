"""Changes of a run that nobody requested are events of the system, once each."""

from typing import Any

import pytest

from tests.webapp.audit.conftest import every_event
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.runs.models import RunEvent


def run_events() -> list[tuple[str, str, str, str | None]]:
    return [(e.action, e.actor_kind, e.target_label, e.request_id) for e in every_event() if e.area == "run"][1:]


def test_a_run_that_fails_for_good_has_an_event(scene: Scene) -> None:
    scene.running()
    scene.report("failed", domain="user", message="no such column")
    for _ in range(3):
        scene.turn()
    assert run_events() == [("run.failed", "system", "watch", None)]
    event = every_event()[-1]
    assert event.organisation_id == scene.person.organisation.pk
    assert (event.before["observed"], event.before["desired"]) == ("running", "running")
    assert event.after == {
        "observed": "failed",
        "desired": "stopped",
        "domain": "user",
        "message": "no such column",
    }


def test_a_failure_that_is_retried_is_no_event(scene: Scene) -> None:
    scene.running()
    scene.report("failed", domain="external", message="the broker is away")
    scene.turn()
    assert scene.run.observed == "failed"
    assert run_events() == []


def test_a_run_whose_runner_is_gone_has_an_event_as_lost(scene: Scene) -> None:
    scene.running()
    scene.silence()
    for _ in range(3):
        scene.turn()
    assert run_events() == [("run.lost", "system", "watch", None)]


def test_a_requested_stop_has_an_event_when_the_run_ends(scene: Scene) -> None:
    scene.running()
    scene.stop()
    scene.report("stopped")
    scene.turn()
    (asked, kind, *_), ended = run_events()
    assert (asked, kind) == ("run.stopped", "person")
    assert ended == ("run.ended", "system", "watch", None)


@pytest.mark.parametrize("how", [{}, {"flush": True}, {"discard": True}])
def test_a_stop_that_is_asked_for_twice_is_one_event(scene: Scene, how: dict[str, bool]) -> None:
    scene.running()
    address = f"bindings/{scene.binding['id']}/stop/"
    first, second = (scene.person.post(address, how) for _ in range(2))
    assert (first.status_code, second.status_code, second.json()["id"]) == (200, 200, first.json()["id"])
    assert [action for action, *_ in run_events()] == ["run.stopped"]
    with organisation_context(scene.person.organisation.pk):
        assert RunEvent.objects.filter(kind="stop").count() == 1
    scene.person.post(address, {"discard": True})
    assert len(run_events()) == (1 if how.get("discard") else 2), "what is asked for beyond that is told"


def test_a_move_and_its_event_are_written_together_or_not_at_all(scene: Scene, monkeypatch: Any) -> None:
    scene.running()
    scene.report("failed", domain="user", message="no such column")

    def broken(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("webapp.runs.lifecycle.moves.record", broken)
        with pytest.raises(OSError, match="the disk is full"):
            scene.turn()
    assert (scene.run.observed, run_events()) == ("running", [])
    scene.turn()
    assert (scene.run.observed, len(run_events())) == ("failed", 1)
