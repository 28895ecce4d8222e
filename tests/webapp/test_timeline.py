"""Where a binding may begin: what its inputs hold, where its last run stopped, and places that there are not."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from tests.webapp.scene import Scene
from tests.webapp.test_next_start import keep

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


def start(scene: Scene, begin: Any) -> Any:
    return scene.person.post(f"bindings/{scene.binding['id']}/start/", {"begin": begin})


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
    assert f"Take one of {node}." in faults(scene.person.get(f"{place}planes"))[0]


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
    [said] = faults(start(ended(scene), {"kind": "time", "at": HOUR}))
    assert "Begin at a micro-batch by its number" in said
    assert start(scene, {"kind": "positions", "positions": {node["node"]: {"0": 1}}}).status_code == 201


def test_it_says_where_the_last_run_stopped_on_the_same_source_alone(scene: Scene, settings: LazySettings) -> None:
    keep(ended(scene), settings.PUNCTUAL_DATA)
    said = timeline(scene)
    [lane] = said["inputs"][0]["lanes"]
    assert (lane["stopped"], lane["reach"]) == (70, 110_000_000)
    assert said["stopped_at"] is not None
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
        ({"kind": "time", "at": 253_000_000_000_000_000}, "has not come yet"),
        ({"kind": "positions", "positions": {"planes": {"0": 1}}}, "There is no input planes"),
        ({"kind": "positions", "positions": {"cars": {"9": 1}}}, "It has no lane 9."),
        ({"kind": "positions", "positions": {"cars": {"0": 71}}}, "Lane 0 can begin at 0 to 70, not at 71."),
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


def test_where_it_begins_is_said_once(scene: Scene) -> None:
    refused = ended(scene).person.post(f"bindings/{scene.binding['id']}/start/?begin=now", {"begin": "now"})
    assert "said twice" in str(faults(refused))
