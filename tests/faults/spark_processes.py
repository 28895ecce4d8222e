"""The Python processes of Spark below a runner, as they are killed."""

from collections.abc import Mapping
from typing import Final

import psutil

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
    named = {each.pid: each for each in family if PROCESSES[kind] in _command(each)}
    if kind != "worker":
        return list(named.values())
    forks = {each.pid: _parent(each) for each in family if FORKS in _command(each)}
    below_a_fork = [each for each in family if forks.get(forks.get(each.pid, 0), 0) in forks]
    return [*(each for each in named.values() if _parent(each) in named), *below_a_fork]


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _parent(process: psutil.Process) -> int:
    try:
        return process.ppid()
    except psutil.Error:
        return 0
