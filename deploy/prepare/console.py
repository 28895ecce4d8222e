"""Progress lines with the time since the start, so that nobody wonders whether a long step still runs."""

import subprocess  # nosec B404 # programs of this machine, named by lists
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

STILL_EVERY_S = 15
TAIL_LINES = 25


class SetupError(Exception):
    """A step failed for a reason that the user can fix; the message says how."""


class ProgressClock:
    """Counts from the first start, also in the process that continues the work."""

    started_s = time.monotonic()


def say(text: str) -> None:
    """Print one line with the seconds since the start."""
    sys.stdout.write(f"[{time.monotonic() - ProgressClock.started_s:5.0f} s] {text}\n")
    sys.stdout.flush()


def tail(log: Path) -> str:
    """Return the last lines of `log`, indented; empty for a missing file."""
    if not log.exists():
        return ""
    return "\n".join(f"    {line}" for line in log.read_text(errors="replace").splitlines()[-TAIL_LINES:])


def run_step(title: str, command: Sequence[str], log: Path, *, cwd: Path, env: Mapping[str, str] | None = None) -> None:
    """Run `command`, with its output appended to `log` and a line every STILL_EVERY_S seconds.

    Raises SetupError with the end of the log if the command fails.
    """
    say(title)
    log.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with log.open("ab") as output:
        process = subprocess.Popen(  # nosec B603 # a list of arguments, no shell, no user input
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            while True:
                try:
                    code = process.wait(timeout=STILL_EVERY_S)
                    break
                except subprocess.TimeoutExpired:
                    say(f"  ... still running ({time.monotonic() - began:.0f} s)")
        except BaseException:
            process.kill()
            process.wait()
            raise
    if code != 0:
        raise SetupError(f"{title}: failed. The end of {log}:\n{tail(log)}")
