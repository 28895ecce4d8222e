"""Limits of a runner and its child processes: memory, and the number of concurrent tasks."""

import argparse
import atexit
import logging
import os
import re
from typing import Final

from streaming.runtime.process.memory_group import enter_memory_group
from streaming.spark.session.memory import LIMIT_VARIABLE, choose_first
from streaming.spark.session.session import is_local, jvm_mb

log = logging.getLogger("streaming.runtime")

_CORES: Final = re.compile(r"\[(\d+|\*)")
_BEGINS_WITH_MB: Final = 200
"""The memory of a worker at its start; its limit is in addition to that."""
_OWN_MB: Final = 512
_CHOSEN = 500
"""The priority for being killed when memory runs out (`oom_score_adj`): above all other processes, below workers."""
_NICENESS: Final = 8
"""The processor goes to pages and what they wait for before it goes to runners, above all while many runners start."""
WAITING: Final = 1
"""Extra tasks of a pool in addition to its cores, because a task in its second carrier may only wait."""
DEDICATED_AT_ONCE: Final = 2
"""The number of dedicated queries of a pool that run a batch at the same time, in task slots of their own."""


def limit_processes(options: argparse.Namespace) -> None:
    """Apply the limits of `options` to this process and to all processes that it starts from now on."""
    choose_first(_CHOSEN)
    os.setpriority(os.PRIO_PROCESS, 0, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
    if options.worker_memory_mb:
        os.environ[LIMIT_VARIABLE] = str(options.worker_memory_mb << 20)
        _limit_together(options)


def _limit_together(options: argparse.Namespace) -> None:
    """Limit the memory of this process and its children to the sum of their own limits."""
    master = master_of(options.master, pooled=options.pooled)
    whole_mb = memory_mb(options.jvm_memory_mb, options.worker_memory_mb, master)
    try:
        group = enter_memory_group(options.organisation or "standby", whole_mb << 20)
    except OSError as error:
        log.info("can't set a common memory limit for all processes, only one for each: %s", error)
        return
    atexit.register(group.leave)  # registered before Spark's own handlers, so that it runs after them
    log.info("all processes of this runner together are limited to %s MB of memory", whole_mb)


def master_of(master: str, *, pooled: bool) -> str:
    """Return the Spark master of the session: a pool has more tasks, because some of them may only wait."""
    match, cores = _CORES.search(master), cores_in(master)
    if not pooled or match is None or cores is None:
        return master
    return f"{master[: match.start(1)]}{cores + WAITING + dedicated_places(cores)}{master[match.end(1) :]}"


def dedicated_places(cores: int) -> int:
    """Return the concurrent tasks of all dedicated queries of a pool together; one query has one for each core."""
    return DEDICATED_AT_ONCE * cores


def cores_in(master: str) -> int | None:
    """Return the number of cores in `master`; None for another machine, or without a number."""
    match = _CORES.search(master) if is_local(master) else None
    if match is None:
        return None
    return (os.cpu_count() or 1) if match[1] == "*" else int(match[1])


def memory_mb(heap_mb: int, worker_mb: int, master: str) -> int:
    """Return the memory of all processes of a runner: the JVM, a worker for each task, itself and the fork server."""
    workers = cores_in(master) or os.cpu_count() or 1
    return jvm_mb(heap_mb) + workers * (worker_mb + _BEGINS_WITH_MB) + _OWN_MB
