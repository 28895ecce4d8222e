"""Before a start, and before a stop, the API says what becomes of what the last run kept."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from streaming.wire.kept import InputKept, OutputKept, RestartPoint, concealed_spec, facts_of, points_path
from streaming.wire.lanes_kept import LaneKept
from tests.webapp.conftest import Person, graph
from tests.webapp.scene import Scene
from tests.webapp.test_objects_changed import body_of
from webapp.core.context import organisation_context
from webapp.runs.starts.next_start import FLUSHED, OTHER

MINUTE = 60_000_000


def keep(
    scene: Scene,
    data: Path,
    *,
    flushed: bool = False,
    named: bool = False,
    rows: int | None = None,
    thins: bool = False,
) -> None:
    """As the runner leaves it: two minutes were read, and the second is open."""
    spec = concealed_spec(scene.run.read_spec())
    facts = facts_of(spec)
    ((name, source),) = facts.sources.items()
    lanes = {"0": LaneKept(at=70, reach=110 * 1_000_000, clock=None, rows=rows)}
    outputs = {
        output: OutputKept(cti=MINUTE, until=MINUTE, sameness=each.sameness, forgets=each.forgets, hop=MINUTE)
        for output, each in facts.releases.items()
    }
    point = RestartPoint(
        batch=7,
        run=spec.run,
        shape=facts.named_shape if named else facts.shape,
        flushed=flushed,
        inputs={name: InputKept(source=source, clock=facts.clocks[name], lanes=lanes, thins=thins)},
        outputs=outputs,
    )
    path = data / scene.organisation / points_path(spec.binding) / "7.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(point.model_dump_json())


def another_version(scene: Scene) -> str:
    """A version that counts something else, which the binding does not have yet."""
    made = scene.person.post(f"queries/{scene.binding['query']}/versions/", {"graph": graph(where="speed > 1")})
    assert made.status_code == 201, made.json()
    version: str = made.json()["id"]
    return version


def asked(scene: Scene, version: str | None = None) -> dict[str, Any]:
    query = "" if version is None else f"?query_version={version}"
    answer = scene.person.get(f"bindings/{scene.binding['id']}/next-start/{query}")
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def test_an_unchanged_binding_goes_on_and_may_be_told_to_begin_anew(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    said = asked(scene)
    assert said["goes_on"]
    assert "nothing is lost" in said["sentence"]
    assert (said["open_from"], said["open_until"], said["open_windows"]) == (MINUTE, 2 * MINUTE, 1)
    assert [each["begin"] for each in said["options"]] == ["beginning"]


def test_another_version_says_what_is_open_and_what_each_choice_does(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    said = asked(scene, another_version(scene))
    assert not said["goes_on"]
    assert (said["open_from"], said["open_until"]) == (MINUTE, 2 * MINUTE)
    again, old, anew = said["options"]
    assert (again["begin"], again["rows_again"], again["incomplete"]) == ("oldest_open", 70, False)
    assert said["sentence"] == again["sentence"]
    assert "What was open is given whole" in again["sentence"]
    assert (old["begin"], old["incomplete"], old["whole_from"]) == ("old_positions", True, 110 * 1_000_000)
    assert "is left behind" in old["sentence"]
    assert anew["begin"] == "beginning"
    assert said["reason"] == OTHER
    [node] = said["nodes"]
    assert (node["node"], node["standing"]) == ("per_plate", "lost"), "the filter before it is another one"
    assert asked(scene)["nodes"] == []
    for each in said["options"]:
        assert OTHER not in each["sentence"], "the reason is said once"
        assert "1970-01-01 00:01:00Z" not in each["sentence"], "the time of what is open is said once"


@pytest.mark.parametrize(
    ("kept", "again", "words"),
    [
        ({"rows": 12}, (12, False), "inputs, 12 rows,"),
        ({"rows": 12, "thins": True}, (12, True), "inputs, at most 12 rows,"),
        ({"rows": None}, (70, True), "inputs, at most 70 rows,"),
    ],
)
def test_rows_are_counted_as_they_were_read_and_not_by_positions(
    scene: Scene, settings: LazySettings, kept: dict[str, Any], again: tuple[int, bool], words: str
) -> None:
    keep(scene, settings.PUNCTUAL_DATA, **kept)
    option = asked(scene, another_version(scene))["options"][0]
    assert (option["rows_again"], option["rows_at_most"]) == again
    assert words in option["sentence"]


def test_another_query_takes_no_streams_along_though_its_inputs_have_the_same_names(
    scene: Scene, settings: LazySettings, cars: dict[str, Any]
) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    definition = cars["definition"] | {"advance": {"preset": "watermark(9s)"}}
    body = {"name": "trucks", "definition": definition, "adapter": cars["adapter"]}
    assert scene.person.post("streams/", body).status_code == 201
    made = scene.person.post("queries/", {"graph": graph("other", stream="trucks")})
    assert made.status_code == 201, made.json()
    assert not asked(scene, made.json()["current"]["id"])["goes_on"], "it would read trucks"
    same = scene.person.post("queries/", {"graph": graph("copy")})
    assert asked(scene, same.json()["current"]["id"])["goes_on"]


def test_new_names_of_query_and_stream_alone_change_nothing(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    query, streams = f"queries/{scene.binding['query']}/", scene.person.get("streams/").json()
    renamed = scene.person.put(query, {"name": "racing", "parent": scene.person.get(query).json()["current"]["id"]})
    assert renamed.status_code == 200, renamed.json()
    assert asked(scene, renamed.json()["current"]["id"])["goes_on"]
    (cars,) = (each for each in streams if each["name"] == "cars")
    assert scene.person.put(f"streams/{cars['id']}/", body_of(cars, name="vehicles")).status_code == 200
    assert asked(scene)["goes_on"]
    assert asked(scene, scene.person.get(query).json()["current"]["id"])["goes_on"]


def test_what_was_kept_under_the_names_of_before_still_goes_on(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA, named=True)
    assert asked(scene)["goes_on"]


def test_after_a_flush_the_windows_that_were_cut_short_are_read_again(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA, flushed=True)
    said = asked(scene)
    assert not said["goes_on"]
    assert said["reason"] == FLUSHED


def test_a_choice_goes_to_the_runner_and_a_word_that_is_none_is_refused(scene: Scene) -> None:
    scene.running().stop()
    scene.report("stopped")
    scene.turn()
    start = f"bindings/{scene.binding['id']}/start/"
    assert scene.person.post(f"{start}?begin=yesterday").status_code == 422
    made = scene.person.post(f"{start}?begin=old_positions")
    assert made.status_code == 201, made.json()
    with organisation_context(scene.person.organisation.pk):
        scene.run_id = made.json()["id"]
    assert scene.run.read_spec().begin == "old_positions"


def test_it_is_nobody_elses(scene: Scene, charlie: Person) -> None:
    answer = charlie.get(f"bindings/{scene.binding['id']}/next-start/")
    assert answer.status_code == 404


@pytest.mark.parametrize("version", ["00000000-0000-0000-0000-000000000001", "none"])
def test_a_version_that_is_not_there_is_said(scene: Scene, version: str) -> None:
    answer = scene.person.get(f"bindings/{scene.binding['id']}/next-start/?query_version={version}")
    assert answer.status_code == (422 if version == "none" else 404)
