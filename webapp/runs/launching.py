"""Launching the runner process of an organisation, or a pooled one, and never two of them.

A runner outlives the worker that launched it: it has a session of its own and is nobody's child. The web application
knows it only as a command line, by its lease in Redis, and by the process id that was written down.
"""

import json
import os
import socket
import subprocess  # nosec B404 # programs of this machine, named by lists
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
from streaming.wire.runner_record import runner_lives
from webapp.core.context import current_organisation
from webapp.core.secrets import organisation_keys, pool_keys
from webapp.runs.models import LaunchNote, OwnRunner, RunnerLaunch
from webapp.runs.redis_users import address_for
from webapp.runs.starting import ticks_of

START_MAY_TAKE = timedelta(seconds=60)
"""A launched process that lives but has not taken its lease for so long is given up."""
FIRST_RELAUNCH_S = 2
LONGEST_RELAUNCH_S = 300
LOG_BYTES = 10_000_000


@dataclass(frozen=True)
class LaunchedRunner:
    """Where a runner process was started."""

    host: str
    pid: int


RunnerScale = tuple[int | None, int | None, int | None]
"""The heap of its JVM and the memory of a worker in MB, and cores; None: as the installation says."""
USUAL: Final[RunnerScale] = (None, None, None)


class Launcher(Protocol):
    """Starts runner processes; `whose` is an organisation, or a pooled runner by its name (`keys.pool_name`)."""

    def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
        """Start the own runner of `organisation` and return at once."""

    def launch_pool(self, number: int, serves: Sequence[UUID]) -> LaunchedRunner:
        """Start pooled runner `number`, which serves these organisations by now, and return at once."""

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
        settle_location(settings.PUNCTUAL_DATA / str(organisation), settings.RESULTS, str(organisation))
        told = {"redis": address_for(organisation), "keys": organisation_keys(organisation)}
        return _start(organisation, scale, told)

    def launch_pool(self, number: int, serves: Sequence[UUID]) -> LaunchedRunner:
        """Start `python -m streaming.runtime --pool N`."""
        name = keys.pool_name(number)
        return _start(name, USUAL, {"redis": address_for(name, serves), "keys": pool_keys(name)})

    def alive(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Whether that process is still the runner; the id alone may belong to another process by now."""
        if launched.host != socket.gethostname():
            return True
        try:
            process = psutil.Process(launched.pid)
            return process.status() != psutil.STATUS_ZOMBIE and _is_of(process.cmdline(), whose)
        except psutil.Error:
            return False

    def lives(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Whether that process lives here, or one that was launched before it and wrote itself down; no lease asked."""
        here = launched.host == socket.gethostname() and self.alive(whose, launched)
        return here or runner_lives(settings.PUNCTUAL_DATA / str(whose))

    def end(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Send it SIGTERM."""
        return launched.host == socket.gethostname() and end_runner(whose, launched.pid)


def _start(whose: UUID | str, scale: RunnerScale, told: dict[str, Any]) -> LaunchedRunner:
    """Start a runner in a session of its own, its output appended to the log of its folder.

    What others must not read, Redis's address and the keys, goes to its standard input.
    """
    log = runner_log(whose)
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(earlier_log(log))
    heap_mb, worker_mb, cores = scale
    command = [sys.executable, "-m", "streaming.runtime", *_named(whose)]
    command += ["--root", str(settings.PUNCTUAL_DATA)]
    command += ["--worker-memory-mb", str(settings.WORKER_MEMORY_MB if worker_mb is None else worker_mb)]
    command += ["--jvm-memory-mb", str(settings.JVM_MEMORY_MB if heap_mb is None else heap_mb)]
    if cores is not None:
        command += ["--master", f"local[{cores}]"]
    if settings.KEEP_RESULTS_DAYS:
        command += ["--keep-results-s", str(settings.KEEP_RESULTS_DAYS * 24 * 3600)]
    # The shell ends at once, so that the runner belongs to init: a child of the worker would stay as a zombie. It
    # gives what it starts in the background an empty standard input, but for one that comes by another number.
    detached = ["/bin/sh", "-c", 'exec 3<&0; "$@" >>"$RUNNER_LOG" 2>&1 <&3 3<&- & echo $!', "sh", *command]
    answer = subprocess.run(  # nosec B603 # a list of arguments, no shell, no word of a user in it
        detached,
        input=json.dumps({**told, "outgoing": settings.OUTGOING.model_dump(mode="json")}),
        env={**settings.RUNNER_ENVIRONMENT, "RUNNER_LOG": str(log)},
        cwd=settings.BASE_DIR,
        start_new_session=True,
        check=True,
        capture_output=True,
        text=True,
    )
    return LaunchedRunner(socket.gethostname(), int(answer.stdout))


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


def runner_log(whose: UUID | str) -> Path:
    """Return the log of what is said of an organisation's runs, or of a pooled runner and concerns nobody alone."""
    folder: Path = settings.PUNCTUAL_DATA / str(whose) / "logs"
    return folder / "runner.log"


def earlier_log(log: Path) -> Path:
    """Return the file to which `log` was moved when it became long."""
    return log.with_suffix(".log.1")


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
    return in_vain


def wanted_scale() -> RunnerScale:
    """Return how large the own runner of the organisation in context is to be."""
    own = OwnRunner.objects.first()
    return USUAL if own is None else own.size


def end_of_another_size(launcher: Launcher) -> None:
    """Ask the own runner of the organisation in context to end if it was not made as large as it is to be by now."""
    launch = RunnerLaunch.objects.first()
    if launch is not None and launch.size != wanted_scale():
        launcher.end(current_organisation(), LaunchedRunner(launch.host, launch.pid))


def launched() -> int | None:
    """Return when the runner was launched that has not been heard of yet, in ticks; None where there is none."""
    launch = RunnerLaunch.objects.exclude(attempts=0).first()
    return None if launch is None else ticks_of(launch.launched_at)


def runner_was_heard() -> None:
    """Note that the launched runner has its lease: the next loss is followed by a launch at once."""
    RunnerLaunch.objects.exclude(attempts=0).update(attempts=0)


def end_runner(whose: UUID | str, pid: int) -> bool:
    """Ask the runner of an organisation, or a pool, with `pid` on this machine to end; whether there was such one."""
    if not ProcessLauncher().alive(whose, LaunchedRunner(socket.gethostname(), pid)):
        return False
    os.kill(pid, 15)
    return True
