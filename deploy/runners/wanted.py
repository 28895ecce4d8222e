"""The wanted runner, and the settings of Spark that are the same everywhere."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from deploy.prepare.console import SetupError

_ORGANISATION: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SET_BY_RUNNERS: Final = 200
"""A worker's memory at its start, in MB; its limit counts from there."""


@dataclass(frozen=True)
class WantedRunner:
    """A runner of `organisation` (its id) over `root`, a folder that all machines see under the same path.

    Each of `executors` computes `cores` tasks at a time. Memory in MB: the heap of the runner's JVM and of each
    executor's, and the limit of each Python worker. Raises `SetupError` for invalid values.
    """

    organisation: str
    root: PurePosixPath
    executors: int = 2
    cores: int = 2
    heap_mb: int = 2_048
    worker_mb: int = 1_024

    def __post_init__(self) -> None:
        if not _ORGANISATION.fullmatch(self.organisation):
            raise SetupError(f"{self.organisation!r} isn't an id of an organisation: the installation's pages show it.")
        if not self.root.is_absolute():
            raise SetupError(f"{self.root} isn't an absolute path: use the path that all machines see.")
        if min(self.executors, self.cores, self.heap_mb, self.worker_mb) < 1:
            raise SetupError("Executors, cores and memory must be whole numbers from 1.")

    def arguments(self, master: str) -> list[str]:
        """Return the runner's command line; it also stays without desired runs, because nothing here restarts it."""
        options = ["--organisation", self.organisation, "--root", str(self.root), "--master", master]
        options += ["--idle-exit-s", "inf", "--jvm-memory-mb", str(self.heap_mb)]
        return [*options, "--worker-memory-mb", str(self.worker_mb)]

    @property
    def beside_heap_mb(self) -> int:
        """Return the memory of an executor outside of its heap: as much for Arrow and the network, plus its workers."""
        return self.heap_mb + self.cores * (self.worker_mb + _SET_BY_RUNNERS)

    def spark_settings(self) -> dict[str, str]:
        """Return settings of the session that the runner itself does not make."""
        return {
            "spark.submit.deployMode": "client",
            "spark.executor.instances": str(self.executors),
            "spark.executor.cores": str(self.cores),
            "spark.executor.memory": f"{self.heap_mb}m",
            "spark.executor.memoryOverhead": f"{self.beside_heap_mb}m",
            "spark.authenticate": "true",
            "spark.network.crypto.enabled": "true",
        }


def as_properties(settings: Mapping[str, str]) -> str:
    """Return `settings` in the format of `spark-defaults.conf`."""
    return "".join(f"{name} {value}\n" for name, value in sorted(settings.items()))
