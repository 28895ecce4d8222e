"""`punctual-serve demo`: what `make up` does, from an installed wheel."""

import os
import time

from deploy.installation.__main__ import main
from deploy.prepare import programs
from deploy.prepare.console import SetupError, say
from deploy.up.place import InstallationPlace, require_startable


def start() -> int:
    """Start everything on this machine until ctrl-C; return 1 after a sentence about what is missing."""
    try:
        if faults := programs.missing_java():
            raise SetupError(faults[0])
        require_startable(InstallationPlace.from_environment(os.environ))
    except SetupError as fault:
        say(str(fault))
        return 1
    return main(time.monotonic())
