"""The Kafka broker for the tests, and Debezium with Kafka Connect."""

from pathlib import Path
from typing import Final

from deploy.prepare.jars import JarFolder
from deploy.prepare.places import ROOT

JARS: Final = ROOT / "var" / "kafka" / "jars"
DEBEZIUM_JARS: Final = ROOT / "var" / "debezium" / "jars"
_PROGRAMS: Final = (
    JarFolder("the Kafka broker", ROOT / "deploy" / "kafka" / "pom.xml", JARS),
    JarFolder("Debezium", ROOT / "deploy" / "debezium" / "pom.xml", DEBEZIUM_JARS),
)


def fetch(log: Path) -> None:
    """Copy the jars of both, unless their poms are unchanged. Raises `SetupError` if Maven fails."""
    for program in _PROGRAMS:
        program.fetch(log)
