"""`python3.11 -m deploy.prepare [tests]`: install the requirements for running, or for testing."""

import sys

from deploy.prepare import browser_code, debian, kafka_broker, packages, programs, spark_classes
from deploy.prepare.console import SetupError, say
from deploy.prepare.places import ROOT

LOG = ROOT / "var" / "logs" / "prepare.log"


def for_running() -> None:
    """Install and build the requirements of `make up`."""
    programs.require()
    packages.install(packages.RUNNING, LOG)
    spark_classes.archive(LOG)
    browser_code.install(LOG)
    browser_code.build(LOG)


def for_tests() -> None:
    """Install and build the requirements of `make test`."""
    programs.require()
    debian.install(debian.FOR_TESTS, LOG)
    packages.install(packages.TESTING, LOG)
    kafka_broker.fetch(LOG)
    spark_classes.archive(LOG)
    browser_code.install(LOG)
    browser_code.build(LOG)


def main(arguments: list[str]) -> int:
    """Prepare for the given purpose; return 0, or 1 after printing a sentence about what is missing."""
    try:
        for_tests() if arguments == ["tests"] else for_running()
    except SetupError as fault:
        say(str(fault))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
