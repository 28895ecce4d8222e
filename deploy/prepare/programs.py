"""The programs that Punctual needs from the machine; each missing one is reported in one sentence."""

import re
import shutil
import subprocess  # nosec B404 # programs of this machine, named by lists
import sys
from collections.abc import Callable

from deploy.prepare.console import SetupError

OLDEST_NODE = 20
OLDEST_JAVA = 17

VersionOf = Callable[[list[str]], str | None]


def printed_version(command: list[str]) -> str | None:
    """Return the output of `command`, from both channels; None if the program is missing or fails."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # nosec B603 # a list of arguments, no shell, no user input
    return done.stdout + done.stderr if done.returncode == 0 else None


def leading_number(text: str | None) -> int | None:
    """Return the first whole number of `text`: 20 of `v20.20.2`, 17 of `openjdk version "17.0.15"`."""
    found = re.search(r"\d+", text or "")
    return int(found.group()) if found else None


def missing(version_of: VersionOf = printed_version) -> list[str]:
    """Return one sentence for each program that is missing or too old; empty if all are present."""
    faults = []
    if sys.version_info[:2] != (3, 11):
        faults.append("Punctual needs Python 3.11: install python3.11 and run PYTHON=/path/to/python3.11 make up.")
    node = leading_number(version_of(["node", "--version"]))
    if node is None:
        faults.append(f"Node.js is missing: install Node.js {OLDEST_NODE} or newer, with npm.")
    elif node < OLDEST_NODE:
        faults.append(f"Node.js {node} is too old: install Node.js {OLDEST_NODE} or newer, with npm.")
    elif version_of(["npm", "--version"]) is None:
        faults.append("npm is missing: install npm together with Node.js.")
    return [*faults, *missing_java(version_of)]


def missing_java(version_of: VersionOf = printed_version) -> list[str]:
    """Return a sentence if Java is missing or too old; empty if it is present."""
    java = leading_number(version_of(["java", "-version"]))
    if java is None:
        return [f"Java is missing: install Java {OLDEST_JAVA}, for example openjdk-17-jre-headless."]
    if java < OLDEST_JAVA:
        return [f"Java {java} is too old: install Java {OLDEST_JAVA}, for example openjdk-17-jre-headless."]
    return []


def require(version_of: VersionOf = printed_version) -> None:
    """Raise SetupError with all missing programs."""
    faults = missing(version_of)
    if faults:
        raise SetupError("\n".join(faults))
