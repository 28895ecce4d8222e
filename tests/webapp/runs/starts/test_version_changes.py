"""A running binding changes to another version without a pause: the messages, and the effect of a kill."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from streaming.resume.changeover import held_folder
from streaming.wire import keys
from tests.webapp.conftest import Person, graph
from tests.webapp.runs.starts.test_next_start import another_version, keep
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.queries.models import QueryVersion
from webapp.runs.access import access_binding
from webapp.runs.models import Run, RunEvent, VersionChange
from webapp.runs.starts.asked_inputs import note_answer
from webapp.runs.starts.held_inputs import GONE, HELD, InputHoldings, RowsAgainResponse
from webapp.runs.starts.next_start import spec_of_version
from webapp.runs.storage.usage import open_runs
from webapp.runs.versions import changeover_steps, version_changes


@pytest.fixture
def data(settings: LazySettings) -> Path:
    folder: Path = settings.PUNCTUAL_DATA
    return folder


@pytest.fixture
def going(scene: Scene, data: Path) -> Scene:
    """Return a running run that has reported a batch, and has a point from which others may start."""
    keep(scene, data)
    scene.running()
    tell(scene, scene.run_id)
    scene.turn()
    return scene


def tell(scene: Scene, run: str, *, behind: int | None = None, ctis: dict[str, int] | None = None) -> None:
    """Report a batch of `run`."""
    report = replace(scene, run_id=run).progress(1).model_copy(update={"behind": behind, "output_ctis": ctis or {}})
    scene.connection.hset(keys.progress(scene.organisation), run, report.model_dump_json())


def change(scene: Scene, version: str | None = None) -> dict[str, Any]:
    made = scene.person.post(path(scene), {"query_version": version or another_version(scene)})
    assert made.status_code == 201, made.json()
    found: dict[str, Any] = made.json()
    scene.turn()
    return found


def path(scene: Scene) -> str:
    return f"bindings/{scene.binding['id']}/version-change/"


def standing(scene: Scene, version: str | None = None) -> dict[str, Any]:
    answer = scene.person.get(path(scene) + ("" if version is None else f"?query_version={version}"))
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def caught_up(scene: Scene, change: dict[str, Any]) -> None:
    """Let the new version report that nothing is left to read; the next turn lets it take over."""
    replace(scene, run_id=change["id"]).report("running")
    tell(scene, change["id"], behind=0)
    scene.turn()


def carried(scene: Scene) -> dict[str, str]:
    ids = {scene.binding["id"]: "binding"}
    return {ids.get(name, "beside"): spec.run for name, spec in scene.desired().items()}


def test_it_catches_up_in_parallel_and_takes_over_when_nothing_is_left_to_read(going: Scene) -> None:
    made = change(going)
    assert carried(going) == {"binding": going.run_id, "beside": made["id"]}
    beside = going.desired()[f"{going.binding['id']}~next"]
    assert (beside.beside, beside.results) == (True, held_folder(going.binding["id"], made["id"]))
    replace(going, run_id=made["id"]).report("running")
    tell(going, made["id"], behind=40)
    going.turn()
    tell(going, made["id"], behind=10)
    going.turn()
    seen = standing(going)["change"]
    assert (seen["state"], seen["behind"], seen["held"]) == ("catching_up", 10, 7)
    assert seen["seconds_left"] == 1, "30 rows in 3 s"
    caught_up(going, made)
    assert carried(going) == {"binding": made["next_run"]}
    tell(going, going.run_id, ctis={"out": 60_000_000})
    going.report("stopped")
    going.turn()
    done = standing(going)["change"]
    assert (done["state"], done["ctis"]) == ("done", {"out": 60_000_000})
    assert going.run.observed == "stopped"
    after = replace(going, run_id=made["next_run"])
    assert (after.run.observed, after.run.query_version) == ("requested", 2)
    after.report("running")
    after.turn()
    assert after.run.observed == "running"
    assert carried(going) == {"binding": made["next_run"]}
    binding = going.person.get(f"bindings/{going.binding['id']}/").json()
    assert binding["query_version_number"] == 2
    with organisation_context(going.person.organisation.pk):
        entries = [each.message for each in RunEvent.objects.filter(run=going.run_id) if each.message]
    assert entries[-2:] == [
        "Version 2 is catching up and will take over without a pause.",
        changeover_steps.HAS_STOPPED.format(version=2),
    ]


def test_the_next_run_is_that_of_the_binding_even_if_no_stop_of_the_previous_one_was_reported(going: Scene) -> None:
    made = change(going)
    caught_up(going, made)
    replace(going, run_id=made["next_run"]).report("running")
    going.turn()
    assert going.run.observed == "stopped"
    assert standing(going)["change"]["state"] == "done"


@pytest.mark.parametrize("killed", ["reconciler", "runner"])
def test_who_is_killed_while_it_takes_over_finds_what_to_do(
    going: Scene, killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = change(going)
    caught_up(going, made)
    going.report("stopped")
    if killed == "runner":
        going.silence()
    else:
        with monkeypatch.context() as broken:
            broken.setattr("webapp.runs.versions.changeover_steps._next_run", lambda *_: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                going.turn()
        assert going.person.post(f"bindings/{going.binding['id']}/start/").status_code == 409, "it is taking over"
    going.turn()
    assert standing(going)["change"]["state"] == "done"
    with organisation_context(going.person.organisation.pk):
        assert [str(run.pk) for run in Run.objects.filter(ended_at__isnull=True)] == [made["next_run"]]


def test_a_version_that_fails_says_why_and_the_run_continues(going: Scene) -> None:
    made = change(going)
    replace(going, run_id=made["id"]).report("failed", "user", "The input cars no longer has the rows.")
    going.turn()
    seen = standing(going)["change"]
    assert (seen["state"], seen["message"]) == ("failed", "The input cars no longer has the rows.")
    assert carried(going) == {"binding": going.run_id}
    assert going.run.observed == "running"


def test_it_may_be_called_off_while_it_catches_up_and_not_later(going: Scene, data: Path) -> None:
    version = another_version(going)
    made = change(going, version)
    held = data / going.organisation / held_folder(going.binding["id"], made["id"])
    (held / "results").mkdir(parents=True)
    off = going.person.client.delete(going.person.url(path(going)))
    assert (off.status_code, off.json()["state"]) == (200, "cancelled")
    going.turn()
    assert carried(going) == {"binding": going.run_id}
    assert held.exists(), "its last batch may still be written"
    with organisation_context(going.person.organisation.pk):
        VersionChange.objects.filter(pk=made["id"]).update(ended_at=going.clock())
    going.turn(after_s=90)
    assert not held.exists()
    assert going.person.client.delete(going.person.url(path(going))).status_code == 409
    again = change(going, version)
    caught_up(going, again)
    assert going.person.client.delete(going.person.url(path(going))).status_code == 409
    assert going.person.post(f"bindings/{going.binding['id']}/stop/", {"flush": False}).status_code == 409


def test_a_stop_of_the_run_calls_it_off(going: Scene) -> None:
    change(going)
    going.stop()
    seen = standing(going)["change"]
    assert (seen["state"], seen["message"]) == ("failed", "The run was asked to stop before version 2 had caught up.")
    going.turn()
    assert set(carried(going)) == {"binding"}


def test_a_binding_changed_since_then_keeps_its_change(going: Scene) -> None:
    made = change(going)
    again = going.person.post(f"queries/{going.binding['query']}/versions/", {"graph": graph(where="speed > 2")})
    body = {"name": going.binding["name"], "query_version": again.json()["id"]}
    assert going.person.put(f"bindings/{going.binding['id']}/", body).status_code == 200
    caught_up(going, made)
    seen = standing(going)["change"]
    assert (seen["state"], seen["message"]) == ("failed", changeover_steps.BINDING_CHANGED)
    assert carried(going) == {"binding": going.run_id}


def test_it_counts_as_a_run_while_it_catches_up(going: Scene) -> None:
    change(going)
    with organisation_context(going.person.organisation.pk):
        assert open_runs() == 2


def test_what_cannot_be_changed_so_says_why_before(going: Scene) -> None:
    assert standing(going)["refusal"] == version_changes.SAME
    version = another_version(going)
    assert standing(going, version)["refusal"] is None
    made = change(going, version)
    under_way = version_changes.UNDER_WAY.format(version=2, name=going.binding["name"])
    assert standing(going, version)["refusal"] == under_way
    assert going.person.post(path(going), {"query_version": version}).status_code == 409
    going.stop()
    going.report("stopped")
    going.turn()
    assert "is not running now" in standing(going, version)["refusal"]
    with organisation_context(going.person.organisation.pk):
        assert VersionChange.objects.get(pk=made["id"]).spec is None, "no secret is kept"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"emit": "running"}, version_changes.EARLY.format(which="The new")),
    ],
)
def test_versions_whose_results_could_not_be_retracted_are_refused(
    going: Scene, asked: dict[str, Any], sentence: str
) -> None:
    wanted = graph(where="speed > 1")
    for node in wanted["nodes"]:
        if node["kind"] == "window":
            node.update(asked)
    made = going.person.post(f"queries/{going.binding['query']}/versions/", {"graph": wanted})
    assert made.status_code == 201, made.json()
    assert standing(going, made.json()["id"])["refusal"] == sentence
    refused = going.person.post(path(going), {"query_version": made.json()["id"]})
    assert (refused.status_code, refused.json()["message"]) == (409, sentence)


def test_rows_that_an_input_reports_as_gone_are_not_read_again(going: Scene) -> None:
    version = another_version(going)
    [node] = [each["node"] for each in going.binding["inputs"]]
    with organisation_context(going.person.organisation.pk):
        wanted = QueryVersion.objects.select_related("query").get(pk=version)
        spec = spec_of_version(access_binding(going.binding["id"]), wanted)
        assert spec is not None
        again = RowsAgainResponse(standing="gone", sentence=GONE)
        reported = InputHoldings(
            input=node, seeks=True, time_means=None, failure=None, lanes=[], refused={}, again=again
        )
        note_answer(spec, reported, 0)
    refused = going.person.post(path(going), {"query_version": version})
    assert (refused.status_code, refused.json()["message"]) == (409, version_changes.GONE.format(name=node))
    with organisation_context(going.person.organisation.pk):
        note_answer(spec, reported.model_copy(update={"again": RowsAgainResponse(standing="held", sentence=HELD)}), 0)
    change(going, version)


def test_another_organisations_binding_and_version_are_not_found(going: Scene, charlie: Person) -> None:
    assert charlie.get(path(going)).status_code == 404
    assert charlie.post(path(going), {"query_version": another_version(going)}).status_code == 404
