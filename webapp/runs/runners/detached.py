"""Starts processes of this machine that outlive the process that starts them."""

import subprocess  # nosec B404 # programs of this machine, named by lists
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from django.conf import settings

LOG_BYTES: Final = 10_000_000


def start_detached(command: Sequence[str], log: Path, secret_input: str) -> int:
    """Start `command` in a session of its own, its output appended to `log`; return its process id.

    `secret_input`, which others must not read, goes to its standard input.
    """
    # The shell ends at once, so that init adopts the process: as a child of the worker it would become a zombie. The
    # shell gives a background process an empty standard input, except through another descriptor.
    detached = ["/bin/sh", "-c", 'exec 3<&0; "$@" >>"$RUNNER_LOG" 2>&1 <&3 3<&- & echo $!', "sh", *command]
    answer = subprocess.run(  # nosec B603 # a list of arguments, no shell, and no text of a user in it
        detached,
        input=secret_input,
        env={**settings.RUNNER_ENVIRONMENT, "RUNNER_LOG": str(log)},
        cwd=settings.BASE_DIR,
        start_new_session=True,
        check=True,
        capture_output=True,
        text=True,
    )
    return int(answer.stdout)


def make_room_in(log: Path) -> None:
    """Create the folder of `log`, and move a long log aside."""
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(earlier_log(log))


def earlier_log(log: Path) -> Path:
    """Return the file to which a long `log` was moved."""
    return log.with_suffix(".log.1")
