"""Running a job in a limited process, from the web process: sending it, waiting, and reporting limits."""

import atexit
import contextlib
import json
import logging
import os
import pickle  # nosec B403 # only writes here
import signal
import socket
import subprocess  # nosec B404 # programs of this installation, named by lists
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, Final, ParamSpec, TypeVar

from django.conf import settings

from webapp.core.errors import ApiError, ClientGone, Overloaded, TooMuchWork
from webapp.core.http.process_metrics import limited_jobs
from webapp.core.limited.admission import set_aside
from webapp.core.limited.child import DONE, FAILED, LENGTH, OUT_OF_MEMORY, Task
from webapp.core.limited.disconnects import departure
from webapp.core.limited.job_environment import JobEnvironment
from webapp.core.limited.jobs import Job, Limits
from webapp.core.limited.places import place
from webapp.core.limited.server import WALL

P = ParamSpec("P")
T = TypeVar("T")
STARTS_WITHIN_S: Final = 30.0
"""Additional wait of the first job, because the server of the processes has much to import."""
_ENVIRONMENT: Final = {
    "PATH": os.defpath,
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "ARROW_IO_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "_RJEM_MALLOC_CONF": "background_thread:false",
}
"""The whole environment of the processes: few threads, as each takes address space, and no setting of this server."""
logger = logging.getLogger(__name__)


class _ServerProcess:
    """The process that forks the others, started on first use and again after it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, wall_s: float) -> tuple[socket.socket, socket.socket]:
        """Return the two sockets of a new process: for the exchange, and the leash."""
        talk, their_talk = socket.socketpair()
        leash, their_leash = socket.socketpair()
        with their_talk, their_leash, self._lock:
            for attempt in (1, 2):
                try:
                    numbers = [their_talk.fileno(), their_leash.fileno()]
                    socket.send_fds(self._living(), [WALL.pack(wall_s)], numbers)
                    break
                except OSError:  # it has just ended: start another one
                    self._end()
                    if attempt == 2:
                        raise
        return talk, leash

    def start(self) -> None:
        """Start it if it isn't running; returns before it has imported the jobs' modules."""
        with self._lock:
            self._living()

    def close(self) -> None:
        """End the server and all its processes."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None and self._owner == os.getpid():
            self._process.wait()
            self._process = None

    def _living(self) -> socket.socket:
        ended = self._process is None or self._process.poll() is not None
        if self._control is not None and not ended and self._owner == os.getpid():
            return self._control
        self._end()
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # nosec B603 # a list of arguments, no shell, no user input
                [sys.executable, "-P", "-m", "webapp.core.limited.server", str(theirs.fileno())],
                cwd=settings.BASE_DIR,
                env={**_ENVIRONMENT, "PYTHONPATH": str(settings.BASE_DIR)},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._control, self._owner = mine, os.getpid()
        return mine


_server: Final = _ServerProcess()
atexit.register(_server.close)


def warm_up() -> None:
    """Start the server of the processes, so that the first job does not wait for it; returns at once."""
    _server.start()


def run(job: Job[P, T], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> T:
    """Return the result of the job's function, run in its own process. Raises like `Job`."""
    surroundings = JobEnvironment.here(with_keys=job.opens_secrets)
    with set_aside(), place(surroundings.organisation, job.limits) as beside:
        task = Task(job.name, args, dict(kwargs), job.limits, surroundings, beside)
        began = time.monotonic()
        answered, ended = _exchange(pickle.dumps(task), job.limits)
    logger.debug("%s took %.3f s: %s", job.name, time.monotonic() - began, ended)
    done = answered[:1] == DONE and ended.get("code") == 0
    limited_jobs.labels(job.name, "done" if done else "failed" if answered[:1] == FAILED else "refused").inc()
    if done:
        return job.result.validate_json(answered[1:])
    if answered[:1] == FAILED:
        raise RuntimeError(f"{job.name} failed in its process: {answered[1:].decode(errors='replace')}")
    raise _refused(job, ended, answered)


def _exchange(task: bytes, limits: Limits) -> tuple[bytes, dict[str, Any]]:
    """Return the answer of the process, and how it ended. Raises `ClientGone`."""
    talk, leash = _server.ask(limits.wall_s)
    leaving = departure()
    with talk, leash, leaving.ends(lambda: _shut_down(talk, leash)):
        leash.settimeout(limits.wall_s + STARTS_WITHIN_S)
        talk.settimeout(limits.wall_s + STARTS_WITHIN_S)
        answered = b""
        with contextlib.suppress(OSError):  # it ended before it had read or written everything
            talk.sendall(LENGTH.pack(len(task)) + task)
            answered = _read(talk, limits.output_bytes + 1)
        if len(answered) > limits.output_bytes:
            return answered, {"code": -signal.SIGKILL}  # the closed leash ends it
        with contextlib.suppress(OSError, ValueError):
            ended: dict[str, Any] = json.loads(leash.recv(1024))
            return answered, ended
    if leaving.departed:
        raise ClientGone
    return answered, {}


def _shut_down(*lines: socket.socket) -> None:
    for line in lines:
        with contextlib.suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)


def _read(talk: socket.socket, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size < most and (part := talk.recv(1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _refused(job: Job[..., Any], ended: Mapping[str, Any], answered: bytes) -> ApiError:
    """Return the sentence about the reached limit; `Overloaded` without one, or if others had the processors."""
    limits = job.limits
    code, cpu_s, wall_s = ended.get("code"), ended.get("cpu_s", 0.0), ended.get("wall_s", 0.0)
    if len(answered) > limits.output_bytes:
        what = f"gives more than {limits.output_bytes // 1024**2} MiB"
    elif code == -signal.SIGXCPU or cpu_s >= limits.cpu_s:
        what = f"takes more than {limits.cpu_s} s of processor time"
    elif wall_s >= limits.wall_s and ended.get("queued_s", 0.0) > wall_s / 2:
        logger.warning("%s waited for a processor and was ended: %s", job.name, dict(ended))
        return Overloaded(job.title)
    elif wall_s >= limits.wall_s:
        what = f"takes longer than {limits.wall_s:g} s"
    elif answered != OUT_OF_MEMORY and (code is None or code >= 0):
        logger.warning("%s did not answer: %s", job.name, dict(ended))
        return Overloaded(job.title)
    else:
        what = f"takes more than {limits.memory_bytes // 1024**2} MiB of memory"
    logger.warning("%s %s and was ended: %s", job.name, what, dict(ended))
    return TooMuchWork(f"{job.title} {what}, which is the limit. {job.remedy}")
