"""A disk that fills up, a real one of 40 MiB: writes are refused early, all else works, runs resume automatically."""

import os
import random
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import redis
from celery.beat import Scheduler, Service
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from streaming.storage.disk import DISK_FULL
from tests.webapp.conftest import Clock, Person
from tests.webapp.runs.bindings.test_bindings import start
from tests.webapp.scene import Recorded
from tests.webapp.streams.test_push import body, send
from webapp.accounts.limits.disk_room import MEASURED_FOR_S
from webapp.accounts.models import OrganisationLimit
from webapp.celery import app
from webapp.core.context import organisation_context
from webapp.core.database.locked import hold_open
from webapp.core.disk import free_bytes
from webapp.runs.models import Run
from webapp.runs.runner_models import RunnerLaunch
from webapp.runs.runners.launching import may_launch
from webapp.runs.turns.parking import park_or_resume

MIB = 1 << 20
RESERVE = 16 * MIB


@pytest.fixture
def disk(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A file system of its own; without the right to mount one these tests fail, for nothing else shows the same."""
    command = ["mount", "-t", "tmpfs", "-o", "size=40m", "punctual-test", str(tmp_path)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.fail(f"A tmpfs can't be mounted ({mounted.stderr.strip()}). Run these tests as root.")
    settings.DISK_RESERVE_BYTES = RESERVE
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def stream_of(person: Person) -> dict[str, Any]:
    made = person.post("streams/", body())
    assert made.status_code == 201, made.content
    found: dict[str, Any] = made.json()
    return found


def rows(seed: int, size: int = MIB) -> list[dict[str, Any]]:
    """Rows that hardly compress."""
    return [{"plate": random.Random(seed).randbytes(size // 2).hex()}]


def fill(place: Path, left: int) -> Path:
    """Let somebody else fill the disk until `left` bytes are free."""
    other = place / f"somebody-else-{free_bytes()}"
    with other.open("ab") as file:
        while free_bytes() > left:
            file.write(os.urandom(min(64 * 1024, free_bytes() - left)))
            file.flush()
    return other


def test_pushes_are_refused_before_the_reserve_is_touched_and_all_else_works(
    disk: Path, alice: Person, charlie: Person
) -> None:
    pushed, other = stream_of(alice), stream_of(charlie)
    answers = [send(alice, pushed, rows(seed)) for seed in range(60)]
    refused = [each for each in answers if each.status_code != 200]
    assert {each.status_code for each in refused} == {507}
    assert refused[0].json()["code"] == "storage_full"
    assert "Delete files" in refused[0].json()["message"]
    assert free_bytes() >= RESERVE, "the reserve was used by a push"
    assert alice.get(f"streams/{pushed['id']}/rows/").json()["next"] == len(answers) - len(refused)
    for path in ("streams/", "queries/", "bindings/", "runs/", "files/"):
        assert charlie.get(path).status_code == 200, path
    assert send(charlie, other, rows(1)).status_code == 507
    visitor = Client()
    assert visitor.login(email=charlie.user.email, password="a long enough password")
    assert alice.client.delete(alice.url(f"streams/{pushed['id']}/")).status_code in {204, 409}


def test_an_upload_is_refused_at_its_start_and_during_it(disk: Path, alice: Person) -> None:
    def begin(size: int) -> Any:
        headers = {"Upload-Length": str(size), "Upload-Metadata": "filename YS5jc3Y=", "Tus-Resumable": "1.0.0"}
        return alice.client.post(alice.url("files/uploads/"), headers=headers)

    assert begin(40 * MIB).status_code == 507
    begun = begin(4 * MIB)
    assert begun.status_code == 201
    filler = fill(disk, RESERVE + MIB)
    sent = {"content_type": "application/offset+octet-stream", "headers": {"Tus-Resumable": "1.0.0"}}
    sent["headers"]["Upload-Offset"] = "0"  # type: ignore[index]
    assert alice.client.patch(begun["Location"], b"x" * 4 * MIB, **sent).status_code == 507
    filler.unlink()
    assert alice.client.patch(begun["Location"], b"x" * 4 * MIB, **sent).status_code == 204


def test_everything_that_an_organisation_keeps_counts_in_one_quota(
    disk: Path, alice: Person, charlie: Person, in_acme: None
) -> None:
    OrganisationLimit(quota="disk_bytes", value=4 * MIB).save()
    pushed, other = stream_of(alice), stream_of(charlie)
    folder = disk / str(alice.organisation.pk)
    for name in ("inboxes", "uploads", "files", "results", "carriers", "journals"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "kept").write_bytes(os.urandom(MIB // 2))
    answers = [send(alice, pushed, rows(seed, MIB // 2)) for seed in range(4)]
    assert [each.status_code for each in answers] == [200, 409, 409, 409]
    assert answers[1].json()["code"] == "over_quota"
    assert "of 4 MB are used" in answers[1].json()["message"]
    assert used_of(alice) > 3 * MIB
    assert send(charlie, other, rows(9)).status_code == 200, "one organisation's quota is no other's"
    (folder / "results" / "kept").unlink()
    cache.clear()  # what was measured is forgotten after MEASURED_FOR_S
    assert MEASURED_FOR_S <= 10
    assert send(alice, pushed, rows(5, MIB // 4)).status_code == 200


def used_of(person: Person) -> int:
    usage = {each["quota"]: each for each in person.get("quotas/").json()}
    return int(usage["disk_bytes"]["used"])


def test_runs_are_parked_with_a_sentence_and_resume_when_there_is_room(
    disk: Path, alice: Person, binding: dict[str, Any], redis_connection: "redis.Redis", clock: Clock
) -> None:
    assert start(alice, binding).status_code == 201
    with organisation_context(alice.organisation.pk):
        Run.objects.update(observed="running")
    filler = fill(disk, RESERVE - MIB)
    turn(alice, redis_connection, clock)
    parked = alice.get("runs/").json()[0]
    assert (parked["observed"], parked["domain"], parked["message"]) == ("failed", "external", DISK_FULL)
    assert (parked["ended_at"], parked["retry_at"]) == (None, None)
    assert redis_connection.hlen(f"punctual:{alice.organisation.pk}:desired") == 0, "a runner would go on writing"
    clock.pass_by(3_600)
    turn(alice, redis_connection, clock)
    assert alice.get("runs/").json()[0]["observed"] == "failed"
    assert alice.post(f"bindings/{binding['id']}/start/").status_code in {409, 507}
    os.truncate(filler, filler.stat().st_size - 2 * MIB)
    turn(alice, redis_connection, clock)
    assert alice.get("runs/").json()[0]["observed"] == "failed", "it would stop again at once"
    filler.unlink()
    turn(alice, redis_connection, clock)
    resumed = alice.get("runs/").json()[0]
    assert (resumed["observed"], resumed["message"]) == ("requested", None)


def test_a_run_that_found_the_disk_full_resumes_too_without_waiting_for_its_next_attempt(
    disk: Path, alice: Person, binding: dict[str, Any], clock: Clock
) -> None:
    assert start(alice, binding).status_code == 201
    with organisation_context(alice.organisation.pk):
        Run.objects.update(observed="failed", domain="external", message=DISK_FULL, failures=9)
        run = Run.objects.select_related("binding").get()
        park_or_resume([run], clock())
        assert run.observed == "requested"


def test_a_runner_that_ended_on_the_full_disk_again_and_again_is_launched_soon_after(
    disk: Path, alice: Person, binding: dict[str, Any], clock: Clock
) -> None:
    assert start(alice, binding).status_code == 201
    with organisation_context(alice.organisation.pk):
        Run.objects.update(observed="failed", domain="external", message=DISK_FULL)
        launch = RunnerLaunch.objects.create(host="here", pid=1, launched_at=clock(), attempts=9)
        clock.pass_by(3)
        assert not may_launch(launch, clock(), alive=False)
        park_or_resume([Run.objects.select_related("binding").get()], clock())
        assert may_launch(RunnerLaunch.objects.get(), clock(), alive=False)


def test_a_database_is_read_though_nothing_at_all_is_free(disk: Path) -> None:
    place = disk / "database.sqlite3"

    def read() -> int:
        """As a request does: with a connection of its own."""
        with closing(sqlite3.connect(place, isolation_level=None)) as opened:
            opened.execute("PRAGMA journal_mode=WAL")
            opened.execute("BEGIN IMMEDIATE")
            [[count]] = opened.execute("SELECT COUNT(*) FROM kept")
            opened.execute("COMMIT")
            return int(count)

    with closing(sqlite3.connect(place, isolation_level=None)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("CREATE TABLE kept (n)")
    with closing(hold_open(place)):
        fill(disk, 0)
        assert [read(), read()] == [0, 0]
    fill(disk, 0)  # what the last connection removed
    with pytest.raises(sqlite3.OperationalError):
        read()


def test_a_read_writes_nothing_while_the_disk_is_full(disk: Path, alice: Person) -> None:
    wish = {"name": "n", "role": "viewer", "expires_in_days": 1}
    token = alice.post("tokens/", wish).json()["token"]

    def written() -> list[str]:
        cache.clear()  # as after a minute
        with CaptureQueriesContext(connection) as asked:
            assert alice.get("streams/").status_code == 200
            fields = {"Authorization": f"Bearer {token}"}
            assert Client().get(alice.url("streams/"), headers=fields).status_code == 200
        return [each["sql"][:20] for each in asked if each["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]

    filler = fill(disk, RESERVE - MIB)
    assert written() == []
    filler.unlink()
    assert len(written()) == 2, "when the session and the token were last used"


def test_the_scheduler_continues_and_starts_on_a_full_disk(disk: Path) -> None:
    def clock_of_tasks() -> Scheduler:
        scheduler: Scheduler = Service(app, 300, str(disk / "celerybeat-schedule"), app.conf.beat_scheduler).scheduler
        scheduler.reserve(next(iter(scheduler.schedule.values())))  # as when a task was due
        return scheduler

    clock = clock_of_tasks()
    fill(disk, 0)
    with ExitStack() as others:
        for path in disk.glob("celerybeat-schedule*"):
            others.enter_context(path.open())  # who reads a file keeps its room, so that its removal frees none
        clock._do_sync()  # as every three minutes; what it raised would end the process
        started_again = clock_of_tasks()
    assert {each.task for each in started_again.schedule.values()} >= {"webapp.runs.tasks.reconcile_all"}


def turn(person: Person, connection: "redis.Redis", clock: Clock) -> None:
    from webapp.runs.turns.reconciler import Reconciler

    Reconciler(person.organisation.pk, connection, Recorded(), clock).turn()
