"""The processes of an installation: started in groups of their own, watched, and stopped to the last."""

import subprocess  # nosec B404 # programs of this machine, named by lists
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import psutil

from deploy.prepare.console import CannotGoOn, tail
from deploy.prepare.places import ROOT

WATCH_EVERY_S = 0.5
STOP_S = 20.0
"""How long a process may take to end after it was asked to; a runner finishes its batch in that time."""


@dataclass(frozen=True)
class Child:
    """One process that this installation started, and where it writes its log."""

    name: str
    process: "subprocess.Popen[bytes]"
    log: Path


@dataclass
class Processes:
    """The children in the order of their start; `env` and `logs` are common to all."""

    env: Mapping[str, str]
    logs: Path
    children: list[Child] = field(default_factory=list)

    def start(self, name: str, command: Sequence[str]) -> Child:
        """Start `command`; in a session of its own, so that ctrl-C reaches us first and we stop all in order."""
        log = self.logs / f"{name}.log"
        with log.open("ab") as output:
            process = subprocess.Popen(  # nosec B603 # a list of arguments, no shell, no word of a user in it
                command,
                cwd=ROOT,
                env=dict(self.env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        child = Child(name, process, log)
        self.children.append(child)
        return child

    def require_alive(self) -> None:
        """Raise CannotGoOn, with the end of its log, when a child has ended."""
        for child in self.children:
            code = child.process.poll()
            if code is not None:
                raise CannotGoOn(
                    f"The {child.name} process ended (code {code}). The end of {child.log}:\n{tail(child.log)}"
                )

    def watch(self) -> NoReturn:
        """Return never; raises CannotGoOn when a child has ended."""
        while True:
            self.require_alive()
            time.sleep(WATCH_EVERY_S)

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
    except psutil.NoSuchProcess:
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
