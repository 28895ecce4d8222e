"""Runs follow what is desired: real Redis, a clock that is told, and a launcher that only writes down."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

import pytest
import redis

from streaming.wire import keys
from streaming.wire.messages import ProgressReport, RunnerLease, RunObserved, RunSpec
from tests.webapp.conftest import Clock, Person
from webapp.core.context import organisation_context
from webapp.runs.launching import Launched
from webapp.runs.models import Run
from webapp.runs.reconciler import Reconciler

BEAT_S = 3


@dataclass
class Recorded:
    """A launcher that writes down what it was asked; `living` are the processes that still live."""

    launches: list[UUID] = field(default_factory=list)
    living: set[int] = field(default_factory=set)

    def launch(self, organisation: UUID) -> Launched:
        self.launches.append(organisation)
        self.living.add(len(self.launches))
        return Launched("here", len(self.launches))

    def alive(self, organisation: UUID, launched: Launched) -> bool:
        return launched.pid in self.living


@dataclass
class Scene:
    """One run of alice's, the reconciler of her organisation, and what a runner would do."""

    person: Person
    binding: dict[str, Any]
    run_id: str
    connection: "redis.Redis"
    launcher: Recorded
    clock: Clock

    @property
    def organisation(self) -> str:
        return str(self.person.organisation.pk)

    def turn(self, after_s: float = BEAT_S) -> None:
        self.clock.pass_by(after_s)
        self.reconciler().turn()

    def reconciler(self) -> Reconciler:
        return Reconciler(self.person.organisation.pk, self.connection, self.launcher, self.clock)

    @property
    def run(self) -> Run:
        with organisation_context(self.person.organisation.pk):
            return Run.objects.get(pk=self.run_id)

    def desired(self) -> dict[str, RunSpec]:
        found = self.connection.hgetall(keys.desired(self.organisation))
        return {key.decode(): RunSpec.model_validate_json(value) for key, value in found.items()}

    def lease(self, started_at: int = 0) -> None:
        """Renew the runner's lease."""
        beat = RunnerLease(token="t", host="here", pid=1, started_at=started_at, beat_at=self.clock.ticks)
        self.connection.set(keys.lease(self.organisation), beat.model_dump_json())

    def silence(self) -> None:
        """Let the lease run out, as after a kill."""
        self.connection.delete(keys.lease(self.organisation))
        self.launcher.living.clear()

    def report(
        self,
        state: Literal["starting", "running", "stopping", "stopped", "failed"],
        domain: Literal["user", "external", "internal"] | None = None,
        message: str | None = None,
    ) -> None:
        """Report a state of the run, as its runner does."""
        seen = RunObserved(
            kind="observed", run=self.run_id, state=state, domain=domain, message=message, at=self.clock.ticks
        )
        self.connection.hset(keys.observed(self.organisation), self.run_id, seen.model_dump_json())

    def progress(self, batch: int) -> ProgressReport:
        """Report a batch, as the runner does."""
        report = ProgressReport(
            kind="progress",
            run=self.run_id,
            batch=batch,
            at=self.clock.ticks + 1,
            inputs={},
            output_ctis={"out": None},
            results=7,
            quarantined=1,
            recent_results=[],
            recent_late=[],
            batch_s=0.5,
        )
        self.connection.hset(keys.progress(self.organisation), self.run_id, report.model_dump_json())
        return report

    def stop(self, flush: bool = False) -> None:
        self.person.post(f"bindings/{self.binding['id']}/stop/", {"flush": flush})

    def running(self) -> "Scene":
        """Come to a run that runs."""
        self.turn()
        self.lease()
        self.report("running")
        self.turn()
        assert self.run.observed == "running"
        return self


@pytest.fixture
def connection(settings: Any, redis_server_url: str) -> "Iterator[redis.Redis]":
    settings.REDIS_URL = redis_server_url
    with redis.Redis.from_url(redis_server_url) as client:
        yield client


@pytest.fixture
def scene(alice: Person, binding: dict[str, Any], connection: "redis.Redis", clock: Clock) -> Scene:
    started = alice.post(f"bindings/{binding['id']}/start/")
    assert started.status_code == 201, started.content
    return Scene(alice, binding, started.json()["id"], connection, Recorded(), clock)


def test_a_requested_run_is_desired_and_a_runner_is_launched(scene: Scene) -> None:
    scene.turn()
    assert scene.desired() == {scene.binding["id"]: scene.run.read_spec()}
    assert scene.launcher.launches == [scene.person.organisation.pk]


def test_no_second_runner_while_the_first_one_starts(scene: Scene) -> None:
    for _ in range(10):
        scene.turn()
    assert len(scene.launcher.launches) == 1


def test_no_second_runner_beside_a_live_lease(scene: Scene) -> None:
    scene.lease()
    scene.turn()
    assert scene.launcher.launches == []


def test_two_workers_never_launch_two(scene: Scene) -> None:
    class Impatient(Recorded):
        """While it launches, another worker takes its turn."""

        def launch(self, organisation: UUID) -> Launched:
            Reconciler(organisation, scene.connection, scene.launcher, scene.clock).turn()
            return super().launch(organisation)

    first = Impatient()
    Reconciler(scene.person.organisation.pk, scene.connection, first, scene.clock).turn()
    assert (len(first.launches), scene.launcher.launches) == (1, [])


def test_what_the_runner_reports_is_copied(scene: Scene) -> None:
    scene.turn()
    scene.lease()
    for state in ("starting", "running"):
        scene.report(state)
        scene.turn()
        assert scene.run.observed == state


def test_a_killed_runner_is_lost_within_15_s_and_launched_again(scene: Scene) -> None:
    scene.running()
    scene.clock.pass_by(keys.LEASE_TTL_S)
    scene.silence()
    scene.turn()
    assert keys.LEASE_TTL_S + BEAT_S <= 15
    assert scene.run.observed == "lost"
    assert (scene.run.message or "").startswith("Unknown since 12:00:17 UTC")
    assert len(scene.launcher.launches) == 2


def test_a_lost_run_comes_back_by_the_new_runner_only(scene: Scene) -> None:
    scene.running().silence()
    scene.turn()
    scene.turn()
    assert scene.run.observed == "lost"
    scene.lease(started_at=scene.clock.ticks)
    scene.turn()
    assert scene.run.observed == "lost"
    scene.report("running")
    scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", None)
    assert len(scene.launcher.launches) == 2


def test_a_runner_that_was_silent_for_a_while_need_not_repeat_itself(scene: Scene) -> None:
    scene.running()
    scene.connection.delete(keys.lease(scene.organisation))
    scene.turn()
    assert scene.run.observed == "lost"
    scene.lease()
    scene.turn()
    assert (scene.run.observed, scene.run.message) == ("running", None)


def test_a_run_that_makes_progress_after_redis_forgot_it_is_running(scene: Scene) -> None:
    scene.running()
    scene.connection.flushall()
    scene.turn()
    assert scene.run.observed == "lost"
    scene.lease()
    scene.progress(batch=3)
    scene.turn()
    assert scene.run.observed == "running"


def test_a_run_that_a_new_reconciler_finds_running_goes_on(scene: Scene) -> None:
    scene.running()
    scene.launcher = Recorded()
    scene.turn()
    assert (scene.run.observed, scene.launcher.launches) == ("running", [])


def test_a_runner_that_dies_at_its_start_is_launched_with_back_off(scene: Scene) -> None:
    for _ in range(40):
        scene.turn()
        scene.launcher.living.clear()
    assert len(scene.launcher.launches) == 6  # 120 s hold pauses of 2, 4, 8, 16, 32 s, each up to a beat longer
    assert scene.run.domain == "internal"
    assert "runner.log" in (scene.run.message or "")


def test_a_runner_that_hangs_at_its_start_is_given_up(scene: Scene) -> None:
    for _ in range(21):
        scene.turn()
    assert len(scene.launcher.launches) == 2


def test_a_user_error_ends_the_run_with_its_sentence(scene: Scene) -> None:
    scene.running()
    scene.report("failed", "user", "There is no field 'sped'. Mend the query.")
    scene.turn()
    run = scene.run
    assert (run.desired, run.observed, run.domain) == ("stopped", "failed", "user")
    assert run.message == "There is no field 'sped'. Mend the query."
    assert run.ended_at is not None
    assert scene.desired() == {}


def test_an_internal_error_ends_the_run_and_is_logged(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.running()
    scene.report("failed", "internal", "The job ended.")
    scene.turn()
    assert scene.run.ended_at is not None
    assert scene.run_id in caplog.text


def test_an_external_error_is_tried_again_with_back_off(scene: Scene) -> None:
    scene.running()
    pauses = []
    for _ in range(3):
        scene.report("failed", "external", "The broker does not answer.")
        scene.turn()
        assert (scene.run.observed, scene.desired()) == ("failed", {})
        failed_at = scene.clock.at
        while scene.run.observed == "failed":
            scene.turn(after_s=1)
        pauses.append((scene.clock.at - failed_at).total_seconds())
        assert list(scene.desired()) == [scene.binding["id"]]
        scene.report("running")
        scene.turn()
    assert pauses == [5, 10, 20]
    assert scene.run.observed == "running"


def test_a_run_that_had_settled_starts_its_back_off_anew(scene: Scene) -> None:
    scene.running()
    for _ in range(2):
        scene.clock.pass_by(3600)
        scene.report("failed", "external", "The broker does not answer.")
        scene.turn()
        assert scene.run.failures == 1
        scene.turn(after_s=10)
        scene.report("running")
        scene.turn()


def test_a_stop_is_passed_on_and_ends_with_the_runners_word(scene: Scene) -> None:
    scene.running()
    scene.stop(flush=True)
    scene.turn()
    assert [(spec.desired, spec.flush) for spec in scene.desired().values()] == [("stopped", True)]
    scene.report("stopping")
    scene.turn()
    scene.report("stopped")
    scene.turn()
    assert (scene.run.observed, scene.desired()) == ("stopped", {})
    assert scene.run.ended_at is not None


def test_a_stop_before_any_runner_took_the_run_needs_no_runner(scene: Scene) -> None:
    scene.stop()
    scene.turn()
    assert (scene.run.observed, scene.launcher.launches) == ("stopped", [])


def test_a_stop_of_a_lost_run_needs_no_runner_unless_it_flushes(scene: Scene) -> None:
    scene.running().silence()
    scene.stop()
    scene.turn()
    assert (scene.run.observed, len(scene.launcher.launches)) == ("stopped", 1)


def test_a_flush_of_a_lost_run_waits_for_a_new_runner(scene: Scene) -> None:
    scene.running().silence()
    scene.stop(flush=True)
    scene.turn()
    assert (scene.run.observed, len(scene.launcher.launches)) == ("lost", 2)
    assert [spec.flush for spec in scene.desired().values()] == [True]


def test_a_stop_while_a_retry_waits_ends_the_run(scene: Scene) -> None:
    scene.running()
    scene.report("failed", "external", "The broker does not answer.")
    scene.turn()
    scene.stop()
    scene.turn()
    assert (scene.run.observed, scene.desired()) == ("stopped", {})


def test_a_binding_starts_again_after_its_run_has_ended(scene: Scene) -> None:
    scene.running()
    scene.report("stopped")
    scene.turn()
    again = scene.person.post(f"bindings/{scene.binding['id']}/start/")
    assert again.status_code == 201
    scene.turn()
    assert [spec.run for spec in scene.desired().values()] == [again.json()["id"]]


def test_reports_that_make_no_legal_move_are_ignored(scene: Scene) -> None:
    scene.running()
    scene.report("stopping")
    scene.turn()
    scene.report("running")
    scene.turn()
    assert scene.run.observed == "stopping"


def test_what_cannot_be_read_from_redis_changes_nothing(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.running()
    scene.connection.hset(keys.observed(scene.organisation), scene.run_id, "{broken")
    scene.turn()
    assert scene.run.observed == "running"
    assert "cannot be read" in caplog.text


def test_a_lease_that_cannot_be_read_is_no_lease(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.running()
    scene.connection.set(keys.lease(scene.organisation), "{broken")
    scene.turn()
    assert scene.run.observed == "lost"
    assert "lease cannot be read" in caplog.text


def test_the_last_report_of_a_binding_stays_for_a_runner_that_resumes(scene: Scene) -> None:
    kept = []
    for batch in range(2):
        scene.running()
        scene.progress(batch)
        scene.report("stopped")
        scene.turn()
        kept.append(scene.connection.hkeys(keys.progress(scene.organisation)))
        assert kept[-1] == [scene.run_id.encode()]
        scene.run_id = scene.person.post(f"bindings/{scene.binding['id']}/start/").json()["id"]
    assert kept[0] != kept[1]


def test_what_is_desired_is_written_again_after_redis_lost_it(scene: Scene) -> None:
    scene.running()
    scene.connection.flushall()
    scene.lease()
    scene.turn()
    assert list(scene.desired()) == [scene.binding["id"]]


def test_what_nobody_desires_any_more_is_taken_out(scene: Scene) -> None:
    scene.connection.hset(keys.desired(scene.organisation), "left-over", "{}")
    scene.turn()
    assert list(scene.desired()) == [scene.binding["id"]]


def test_the_newest_report_is_kept_in_the_database(scene: Scene) -> None:
    report = scene.progress(batch=3)
    scene.running()
    assert scene.person.get(f"runs/{scene.run_id}/").json()["progress"] == report.model_dump(mode="json")


def test_another_organisation_has_a_runner_of_its_own(scene: Scene, charlie: Person) -> None:
    scene.running()
    Reconciler(charlie.organisation.pk, scene.connection, scene.launcher, scene.clock).turn()
    assert len(scene.launcher.launches) == 1
    assert not scene.connection.exists(keys.desired(str(charlie.organisation.pk)))


def test_a_turn_that_takes_too_long_is_logged(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    class Slow(Recorded):
        """So slow that its lock ran out."""

        def launch(self, organisation: UUID) -> Launched:
            scene.connection.delete(f"punctual:{organisation}:reconcile")
            return super().launch(organisation)

    Reconciler(scene.person.organisation.pk, scene.connection, Slow(), scene.clock).turn()
    assert "took longer than 30 s" in caplog.text
