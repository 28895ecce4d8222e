"""`punctual`: parse, run, and say how it ended."""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from .arguments import parser
from .faults import located, show_faults
from .outcomes import CommandFailure, ExitCode
from .screen import Screen
from .work import Work

INTERRUPTED = 130
"""What shells expect of a program that ctrl-C ended."""


def main(
    argv: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Run the command line `argv` (the process's own by default) and return the exit code.

    `pause` waits for so many seconds between two looks at the server.
    """
    try:
        args = parser().parse_args(argv)
    except SystemExit as ended:  # argparse has printed help, or a fault with the usage
        return ended.code if isinstance(ended.code, int) else ExitCode.USAGE
    screen = Screen(json_=getattr(args, "json", False), lines=getattr(args, "lines", False))
    work = Work(args, screen, os.environ if environment is None else environment, pause)
    try:
        with work.closing:
            return int(args.command(work))
    except CommandFailure as failure:
        return int(report(screen, failure))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _close_output()
        return ExitCode.DONE


def report(screen: Screen, failure: CommandFailure) -> ExitCode:
    """Print a failure: sentence and faults for people, a document with the same for programs."""
    screen.document(
        {
            "error": {
                "exit": failure.exit.value,
                "code": failure.code,
                "message": failure.message,
                "faults": [located(each, None, None) for each in failure.faults],
            }
        }
    )
    show_faults(screen, failure.faults, failure.texts)
    screen.note(f"punctual: {failure.message}")
    return failure.exit


def _close_output() -> None:
    """Whoever read our output has seen enough (`| head`); let nothing be written when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
