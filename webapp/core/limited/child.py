"""One job in the process that was forked for it."""

import contextlib
import gc
import os
import pickle  # nosec B403 # reads only what our own web process wrote to a socket that nobody else holds
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
from webapp.core.limited.jobs import Job, Limits
from webapp.core.limited.surroundings import Surroundings

LENGTH: Final = struct.Struct("!Q")
DONE: Final = b"d"
OUT_OF_MEMORY: Final = b"m"
FAILED: Final = b"f"
LONGEST_COMPLAINT: Final = 8_000
NICENESS: Final = 5
"""Pages of others are answered before bombs are read."""


@dataclass(frozen=True)
class Task:
    """What the web process sends: the name of a job, its arguments, and for whom it is done."""

    job: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    limits: Limits
    surroundings: Surroundings


def work(talk: socket.socket, jobs: Mapping[str, Job[..., Any]]) -> None:
    """Do what is asked for through `talk`, answer, and end the process; never returns."""
    code = 1
    try:
        task = _received(talk)
        told = _told(task, jobs)
        with contextlib.suppress(OSError):  # nobody waits for it any more
            talk.sendall(told)
        code = 0
    except BaseException:  # noqa: BLE001 # a forked process must never go on with what its parent was doing
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _received(talk: socket.socket) -> Task:
    [length] = LENGTH.unpack(_exactly(talk, LENGTH.size))
    task = pickle.loads(_exactly(talk, length))  # nosec B301 # written by our own web process, see above
    assert isinstance(task, Task)  # nosec B101 # tells the type checker what is so; nothing depends on it
    return task


def _exactly(talk: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = talk.recv(min(count, 1 << 20))
        if not part:
            raise EOFError("the web process went away")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _told(task: Task, jobs: Mapping[str, Job[..., Any]]) -> bytes:
    job = jobs[task.job]
    limit(task.limits)
    task.surroundings.enter()
    try:
        with organisation_context(task.surroundings.organisation):
            result = job.function(*task.args, **task.kwargs)
        return DONE + job.result.dump_json(result)
    except (MemoryError, SystemError):  # where an allocation fails inside of C code the interpreter may say the second
        return OUT_OF_MEMORY
    except Exception:  # noqa: BLE001 # the border of a process: the web process logs it and answers 500
        return FAILED + traceback.format_exc()[-LONGEST_COMPLAINT:].encode()


def limit(limits: Limits) -> None:
    """Set the limits that the system keeps, for good; this process is the first to go when memory is short."""
    gc.unfreeze()
    os.nice(NICENESS)
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
    """The bytes of address space that this process has; where /proc is absent, of which it has had most."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
