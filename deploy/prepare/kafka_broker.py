"""The Kafka broker that the tests talk to: its jars, by Maven, as `deploy/kafka/pom.xml` names them."""

import shutil
from pathlib import Path
from typing import Final

from deploy.prepare import stamps
from deploy.prepare.console import run_step
from deploy.prepare.places import ROOT

POM: Final = ROOT / "deploy" / "kafka" / "pom.xml"
JARS: Final = ROOT / "var" / "kafka" / "jars"
STAMP: Final = JARS / "punctual-copied"


def fetch(log: Path) -> None:
    """Copy the jars; nothing while the pom is as it was. Raises `CannotGoOn` when Maven cannot."""
    wanted = stamps.digest([POM], ROOT)
    if stamps.is_current(STAMP, wanted):
        return
    shutil.rmtree(JARS, ignore_errors=True)
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={JARS}"]
    title = "Fetching the Kafka broker for the tests: half a minute, once"
    run_step(title, ["mvn", "--batch-mode", "--file", str(POM), *goal], log, cwd=ROOT)
    stamps.write(STAMP, wanted)
