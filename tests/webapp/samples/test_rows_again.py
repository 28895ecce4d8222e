"""Before open windows are read again, the inputs report whether they still have the rows; a start uses the report."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from streaming.adapters.kafka.starts import LaneStarts, StartJournal
from streaming.resume.restart_points import concealed_spec, journals_place
from streaming.wire.outgoing import OutgoingPolicy
from tests.kafka_broker import KafkaBroker
from tests.webapp.runs.starts.test_next_start import another_version, keep, next_start_of
from tests.webapp.runs.starts.test_timeline import ended, faults, reads_files, start_alone, timeline
from tests.webapp.samples.test_why import looped
from tests.webapp.scene import Scene
from tests.webapp.test_objects_changed import binding_body
from webapp.core.context import organisation_context
from webapp.runs.starts.asked_inputs import NOT_AGAIN
from webapp.runs.starts.held_inputs import GONE, HELD

ROWS = 100


def reads(scene: Scene, kind: str, **options: Any) -> None:
    """Let its stream read by another adapter, and a run of it begin and end."""
    [node] = scene.binding["inputs"]
    stream = scene.person.get(f"streams/{node['stream']}/").json()
    body = {key: stream[key] for key in ("name", "definition")} | {"adapter": {"kind": kind, "options": options}}
    changed = scene.person.put(f"streams/{node['stream']}/", body)
    assert changed.status_code == 200, changed.json()
    begin_anew(scene)


def begin_anew(scene: Scene) -> None:
    ended(scene)
    started = scene.person.post(f"bindings/{scene.binding['id']}/start/", {"begin": "beginning"})
    assert started.status_code == 201, started.json()
    scene.run_id = started.json()["id"]
    ended(scene)


def with_another_version(scene: Scene) -> None:
    """The open windows need the first 70 rows of the input again."""
    stored = scene.person.get(f"bindings/{scene.binding['id']}/").json()
    body = binding_body(stored, query_version=another_version(scene))
    assert scene.person.put(f"bindings/{scene.binding['id']}/", body).status_code == 200


def standing(scene: Scene) -> tuple[str | None, str]:
    """Return the input's report on these rows."""
    [held] = timeline(scene)["inputs"]
    again = held["again"]
    return (None, "") if again is None else (again["standing"], again["sentence"])


def carrier(scene: Scene, data: Path) -> Path:
    """Where its runner has journaled for the last run; nothing is there yet."""
    with organisation_context(scene.person.organisation.pk):
        spec = concealed_spec(scene.run.read_spec())
    home = data / scene.organisation / "carriers" / "main"
    home.mkdir(parents=True)
    return home / journals_place(spec, spec.binding)


def test_a_start_that_resumes_reads_nothing_again(scene: Scene, settings: LazySettings) -> None:
    keep(ended(scene), settings.PUNCTUAL_DATA)
    assert standing(scene) == (None, "")


def test_an_unknown_answer_is_reported(scene: Scene, settings: LazySettings) -> None:
    for path in reads_files(scene, settings.PUNCTUAL_DATA):
        path.write_text("{}\n" * ROWS)
    begin_anew(scene)
    keep(scene, settings.PUNCTUAL_DATA)
    with_another_version(scene)
    known, sentence = standing(scene)
    assert known == "unknown", sentence
    assert "is not on this machine. If they are gone, the run reports that before it reads anything" in sentence
    assert start_alone(scene, "oldest_open").status_code == 201, "the runner looks"


def test_a_start_that_was_refused_takes_no_choice_away(scene: Scene, settings: LazySettings) -> None:
    keep(ended(scene), settings.PUNCTUAL_DATA)
    with_another_version(scene)
    before = next_start_of(scene)
    scene.run_id = start_alone(scene, "oldest_open").json()["id"]
    scene.running()
    scene.report("failed", "user", "The input cars no longer has the rows that were to be read again.")
    scene.turn()
    after = next_start_of(scene)
    parts = ("goes_on", "sentence", "options", "nodes", "not_carried")
    assert [after[part] for part in parts] == [before[part] for part in parts]
    assert after["nodes"]
    assert start_alone(scene, "old_positions").status_code == 201


def test_files_that_were_taken_away_are_not_offered_again(scene: Scene, settings: LazySettings) -> None:
    data = settings.PUNCTUAL_DATA
    looped(scene, data).run()
    with_another_version(ended(scene))
    assert standing(scene) == ("held", HELD)
    [file] = (data / scene.organisation / "files").iterdir()
    kept = file.read_bytes()
    file.unlink()
    assert standing(scene) == ("gone", GONE)
    assert faults(start_alone(scene, "oldest_open")) == [f"{GONE} {NOT_AGAIN}"]
    file.write_bytes(kept)
    assert standing(scene)[0] == "gone", "it is another file, of another time"
    assert start_alone(scene, "old_positions").status_code == 201


@pytest.fixture
def topic(kafka: KafkaBroker, settings: LazySettings) -> str:
    settings.OUTGOING = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))
    name = kafka.topic()
    kafka.produce(name, [f'{{"at": {number}, "plate": "a", "speed": 1.0}}' for number in range(ROWS)])
    return name


@pytest.mark.kafka
def test_expired_rows_are_not_offered_and_rows_that_expire_since_then_are_refused(
    scene: Scene, settings: LazySettings, kafka: KafkaBroker, topic: str
) -> None:
    reads(scene, "kafka", brokers=kafka.address, topic=topic, security="none")
    keep(scene, settings.PUNCTUAL_DATA)
    with_another_version(scene)
    assert standing(scene)[0] == "held", "from its first message on"
    kafka.forget(topic, 20)
    assert standing(scene)[0] == "unknown", "its journal says where it began"
    node = scene.binding["inputs"][0]["node"]
    place = carrier(scene, settings.PUNCTUAL_DATA)
    StartJournal(place / node).write(LaneStarts("t", {"0": 30}))
    assert standing(scene)[0] == "held", "it had begun behind what is gone"
    StartJournal(place / node).write(LaneStarts("t", {"0": 0}))
    known, sentence = standing(scene)
    assert known == "gone"
    [refused] = faults(start_alone(scene, "oldest_open"))
    assert refused == f"{sentence} {NOT_AGAIN}"
    assert start_alone(scene, "old_positions").status_code == 201
