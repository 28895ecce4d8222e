"""`punctual`: parse, run, and report the outcome."""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from .arguments import parser
from .outcomes import CommandFailure, ExitCode
from .output.faults import located, show_faults
from .output.screen import Screen
from .work import Work

INTERRUPTED = 130
"""The exit code that shells expect of a program that ctrl-C ended."""


def main(
    argv: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Run the command line `argv` (the process's own by default) and return the exit code.

    `pause` waits for that many seconds between two polls of the server.
    """
    try:
        args = parser().parse_args(argv)
    except SystemExit as ended:  # argparse has printed help, or an error with the usage
        code = ended.code if isinstance(ended.code, int) else ExitCode.USAGE
        return code if _flush_output() is None else ExitCode.REFUSED
    screen = Screen(json_=getattr(args, "json", False), lines=getattr(args, "lines", False))
    work = Work(args, screen, os.environ if environment is None else environment, pause)
    try:
        with work.closing:
            code = int(args.command(work))
        error = _flush_output()
        if error is not None and not isinstance(error, BrokenPipeError):
            raise CommandFailure(ExitCode.REFUSED, f"The output cannot be written: {error.strerror or error}.")
        return code
    except CommandFailure as failure:
        return int(report(screen, failure))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _close_output()
        return ExitCode.DONE
    except OSError as error:  # of the output: commands name the files that they can't read
        _close_output()
        return int(
            report(
                screen, CommandFailure(ExitCode.REFUSED, f"The output cannot be written: {error.strerror or error}.")
            )
        )


def report(screen: Screen, failure: CommandFailure) -> ExitCode:
    """Print a failure: sentence and errors for people, a document with the same for programs."""
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


def _flush_output() -> OSError | None:
    """Write the rest of the output; return the error if that fails, and close the output then."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _close_output()
        return error
    return None


def _close_output() -> None:
    """Discard further output: its reader has seen enough (`| head`), and Python must not write when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
