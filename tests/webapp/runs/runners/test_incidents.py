"""Incidents that runners report in addition to states: in the journal of their run, once, in words."""

from typing import Any

import pytest
from pydantic import ValidationError

from streaming.wire import keys
from streaming.wire.messages import RunIncident
from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from webapp.runs.lifecycle.incidents import CARRIED, DIED


def tell(scene: Scene, content: str) -> None:
    scene.connection.xadd(keys.incidents(scene.organisation), {"incident": content})


def happens(scene: Scene, **options: Any) -> RunIncident:
    """Let the runner report an incident of the run now."""
    incident = RunIncident.model_validate({"run": scene.run_id, "at": scene.clock.ticks, **options})
    tell(scene, incident.model_dump_json())
    return incident


def entries(person: Person, scene: Scene) -> list[tuple[str, str, str]]:
    found = person.get(f"runs/{scene.run_id}/journal/").json()["events"]
    return [(each["kind"], each["at"], each["message"]) for each in reversed(found)]


def test_they_come_into_the_journal_once_with_the_time_of_the_runner(alice: Person, scene: Scene) -> None:
    scene.running()
    before = entries(alice, scene)
    happens(scene, what="carried", place="dedicated")
    at = scene.clock().isoformat()
    scene.turn()
    happens(scene, what="worker", died="again")
    later = scene.clock().isoformat()
    scene.turn()
    scene.turn()
    assert entries(alice, scene)[len(before) :] == [
        ("carried", at, CARRIED["dedicated"]),
        ("worker", later, DIED["again"]),
    ]
    assert scene.connection.xlen(keys.incidents(scene.organisation)) == 0
    log = alice.get(f"runs/{scene.run_id}/logs/").json()["lines"]
    assert f"a worker died: {DIED['again']}" in [line["message"] for line in log]


def test_a_turn_that_was_interrupted_writes_none_twice(alice: Person, scene: Scene) -> None:
    scene.running()
    for _ in range(2):
        happens(scene, what="worker", died="beside")
    scene.turn()
    assert [kind for kind, _, _ in entries(alice, scene)].count("worker") == 1


def test_what_cannot_be_read_and_what_is_of_no_run_of_theirs_is_put_aside(
    alice: Person, charlie: Person, scene: Scene
) -> None:
    scene.running()
    before = entries(alice, scene)
    reported = RunIncident(run=scene.run_id, at=scene.clock.ticks, what="worker", died="alone")
    of_others = keys.incidents(str(charlie.organisation.pk))
    scene.connection.xadd(of_others, {"incident": reported.model_dump_json()})
    for content in ("{broken", reported.model_copy(update={"run": "none"}).model_dump_json(), "{}"):
        tell(scene, content)
    tell(scene, reported.model_copy(update={"at": 2**62}).model_dump_json())
    tell(scene, reported.model_copy(update={"run": str(alice.organisation.pk)}).model_dump_json())
    scene.turn()
    scene_of_charlie = scene.reconciler().__class__(
        charlie.organisation.pk, scene.connection, scene.launcher, scene.clock
    )
    scene_of_charlie.turn()
    assert entries(alice, scene) == before
    assert scene.connection.xlen(keys.incidents(scene.organisation)) == scene.connection.xlen(of_others) == 0


@pytest.mark.parametrize(
    "answer", [{}, {"what": "worker"}, {"what": "carried", "died": "alone"}, {"what": "carried", "place": "elsewhere"}]
)
def test_an_incident_says_what_happened(answer: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RunIncident.model_validate({"run": "r", "at": 1, **answer})
