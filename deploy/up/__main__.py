"""`python3.11 -m deploy.up`: check that Punctual can start here, install what is missing, start it."""

import os
import sys
from typing import NoReturn

from deploy.prepare.__main__ import for_running
from deploy.prepare.console import ProgressClock, SetupError, say
from deploy.prepare.places import ROOT, VENV_PYTHON
from deploy.up.place import InstallationPlace, require_startable


def main() -> int:
    """Prepare, then become the installation; return 1 after a sentence if that is impossible."""
    try:
        place = InstallationPlace.from_environment(os.environ)
        require_startable(place)
        for_running()
    except SetupError as fault:
        say(str(fault))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130
    return become_the_installation()


def become_the_installation() -> NoReturn:
    """Continue in the virtual environment as the same process, so that it receives ctrl-C and SIGTERM."""
    os.chdir(ROOT)
    os.execv(VENV_PYTHON, [str(VENV_PYTHON), "-m", "deploy.installation", str(ProgressClock.started_s)])  # nosec B606 # becomes another program of this installation, no shell


if __name__ == "__main__":
    sys.exit(main())
