"""One organisation on paper: the real reconciler and runner, Redis and database; Spark and processes are acted.

A process holds the lock of the organisation's folder from its first turn to its death; its carriers outlive it. What
must never happen is written down in `faults`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal
from uuid import UUID

import redis

from streaming.runtime.carriers.fleet import Fleet
from streaming.runtime.deliveries import Deliveries
from streaming.runtime.lease import LeaseHeartbeat
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.runner import Runner
from streaming.spark.errors import Domain, RunFailure
from streaming.spark.query.manifests import Manifest, RunChange
from streaming.wire import keys
from streaming.wire.messages import RunnerLease, RunSpec
from tests.runtime.paper import PaperCarrier, Papers
from tests.webapp.conftest import Clock
from tests.webapp.runs.runners.pool_world import Breaking, Broken
from webapp.core.context import organisation_context
from webapp.runs.lifecycle.liveness import read_lease, state_now
from webapp.runs.models import Run
from webapp.runs.runners.launching import USUAL, LaunchedRunner, RunnerScale
from webapp.runs.turns.alone import LOCK_S
from webapp.runs.turns.reconciler import Reconciler

BEAT_S: Final = 3
LEASE_S: Final = keys.LEASE_TTL_S
PAGE_MAY_LAG_S: Final = 15
"""For so long at most a page may say of a dead run that it runs."""
STARTS_IN: Final = 2
"""Turns until a process that was launched asks for its lease."""
NEVER: Final = 10**9


@dataclass
class LoggedCarrier(PaperCarrier):
    """Does with each batch what its log says by then; log and batches stay when its process dies."""

    log: list[tuple[str, str]] = field(default_factory=list)
    taken: int = 0
    live: dict[str, str] = field(default_factory=dict)
    """Binding to run after the last batch."""

    def add(self, wanted: RunSpec, *, from_savepoint: str | None = None, moving: bool = False) -> None:
        super().add(wanted, from_savepoint=from_savepoint, moving=moving)
        self.log.append((wanted.binding, wanted.run))

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        super().stop(binding, flush=flush, discard=discard)
        self.log.append((binding, ""))

    def carries(self) -> set[str]:
        """Return the runs that it executes after its latest orders."""
        carried = {**self.live, **dict(self.log[self.taken :])}
        return {run for run in carried.values() if run}

    def die(self) -> None:
        """Its process is gone."""
        self.running = self.ready = False
        self.stopped_by = None

    def batch(self, now: int, end: Literal["completed", "failed"] | None = None, domain: Domain | None = None) -> None:
        """Take what was commanded; with `end` what it carries then ends, or fails."""
        changes = []
        for binding, run in self.log[self.taken :]:
            stopped = self.live.pop(binding, None)
            if stopped is not None:
                changes.append(RunChange(binding, stopped, "stopped"))
            if run:
                self.live[binding] = run
                changes.append(RunChange(binding, run, "running"))
        self.taken = len(self.log)
        for binding, run in list(self.live.items()) if end is not None else []:
            del self.live[binding]
            changes.append(RunChange(binding, run, end, domain, "It ended."))
        if changes:
            self.manifests.append(Manifest(len(self.manifests) + 1, changes=tuple(changes)))


class LoggedPapers(Papers):
    """Carriers that outlive processes."""

    def __missing__(self, name: str) -> PaperCarrier:
        super().__missing__(name)
        self[name] = LoggedCarrier()
        return self[name]

    def logged(self) -> Iterator[LoggedCarrier]:
        """All of them."""
        yield from (each for each in self.values() if isinstance(each, LoggedCarrier))


@dataclass
class PaperRunner:
    """A process; `runner` from the turn on in which it has its lease. While it is `hung` it does nothing."""

    pid: int
    age: int = 0
    hung: bool = False
    heart: LeaseHeartbeat | None = None
    runner: Runner | None = None


@dataclass
class RunWorld:
    """All of it; `dead_since` is when no process has carried anything any more."""

    connection: Breaking
    clock: Clock
    organisation: UUID
    folder: Path
    carriers: LoggedPapers
    processes: list[PaperRunner] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    launches: int = 0
    dead_since: datetime | None = None

    def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
        if self.connection.exists(keys.lease(str(organisation))):
            self.faults.append("a runner was launched beside a lease")
        self.launches += 1
        self.processes.append(PaperRunner(self.launches))
        return LaunchedRunner("here", self.launches)

    def launch_pool(self, number: int, serves: Any) -> LaunchedRunner:
        raise AssertionError("there are no pools here")

    def prepare(self, scale: RunnerScale, now: datetime) -> bool:
        raise AssertionError("there are no pools here")

    def alive(self, _: UUID | str, launched: LaunchedRunner) -> bool:
        return any(each.pid == launched.pid for each in self.processes)

    lives = alive

    def end(self, _: UUID | str, launched: LaunchedRunner) -> bool:
        return self.kill(launched.pid)

    def kill(self, pid: int) -> bool:
        """End a process as SIGKILL does; its lease runs out, its lock is free at once."""
        found = [each for each in self.processes if each.pid == pid]
        for each in found:
            self.processes.remove(each)
            if each.runner is not None:
                each.runner.close()
                self.dead_since = self.clock()
                for carrier in self.carriers.logged():
                    carrier.die()
        return bool(found)

    def reconcile(self, breaks: int = NEVER) -> None:
        """One turn of the reconciler; the worker dies at its command number `breaks`."""
        self.connection.left = breaks
        try:
            Reconciler(self.organisation, self.connection, self, self.clock).turn()
        except Broken:
            self.connection.left = NEVER
            for lock in (*self.connection.scan_iter("punctual:*:reconcile"), "punctual:runners"):
                self.connection.delete(lock)  # it has run out
            self.pass_by(LOCK_S)
        self.connection.left = NEVER

    def pass_by(self, seconds: float) -> None:
        """Let time pass; a lease that nobody renewed runs out."""
        self.clock.pass_by(seconds)
        for each in self.processes:
            if each.heart is not None and not each.hung:
                each.heart.beat()
        content = self.connection.get(keys.lease(str(self.organisation)))
        if content is not None:
            beat = RunnerLease.model_validate_json(content).beat_at
            if self.clock.ticks - beat >= LEASE_S * 1_000_000:
                self.connection.delete(keys.lease(str(self.organisation)))

    def act(self) -> None:
        """One turn of each process that is not hung."""
        for each in list(self.processes):
            each.age += 1
            if each.hung or each.age <= STARTS_IN:
                continue
            if each.runner is None:
                self._take_lease(each)
            elif each.runner.turn() is not None:
                self.kill(each.pid)
                assert each.heart is not None
                each.heart.stop()

    def _take_lease(self, process: PaperRunner) -> None:
        if any(other.runner is not None for other in self.processes):
            self.kill(process.pid)  # exit code 3: the folder is locked
            return
        mailbox = Mailbox(self.connection, str(self.organisation))
        heart = LeaseHeartbeat(mailbox, str(process.pid), lambda: self.clock.ticks)
        if not heart.take():
            return
        fleet = Fleet(self.carriers.__getitem__, self.folder, self.seconds)
        process.heart = heart
        process.runner = Runner(
            mailbox,
            heart,
            fleet,
            Deliveries(self.folder, self.carriers.target),
            idle_exit_s=60.0,
            monotonic=self.seconds,
        )
        process.runner.resume()
        self.dead_since = None

    def seconds(self) -> float:
        """The clock as processes read it."""
        return self.clock.at.timestamp()

    def batch(self, end: Literal["completed", "failed"] | None = None, domain: Domain | None = None) -> None:
        """A batch of each query that runs."""
        for carrier in self.carriers.logged():
            if carrier.running:
                carrier.ready = True
                carrier.batch(self.clock.ticks, end, domain)

    def break_query(self, domain: Domain) -> None:
        """Let each running query stop on its own."""
        for carrier in self.carriers.logged():
            if carrier.running:
                carrier.stopped_by = RunFailure(domain, "The query stopped.", None)

    def state_on_pages(self) -> str | None:
        """Return the state of the open run on pages; None without an open run."""
        with organisation_context(self.organisation):
            run = Run.objects.filter(ended_at__isnull=True).select_related("binding").first()
            if run is None:
                return None
            return str(state_now(run, read_lease(self.connection.get(keys.lease(str(self.organisation))))).observed)

    def look(self) -> None:
        """Note what must never be."""
        if sum(each.runner is not None for each in self.processes) > 1:
            self.faults.append("two runners carry the organisation")
        nobody = not any(each.runner is not None and not each.hung for each in self.processes)
        if nobody and self.dead_since is None:
            self.dead_since = self.clock()
        if not nobody:
            self.dead_since = None
        dead_for = 0.0 if self.dead_since is None else (self.clock() - self.dead_since).total_seconds()
        if dead_for > PAGE_MAY_LAG_S and self.state_on_pages() == "running":
            self.faults.append(f"a page says running, and nobody has carried it for {dead_for} s")

    def settle(self) -> None:
        """Let all be well for as long as the longest pause before a further try."""
        for process in self.processes:
            process.hung = False
        rest = 0
        for turn in range(60):
            self.pass_by(BEAT_S if turn < 30 or turn % 2 else 60)
            self.act()
            self.batch()
            self.act()
            self.reconcile()
            self.look()
            rest = rest + 1 if self.state_on_pages() in (None, "running") else 0
            if rest > 4:
                return


def emptied(connection: "redis.Redis") -> None:
    """Redis has lost all that it held."""
    connection.flushdb()
