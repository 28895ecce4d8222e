"""Launching the runner process of an organisation, and never two of them.

A runner outlives the worker that launched it: it has a session of its own and is nobody's child. The web application
knows it only as a command line, by its lease in Redis, and by the process id that was written down.
"""

import json
import os
import socket
import subprocess  # nosec B404 # programs of this machine, named by lists
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import psutil
from django.conf import settings

from streaming.wire.result_location import settle_location
from streaming.wire.runner_record import runner_lives
from webapp.core.context import current_organisation
from webapp.core.secrets import organisation_keys
from webapp.runs.models import RunnerLaunch
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


class Launcher(Protocol):
    """Starts runner processes."""

    def launch(self, organisation: UUID) -> LaunchedRunner:
        """Start the runner of `organisation` and return at once."""

    def alive(self, organisation: UUID, launched: LaunchedRunner) -> bool:
        """Whether the process may still live; True when this machine cannot know."""

    def lives(self, organisation: UUID, launched: LaunchedRunner) -> bool:
        """Whether a runner of `organisation` is known to live on this machine: that process, or one before it."""


class ProcessLauncher:
    """Starts runners as processes of this machine."""

    def launch(self, organisation: UUID) -> LaunchedRunner:
        """Start `python -m streaming.runtime` in a session of its own, its output appended to the log of its folder.

        What others must not read, Redis's address and the organisation's keys, goes to its standard input.
        """
        settle_location(settings.PUNCTUAL_DATA / str(organisation), settings.RESULTS, str(organisation))
        log = runner_log(organisation)
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(earlier_log(log))
        command = [sys.executable, "-m", "streaming.runtime"]
        command += ["--organisation", str(organisation), "--root", str(settings.PUNCTUAL_DATA)]
        command += ["--worker-memory-mb", str(settings.WORKER_MEMORY_MB)]
        command += ["--jvm-memory-mb", str(settings.JVM_MEMORY_MB)]
        if settings.KEEP_RESULTS_DAYS:
            command += ["--keep-results-s", str(settings.KEEP_RESULTS_DAYS * 24 * 3600)]
        # The shell ends at once, so that the runner belongs to init: a child of the worker would stay as a zombie. It
        # gives what it starts in the background an empty standard input, but for one that comes by another number.
        detached = ["/bin/sh", "-c", 'exec 3<&0; "$@" >>"$RUNNER_LOG" 2>&1 <&3 3<&- & echo $!', "sh", *command]
        answer = subprocess.run(  # nosec B603 # a list of arguments, no shell, no word of a user in it
            detached,
            input=json.dumps(_told(organisation)),
            env={**settings.RUNNER_ENVIRONMENT, "RUNNER_LOG": str(log)},
            cwd=settings.BASE_DIR,
            start_new_session=True,
            check=True,
            capture_output=True,
            text=True,
        )
        return LaunchedRunner(socket.gethostname(), int(answer.stdout))

    def alive(self, organisation: UUID, launched: LaunchedRunner) -> bool:
        """Whether that process is still the runner; the id alone may belong to another process by now."""
        if launched.host != socket.gethostname():
            return True
        try:
            process = psutil.Process(launched.pid)
            return process.status() != psutil.STATUS_ZOMBIE and str(organisation) in process.cmdline()
        except psutil.Error:
            return False

    def lives(self, organisation: UUID, launched: LaunchedRunner) -> bool:
        """Whether that process lives here, or one that was launched before it and wrote itself down; no lease asked."""
        here = launched.host == socket.gethostname() and self.alive(organisation, launched)
        return here or runner_lives(settings.PUNCTUAL_DATA / str(organisation))


def _told(organisation: UUID) -> dict[str, Any]:
    """Return what a runner reads as `streaming.runtime.configuration`."""
    return {
        "redis": address_for(organisation),
        "keys": organisation_keys(organisation),
        "outgoing": settings.OUTGOING.model_dump(mode="json"),
    }


def runner_log(organisation: UUID) -> Path:
    """Return the file to which the organisation's runner writes its log."""
    folder: Path = settings.PUNCTUAL_DATA / str(organisation) / "logs"
    return folder / "runner.log"


def earlier_log(log: Path) -> Path:
    """Return the file to which `log` was moved when it became long."""
    return log.with_suffix(".log.1")


def may_launch(launch: RunnerLaunch | None, now: datetime, *, alive: bool) -> bool:
    """Whether to launch a runner, nobody having the lease: not while the last one starts, with back-off after that."""
    if launch is None or launch.attempts == 0:
        return True
    if alive:
        return now - launch.launched_at >= START_MAY_TAKE
    pause = min(FIRST_RELAUNCH_S * 2 ** (min(launch.attempts, 20) - 1), LONGEST_RELAUNCH_S)
    return now - launch.launched_at >= timedelta(seconds=pause)


def ensure_runner(launcher: Launcher, now: datetime) -> int:
    """Launch a runner for the organisation in context if it is time; return how many were launched in vain so far."""
    organisation = current_organisation()
    launch = RunnerLaunch.objects.first()
    alive = launch is not None and launcher.alive(organisation, LaunchedRunner(launch.host, launch.pid))
    if not may_launch(launch, now, alive=alive):
        return 0 if launch is None else launch.attempts - 1
    launched = launcher.launch(organisation)
    launch = launch or RunnerLaunch()
    in_vain = launch.attempts
    launch.host, launch.pid, launch.launched_at, launch.attempts = launched.host, launched.pid, now, in_vain + 1
    launch.save()
    return in_vain


def launched() -> int | None:
    """Return when the runner was launched that has not been heard of yet, in ticks; None where there is none."""
    launch = RunnerLaunch.objects.exclude(attempts=0).first()
    return None if launch is None else ticks_of(launch.launched_at)


def runner_was_heard() -> None:
    """Note that the launched runner has its lease: the next loss is followed by a launch at once."""
    RunnerLaunch.objects.exclude(attempts=0).update(attempts=0)


def end_runner(organisation: UUID, pid: int) -> bool:
    """Ask the runner of `organisation` with `pid` on this machine to end; whether there was such a process."""
    if not ProcessLauncher().alive(organisation, LaunchedRunner(socket.gethostname(), pid)):
        return False
    os.kill(pid, 15)
    return True
