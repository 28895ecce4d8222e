"""The runner that is wanted, and what is said to Spark of it wherever it runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from deploy.prepare.console import CannotGoOn

_ORGANISATION: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SET_BY_RUNNERS: Final = 200
"""What a worker has when it begins, in MB; its limit counts from there."""


@dataclass(frozen=True)
class WantedRunner:
    """A runner of `organisation` (its id) over `root`, a folder that all machines see under the same path.

    Each of `executors` computes `cores` tasks at a time. Memory in MB: the heap of the runner's JVM and of each
    executor's, and what each Python worker may use. Raises `CannotGoOn` for what no runner can be.
    """

    organisation: str
    root: PurePosixPath
    executors: int = 2
    cores: int = 2
    heap_mb: int = 2_048
    worker_mb: int = 1_024

    def __post_init__(self) -> None:
        if not _ORGANISATION.fullmatch(self.organisation):
            raise CannotGoOn(f"{self.organisation!r} is no id of an organisation: the installation's pages show it.")
        if not self.root.is_absolute():
            raise CannotGoOn(f"{self.root} is no absolute path: name the folder as all machines see it.")
        if min(self.executors, self.cores, self.heap_mb, self.worker_mb) < 1:
            raise CannotGoOn("Executors, cores and memory are whole numbers from 1.")

    def arguments(self, master: str) -> list[str]:
        """What the runner's command line says; it stays though nothing is desired, for nobody here starts it again."""
        said = ["--organisation", self.organisation, "--root", str(self.root), "--master", master]
        said += ["--idle-exit-s", "inf", "--jvm-memory-mb", str(self.heap_mb)]
        return [*said, "--worker-memory-mb", str(self.worker_mb)]

    @property
    def beside_heap_mb(self) -> int:
        """Of an executor: Arrow and the network as much as the heap, and a Python worker for each core."""
        return self.heap_mb + self.cores * (self.worker_mb + _SET_BY_RUNNERS)

    def spark_settings(self) -> dict[str, str]:
        """Settings of the session that the runner itself does not make."""
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
    """The `settings` as `spark-defaults.conf` has them."""
    return "".join(f"{name} {value}\n" for name, value in sorted(settings.items()))
