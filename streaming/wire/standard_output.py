"""Closing standard output: a closed pipe or a full disk causes no traceback of the interpreter."""

import os
import sys


def abandon_output() -> bool:
    """Flush standard output; where that fails, drop the rest, so that the interpreter does not try again.

    Return whether everything was written.
    """
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        return False
    return True
