"""`python3.11 -m deploy.up`: look whether Punctual can start here, install what is missing, start it."""

import os
import sys
from typing import NoReturn

from deploy.prepare.__main__ import for_running
from deploy.prepare.console import CannotGoOn, ProgressClock, say
from deploy.prepare.places import ROOT, VENV_PYTHON
from deploy.up.place import InstallationPlace, require_startable


def main() -> int:
    """Prepare, then become the installation; 1 after a sentence when that cannot be."""
    try:
        place = InstallationPlace.from_environment(os.environ)
        require_startable(place)
        for_running()
    except CannotGoOn as fault:
        say(str(fault))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130
    return become_the_installation()


def become_the_installation() -> NoReturn:
    """Go on in the virtual environment as the same process, so that ctrl-C and SIGTERM reach the one that serves."""
    os.chdir(ROOT)
    os.execv(VENV_PYTHON, [str(VENV_PYTHON), "-m", "deploy.installation", str(ProgressClock.started_s)])  # nosec B606 # becomes another program of this installation, no shell


if __name__ == "__main__":
    sys.exit(main())
