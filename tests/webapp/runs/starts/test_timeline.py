"""Where a binding may begin: what its inputs hold, where its last run stopped, and places that there are not."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.utils import timezone

from tests.webapp.runs.starts.test_next_start import keep
from tests.webapp.scene import Scene

HOUR = 3_600_000_000


def timeline(scene: Scene, since: int | None = None) -> dict[str, Any]:
    query = "" if since is None else f"?since={since}"
    answer = scene.person.get(f"bindings/{scene.binding['id']}/timeline/{query}")
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def reads_files(scene: Scene, data: Path) -> list[Path]:
    """Its stream reads two files, of 1970-01-01 01:00 and 03:00."""
    [node] = scene.binding["inputs"]
    stream = scene.person.get(f"streams/{node['stream']}/").json()
    body = {key: stream[key] for key in ("name", "definition")}
    body["adapter"] = {"kind": "file", "options": {"path": "cars", "format": "json_lines"}}
    changed = scene.person.put(f"streams/{node['stream']}/", body)
    assert changed.status_code == 200, changed.json()
    found = []
    for hours in (1, 3):
        path = data / scene.organisation / "files" / "cars" / f"{hours}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n" * hours)
        os.utime(path, (hours * 3_600, hours * 3_600))
        found.append(path)
    return found


def ended(scene: Scene) -> Scene:
    scene.running().stop()
    scene.report("stopped")
    scene.turn()
    return scene


def start(scene: Scene, begin: Any, shown: str | None = None) -> Any:
    """Ask the inputs, as pages do, and start."""
    timeline(scene)
    return start_alone(scene, begin, shown)


def start_alone(scene: Scene, begin: Any, shown: str | None = None) -> Any:
    return scene.person.post(f"bindings/{scene.binding['id']}/start/", {"begin": begin, "shown": shown})


def mark(scene: Scene) -> str:
    return str(scene.person.get(f"bindings/{scene.binding['id']}/next-start/").json()["mark"])


def faults(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json()
    return [f"{each['message']} {each['remedy']}" for each in answer.json()["faults"]]


def test_files_say_when_they_came_and_how_much_came_since_a_time(scene: Scene, settings: LazySettings) -> None:
    reads_files(scene, settings.PUNCTUAL_DATA)
    [held] = timeline(scene, 2 * HOUR)["inputs"]
    [lane] = held["lanes"]
    assert (held["seeks"], held["failure"]) == (True, None)
    assert (lane["from_at"], lane["until_at"], lane["bytes"], lane["bytes_since"]) == (HOUR, 3 * HOUR, 12, 9)
    assert lane["stopped"] is None


def test_an_input_is_asked_alone(scene: Scene, settings: LazySettings) -> None:
    reads_files(scene, settings.PUNCTUAL_DATA)
    node = scene.binding["inputs"][0]["node"]
    place = f"bindings/{scene.binding['id']}/timeline/?input="
    assert [each["input"] for each in scene.person.get(place + node).json()["inputs"]] == [node]
    assert f"Use one of {node}." in faults(scene.person.get(f"{place}planes"))[0]


def test_a_way_in_which_an_input_cannot_begin_is_refused_before_a_run_is_made(
    scene: Scene, settings: LazySettings
) -> None:
    [node] = scene.binding["inputs"]
    stream = scene.person.get(f"streams/{node['stream']}/").json()
    body = {key: stream[key] for key in ("name", "definition")}
    body["adapter"] = {"kind": "rows", "options": {"path": "cars.jsonl"}}
    assert scene.person.put(f"streams/{node['stream']}/", body).status_code == 200
    path = settings.PUNCTUAL_DATA / scene.organisation / "files" / "cars.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"start": 1, "payload": {"plate": "a", "speed": 1.0}, "batch": 1}\n')
    [held] = timeline(scene)["inputs"]
    assert (held["seeks"], held["time_means"], list(held["refused"])) == (True, None, ["time"])
    assert (held["lanes"][0]["unit"], held["lanes"][0]["end"]) == ("batch", 2)
    [error] = faults(start(ended(scene), {"kind": "time", "at": HOUR}))
    assert "Start at a micro-batch by its number" in error
    assert start(scene, {"kind": "positions", "positions": {node["node"]: {"0": 1}}}).status_code == 201


def test_it_says_where_the_last_run_stopped_on_the_same_source_alone(scene: Scene, settings: LazySettings) -> None:
    keep(ended(scene), settings.PUNCTUAL_DATA)
    answer = timeline(scene)
    [lane] = answer["inputs"][0]["lanes"]
    assert (lane["stopped"], lane["reach"]) == (70, 110_000_000)
    assert answer["stopped_at"] is not None
    reads_files(scene, settings.PUNCTUAL_DATA)
    [lane] = timeline(scene)["inputs"][0]["lanes"]
    assert lane["stopped"] is None


def test_an_input_that_cannot_be_asked_says_why(scene: Scene, settings: LazySettings) -> None:
    for path in reads_files(scene, settings.PUNCTUAL_DATA):
        path.unlink()
    path.parent.rmdir()
    [held] = timeline(scene)["inputs"]
    assert "cars" in held["failure"]
    assert str(settings.PUNCTUAL_DATA) not in held["failure"]
    assert "cars" in faults(start(ended(scene), "now"))[0]


@pytest.mark.parametrize(
    ("begin", "says"),
    [
        ({"kind": "time", "at": 253_000_000_000_000_000}, "is in the future"),
        ({"kind": "positions", "positions": {"planes": {"0": 1}}}, "The binding has no input planes"),
        ({"kind": "positions", "positions": {"cars": {"9": 1}}}, "It has no lane 9."),
        ({"kind": "positions", "positions": {"cars": {"0": 71}}}, "Lane 0 can start at 0 to 70, not at 71."),
        ({"kind": "positions", "positions": {"cars": {"0": -1}}}, "begin"),
        ({"kind": "yesterday"}, "begin"),
    ],
)
def test_a_place_that_there_is_not_is_refused_before_a_run_is_made(
    scene: Scene, settings: LazySettings, begin: Any, says: str
) -> None:
    keep(ended(scene), settings.PUNCTUAL_DATA)
    node = scene.binding["inputs"][0]["node"]
    if "positions" in begin and "cars" in begin["positions"]:
        begin = {**begin, "positions": {node: begin["positions"]["cars"]}}
    refused = start(scene, begin)
    assert says in str(refused.json())
    assert faults(refused)


def test_a_place_that_there_is_goes_to_the_runner(scene: Scene, settings: LazySettings) -> None:
    keep(ended(scene), settings.PUNCTUAL_DATA)
    begin = {"kind": "positions", "positions": {scene.binding["inputs"][0]["node"]: {"0": 70}}}
    made = start(scene, begin)
    assert made.status_code == 201, made.json()
    scene.run_id = made.json()["id"]
    assert scene.run.read_spec().model_dump(mode="json")["begin"] == begin
    assert start(scene, begin).status_code == 200


def test_the_start_position_is_set_once(scene: Scene) -> None:
    refused = ended(scene).person.post(f"bindings/{scene.binding['id']}/start/?begin=now", {"begin": "now"})
    assert "in both the query string and the body" in str(faults(refused))


def unasked(answer: Any) -> list[str]:
    assert (answer.status_code, answer.json()["code"]) == (409, "inputs_not_asked"), answer.json()
    assert "timeline/?input=" in answer.json()["message"]
    return [each["node"] for each in answer.json()["faults"]]


def test_a_start_asks_no_input_itself(scene: Scene, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    reads_files(scene, settings.PUNCTUAL_DATA)
    node = scene.binding["inputs"][0]["node"]
    ended(scene)
    with monkeypatch.context() as silent:
        silent.setattr("webapp.runs.starts.timeline.input_held", lambda *_: pytest.fail("it was asked"))
        assert unasked(start_alone(scene, "now")) == [node]
    timeline(scene)
    monkeypatch.setattr("webapp.runs.starts.timeline.input_held", lambda *_: pytest.fail("it was asked"))
    made = start_alone(scene, "now")
    assert made.status_code == 201, made.json()
    cache.clear()
    again = start_alone(scene, "now")
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"]), "a second click is the same start"


def test_an_input_that_reads_something_else_by_now_is_asked_again(scene: Scene, settings: LazySettings) -> None:
    timeline(ended(scene))
    reads_files(scene, settings.PUNCTUAL_DATA)
    assert unasked(start_alone(scene, "now")) == [scene.binding["inputs"][0]["node"]]


def test_what_was_away_is_asked_again_and_what_could_begin_is_not(
    scene: Scene, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = reads_files(scene, settings.PUNCTUAL_DATA)
    for path in paths:
        path.rename(path.with_suffix(".away"))
    path.parent.rename(path.parent.with_name("away"))
    timeline(ended(scene))
    assert faults(start_alone(scene, "now")), "it has just said so"
    path.parent.with_name("away").rename(path.parent)
    for path in paths:
        path.with_suffix(".away").rename(path)
    later = timezone.now() + timedelta(seconds=11)
    monkeypatch.setattr("webapp.runs.starts.timeline.timezone.now", lambda: later)
    assert unasked(start_alone(scene, "now"))
    timeline(scene)
    monkeypatch.setattr("webapp.runs.starts.timeline.timezone.now", lambda: later + timedelta(seconds=200))
    assert start_alone(scene, "now").status_code == 201


def test_a_start_or_change_since_then_prevents_the_shown_start(scene: Scene, settings: LazySettings) -> None:
    shown = mark(ended(scene))
    reads_files(scene, settings.PUNCTUAL_DATA)
    refused = start(scene, "now", shown)
    assert (refused.status_code, refused.json()["code"]) == (409, "changed_meanwhile"), refused.json()
    shown = mark(scene)
    started = start(scene, "now", shown)
    assert started.status_code == 201
    assert start_alone(scene, "now", shown).status_code == 200, "somebody else chose the same"
    scene.run_id = started.json()["id"]
    ended(scene)
    assert start(scene, "now", shown).json()["code"] == "changed_meanwhile", "it ran meanwhile"
    assert start(scene, "now", mark(scene)).status_code == 201


def test_a_run_that_came_and_went_while_the_start_was_checked_is_noticed(
    scene: Scene, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads_files(scene, settings.PUNCTUAL_DATA)
    shown = mark(ended(scene))
    monkeypatch.setattr("webapp.runs.starts.services.measure", lambda _: came_and_went(scene))
    assert start(scene, "now", shown).json()["code"] == "changed_meanwhile"


def came_and_went(scene: Scene) -> None:
    run = scene.run
    run.pk, run.created_at = uuid4(), run.created_at + timedelta(seconds=1)
    run.save(force_insert=True)
