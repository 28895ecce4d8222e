"""Runs at once: counted under a lock; and the limit of events that goes to the runner."""

from typing import Any

from streaming.wire import keys
from streaming.wire.messages import RunLimits
from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from webapp.accounts.limits.quotas import set_limit
from webapp.core.context import organisation_context


def another(person: Person, binding: dict[str, Any], name: str) -> dict[str, Any]:
    made = person.post("bindings/", {"name": name, "query_version": binding["query_version"]})
    assert made.status_code == 201, made.content
    found: dict[str, Any] = made.json()
    return found


def restrict(person: Person, name: str, value: int) -> None:
    with organisation_context(person.organisation.pk):
        set_limit(name, value)


def test_one_run_more_than_the_limit_is_refused_until_one_has_ended(scene: Scene) -> None:
    person = scene.person
    restrict(person, "runs", 1)
    second = another(person, scene.binding, "second")
    refused = person.post(f"bindings/{second['id']}/start/")
    assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")
    assert refused.json()["message"].startswith("Runs at once: 1 of 1 run is used")
    scene.running()
    scene.report("stopped")
    scene.turn()
    assert person.post(f"bindings/{second['id']}/start/").status_code == 201


def test_runs_with_a_query_of_their_own_are_counted_apart(scene: Scene) -> None:
    person = scene.person
    restrict(person, "dedicated_runs", 1)
    scene.running()
    made = []
    for name in ("first", "second"):
        body = {"name": name, "query_version": scene.binding["query_version"], "dedicated": True}
        made.append(person.post("bindings/", body).json())
    assert person.post(f"bindings/{made[0]['id']}/start/").status_code == 201
    refused = person.post(f"bindings/{made[1]['id']}/start/")
    assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")
    assert refused.json()["message"].startswith("Runs with a query of their own: 1 of 1 run is used")
    third = another(person, scene.binding, "third")
    assert person.post(f"bindings/{third['id']}/start/").status_code == 201


def test_a_run_that_waits_to_be_tried_again_keeps_its_place(scene: Scene) -> None:
    restrict(scene.person, "runs", 1)
    scene.running()
    scene.report("failed", "external", "The disk is away.")
    scene.turn()
    assert scene.run.retry_at is not None
    second = another(scene.person, scene.binding, "second")
    assert scene.person.post(f"bindings/{second['id']}/start/").status_code == 409


def test_a_second_start_of_the_same_binding_says_that_it_runs_already(scene: Scene) -> None:
    restrict(scene.person, "runs", 1)
    scene.running()
    refused = scene.person.post(f"bindings/{scene.binding['id']}/start/")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


def test_a_lower_limit_leaves_what_runs_alone(scene: Scene) -> None:
    scene.running()
    restrict(scene.person, "runs", 0)
    scene.turn()
    assert scene.run.observed == "running"
    assert list(scene.desired()) == [scene.binding["id"]]


def test_applying_files_starts_nothing_and_needs_no_place(alice: Person, binding: dict[str, Any]) -> None:
    restrict(alice, "runs", 0)
    files = alice.get("definitions/").json()["files"]
    planned = alice.post("definitions/plan/", {"files": files, "prune": False}).json()
    applied = alice.post("definitions/apply/", {"files": files, "prune": False, "token": planned["token"]})
    assert applied.status_code == 200, applied.content
    assert alice.get("runs/").json() == []


def limits(scene: Scene) -> RunLimits:
    return RunLimits.model_validate_json(scene.connection.get(keys.limits(scene.organisation)) or b"")


def test_the_limit_of_events_goes_to_the_runner_with_what_is_desired_and_a_change_in_the_next_turn(
    scene: Scene,
) -> None:
    scene.turn()
    assert limits(scene) == RunLimits(events_per_second=5_000)
    restrict(scene.person, "events_per_second", 70)
    scene.turn()
    assert limits(scene) == RunLimits(events_per_second=70)


def test_a_report_shows_on_the_page_that_the_limit_delayed_a_batch(scene: Scene) -> None:
    scene.running()
    report = scene.progress(1).model_copy(update={"held_back": 5_000})
    scene.connection.hset(keys.progress(scene.organisation), scene.run_id, report.model_dump_json())
    scene.turn()
    assert scene.person.get(f"runs/{scene.run_id}/").json()["progress"]["held_back"] == 5_000


def test_a_report_from_before_limits_existed_is_read(scene: Scene) -> None:
    scene.running()
    content = scene.progress(1).model_dump_json(exclude={"held_back"})
    scene.connection.hset(keys.progress(scene.organisation), scene.run_id, content)
    scene.turn()
    assert scene.person.get(f"runs/{scene.run_id}/").json()["progress"]["held_back"] is None
