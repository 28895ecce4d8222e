"""One run under the reconciler: a clock set by tests, a launcher that only records, and simulated runner reports."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

import redis

from streaming.wire import keys
from streaming.wire.messages import ResultRow, RunnerLease, RunObserved, RunSpec
from streaming.wire.progress import ProgressReport
from tests.webapp.conftest import Clock, Person
from webapp.core.context import organisation_context
from webapp.runs.models import Run
from webapp.runs.runners.launching import USUAL, LaunchedRunner, RunnerScale
from webapp.runs.turns.pool_turns import PoolReconciler
from webapp.runs.turns.reconciler import Reconciler

BEAT_S = 3


@dataclass
class Recorded:
    """A launcher that writes down what it was asked; `living` are the processes that still live."""

    launches: list[UUID] = field(default_factory=list)
    pools: list[tuple[int, list[UUID]]] = field(default_factory=list)
    scales: list[RunnerScale] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    living: set[int] = field(default_factory=set)
    stand_by: bool = False
    prepares: list[RunnerScale] = field(default_factory=list)
    prepared: bool = True

    def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
        self.launches.append(organisation)
        self.scales.append(scale)
        return self._living()

    def launch_pool(self, number: int, serves: Sequence[UUID]) -> LaunchedRunner:
        self.pools.append((number, list(serves)))
        return self._living()

    def prepare(self, scale: RunnerScale, _: object) -> bool:
        self.prepares.append(scale)
        return self.prepared

    def alive(self, _: UUID | str, launched: LaunchedRunner) -> bool:
        return launched.pid in self.living

    def lives(self, _: UUID | str, launched: LaunchedRunner) -> bool:
        return launched.pid in self.living

    def end(self, _: UUID | str, launched: LaunchedRunner) -> bool:
        self.ended.append(launched.pid)
        return launched.pid in self.living

    def _living(self) -> LaunchedRunner:
        pid = len(self.launches) + len(self.pools)
        self.living.add(pid)
        return LaunchedRunner("here", pid, stood_by=self.stand_by)


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
            return Run.objects.select_related("binding").get(pk=self.run_id)

    def desired(self) -> dict[str, RunSpec]:
        found = self.connection.hgetall(keys.desired(self.organisation))
        return {key.decode(): RunSpec.model_validate_json(value) for key, value in found.items()}

    def lease(self, started_at: int = 0) -> None:
        """Renew the runner's lease."""
        beat = RunnerLease(token="t", host="here", pid=1, started_at=started_at, beat_at=self.clock.ticks)
        self.connection.set(keys.lease(self.organisation), beat.model_dump_json())

    def lease_of_pool(self, number: int) -> None:
        """Let pooled runner `number` live and carry the runs."""
        held = RunnerLease(token="p", host="here", pid=2, started_at=0, beat_at=self.clock.ticks, session_at=0)
        for whose in (keys.pool_name(number), self.organisation):
            self.connection.set(keys.lease(whose), held.model_dump_json())

    def pool_turn(self, number: int) -> None:
        PoolReconciler(number, self.connection, self.launcher, self.clock).turn()

    def silence(self) -> None:
        """Let the lease run out, as after a kill."""
        self.connection.delete(keys.lease(self.organisation))
        self.launcher.living.clear()

    def report(
        self,
        state: Literal["starting", "running", "stopping", "stopped", "completed", "failed"],
        domain: Literal["user", "external", "internal"] | None = None,
        message: str | None = None,
    ) -> None:
        """Report a state of the run, as its runner does."""
        seen = RunObserved(
            kind="observed", run=self.run_id, state=state, domain=domain, message=message, at=self.clock.ticks
        )
        self.connection.hset(keys.observed(self.organisation), self.run_id, seen.model_dump_json())

    def progress(self, batch: int, rows: int = 0) -> ProgressReport:
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
            recent_results=[ResultRow(output="out", start=each, end=None, payload={}) for each in range(rows)],
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
