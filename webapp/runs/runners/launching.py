"""Launches of the runner of an organisation, or of a pool, and never of two.

A runner outlives the worker that launched it: it has a session of its own and is not a child of the worker. The web
application knows it only as a command line, by its lease in Redis, and by its recorded process id.
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

from streaming.storage.result_location import settle_location
from streaming.wire import keys
from streaming.wire.runner_record import read_record, runner_lives
from webapp.core.context import current_organisation, installation_context
from webapp.core.secrets import organisation_keys, pool_keys
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.lifecycle.starting import RunnerLaunched, launch_step
from webapp.runs.models import Run
from webapp.runs.runner_models import LaunchNote, OwnRunner, PooledRunner, RunnerLaunch
from webapp.runs.runners.detached import make_room_in, start_detached
from webapp.runs.runners.redis_users import address_for
from webapp.runs.runners.standby_processes import fitting, installed_standbys, of_kind, runner_arguments

START_MAY_TAKE = timedelta(seconds=60)
"""A launched process that lives but takes no lease for so long is given up."""
FIRST_RELAUNCH_S = 2
LONGEST_RELAUNCH_S = 300


@dataclass(frozen=True)
class LaunchedRunner:
    """The host and id of a started runner process; `stood_by`: it was a standby before."""

    host: str
    pid: int
    stood_by: bool = False


RunnerScale = tuple[int | None, int | None, int | None]
"""The heap of its JVM and the memory of a worker in MB, and cores; None: the installation's setting."""
USUAL: Final[RunnerScale] = (None, None, None)


class Launcher(Protocol):
    """Starts runner processes; `whose` is an organisation, or a pool by its name (`keys.pool_name`)."""

    def launch(self, organisation: UUID, scale: RunnerScale = USUAL) -> LaunchedRunner:
        """Start the own runner of `organisation` and return at once."""

    def launch_pool(self, number: int, serves: Sequence[UUID]) -> LaunchedRunner:
        """Start pooled runner `number`, which now serves these organisations, and return at once."""

    def prepare(self, scale: RunnerScale, now: datetime) -> bool:
        """Start a standby of that size if needed; return whether a launch need not wait for it."""

    def alive(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Return whether the process may still live; True if this machine cannot know."""

    def lives(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Return whether such a runner is known to live on this machine: that process, or an earlier one."""

    def end(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Ask the process to end; return whether it is a live process of this machine."""


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
        """Start `python -m streaming.runtime --standby SOCKET` of that size, unless one exists or is starting."""
        arguments = runner_arguments(*scale)
        return installed_standbys().prepare(fitting(arguments), arguments, now)

    def alive(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Return whether that process is still the runner; the id alone may belong to another process by now."""
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
        """Return whether that process, or an earlier one that recorded itself, lives here; asks no lease."""
        here = launched.host == socket.gethostname() and self.alive(whose, launched)
        return here or runner_lives(settings.PUNCTUAL_DATA / str(whose))

    def end(self, whose: UUID | str, launched: LaunchedRunner) -> bool:
        """Send it SIGTERM."""
        return launched.host == socket.gethostname() and end_runner(whose, launched.pid)


def configuration_of(organisation: UUID) -> dict[str, Any]:
    """Return the secret configuration of the own runner of `organisation`, and fix the place of its results."""
    settle_location(settings.PUNCTUAL_DATA / str(organisation), settings.RESULTS, str(organisation))
    return _configured(address_for(organisation), organisation_keys(organisation))


def _configured(redis_address: str, own_keys: Sequence[str]) -> dict[str, Any]:
    return {"redis": redis_address, "keys": own_keys, "outgoing": settings.OUTGOING.model_dump(mode="json")}


def _start(whose: UUID | str, scale: RunnerScale, configuration: dict[str, Any]) -> LaunchedRunner:
    """Start a runner, or take an equivalent standby; its output goes to its folder's log.

    `configuration`, which others must not read, has Redis's address and the keys; it goes to standard input, or to
    the socket of the standby.
    """
    log = runner_log(whose)
    make_room_in(log)
    arguments = runner_arguments(*scale)
    kind = of_kind(pooled=not isinstance(whose, UUID))
    standby = installed_standbys().take(fitting([*arguments, *kind]), str(whose), configuration)
    if standby is not None:
        return LaunchedRunner(standby.host, standby.pid, stood_by=True)
    command = [sys.executable, "-m", "streaming.runtime", *_named(whose), *arguments]
    return LaunchedRunner(socket.gethostname(), start_detached(command, log, json.dumps(configuration)))


def _named(whose: UUID | str) -> list[str]:
    """Return the arguments of a runner's command line that name its organisation or pool."""
    if isinstance(whose, UUID):
        return ["--organisation", str(whose)]
    return ["--pool", whose.removeprefix(keys.POOL)]


def _is_of(command: Sequence[str], whose: UUID | str) -> bool:
    option, name = _named(whose)
    ours = ("--root", str(settings.PUNCTUAL_DATA))
    pairs = set(pairwise(command))
    return (option, name) in pairs and ours in pairs


def _wrote_itself_down(process: psutil.Process, whose: UUID | str) -> bool:
    """Return whether it is the runner by the record in its folder; the command of a former standby names no one."""
    record = read_record(settings.PUNCTUAL_DATA / str(whose))
    return record is not None and record.is_of(process)


def runner_log(whose: UUID | str) -> Path:
    """Return the log on an organisation's runs, or the log of a pool on everything that concerns no single one."""
    folder: Path = settings.PUNCTUAL_DATA / str(whose) / "logs"
    return folder / "runner.log"


def may_launch(launch: LaunchNote | None, now: datetime, *, alive: bool) -> bool:
    """Return whether to launch a runner while no lease is held: not while the last one starts, and with back-off."""
    if launch is None or launch.attempts == 0:
        return True
    if alive:
        return now - launch.launched_at >= START_MAY_TAKE
    pause = min(FIRST_RELAUNCH_S * 2 ** (min(launch.attempts, 20) - 1), LONGEST_RELAUNCH_S)
    return now - launch.launched_at >= timedelta(seconds=pause)


def ensure_runner(launcher: Launcher, now: datetime) -> int:
    """Launch the own runner of the organisation in context if it is time; return how many launches have failed."""
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
    """Note in `launch`, unsaved, that a runner was launched; return how many launches failed before."""
    in_vain = launch.attempts
    launch.host, launch.pid, launch.launched_at, launch.attempts = launched.host, launched.pid, now, in_vain + 1
    launch.stood_by = launched.stood_by
    return in_vain


def wanted_scale() -> RunnerScale:
    """Return the wanted size of the own runner of the organisation in context."""
    own = OwnRunner.objects.first()
    return USUAL if own is None else own.size


def sizes_to_come() -> set[RunnerScale]:
    """Return the sizes of granted own runners that are not launched yet, of organisations with open runs."""
    with installation_context("own runners are prepared"):
        given: list[OwnRunner] = list(
            TenantQuerySet(OwnRunner)
            .filter(organisation__in=TenantQuerySet(Run).filter(ended_at=None).values("organisation"))
            .exclude(organisation__in=TenantQuerySet(RunnerLaunch).values("organisation"))
        )
    return {each.size for each in given}


def end_of_another_size(launcher: Launcher) -> None:
    """Ask the own runner of the organisation in context to end if its size is no longer the wanted one."""
    launch = RunnerLaunch.objects.first()
    if launch is not None and launch.size != wanted_scale():
        launcher.end(current_organisation(), LaunchedRunner(launch.host, launch.pid))


def launched() -> RunnerLaunched | None:
    """Return the launch of a runner that has no lease yet; None without one."""
    return launch_step(RunnerLaunch.objects.exclude(attempts=0).first())


def runner_was_heard() -> None:
    """Note that the launched runner has its lease, so that its loss is followed by a launch at once."""
    RunnerLaunch.objects.exclude(attempts=0).update(attempts=0)


def forget_launches_in_vain() -> None:
    """Let the next launch wait no longer than after one failure, because the cause of the failures has ended."""
    RunnerLaunch.objects.filter(attempts__gt=1).update(attempts=1)
    PooledRunner.objects.filter(attempts__gt=1).update(attempts=1)


def end_runner(whose: UUID | str, pid: int) -> bool:
    """Ask the runner of an organisation or pool with `pid` on this machine to end; return whether it exists."""
    if not ProcessLauncher().alive(whose, LaunchedRunner(socket.gethostname(), pid)):
        return False
    os.kill(pid, 15)
    return True
