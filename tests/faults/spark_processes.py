"""The Python processes of Spark below a runner, as victims of kills."""

from collections.abc import Mapping
from typing import Final

import psutil

from tests.faults.installation.kinds import command, parent

PROCESSES: Final[Mapping[str, str]] = {"worker": "pyspark.daemon", "planner": "python_streaming_source_runner"}
"""A part of the command line of each kind of Python process of Spark."""
FORKS: Final = "streaming.spark.session.fork_server"
"""The same for the fork server and all its forks: the server, Spark's daemons below it, workers below those."""


def spark_processes(runner: int, kind: str) -> list[psutil.Process]:
    """Return the living processes of a kind (see PROCESSES) below the process `runner`; empty when that has ended."""
    try:
        family = psutil.Process(runner).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    named = {each.pid: each for each in family if PROCESSES[kind] in " ".join(command(each))}
    if kind != "worker":
        return list(named.values())
    forks = {each.pid: parent(each) for each in family if FORKS in " ".join(command(each))}
    below_a_fork = [each for each in family if forks.get(forks.get(each.pid, 0), 0) in forks]
    return [*(each for each in named.values() if parent(each) in named), *below_a_fork]
