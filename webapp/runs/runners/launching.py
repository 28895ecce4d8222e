"""Launching the runner process of an organisation, or a pooled one, and never two of them.

A runner outlives the worker that launched it: it has a session of its own and is nobody's child. The web application
knows it only as a command line, by its lease in Redis, and by the process id that was written down.
"""

import json
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import UUID

import psutil
from django.conf import settings

from streaming.wire import keys
from streaming.wire.result_location import settle_location
from streaming.wire.runner_record import read_record, runner_lives
from webapp.core.context import current_organisation, installation_context
from webapp.core.secrets import organisation_keys, pool_keys
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.lifecycle.starting import RunnerLaunched, launch_told
from webapp.runs.models import Run
from webapp.runs.runner_models import LaunchNote, OwnRunner, RunnerLaunch
from webapp.runs.runners.detached import make_room_in, start_detached
from webapp.runs.runners.redis_users import address_for
from webapp.runs.runners.standby_processes import fitting, installed_standbys, of_kind, runner_arguments

START_MAY_TAKE = timedelta(seconds=60)
"""A launched process that lives but has not taken its lease for so long is given up."""
FIRST_RELAUNCH_S = 2
LONGEST_RELAUNCH_S = 300


@dataclass(frozen=True)
class LaunchedRunner:
    """Where a runner process was started; `stood_by`: before anybody needed it."""

    host: str
    pid: int
    stood_by: bool = False


RunnerScale = tuple[int | None, int | None, int | None]
"""The heap of its JVM and the memory of a worker in MB, and cores; None: as the installation says."""
USUAL: Final[RunnerScale] = (None, None, None)


class Launcher(Protocol):
    """Starts runner processes; `whose` is an organisation, or a pooled runner by its name (`keys.pool_name`)."""

    def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
        """Start the own runner of `organisation` and return at once."""

    def launch_pool(self, number: int, serves: Sequence[UUID]) -> LaunchedRunner:
        """Start pooled runner `number`, which serves these organisations by now, and return at once."""

    def prepare(self, scale: RunnerScale, now: datetime) -> bool:
        """See that a runner of that size begins to stand by; whether a launch need not wait for it."""

    def alive(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Whether the process may still live; True when this machine cannot know."""

    def lives(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Whether such a runner is known to live on this machine: that process, or one before it."""

    def end(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Ask the process to end; whether it is one of this machine that lives."""


class ProcessLauncher:
    """Starts runners as processes of this machine."""

    def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
        """Start `python -m streaming.runtime --organisation ID`."""
        return _start(organisation, scale, configuration_of(organisation))

    def launch_pool(self, number: int, serves: Sequence[UUID]) -> LaunchedRunner:
        """Start `python -m streaming.runtime --pool N`."""
        name = keys.pool_name(number)
        return _start(name, USUAL, _configured(address_for(name, serves), pool_keys(name)))

    def prepare(self, scale: RunnerScale, now: datetime) -> bool:
        """Start `python -m streaming.runtime --standby SOCKET` of that size, if none stands by or begins to."""
        arguments = runner_arguments(*scale)
        return installed_standbys().prepare(fitting(arguments), arguments, now)

    def alive(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Whether that process is still the runner; the id alone may belong to another process by now."""
        if launched.host != socket.gethostname():
            return True
        try:
            process = psutil.Process(launched.pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            return _is_of(process.cmdline(), whose) or _wrote_itself_down(process, whose)
        except psutil.Error:
            return False

    def lives(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Whether that process lives here, or one that was launched before it and wrote itself down; no lease asked."""
        here = launched.host == socket.gethostname() and self.alive(whose, launched)
        return here or runner_lives(settings.PUNCTUAL_DATA / str(whose))

    def end(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Send it SIGTERM."""
        return launched.host == socket.gethostname() and end_runner(whose, launched.pid)


def configuration_of(organisation: UUID) -> dict[str, Any]:
    """Return what the own runner of `organisation` is told and nobody else may read, its results' place settled."""
    settle_location(settings.PUNCTUAL_DATA / str(organisation), settings.RESULTS, str(organisation))
    return _configured(address_for(organisation), organisation_keys(organisation))


def _configured(redis_address: str, own_keys: Sequence[str]) -> dict[str, Any]:
    return {"redis": redis_address, "keys": own_keys, "outgoing": settings.OUTGOING.model_dump(mode="json")}


def _start(whose: UUID | str, scale: RunnerScale, told: dict[str, Any]) -> LaunchedRunner:
    """Start a runner, or take one that stands by and is what would be started; its output goes to its folder's log.

    What others must not read, Redis's address and the keys, goes to its standard input, or to the socket where it
    stands by.
    """
    log = runner_log(whose)
    make_room_in(log)
    arguments = runner_arguments(*scale)
    kind = of_kind(pooled=not isinstance(whose, UUID))
    standby = installed_standbys().take(fitting([*arguments, *kind]), str(whose), told)
    if standby is not None:
        return LaunchedRunner(standby.host, standby.pid, stood_by=True)
    command = [sys.executable, "-m", "streaming.runtime", *_named(whose), *arguments]
    return LaunchedRunner(socket.gethostname(), start_detached(command, log, json.dumps(told)))


def _named(whose: UUID | str) -> list[str]:
    """Return the part of a runner's command line that says whose it is."""
    if isinstance(whose, UUID):
        return ["--organisation", str(whose)]
    return ["--pool", whose.removeprefix(keys.POOL)]


def _is_of(command: Sequence[str], whose: UUID | str) -> bool:
    option, name = _named(whose)
    ours = ("--root", str(settings.PUNCTUAL_DATA))
    pairs = set(pairwise(command))
    return (option, name) in pairs and ours in pairs


def _wrote_itself_down(process: psutil.Process, whose: UUID | str) -> bool:
    """Whether it is the runner of that folder by its own word, as one that stood by is, whose command names nobody."""
    record = read_record(settings.PUNCTUAL_DATA / str(whose))
    return record is not None and record.is_of(process)


def runner_log(whose: UUID | str) -> Path:
    """Return the log of what is said of an organisation's runs, or of a pooled runner and concerns nobody alone."""
    folder: Path = settings.PUNCTUAL_DATA / str(whose) / "logs"
    return folder / "runner.log"


def may_launch(launch: LaunchNote | None, now: datetime, *, alive: bool) -> bool:
    """Whether to launch a runner, nobody having the lease: not while the last one starts, with back-off after that."""
    if launch is None or launch.attempts == 0:
        return True
    if alive:
        return now - launch.launched_at >= START_MAY_TAKE
    pause = min(FIRST_RELAUNCH_S * 2 ** (min(launch.attempts, 20) - 1), LONGEST_RELAUNCH_S)
    return now - launch.launched_at >= timedelta(seconds=pause)


def ensure_runner(launcher: Launcher, now: datetime) -> int:
    """Launch the own runner of the organisation in context if it is time; return how many were launched in vain."""
    organisation = current_organisation()
    launch = RunnerLaunch.objects.first()
    alive = launch is not None and launcher.alive(organisation, LaunchedRunner(launch.host, launch.pid))
    if not may_launch(launch, now, alive=alive):
        return 0 if launch is None else launch.attempts - 1
    scale = wanted_scale()
    launch = launch or RunnerLaunch()
    in_vain = note_launch(launch, launcher.launch(organisation, scale), now)
    launch.heap_mb, launch.worker_mb, launch.cores = scale
    launch.save()
    return in_vain


def note_launch(launch: LaunchNote, launched: LaunchedRunner, now: datetime) -> int:
    """Note in `launch`, unsaved, that a runner was launched; return how many were launched in vain before."""
    in_vain = launch.attempts
    launch.host, launch.pid, launch.launched_at, launch.attempts = launched.host, launched.pid, now, in_vain + 1
    launch.stood_by = launched.stood_by
    return in_vain


def wanted_scale() -> RunnerScale:
    """Return how large the own runner of the organisation in context is to be."""
    own = OwnRunner.objects.first()
    return USUAL if own is None else own.size


def sizes_to_come() -> set[RunnerScale]:
    """Return how large the own runners are to be that were given and are not launched yet, of whom something runs."""
    with installation_context("whose runners are prepared"):
        given: list[OwnRunner] = list(
            TenantQuerySet(OwnRunner)
            .filter(organisation__in=TenantQuerySet(Run).filter(ended_at=None).values("organisation"))
            .exclude(organisation__in=TenantQuerySet(RunnerLaunch).values("organisation"))
        )
    return {each.size for each in given}


def end_of_another_size(launcher: Launcher) -> None:
    """Ask the own runner of the organisation in context to end if it was not made as large as it is to be by now."""
    launch = RunnerLaunch.objects.first()
    if launch is not None and launch.size != wanted_scale():
        launcher.end(current_organisation(), LaunchedRunner(launch.host, launch.pid))


def launched() -> RunnerLaunched | None:
    """Return the launch of the runner that has not been heard of yet; None where there is none."""
    return launch_told(RunnerLaunch.objects.exclude(attempts=0).first())


def runner_was_heard() -> None:
    """Note that the launched runner has its lease: the next loss is followed by a launch at once."""
    RunnerLaunch.objects.exclude(attempts=0).update(attempts=0)


def end_runner(whose: UUID | str, pid: int) -> bool:
    """Ask the runner of an organisation, or a pool, with `pid` on this machine to end; whether there was such one."""
    if not ProcessLauncher().alive(whose, LaunchedRunner(socket.gethostname(), pid)):
        return False
    os.kill(pid, 15)
    return True
