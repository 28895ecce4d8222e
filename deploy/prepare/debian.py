"""Programs that only the tests need, from Debian's packages."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.prepare.console import SetupError, run_step
from deploy.prepare.places import ROOT


@dataclass(frozen=True)
class TestProgram:
    """A program for the tests: present if one of `paths` (patterns below /) exists, else installed from `packages`."""

    name: str
    paths: tuple[str, ...]
    packages: tuple[str, ...]

    def is_there(self) -> bool:
        """Return whether the machine has it."""
        return any(any(Path("/").glob(path)) for path in self.paths)


FOR_TESTS = (
    TestProgram("Chromium", ("usr/bin/chromium",), ("chromium", "fonts-dejavu-core")),
    TestProgram("the PostgreSQL server", ("usr/lib/postgresql/*/bin/initdb",), ("postgresql",)),
    TestProgram("Redis 7.0", ("usr/bin/redis-check-rdb",), ("redis-tools",)),
    TestProgram("the MariaDB server", ("usr/sbin/mariadbd",), ("mariadb-server",)),
    TestProgram("Prometheus", ("usr/bin/prometheus",), ("prometheus",)),
    TestProgram("Maven", ("usr/bin/mvn", "opt/*/bin/mvn", "usr/local/bin/mvn"), ("maven",)),
)


def install(wanted: Sequence[TestProgram], log: Path) -> None:
    """Install the missing programs of `wanted`; raises SetupError with the command to run if we may not."""
    missing = [one for one in wanted if not one.is_there()]
    if not missing:
        return
    names = " and ".join(one.name for one in missing)
    packages = [package for one in missing for package in one.packages]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SetupError(f"The tests need {names}: install {' '.join(packages)} (apt-get install, as root).")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run_step("Reading Debian's package lists", ["apt-get", "update", "-q"], log, cwd=ROOT, env=env)
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    run_step(f"Installing {names}", command, log, cwd=ROOT, env=env)
