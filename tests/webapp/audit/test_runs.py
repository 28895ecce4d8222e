"""What becomes of a run without anybody's doing is told too, once, by the system."""

from typing import Any

import pytest

from tests.webapp.audit.conftest import every_event
from tests.webapp.scene import Scene


def told() -> list[tuple[str, str, str, str | None]]:
    return [(e.action, e.actor_kind, e.target_label, e.request_id) for e in every_event() if e.area == "run"][1:]


def test_a_run_that_fails_for_good_is_told(scene: Scene) -> None:
    scene.running()
    scene.report("failed", domain="user", message="no such column")
    for _ in range(3):
        scene.turn()
    assert told() == [("run.failed", "system", "watch", None)]
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
    assert told() == []


def test_a_run_whose_runner_is_gone_is_told_as_lost(scene: Scene) -> None:
    scene.running()
    scene.silence()
    for _ in range(3):
        scene.turn()
    assert told() == [("run.lost", "system", "watch", None)]


def test_a_run_that_was_asked_to_stop_is_told_when_it_ends(scene: Scene) -> None:
    scene.running()
    scene.stop()
    scene.report("stopped")
    scene.turn()
    (asked, kind, *_), ended = told()
    assert (asked, kind) == ("run.stopped", "person")
    assert ended == ("run.ended", "system", "watch", None)


def test_a_move_and_its_event_are_written_together_or_not_at_all(scene: Scene, monkeypatch: Any) -> None:
    scene.running()
    scene.report("failed", domain="user", message="no such column")

    def broken(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("webapp.runs.lifecycle.moves.record", broken)
        with pytest.raises(OSError, match="the disk is full"):
            scene.turn()
    assert (scene.run.observed, told()) == ("running", [])
    scene.turn()
    assert (scene.run.observed, len(told())) == ("failed", 1)
