"""A version with widened windows may resume with the last run's state: the API offers it, or explains why not."""

from typing import Any

import pytest
from django.conf import LazySettings

from streaming.definition.versions.widening import READ_AGAIN
from streaming.resume.restart_points import beginning_path
from streaming.wire import keys
from streaming.wire.beginning import KeptBegin, LackingSince, RunBeginning
from tests.webapp.conftest import graph
from tests.webapp.runs.starts.test_next_start import MINUTE, keep, next_start_of
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.runs.lifecycle.journal import RunEventKind
from webapp.runs.models import Binding, Run, RunEvent
from webapp.runs.starts.carrying import DEDICATED, NOT_KNOWN

REACH = 110 * 1_000_000
COUNT = {"name": "n", "function": "count"}
FASTEST = {"name": "fastest", "function": "max", "of": "speed"}


def widened(**more: Any) -> dict[str, Any]:
    """Return the query with `fastest` in addition to the count, and with `more` in its window."""
    wanted = graph()
    wanted["nodes"][2] |= {"aggregates": [COUNT, FASTEST], **more}
    return wanted


def version_of(scene: Scene, wanted: dict[str, Any]) -> str:
    made = scene.person.post(f"queries/{scene.binding['query']}/versions/", {"graph": wanted})
    assert made.status_code == 201, made.json()
    version: str = made.json()["id"]
    return version


def beginning(how: KeptBegin, before: int | None) -> RunBeginning:
    return RunBeginning(
        how=how,
        after="before",
        incomplete_before={},
        until={},
        alike=[],
        open_from=None,
        open_until=None,
        rows_again=0,
        sentence="It is said.",
        lacking={"out": LackingSince(columns=["n"], before=before)},
    )


def begins(answer: dict[str, Any]) -> list[str]:
    return [each["begin"] for each in answer["options"]]


def give(scene: Scene, version: str) -> None:
    """Let the binding, whose run has ended, be of `version`."""
    with organisation_context(scene.person.organisation.pk):
        Binding.objects.filter(pk=scene.binding["id"]).update(query_version=version)


def ended(scene: Scene) -> None:
    scene.running().stop()
    scene.report("stopped")
    scene.turn()


def start(scene: Scene) -> Any:
    return scene.person.post(f"bindings/{scene.binding['id']}/start/", {"begin": "carried_over"})


def test_one_more_aggregate_is_offered_with_what_lacks_rows_and_until_when(
    scene: Scene, settings: LazySettings
) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    answer = next_start_of(scene, version_of(scene, widened()))
    assert begins(answer) == ["oldest_open", "carried_over", "old_positions", "beginning"]
    option = answer["options"][1]
    assert (option["rows_again"], option["incomplete"], option["whole_from"]) == (0, True, REACH)
    assert "before 1970-01-01 00:01:50Z, fastest of out is marked as incomplete" in option["sentence"]
    assert answer["not_carried"] is None
    [node] = answer["nodes"]
    assert (node["standing"], node["added"]) == ("widened", ["fastest"])
    assert next_start_of(scene)["not_carried"] is None, "of the same version nobody asks"


def test_what_was_counted_anyway_is_whole_at_once(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    wanted = widened(aggregates=[{"name": "cars", "function": "count"}])
    option = next_start_of(scene, version_of(scene, wanted))["options"][1]
    assert (option["begin"], option["incomplete"], option["whole_from"]) == ("carried_over", False, None)
    assert "All results are complete." in option["sentence"]


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (graph(where="speed > 1"), "The node per_plate, or a node before it, is different in this version"),
        (
            widened(window={"kind": "tumbling", "size": "20s"}),
            "The node per_plate, or a node before it, is different in this version",
        ),
        (widened(aggregates=[COUNT, {"name": "all", "function": "collect", "of": "speed"}]), "collect of the node"),
    ],
)
def test_where_it_is_not_sound_the_choice_is_absent_with_a_sentence(
    scene: Scene, settings: LazySettings, wanted: dict[str, Any], why: str
) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    version = version_of(scene, wanted)
    answer = next_start_of(scene, version)
    assert "carried_over" not in begins(answer)
    assert why in answer["not_carried"]
    assert answer["not_carried"].endswith(READ_AGAIN)
    ended(scene)
    give(scene, version)
    refused = start(scene)
    assert refused.status_code == 409
    assert why in refused.json()["message"]


def test_it_goes_to_the_runner_and_can_be_asked_twice(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    version = version_of(scene, widened())
    ended(scene)
    give(scene, version)
    made, again = start(scene), start(scene)
    assert (made.status_code, again.status_code) == (201, 200), (made.json(), again.json())
    scene.run_id = made.json()["id"]
    assert scene.run.read_spec().begin == "carried_over"


def test_a_dedicated_query_and_a_deleted_run_are_reported(scene: Scene, settings: LazySettings) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    version = version_of(scene, widened())
    with organisation_context(scene.person.organisation.pk):
        Binding.objects.filter(pk=scene.binding["id"]).update(dedicated=True)
    assert next_start_of(scene, version)["not_carried"] == DEDICATED
    with organisation_context(scene.person.organisation.pk):
        Binding.objects.filter(pk=scene.binding["id"]).update(dedicated=False)
        run = Run.objects.get(pk=scene.run_id)
        run.spec["query"]["nodes"][1]["where"] = "speed > 2"
        run.save(update_fields=["spec"])
    assert next_start_of(scene, version)["not_carried"] == NOT_KNOWN, "the point is of another query than its run"


@pytest.mark.parametrize("how", ["carried_over", "oldest_open"])
def test_the_journal_calls_no_state_fresh_that_was_carried_over(scene: Scene, how: KeptBegin) -> None:
    scene.running()
    report = scene.progress(1).model_copy(update={"beginning": beginning(how, MINUTE)})
    scene.connection.hset(keys.progress(scene.organisation), scene.run_id, report.model_dump_json())
    scene.turn()
    with organisation_context(scene.person.organisation.pk):
        event = RunEvent.objects.filter(run=scene.run_id, kind=RunEventKind.BEGAN)
        assert [each.message for each in event] == ([] if how == "carried_over" else ["It is said."])


@pytest.mark.parametrize(("before", "offered"), [(MINUTE, True), (MINUTE + 1, False), (None, False)])
def test_a_second_one_waits_until_the_windows_of_the_first_are_closed(
    scene: Scene, settings: LazySettings, before: int | None, offered: bool
) -> None:
    keep(scene, settings.PUNCTUAL_DATA)
    spec, began = scene.run.read_spec(), beginning("carried_over", before)
    path = settings.PUNCTUAL_DATA / scene.organisation / beginning_path(spec.binding, spec.run)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(began.model_dump_json())
    answer = next_start_of(scene, version_of(scene, widened()))
    assert ("carried_over" in begins(answer)) is offered
    assert offered or "State was carried over before" in answer["not_carried"]
