"""A start shows its steps and their times, from the reports of the runner and its launch."""

from typing import Any, Literal

import pytest

from streaming.wire import keys
from streaming.wire.messages import RunnerLease, RunObserved
from tests.webapp.conftest import POINTS, Person, file_adapter
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context


def steps_of(scene: Scene) -> list[tuple[str, int]]:
    """Return the steps in the API, each with the seconds since the request of the start, rounded."""
    steps = scene.person.get(f"runs/{scene.run_id}/").json()["steps"]
    first = steps[0]["at"]
    return [(step["name"], round((step["at"] - first) / 1_000_000)) for step in steps]


def beat(scene: Scene, started_at: int, session_at: int | None = None) -> None:
    lease = RunnerLease(
        token="t", host="here", pid=1, started_at=started_at, beat_at=scene.clock.ticks, session_at=session_at
    )
    scene.connection.set(keys.lease(scene.organisation), lease.model_dump_json())


def starts(scene: Scene, step: Literal["planning", "first_batch"]) -> None:
    seen = RunObserved(
        kind="observed",
        run=scene.run_id,
        state="starting",
        domain=None,
        message=None,
        at=scene.clock.ticks,
        step=step,
    )
    scene.connection.hset(keys.observed(scene.organisation), scene.run_id, seen.model_dump_json())


@pytest.fixture
def requested(scene: Scene) -> Scene:
    """A run that is requested at the time of the clock."""
    run = scene.run
    run.steps[0]["at"] = scene.clock.ticks
    with organisation_context(run.organisation_id):
        run.save(update_fields=["steps"])
    return scene


def test_a_cold_start_shows_each_step_with_its_time(requested: Scene) -> None:
    scene = requested
    scene.turn(2)
    scene.turn(1)
    assert steps_of(scene) == [("requested", 0), ("launching", 2)]
    beat(scene, scene.clock.ticks + 1_000_000)
    scene.turn(3)
    assert steps_of(scene)[2:] == [("session", 4)]
    beat(scene, scene.clock.ticks - 2_000_000, scene.clock.ticks + 6_000_000)
    scene.turn(7)
    assert steps_of(scene)[3:] == [("planning", 12)]
    starts(scene, "planning")
    scene.turn(5)
    starts(scene, "first_batch")
    scene.turn(1)
    assert steps_of(scene)[3:] == [("planning", 12), ("first_batch", 18)]
    scene.report("running")
    scene.turn(9)
    scene.report("starting")
    assert len(steps_of(scene)) == 5


@pytest.mark.parametrize("seen_before_its_lease", [True, False])
def test_a_start_with_a_standby_shows_no_skipped_step(requested: Scene, seen_before_its_lease: bool) -> None:
    scene = requested
    scene.launcher.stand_by = True
    scene.turn(2)
    if seen_before_its_lease:
        scene.turn(0)
        assert steps_of(scene) == [("requested", 0), ("standby", 2)]
    scene.clock.pass_by(1)
    beat(scene, scene.clock.ticks, scene.clock.ticks)
    scene.turn(0)
    assert steps_of(scene) == [("requested", 0), ("standby", 2), ("planning", 3)]
    scene.clock.pass_by(1)
    starts(scene, "first_batch")
    scene.turn(0)
    assert steps_of(scene) == [("requested", 0), ("standby", 2), ("planning", 3), ("first_batch", 4)]


def test_a_start_in_a_runner_that_lives_has_no_steps_of_it(requested: Scene) -> None:
    scene = requested
    beat(scene, scene.clock.ticks - 600_000_000, scene.clock.ticks - 590_000_000)
    scene.clock.pass_by(1)
    starts(scene, "first_batch")
    scene.turn(1)
    assert steps_of(scene) == [("requested", 0), ("first_batch", 1)]


def test_a_lost_run_starts_its_steps_again(scene: Scene) -> None:
    scene.running().silence()
    scene.turn(9)
    assert steps_of(scene) == [("requested", 0)]


def test_a_run_without_a_clock_says_so_and_how_to_fix_it(
    alice: Person, cars_file: str, binding: dict[str, Any]
) -> None:
    stream = {"name": "clockless", "definition": {**POINTS, "advance": {}}, "adapter": file_adapter(cars_file)}
    made = alice.post("streams/", stream).json()
    body = {"name": "silent", "query_version": binding["query_version"], "inputs": {"cars": {"stream": made["id"]}}}
    silent = alice.post("bindings/", body).json()
    run = alice.post(f"bindings/{silent['id']}/start/").json()
    [error] = alice.get(f"runs/{run['id']}/").json()["without_clock"]
    assert (error["node"], error["inputs"], error["certain"]) == ("per_plate", ["cars"], False), "a file may hold CTIs"
    assert "Nothing advances time on 'cars'" in error["message"]
    assert "Set 'generate' on 'cars'" in error["remedy"]
    assert alice.post(f"bindings/{binding['id']}/start/").json()["without_clock"] == []
