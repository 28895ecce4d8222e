"""The processes of an installation: started in separate groups, watched, and all stopped."""

import os
import signal
import subprocess  # nosec B404 # programs of this machine, named by lists
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import psutil

from deploy.prepare.console import SetupError, say, tail
from deploy.prepare.places import ROOT
from webapp.variables.reading import Environment

WATCH_EVERY_S = 0.5
SETTLED_S = 60.0
"""A child that has lived this long before it ended is restarted at once."""
LONGEST_PAUSE_S = 60.0
HOPELESS = 10
"""After this many quick ends in a row, a message gives the reason; restarts continue."""
FULL_BYTES = 1 << 20
"""With fewer free bytes than this, the disk of the logs is full: a new process can't even print."""
FULL_PAUSE_S = 4.0
"""The pause before a restart on a full disk, after any number of ends, because there may be room by then."""
STOP_S = 20.0
"""Longest wait for a process to end after it was asked to; a runner finishes its batch in that time."""


@dataclass
class ChildProcess:
    """One process of this installation, its command for a restart, and its log.

    `failures`: consecutive ends soon after a start; `due`: the time of the next restart, while it isn't running.
    """

    name: str
    command: Sequence[str]
    log: Path
    process: "subprocess.Popen[bytes]"
    began: float
    failures: int = 0
    due: float | None = None


@dataclass
class ChildProcesses:
    """The children in the order of their start; `env` and `logs` are common to all."""

    env: Mapping[str, str]
    logs: Path
    monotonic: Callable[[], float] = time.monotonic
    children: list[ChildProcess] = field(default_factory=list)

    def start(self, name: str, command: Sequence[str]) -> ChildProcess:
        """Start `command` in its own session, so that ctrl-C reaches only us and we stop all in order."""
        log = self.logs / f"{name}.log"
        child = ChildProcess(name, command, log, self._started(command, log), self.monotonic())
        self.children.append(child)
        return child

    def _started(self, command: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
        with log.open("ab") as output:
            return subprocess.Popen(  # nosec B603 # a list of arguments, no shell, no word of a user in it
                command,
                cwd=ROOT,
                env=dict(self.env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def require_alive(self) -> None:
        """Raise SetupError, with the end of its log, if a child has ended: during the first start."""
        for child in self.children:
            code = child.process.poll()
            if code is not None:
                raise SetupError(
                    f"The {child.name} process ended (code {code}). The end of {child.log}:\n{tail(child.log)}"
                )

    def watch(self) -> NoReturn:
        """Restart children that end; never returns."""
        while True:
            self.tend()
            time.sleep(WATCH_EVERY_S)

    def tend(self) -> None:
        """Restart ended children: at once, then after 1, 2, 4 ... 60 s while they end soon after each start.

        On a full disk the pauses don't grow, because nothing can start, and the children are needed once there is room.
        """
        now = self.monotonic()
        for child in self.children:
            if child.due is None:
                code = child.process.poll()
                if code is None:
                    continue
                self._take_down(child, code, now)
            if child.due is not None and child.due <= now:
                self._start_again(child, now)

    def _take_down(self, child: ChildProcess, code: int, now: float) -> None:
        child.failures = 1 if now - child.began >= SETTLED_S else child.failures + 1
        pause = 0.0 if child.failures == 1 else min(2.0 ** (child.failures - 2), LONGEST_PAUSE_S)
        if self._disk_is_full():
            child.failures, pause = min(child.failures, 2), min(pause, FULL_PAUSE_S)
        child.due = now + pause
        quietly(lambda: os.killpg(child.process.pid, signal.SIGKILL))  # else its children live on
        how = f"killed by signal {-code}" if code < 0 else f"code {code}"
        if child.failures == HOPELESS:
            last = tail(child.log).strip().splitlines()[-1:] or ["nothing"]
            say(
                f"The {child.name} process ended {HOPELESS} times in a row soon after its start ({how}). It restarts "
                f"every minute; everything else continues. Its log {child.log} ends with: {last[0].strip()}"
            )
        elif child.failures < HOPELESS:
            when = f"in {pause:.0f} s" if pause else "now"
            say(f"The {child.name} process ended ({how}); it restarts {when}.")

    def _start_again(self, child: ChildProcess, now: float) -> None:
        child.began = now
        try:
            child.process = self._started(child.command, child.log)
            child.due = None
        except OSError as error:  # for example a temporary lack of memory
            pause = FULL_PAUSE_S if self._disk_is_full() else LONGEST_PAUSE_S
            child.due = now + pause
            say(f"The {child.name} process cannot be started ({error.strerror}); next attempt in {pause:.0f} s.")

    def _disk_is_full(self) -> bool:
        found = os.statvfs(self.logs)
        return found.f_bavail * found.f_frsize < FULL_BYTES

    def stop(self, outliving: Callable[[], list[psutil.Process]]) -> None:
        """Stop the children, the last started first, each with all processes that it started.

        `outliving` returns the processes that are meant to outlive their parent, the runners: they are asked to end
        once their parent is gone, or it would restart them.
        """
        for child in reversed(self.children):
            spared = outliving()
            end_trees(running([child.process.pid]), spare=spared)
            child.process.wait()
            end_trees(spared)
        self.children.clear()


def running(pids: Iterable[int]) -> list[psutil.Process]:
    """Return the processes of `pids` that exist."""
    found = []
    for pid in pids:
        try:
            found.append(psutil.Process(pid))
        except psutil.NoSuchProcess:
            continue
    return found


def end_trees(roots: Sequence[psutil.Process], spare: Sequence[psutil.Process] = (), stop_s: float = STOP_S) -> None:
    """Ask `roots` to end; after `stop_s` seconds, kill the remaining ones and all processes that they had started.

    Processes of `spare`, and their children, are left alone.
    """
    spared = {process for one in spare for process in [one, *descendants(one)]}
    trees = [process for root in roots for process in [root, *descendants(root)] if process not in spared]
    for root in roots:
        quietly(root.terminate)
    psutil.wait_procs(list(roots), timeout=stop_s)
    left = [process for process in trees if process.is_running()]
    for process in left:
        quietly(process.kill)
    psutil.wait_procs(left, timeout=5)


def descendants(root: psutil.Process) -> list[psutil.Process]:
    """Return all processes that `root` started, directly or not; empty if it has ended."""
    try:
        return root.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def quietly(action: Callable[[], None]) -> None:
    """Do `action` to a process that may have ended since then."""
    try:
        action()
    except (psutil.NoSuchProcess, ProcessLookupError):
        return


def runners(var: Path) -> list[psutil.Process]:
    """Return the runner processes of the installation in `var`: they outlive the worker that started them."""
    return [process for process in psutil.process_iter() if is_runner(process, var)]


def is_runner(process: psutil.Process, var: Path) -> bool:
    """Return whether `process` is a runner whose `--root` is inside `var`."""
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    absolute = [Path(part) for part in command[1:] if part.startswith("/")]
    return "streaming.runtime" in command and any(part.is_relative_to(var) for part in absolute)


def left_over(var: Path) -> list[psutil.Process]:
    """Return the services that a killed installation in `var` left behind.

    Redis overwrites its environment with its title, so its folder identifies it; PUNCTUAL_DATA identifies the others.
    """
    return [process for process in psutil.process_iter() if is_service(process, var)]


def is_service(process: psutil.Process, var: Path) -> bool:
    """Return whether `process` is a service of the installation in `var`."""
    try:
        if process.name() == "redis-server":
            folder: str = process.cwd()
            return Path(folder) == var / "redis"
        command = process.cmdline()
        known = not {"deploy.serve", "webapp.asgi:application", "celery"}.isdisjoint(command)
        return known and Environment(process.environ()).text("PUNCTUAL_DATA") == str(var)
    except psutil.Error:
        return False
