"""A simulated installation with pooled runners: the real reconcilers, Redis and database, and simulated processes.

A process does in a turn what `streaming.runtime` does: it holds the lock of an organisation's folder, records that a
pool serves it before it executes its runs, and releases it in steps. The world records which process executes what.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import redis
from django.conf import settings

from streaming.wire import keys
from streaming.wire.binding_homes import CARRIERS, FILE, pools_of
from streaming.wire.messages import RunnerLease
from tests.webapp.conftest import Clock
from webapp.core.context import organisation_context
from webapp.runs.models import Run
from webapp.runs.runner_models import OwnRunner
from webapp.runs.runners.launching import USUAL, LaunchedRunner, RunnerScale
from webapp.runs.turns.alone import LOCK_S
from webapp.runs.turns.pool_turns import PoolReconciler, pools_in_use
from webapp.runs.turns.reconciler import Reconciler

BEAT_S = 3
STARTS_IN = 2
"""Turns until a process that was launched has its lease."""
IDLE = 4
"""Turns after which one ends that has nothing to do."""
MARK = "binding"
NEVER = 10**9


class Broken(Exception):
    """The worker was killed between two commands."""


class Breaking(redis.Redis):
    """A connection at which the worker dies, once, when it has sent so many commands."""

    left = NEVER

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Broken

    def execute_command(self, *args: Any, **options: Any) -> Any:
        self._count()
        return super().execute_command(*args, **options)

    def pipeline(self, *args: Any, **options: Any) -> Any:
        self._count()
        return super().pipeline(*args, **options)


@dataclass
class PaperProcess:
    """A runner: an organisation's own or a pooled one, `name` in Redis."""

    name: str
    pid: int
    scale: RunnerScale = USUAL
    age: int = 0
    """Turns since its launch; a standby is ready at once."""
    idle: int = 0
    held: dict[str, int] = field(default_factory=dict)
    """The organisations whose folders it has locked, and for how many turns each had nothing to do."""

    @property
    def pooled(self) -> bool:
        return self.name.startswith(keys.POOL)


@dataclass
class PoolWorld:
    """All of it. `faults` is what must never have happened; `carried` who carries each organisation now."""

    connection: Breaking
    clock: Clock
    organisations: Sequence[UUID]
    processes: list[PaperProcess] = field(default_factory=list)
    carried: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    launched: int = 0
    standing: int = 0
    """So many stand by for runners of the usual size."""
    prepares: bool = True
    """The processes that are prepared for a move start successfully."""
    prepared: int | None = None
    """Turns since the start of an organisation's own runner before its pool releases it; None: no own runner."""
    breaks: int = NEVER
    """After so many commands of reconcilers the worker dies, once."""

    def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
        name = str(organisation)
        if pools_of(folder_of(name)):
            self.faults.append("a runner of its own was launched though a pool keeps something")
        if self.connection.exists(keys.lease(name)):
            self.faults.append("a runner was launched beside a lease")
        return self._launched(name, scale)

    def launch_pool(self, number: int, serves: Sequence[UUID]) -> LaunchedRunner:
        name = keys.pool_name(number)
        if not serves or self.connection.exists(keys.lease(name)):
            self.faults.append("a pool was launched for nobody, or a second one")
        return self._launched(name, USUAL)

    def prepare(self, scale: RunnerScale, now: datetime) -> bool:
        if self.prepares and self.prepared is None:
            self.prepared = 0
        return not self.prepares or (self.prepared or 0) > STARTS_IN

    def alive(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        return any(each.pid == launched.pid and each.name == str(whose) for each in self.processes)

    lives = alive

    def end(self, _: UUID | str, launched: LaunchedRunner) -> bool:
        return self.kill(launched.pid, let_go=True)

    def _launched(self, name: str, scale: RunnerScale) -> LaunchedRunner:
        self.launched += 1
        if not name.startswith(keys.POOL) and self.prepared is not None:
            stood_by, self.prepared = self.prepared > STARTS_IN, None
        else:
            stood_by = scale == USUAL and self.standing > 0
            self.standing -= stood_by
        self.processes.append(PaperProcess(name, self.launched, scale, STARTS_IN if stood_by else 0))
        return LaunchedRunner("here", self.launched, stood_by=stood_by)

    def kill(self, pid: int, *, let_go: bool = False) -> bool:
        """End a process; its locks are free at once, its leases when it gave them back, else when they run out."""
        found = [each for each in self.processes if each.pid == pid]
        for each in found:
            self.processes.remove(each)
            for organisation in [*each.held, each.name]:
                if self.carried.get(organisation) == each.name:
                    del self.carried[organisation]
                if let_go:
                    self._release(organisation, each)
        return bool(found)

    def turn(self) -> None:
        """One turn of all reconcilers, in which the worker may die, and of all processes."""
        self.clock.pass_by(BEAT_S)
        self.connection.left = self.breaks
        try:
            for organisation in self.organisations:
                Reconciler(organisation, self.connection, self, self.clock).turn()
            for number in sorted(pools_in_use()):
                PoolReconciler(number, self.connection, self, self.clock).turn()
            self.breaks = self.connection.left
        except Broken:
            self.breaks = NEVER
            self.connection.left = NEVER
            for lock in (*self.connection.scan_iter("punctual:*:reconcile"), "punctual:runners"):
                self.connection.delete(lock)  # it has run out
            self.clock.pass_by(LOCK_S)
        self.connection.left = NEVER
        self.prepared = None if self.prepared is None else self.prepared + 1
        for process in list(self.processes):
            process.age += 1
            if process.age > STARTS_IN and process in self.processes:
                self._pool(process) if process.pooled else self._own(process)
        self._look()

    def _look(self) -> None:
        served = [
            organisation.decode()
            for number in (1, 2, 3)
            for organisation in self.connection.hkeys(keys.seated(keys.pool_name(number)))
        ]
        if len(served) != len(set(served)):
            self.faults.append("two pools were told to serve the same organisation")

    def _own(self, process: PaperProcess) -> None:
        organisation = process.name
        if organisation not in process.held and not self._take(organisation, process):
            self.kill(process.pid)  # exit code 3: another runner
            return
        place = self._place(organisation)
        if pools_of(folder_of(organisation)) or place not in (None, keys.OWN):
            self.kill(process.pid, let_go=True)
            return
        self._carry(organisation, process)
        if process.held[organisation] > IDLE:
            self.kill(process.pid, let_go=True)

    def _pool(self, process: PaperProcess) -> None:
        self._lease(process.name, process)
        entries = [each.decode() for each in self.connection.hkeys(keys.seated(process.name))]
        for organisation in entries:
            if organisation not in process.held:
                self._take(organisation, process)
        for organisation in list(process.held):
            self._sit(organisation, process)
        process.idle = 0 if process.held else process.idle + 1
        if process.idle > IDLE:
            self.kill(process.pid, let_go=True)

    def _sit(self, organisation: str, process: PaperProcess) -> None:
        folder = folder_of(organisation)
        kept = pools_of(folder)
        if self._place(organisation) not in (None, process.name):
            if kept == {process.name}:
                noted(folder, "nowhere")  # its savepoint; the lease is given back a turn later
                self.carried.pop(organisation, None)
                return
        elif not kept - {process.name}:
            self._carry(organisation, process)
            if self.carried.get(organisation) == process.name:
                noted(folder, process.name)
            if process.held[organisation] <= IDLE:
                return
        del process.held[organisation]
        self.carried.pop(organisation, None)
        self._release(organisation, process)

    def _carry(self, organisation: str, process: PaperProcess) -> None:
        self._lease(organisation, process)
        if self.connection.exists(keys.desired(organisation)):
            process.held[organisation] = 0
            self.carried[organisation] = process.name
        else:
            process.held[organisation] += 1
            self.carried.pop(organisation, None)

    def _take(self, organisation: str, process: PaperProcess) -> bool:
        if any(organisation in each.held for each in self.processes):
            return False
        process.held[organisation] = 0
        self._lease(organisation, process)
        return True

    def _lease(self, whose: str, process: PaperProcess) -> None:
        now = self.clock.ticks
        lease = RunnerLease(
            token=str(process.pid), host="here", pid=process.pid, started_at=now, beat_at=now, session_at=now
        )
        self.connection.set(keys.lease(whose), lease.model_dump_json())

    def _release(self, whose: str, process: PaperProcess) -> None:
        content = self.connection.get(keys.lease(whose))
        if content is not None and RunnerLease.model_validate_json(content).token == str(process.pid):
            self.connection.delete(keys.lease(whose))

    def _place(self, organisation: str) -> str | None:
        content = self.connection.get(keys.place(organisation))
        return None if content is None else content.decode()

    def expire(self) -> None:
        """Let the leases run out of what was killed."""
        living = {str(each.pid) for each in self.processes}
        for key in self.connection.scan_iter("punctual:*:lease"):
            if RunnerLease.model_validate_json(self.connection.get(key) or "").token not in living:
                self.connection.delete(key)

    def settle(self, turns: int = 20) -> None:
        """Let time pass until everything has come to rest."""
        for _ in range(turns):
            self.expire()
            self.turn()


def folder_of(organisation: str) -> Path:
    root: Path = settings.PUNCTUAL_DATA
    return root / organisation


def noted(folder: Path, home: str) -> None:
    """Write where the binding is at home, as runners do."""
    path = folder / CARRIERS / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_suffix(".staged")
    staged.write_text(json.dumps({MARK: [home, 1]}))
    staged.replace(path)


def given_own(organisation: UUID, *, own: bool) -> None:
    """The actions of an administrator of the installation."""
    with organisation_context(organisation):
        OwnRunner.objects.all().delete()
        if own:
            OwnRunner().save()


def all_ended(organisation: UUID, at: datetime) -> None:
    """Nothing is desired any more."""
    with organisation_context(organisation):
        Run.objects.update(ended_at=at)


def again(organisation: UUID) -> None:
    """Check the rules."""
    with organisation_context(organisation):
        Run.objects.update(ended_at=None)
