"""The size of results and quarantine: measured during runs, refused and stopped when full, and reduced."""

import os
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from streaming.storage.results import Commit, committed_rows
from streaming.storage.stored import remove
from streaming.wire.messages import LateEvent, ResultRow
from tests.webapp.conftest import Person, join
from tests.webapp.scene import Scene
from tests.wire.written import write_commit, write_part
from webapp.accounts.limits.quotas import set_limit, used
from webapp.accounts.permissions import Role
from webapp.administration.tasks import tidy
from webapp.audit.models import AuditEvent
from webapp.audit.recording import Target, record
from webapp.core.context import organisation_context
from webapp.runs.audit_targets import BINDING_DELETED
from webapp.runs.models import StoredBytes
from webapp.runs.storage import storage_cleanup

LATE = LateEvent(
    input="cars",
    lane="0",
    position=3,
    start=1,
    end=2,
    cti=9,
    outcome="dropped_late",
    reason=None,
    policy="drop",
    moved_by=None,
    raw="{}",
)


@pytest.fixture
def folder(scene: Scene, tmp_path: Path) -> Path:
    return tmp_path / scene.organisation / "results" / scene.binding["id"]


def commit(folder: Path, batch: int) -> None:
    """Write a runner's batch: two results and a late row."""
    rows = [ResultRow(output="out", start=batch, end=None, payload={"n": each}) for each in range(2)]
    parts = [write_part(folder, "results", batch, 0, rows), write_part(folder, "late", batch, 0, [LATE])]
    write_commit(folder, Commit(batch=batch, parts=parts, totals={"batch": batch}))


def sizes(folder: Path) -> dict[str, int]:
    def of(*names: str) -> int:
        return sum(path.stat().st_size for name in names for path in (folder / name).glob("*.json*"))

    return {"result_bytes": of("results", "commits"), "quarantine_bytes": of("quarantine")}


def counted(scene: Scene) -> dict[str, int]:
    with organisation_context(scene.person.organisation.pk):
        return {name: used(name) for name in ("result_bytes", "quarantine_bytes")}


def restrict(scene: Scene, name: str, value: int | None) -> None:
    with organisation_context(scene.person.organisation.pk):
        set_limit(name, value)


def progressed(scene: Scene, folder: Path, *batches: int) -> None:
    """The runner commits `batches` and reports the last; the reconciler turns."""
    for batch in batches:
        commit(folder, batch)
    scene.lease()
    scene.progress(batches[-1])
    scene.turn()


def ended(scene: Scene) -> None:
    scene.report("stopped")
    scene.turn()


def delete(person: Person, binding: str, kind: str = "results") -> Any:
    return person.client.delete(person.url(f"bindings/{binding}/results/?kind={kind}"))


def test_the_data_of_an_open_run_are_counted_each_batch_once(scene: Scene, folder: Path) -> None:
    scene.running()
    progressed(scene, folder, 1, 2)
    assert counted(scene) == sizes(folder)
    progressed(scene, folder, 7)
    scene.turn()
    assert counted(scene) == sizes(folder)
    assert counted(scene)["quarantine_bytes"] > 0


def test_what_was_kept_before_anything_was_counted_is_counted_at_the_start(
    alice: Person, binding: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    for batch in range(1, 100):
        commit(folder, batch)
    assert alice.post(f"bindings/{binding['id']}/start/").status_code == 201
    with organisation_context(alice.organisation.pk):
        assert used("result_bytes") == sizes(folder)["result_bytes"]


@pytest.mark.parametrize(("name", "title"), [("result_bytes", "Results"), ("quarantine_bytes", "Quarantine")])
def test_a_running_run_is_asked_to_stop_when_there_is_no_more_room_and_says_why(
    scene: Scene, folder: Path, name: str, title: str
) -> None:
    scene.running()
    progressed(scene, folder, 1)
    assert scene.run.desired == "running"
    restrict(scene, name, counted(scene)[name])
    progressed(scene, folder, 2)
    assert scene.run.desired == "stopped"
    assert [(each.desired, each.flush) for each in scene.desired().values()] == [("stopped", False)]
    scene.report("stopping")
    scene.turn()
    assert scene.run.observed == "stopping"
    ended(scene)
    run = scene.run
    assert (run.observed, run.domain) == ("stopped", "user")
    assert run.message is not None
    assert run.message.startswith(f"{title} kept: ")
    assert run.message.endswith("Then start it again: it resumes where it stopped.")
    rows = committed_rows(folder, "results", 100).rows
    assert len(rows) == 4, "nothing that was committed is cut off"
    assert scene.desired() == {}


def test_a_full_store_refuses_a_start_until_room_was_made(scene: Scene, folder: Path) -> None:
    scene.running()
    progressed(scene, folder, 1, 2)
    restrict(scene, "result_bytes", counted(scene)["result_bytes"])
    scene.turn()
    ended(scene)
    start = f"bindings/{scene.binding['id']}/start/"
    refused = scene.person.post(start)
    assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")
    assert refused.json()["message"].startswith("Results kept: ")
    quarantine = committed_rows(folder, "late", 100).rows
    deleted = delete(scene.person, scene.binding["id"])
    assert deleted.status_code == 200, deleted.content
    assert deleted.json()["kind"] == "results"
    assert deleted.json()["rows"] == 4
    assert counted(scene) == sizes(folder)
    assert committed_rows(folder, "results", 100).rows == []
    assert committed_rows(folder, "late", 100).rows == quarantine
    assert scene.person.post(start).status_code == 201


def test_a_lost_run_that_was_to_stop_for_room_ends_without_a_runner_and_keeps_its_reason(
    scene: Scene, folder: Path
) -> None:
    scene.running()
    progressed(scene, folder, 1)
    scene.silence()
    restrict(scene, "result_bytes", 1)
    scene.turn()
    scene.turn()
    assert (scene.run.observed, scene.run.domain) == ("stopped", "user")
    assert "Results kept" in (scene.run.message or "")


def test_the_stop_is_an_audit_event_with_its_reason(scene: Scene, folder: Path) -> None:
    scene.running()
    restrict(scene, "quarantine_bytes", 0)
    scene.turn()
    with organisation_context(scene.person.organisation.pk):
        [event] = AuditEvent.objects.filter(action="run.stopped")
    assert event.actor_kind == "system"
    assert event.after is not None
    assert "Quarantine kept" in event.after["message"]


def test_rows_of_a_binding_that_runs_are_not_deleted(scene: Scene, folder: Path) -> None:
    scene.running()
    progressed(scene, folder, 1)
    refused = delete(scene.person, scene.binding["id"])
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "Stop it first" in refused.json()["message"]
    assert len(committed_rows(folder, "results", 100).rows) == 2


def test_the_deletion_is_written_to_the_audit_log_with_its_counts(scene: Scene, folder: Path) -> None:
    scene.running()
    progressed(scene, folder, 1, 2)
    ended(scene)
    before = sum(counted(scene).values())
    assert delete(scene.person, scene.binding["id"], "quarantine").status_code == 200
    with organisation_context(scene.person.organisation.pk):
        [event] = AuditEvent.objects.filter(action="quarantine.deleted")
    assert (event.target_label, event.actor_label) == ("watch", "alice@acme.example")
    assert event.after == {"rows": 2, "files": 2, "bytes": before - sum(counted(scene).values()), "complete": True}
    assert counted(scene)["quarantine_bytes"] == 0


@pytest.mark.parametrize("query", ["", "?kind=", "?kind=late", "?kind=commits"])
def test_what_is_no_kind_is_refused_and_deletes_nothing(scene: Scene, folder: Path, query: str) -> None:
    scene.running()
    progressed(scene, folder, 1)
    ended(scene)
    address = scene.person.url(f"bindings/{scene.binding['id']}/results/{query}")
    assert scene.person.client.delete(address).status_code == 422
    assert len(committed_rows(folder, "results", 100).rows) == 2


def test_what_a_deleted_binding_left_counts_is_listed_and_can_be_deleted(scene: Scene, folder: Path) -> None:
    scene.running()
    progressed(scene, folder, 1)
    ended(scene)
    kept = counted(scene)
    assert scene.person.client.delete(scene.person.url(f"bindings/{scene.binding['id']}/")).status_code == 204
    assert counted(scene) == kept
    assert scene.person.get("kept/").json() == [
        {"binding": scene.binding["id"], "name": "watch", "exists": False, **kept}
    ]
    for kind in ("results", "quarantine"):
        assert delete(scene.person, scene.binding["id"], kind).status_code == 200
    assert counted(scene) == {"result_bytes": sizes(folder)["result_bytes"], "quarantine_bytes": 0}
    assert list((folder / "results").iterdir()) == list((folder / "quarantine").iterdir()) == []


def test_what_only_a_next_start_would_need_goes_with_its_binding(
    scene: Scene, binding: dict[str, Any], tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    def point(of: str) -> Path:
        path = tmp_path / scene.organisation / "kept" / of / "points" / "7.json"
        path.parent.mkdir(parents=True)
        path.write_text("{}")
        return path

    gone, left, unknown = point(scene.binding["id"]), point(LEFT), point("1c9e7f3c-8a51-4c05-9a39-6a0e2d8f1c11")
    record_deleted(scene)
    scene.stop()
    scene.turn()
    with django_capture_on_commit_callbacks(execute=True):
        assert scene.person.client.delete(scene.person.url(f"bindings/{scene.binding['id']}/")).status_code == 204
    assert not gone.parent.parent.exists()
    assert left.exists(), "of a binding that is not the one that was deleted"
    tidy(organisation=scene.organisation)
    assert not left.parent.parent.exists(), "left by a deletion that was broken off"
    assert unknown.exists(), "nobody deleted its binding: the database may be an older copy"


LEFT = "0b9e7f3c-8a51-4c05-9a39-6a0e2d8f1c11"
"""A binding that was deleted."""


def record_deleted(scene: Scene) -> None:
    with organisation_context(UUID(scene.organisation)):
        record(BINDING_DELETED, target=Target("binding", UUID(LEFT), "left"))


def aged(path: Path) -> None:
    """All of `path` as it was two hours ago."""
    for each in (path, *path.rglob("*")):
        os.utime(each, (time.time() - 7_200, time.time() - 7_200))


def test_carriers_and_savepoints_of_deleted_bindings_go_once_nobody_uses_them(scene: Scene, tmp_path: Path) -> None:
    folder = tmp_path / scene.organisation
    mine, unknown = scene.binding["id"], "1c9e7f3c-8a51-4c05-9a39-6a0e2d8f1c11"
    record_deleted(scene)
    names = ("main", mine, f"{mine}.2", unknown, LEFT, f"{LEFT}.2", "no-uuid")
    carriers = {name: folder / "carriers" / name for name in names}
    for path in carriers.values():
        (path / "commits").mkdir(parents=True)
        (path / "commits" / "1.json").write_text("{}")
    (folder / "carriers" / "homes.json").write_text("{}")
    savepoints = {
        name: folder / "savepoints" / name
        for name in (f"{mine}-main-4.arrow", f"{LEFT}-main-4.arrow", f"{LEFT}-main-5.arrow.refused.json", "other.arrow")
    }
    (folder / "savepoints").mkdir()
    for path in savepoints.values():
        path.write_text("")
    tidy(organisation=scene.organisation)
    assert all(path.exists() for path in (*carriers.values(), *savepoints.values())), "somebody may still use them"
    aged(folder)
    tidy(organisation=scene.organisation)
    assert [name for name, path in carriers.items() if path.exists()] == ["main", mine, f"{mine}.2", unknown, "no-uuid"]
    assert [name for name, path in savepoints.items() if path.exists()] == [f"{mine}-main-4.arrow", "other.arrow"]
    assert (folder / "carriers" / "homes.json").exists()


def test_what_has_aged_is_no_longer_counted_after_the_next_hour(scene: Scene, folder: Path, settings: Any) -> None:
    scene.running()
    progressed(scene, folder, 1)
    before = counted(scene)
    assert before["result_bytes"] > 0
    remove(folder, "results", 1)
    settings.KEEP_RESULTS_DAYS = 0
    tidy(organisation=scene.organisation)
    assert counted(scene) == before, "nothing grows old here, so nothing is counted"
    settings.KEEP_RESULTS_DAYS = 90
    tidy(organisation=scene.organisation)
    assert counted(scene) == sizes(folder) != before


def test_the_page_of_limits_says_how_long_rows_are_kept(scene: Scene, settings: Any) -> None:
    def titles() -> list[str]:
        titles = [each["title"] for each in scene.person.get("quotas/").json()]
        return [each for each in titles if each.startswith(("Results", "Quarantine"))]

    settings.KEEP_RESULTS_DAYS = 1
    assert titles() == ["Results kept, each for 1 day", "Quarantine kept, each for 1 day"]
    settings.KEEP_RESULTS_DAYS = 0
    assert titles() == ["Results kept", "Quarantine kept"]


def test_nothing_of_another_organisation_is_measured_listed_or_deleted(
    scene: Scene, folder: Path, charlie: Person
) -> None:
    scene.running()
    progressed(scene, folder, 1)
    ended(scene)
    assert delete(charlie, scene.binding["id"]).status_code == 404
    assert charlie.get("kept/").json() == []
    assert len(committed_rows(folder, "results", 100).rows) == 2


def test_who_may_only_operate_deletes_nothing(scene: Scene) -> None:
    operator = join("oscar@acme.example", scene.person.organisation, Role.OPERATOR)
    assert delete(operator, scene.binding["id"]).status_code == 403


def test_a_disk_that_fails_during_a_count_leaves_it_right(
    scene: Scene, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.running()
    progressed(scene, folder, 1, 2)
    ended(scene)

    def broken(*_: Any, **__: Any) -> Any:
        (folder / "results" / "part-1-0.jsonl").unlink()
        (folder / "commits" / "1.json").unlink()
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr(storage_cleanup, "remove", broken)
        assert delete(scene.person, scene.binding["id"]).status_code == 500
    assert counted(scene)["result_bytes"] == sizes(folder)["result_bytes"]
    assert delete(scene.person, scene.binding["id"]).json()["rows"] == 2


def test_what_cannot_be_measured_does_not_keep_the_runs_from_being_upheld(
    scene: Scene, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scene.running()
    commit(folder, 1)
    (folder / "commits" / "1.json").write_text("{")
    scene.lease()
    scene.progress(1)
    scene.turn()
    assert scene.run.observed == "running"
    assert "cannot be measured" in caplog.text
    with organisation_context(scene.person.organisation.pk):
        assert StoredBytes.objects.get().batch == 0
