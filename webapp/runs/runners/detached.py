"""Starting a process of this machine that outlives whoever starts it."""

import subprocess  # nosec B404 # programs of this machine, named by lists
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from django.conf import settings

LOG_BYTES: Final = 10_000_000


def start_detached(command: Sequence[str], log: Path, told: str) -> int:
    """Start `command` in a session of its own, its output appended to `log`; return its process id.

    `told`, what others must not read, goes to its standard input.
    """
    # The shell ends at once, so that the process belongs to init: a child of the worker would stay as a zombie. It
    # gives what it starts in the background an empty standard input, but for one that comes by another number.
    detached = ["/bin/sh", "-c", 'exec 3<&0; "$@" >>"$RUNNER_LOG" 2>&1 <&3 3<&- & echo $!', "sh", *command]
    answer = subprocess.run(  # nosec B603 # a list of arguments, no shell, no word of a user in it
        detached,
        input=told,
        env={**settings.RUNNER_ENVIRONMENT, "RUNNER_LOG": str(log)},
        cwd=settings.BASE_DIR,
        start_new_session=True,
        check=True,
        capture_output=True,
        text=True,
    )
    return int(answer.stdout)


def make_room_in(log: Path) -> None:
    """See that the folder of `log` is there, and put a long one aside."""
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(earlier_log(log))


def earlier_log(log: Path) -> Path:
    """Return the file to which `log` was moved when it became long."""
    return log.with_suffix(".log.1")
