"""The Python processes of Spark below a runner, as they are killed."""

from collections.abc import Mapping
from typing import Final

import psutil

from tests.faults.kinds import command, parent

PROCESSES: Final[Mapping[str, str]] = {"worker": "pyspark.daemon", "planner": "python_streaming_source_runner"}
"""What stands on the command line of a Python process of Spark."""
FORKS: Final = "streaming.spark.fork_server"
"""What stands there of the fork server and all its forks: the server, Spark's daemons below it, workers below those."""


def spark_processes(runner: int, kind: str) -> list[psutil.Process]:
    """The living ones of that kind (see PROCESSES) below the process `runner`; none when that has ended."""
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
