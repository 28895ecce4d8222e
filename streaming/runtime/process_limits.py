"""What a runner and all that it starts may have of the machine: its memory, and how many tasks compute at a time."""

import argparse
import atexit
import logging
import os
import re
from typing import Final

from streaming.runtime.memory_group import enter_memory_group
from streaming.spark.memory import LIMIT_VARIABLE, choose_first
from streaming.spark.session import is_local, jvm_mb

log = logging.getLogger("streaming.runtime")

_CORES: Final = re.compile(r"\[(\d+|\*)")
_BEGINS_WITH_MB: Final = 200
"""What a worker has when it begins; its limit counts from there."""
_OWN_MB: Final = 512
_CHOSEN = 500
"""Above all other processes of the installation when the system must end one (`oom_score_adj`); workers have more."""
WAITING: Final = 1
"""So many tasks more than cores a pool has, as only waits in its second carrier."""
DEDICATED_AT_ONCE: Final = 2
"""So many dedicated queries of a pool have a batch at a time, in places beside those of its shared carriers."""


def limit_processes(options: argparse.Namespace) -> None:
    """Hold this process, and all that it starts from now on, to what `options` say."""
    choose_first(_CHOSEN)
    if options.worker_memory_mb:
        os.environ[LIMIT_VARIABLE] = str(options.worker_memory_mb << 20)
        _limit_together(options)


def _limit_together(options: argparse.Namespace) -> None:
    """Let this process and all that it starts have no more memory than its parts may have together."""
    master = master_of(options.master, pooled=options.pooled)
    whole_mb = memory_mb(options.jvm_memory_mb, options.worker_memory_mb, master)
    try:
        group = enter_memory_group(options.organisation or "standby", whole_mb << 20)
    except OSError as error:
        log.info("no limit of memory for all processes together can be set, only one for each: %s", error)
        return
    atexit.register(group.leave)  # before Spark's own, so that it comes after them
    log.info("all processes of this runner may have %s MB of memory together", whole_mb)


def master_of(master: str, *, pooled: bool) -> str:
    """Where the session runs: of a pool with more tasks at a time, for some of them may only wait."""
    told, cores = _CORES.search(master), cores_told(master)
    if not pooled or told is None or cores is None:
        return master
    return f"{master[: told.start(1)]}{cores + WAITING + dedicated_places(cores)}{master[told.end(1) :]}"


def dedicated_places(cores: int) -> int:
    """How many tasks all dedicated queries of a pool have together at a time; one has as many as there are cores."""
    return DEDICATED_AT_ONCE * cores


def cores_told(master: str) -> int | None:
    """The cores that `master` says; None where it is another machine, or says none."""
    told = _CORES.search(master) if is_local(master) else None
    if told is None:
        return None
    return (os.cpu_count() or 1) if told[1] == "*" else int(told[1])


def memory_mb(heap_mb: int, worker_mb: int, master: str) -> int:
    """What a runner may have with all its processes: the JVM, a worker for each task, itself and the fork server."""
    workers = cores_told(master) or os.cpu_count() or 1
    return jvm_mb(heap_mb) + workers * (worker_mb + _BEGINS_WITH_MB) + _OWN_MB
