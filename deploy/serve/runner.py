"""The runner, as `python -m streaming.runtime`: its configuration from a file, and none of the web application."""

import argparse
import os
import signal
import subprocess  # nosec B404 # the runner of this installation
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final

from webapp.variables.reading import Environment
from webapp.variables.table import FILE

CONFIGURATION: Final = "PUNCTUAL_RUNNER_CONFIGURATION"
INVALID: Final = 2
ENDS_S: Final = 27.0
"""Seconds that a runner has to finish its batch after SIGTERM; a batch that is killed then is repeated at the start."""


def become(options: argparse.Namespace, arguments: Sequence[str], environment: Environment) -> int:
    """Run the runner to its end; return its exit code, or INVALID after printing what is wrong."""
    problems = list(environment.problems)
    words = [sys.executable, "-m", "streaming.runtime", *arguments]
    if "--root" not in arguments:
        root = environment.text("PUNCTUAL_DATA")
        words += ["--root", root]
        if not root:
            problems.append("PUNCTUAL_DATA must be set to the folder of all files, for example /srv/punctual.")
    configuration = environment.text(CONFIGURATION)
    if options.configuration is not None:
        configuration = _content(options.configuration, problems)
    if problems:
        sys.stderr.writelines(f"{problem}\n" for problem in problems)
        return INVALID
    return _run(words, configuration, environment)


def _content(path: Path, problems: list[str]) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        problems.append(
            f"{path} can't be read ({error.strerror}). Write the output of "
            f"`punctual-serve manage runnerconfiguration SLUG` into it, or set {CONFIGURATION}{FILE}."
        )
        return ""


def _run(words: Sequence[str], configuration: str, environment: Environment) -> int:
    """Run the program until it ends; after SIGTERM it has ENDS_S, then its whole process group is killed."""
    process = subprocess.Popen(  # nosec B603 # the runner of this installation, no shell
        words, env=environment.handed_on, stdin=subprocess.PIPE if configuration else None, start_new_session=True
    )

    def end(_number: int, _frame: FrameType | None) -> None:
        process.terminate()
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, ENDS_S)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    if process.stdin is not None:
        try:
            process.stdin.write(configuration.encode())
            process.stdin.close()
        except BrokenPipeError:  # it has ended already, and its exit code says why
            pass
    code = process.wait()
    return 128 - code if code < 0 else code
