"""One job in the process that was forked for it."""

import contextlib
import gc
import os
import pickle  # nosec B403 # reads only from our own web process, over a private socket
import resource
import socket
import struct
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webapp.core.context import organisation_context
from webapp.core.limited.job_environment import JobEnvironment
from webapp.core.limited.jobs import Job, Limits

LENGTH: Final = struct.Struct("!Q")
DONE: Final = b"d"
OUT_OF_MEMORY: Final = b"m"
FAILED: Final = b"f"
LONGEST_COMPLAINT: Final = 8_000
NICENESS: Final = 5
"""Pages of others take precedence over the reading of bombs."""
NICER: Final = 3
"""Additional niceness for each process that the organisation already has, so that others take precedence."""


@dataclass(frozen=True)
class Task:
    """A task from the web process: the name of a job, its arguments, and its organisation.

    `beside` is the number of other processes of the organisation.
    """

    job: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    limits: Limits
    surroundings: JobEnvironment
    beside: int = 0


def work(talk: socket.socket, jobs: Mapping[str, Job[..., Any]]) -> None:
    """Do the task received through `talk`, answer, and end the process; never returns."""
    code = 1
    try:
        task = _received(talk)
        answer = _run_job(task, jobs)
        with contextlib.suppress(OSError):  # nobody waits for the answer any more
            talk.sendall(answer)
        code = 0
    except BaseException:  # noqa: BLE001 # a forked process must never continue its parent's work
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _received(talk: socket.socket) -> Task:
    [length] = LENGTH.unpack(_exactly(talk, LENGTH.size))
    task = pickle.loads(_exactly(talk, length))  # nosec B301 # written by our own web process, see above
    assert isinstance(task, Task)  # nosec B101 # for the type checker only
    return task


def _exactly(talk: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = talk.recv(min(count, 1 << 20))
        if not part:
            raise EOFError("the web process disconnected")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _run_job(task: Task, jobs: Mapping[str, Job[..., Any]]) -> bytes:
    job = jobs[task.job]
    limit(task.limits, task.beside)
    task.surroundings.enter()
    try:
        with organisation_context(task.surroundings.organisation):
            result = job.function(*task.args, **task.kwargs)
        return DONE + job.result.dump_json(result)
    except (MemoryError, SystemError):  # if C code cannot allocate memory, the second may be raised
        return OUT_OF_MEMORY
    except Exception:  # noqa: BLE001 # the border of a process: the web process logs it and answers 500
        return FAILED + traceback.format_exc()[-LONGEST_COMPLAINT:].encode()


def limit(limits: Limits, beside: int = 0) -> None:
    """Set the operating system's limits, for good; this process is the first to be killed if memory is short."""
    gc.unfreeze()
    os.nice(NICENESS + NICER * beside)
    most = {
        resource.RLIMIT_CPU: limits.cpu_s,
        resource.RLIMIT_AS: _address_space() + limits.memory_bytes,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
    }
    for which, value in most.items():
        resource.setrlimit(which, (value, value))
    Path("/proc/self/oom_score_adj").write_text("1000") if Path("/proc/self/oom_score_adj").exists() else None


def _address_space() -> int:
    """Return the bytes of address space of this process; without /proc, its largest resident size."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
