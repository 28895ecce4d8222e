"""Before a start, and before a stop, the API says what becomes of what the last run kept."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from streaming.resume.lane_positions import LaneState
from streaming.resume.restart_points import InputState, OutputState, RestartPoint, concealed_spec, facts_of, points_path
from tests.webapp.conftest import Person, graph
from tests.webapp.runs.outputs.bound_output import output_with_refused
from tests.webapp.scene import Scene
from tests.webapp.test_objects_changed import body_of
from webapp.core.context import organisation_context
from webapp.runs.starts.next_start import AT_THE_END, FLUSHED, NEW_ALONE, OTHER

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
    lanes = {"0": LaneState(at=70, reach=110 * 1_000_000, clock=None, rows=rows)}
    outputs = {
        output: OutputState(cti=MINUTE, until=MINUTE, sameness=each.sameness, forgets=each.forgets, hop=MINUTE)
        for output, each in facts.releases.items()
    }
    point = RestartPoint(
        batch=7,
        run=spec.run,
        shape=facts.named_shape if named else facts.shape,
        flushed=flushed,
        inputs={name: InputState(source=source, clock=facts.clocks[name], lanes=lanes, thins=thins)},
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


def next_start_of(scene: Scene, version: str | None = None) -> dict[str, Any]:
    query = "" if version is None else f"?query_version={version}"
    answer = scene.person.get(f"bindings/{scene.binding['id']}/next-start/{query}")
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def test_an_unchanged_binding_resumes_and_may_start_afresh(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    answer = next_start_of(scene)
    assert answer["goes_on"]
    assert "no result is lost" in answer["sentence"]
    assert (answer["open_from"], answer["open_until"], answer["open_windows"]) == (MINUTE, 2 * MINUTE, 1)
    assert [each["begin"] for each in answer["options"]] == ["beginning"]


def test_another_version_says_what_is_open_and_what_each_choice_does(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    answer = next_start_of(scene, another_version(scene))
    assert not answer["goes_on"]
    assert (answer["open_from"], answer["open_until"]) == (MINUTE, 2 * MINUTE)
    again, old, anew = answer["options"]
    assert (again["begin"], again["rows_again"], again["incomplete"]) == ("oldest_open", 70, False)
    assert answer["sentence"] == again["sentence"]
    assert "Windows that were open will be complete" in again["sentence"]
    assert (old["begin"], old["incomplete"], old["whole_from"]) == ("old_positions", True, 110 * 1_000_000)
    assert "that were open then is lost" in old["sentence"]
    assert anew["begin"] == "beginning"
    assert answer["reason"] == OTHER
    [node] = answer["nodes"]
    assert (node["node"], node["standing"]) == ("per_plate", "lost"), "the filter before it is another one"
    assert next_start_of(scene)["nodes"] == []
    for each in answer["options"]:
        assert OTHER not in each["sentence"], "the reason is said once"
        assert "1970-01-01 00:01:00Z" not in each["sentence"], "the time of what is open is said once"


@pytest.mark.parametrize(
    ("kept", "again", "words"),
    [
        ({"rows": 12}, (12, False), "Reads 12 rows again"),
        ({"rows": 12, "thins": True}, (12, True), "Reads at most 12 rows again"),
        ({"rows": None}, (70, True), "Reads at most 70 rows again"),
    ],
)
def test_rows_are_counted_as_they_were_read_and_not_by_positions(
    scene: Scene, settings: LazySettings, kept: dict[str, Any], again: tuple[int, bool], words: str
) -> None:
    keep(scene, settings.PUNCTUAL_DATA, **kept)
    option = next_start_of(scene, another_version(scene))["options"][0]
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
    assert not next_start_of(scene, made.json()["current"]["id"])["goes_on"], "it would read trucks"
    same = scene.person.post("queries/", {"graph": graph("copy")})
    assert next_start_of(scene, same.json()["current"]["id"])["goes_on"]


def test_new_names_of_query_and_stream_alone_change_nothing(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    query, streams = f"queries/{scene.binding['query']}/", scene.person.get("streams/").json()
    renamed = scene.person.put(query, {"name": "racing", "parent": scene.person.get(query).json()["current"]["id"]})
    assert renamed.status_code == 200, renamed.json()
    assert next_start_of(scene, renamed.json()["current"]["id"])["goes_on"]
    (listed,) = (each for each in streams if each["name"] == "cars")
    cars = scene.person.get(f"streams/{listed['id']}/").json()
    assert scene.person.put(f"streams/{cars['id']}/", body_of(cars, name="vehicles")).status_code == 200
    assert next_start_of(scene)["goes_on"]
    assert next_start_of(scene, scene.person.get(query).json()["current"]["id"])["goes_on"]


def test_state_stored_under_earlier_names_is_still_resumed(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA, named=True)
    assert next_start_of(scene)["goes_on"]


def test_after_a_flush_the_windows_that_were_cut_short_are_read_again(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA, flushed=True)
    answer = next_start_of(scene)
    assert not answer["goes_on"]
    assert answer["reason"] == FLUSHED


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
def test_an_absent_version_is_reported(scene: Scene, version: str) -> None:
    answer = scene.person.get(f"bindings/{scene.binding['id']}/next-start/?query_version={version}")
    assert answer.status_code == (422 if version == "none" else 404)


@pytest.fixture
def at_the_end(scene: Scene, settings: LazySettings) -> Scene:
    """After a run that read its file to the end, with an output."""
    scene.running()
    scene.report("completed")
    scene.turn()
    keep(scene, settings.PUNCTUAL_DATA, flushed=True)
    with organisation_context(scene.person.organisation.pk):
        output_with_refused(scene.run.binding_id)
    return scene


AGAIN = "Repeated results are delivered again to: out to"


def test_after_a_file_was_read_to_its_end_a_start_reads_what_is_new_and_everything_again_only_by_choice(
    at_the_end: Scene,
) -> None:
    answer = next_start_of(at_the_end)
    assert (answer["inputs_ended"], answer["goes_on"], answer["reason"]) == (True, False, AT_THE_END)
    new, everything = answer["options"]
    assert (new["begin"], answer["sentence"]) == ("oldest_open", new["sentence"])
    assert "no result is emitted or delivered again" in new["sentence"]
    assert everything["begin"] == "beginning"
    assert AGAIN in everything["sentence"]
    assert [each.split()[0] for each in answer["delivers_to"]] == ["out"]


@pytest.mark.parametrize(
    ("body", "words"),
    [({}, f"{AT_THE_END} {NEW_ALONE}"), ({"begin": "oldest_open"}, NEW_ALONE), ({"begin": "beginning"}, AGAIN)],
)
def test_the_answer_to_a_start_says_what_is_read_and_delivered_again(
    at_the_end: Scene, body: dict[str, Any], words: str
) -> None:
    started = at_the_end.person.post(f"bindings/{at_the_end.binding['id']}/start/", body)
    assert started.status_code == 201, started.json()
    assert words in started.json()["begins"]
    again = at_the_end.person.post(f"bindings/{at_the_end.binding['id']}/start/", body)
    assert (again.status_code, again.json()["begins"]) == (200, None)


def test_another_version_over_such_a_file_says_so_and_what_each_choice_does(at_the_end: Scene) -> None:
    answer = next_start_of(at_the_end, another_version(at_the_end))
    assert not answer["inputs_ended"]
    assert [each["begin"] for each in answer["options"]] == ["oldest_open", "old_positions", "beginning"]
    assert AGAIN in answer["options"][-1]["sentence"]
