"""The processes of an installation: started in groups of their own, watched, and stopped to the last."""

import os
import signal
import subprocess  # nosec B404 # programs of this machine, named by lists
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import psutil

from deploy.prepare.console import CannotGoOn, say, tail
from deploy.prepare.places import ROOT

WATCH_EVERY_S = 0.5
SETTLED_S = 60.0
"""A child that has lived for so long before it ended is started again at once."""
LONGEST_PAUSE_S = 60.0
HOPELESS = 10
"""After so many ends in a row, each soon after its start, it is said why; it is tried on."""
STOP_S = 20.0
"""How long a process may take to end after it was asked to; a runner finishes its batch in that time."""


@dataclass
class ChildProcess:
    """One process that this installation started, how it is started again, and where it writes its log.

    `failures`: how often it ended in a row, soon after its start; `due`: when it is started again, while it is not.
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
        """Start `command`; in a session of its own, so that ctrl-C reaches us first and we stop all in order."""
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
        """Raise CannotGoOn, with the end of its log, when a child has ended: while it starts for the first time."""
        for child in self.children:
            code = child.process.poll()
            if code is not None:
                raise CannotGoOn(
                    f"The {child.name} process ended (code {code}). The end of {child.log}:\n{tail(child.log)}"
                )

    def watch(self) -> NoReturn:
        """Return never: start again what ends."""
        while True:
            self.tend()
            time.sleep(WATCH_EVERY_S)

    def tend(self) -> None:
        """Start again what has ended: at once, then after 1, 2, 4 ... 60 s while it ends soon after each start."""
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
        child.due = now + pause
        quietly(lambda: os.killpg(child.process.pid, signal.SIGKILL))  # what it started would work on beside the next
        how = f"killed by signal {-code}" if code < 0 else f"code {code}"
        if child.failures == HOPELESS:
            last = tail(child.log).strip().splitlines()[-1:] or ["nothing"]
            say(
                f"The {child.name} process ended {HOPELESS} times in a row soon after its start ({how}). It is tried "
                f"again every minute; all else runs on. Its log {child.log} ends with: {last[0].strip()}"
            )
        elif child.failures < HOPELESS:
            when = f"in {pause:.0f} s" if pause else "now"
            say(f"The {child.name} process ended ({how}); it is started again {when}.")

    def _start_again(self, child: ChildProcess, now: float) -> None:
        child.began = now
        try:
            child.process = self._started(child.command, child.log)
            child.due = None
        except OSError as error:  # no memory for it, say: that passes
            child.due = now + LONGEST_PAUSE_S
            say(f"The {child.name} process cannot be started ({error.strerror}); it is tried again in a minute.")

    def stop(self, outliving: Callable[[], list[psutil.Process]]) -> None:
        """Stop the children, the last started first, each with all that it started.

        `outliving` gives the processes that are meant to outlive the child that started them, the runners: they are
        asked to end by themselves once that child is gone, or it would start them again.
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
    """Ask `roots` to end; after `stop_s` seconds, kill what is left of them and of all that they had started.

    Processes of `spare`, and what those started, are left alone.
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
    """Return all that `root` started, directly or not; nothing when it has ended."""
    try:
        return root.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def quietly(action: Callable[[], None]) -> None:
    """Do `action` to a process that may have ended meanwhile."""
    try:
        action()
    except (psutil.NoSuchProcess, ProcessLookupError):
        return


def runners(var: Path) -> list[psutil.Process]:
    """Return the runner processes of the installation in `var`: they outlive the worker that started them."""
    return [process for process in psutil.process_iter() if is_runner(process, var)]


def is_runner(process: psutil.Process, var: Path) -> bool:
    """Tell whether `process` is a runner whose `--root` is inside `var`."""
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    absolute = [Path(part) for part in command[1:] if part.startswith("/")]
    return "streaming.runtime" in command and any(part.is_relative_to(var) for part in absolute)


def left_over(var: Path) -> list[psutil.Process]:
    """Return the services that an installation in `var` left behind when it was killed itself.

    Redis overwrites its environment with its title, so it is known by its folder; the others by PUNCTUAL_DATA.
    """
    return [process for process in psutil.process_iter() if is_service(process, var)]


def is_service(process: psutil.Process, var: Path) -> bool:
    """Tell whether `process` is a service of the installation in `var`."""
    try:
        if process.name() == "redis-server":
            folder: str = process.cwd()
            return Path(folder) == var / "redis"
        command = process.cmdline()
        known = "webapp.asgi:application" in command or "celery" in command
        return known and process.environ().get("PUNCTUAL_DATA") == str(var)
    except psutil.Error:
        return False
