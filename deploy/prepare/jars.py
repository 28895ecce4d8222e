"""Programs in Java for the tests: their jars, downloaded by Maven from a `pom.xml`."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from deploy.prepare import stamps
from deploy.prepare.console import run_step
from deploy.prepare.places import ROOT


@dataclass(frozen=True)
class JarFolder:
    """The jars of the program `title`, those of `pom` with their dependencies, in `folder`."""

    title: str
    pom: Path
    folder: Path

    def fetch(self, log: Path) -> None:
        """Copy the jars, unless the pom is unchanged. Raises `SetupError` if Maven fails."""
        wanted = stamps.digest([self.pom], ROOT)
        stamp = self.folder / "punctual-copied"
        if stamps.is_current(stamp, wanted):
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={self.folder}"]
        title = f"Fetching {self.title} for the tests: half a minute, once"
        run_step(title, ["mvn", "--batch-mode", "--file", str(self.pom), *goal], log, cwd=ROOT)
        stamps.write(stamp, wanted)
