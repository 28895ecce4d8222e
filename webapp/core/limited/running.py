"""Running a job in a limited process, from the web process: asking for it, waiting, and what becomes of limits."""

import atexit
import contextlib
import json
import logging
import os
import pickle  # nosec B403 # writes; nothing is read with it here
import signal
import socket
import subprocess  # nosec B404 # programs of this installation, named by lists
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, Final, ParamSpec, TypeVar

from django.conf import settings

from webapp.core.errors import ClientGone, TooMuchWork
from webapp.core.limited.child import DONE, FAILED, LENGTH, Task
from webapp.core.limited.departure import departure
from webapp.core.limited.jobs import Job, Limits
from webapp.core.limited.places import place
from webapp.core.limited.server import WALL
from webapp.core.limited.surroundings import Surroundings

P = ParamSpec("P")
T = TypeVar("T")
STARTS_WITHIN_S: Final = 30.0
"""What the first job may wait longer, for the server of the processes has much to import."""
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
"""All that the processes are told: few threads, for each takes address space, and nothing of this server's settings."""
logger = logging.getLogger(__name__)


class _ServerProcess:
    """The process that forks the others, started when it is first needed and again when it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, wall_s: float) -> tuple[socket.socket, socket.socket]:
        """Return the ends of a new process's two lines: to talk by, and the leash."""
        talk, their_talk = socket.socketpair()
        leash, their_leash = socket.socketpair()
        with their_talk, their_leash, self._lock:
            for attempt in (1, 2):
                try:
                    numbers = [their_talk.fileno(), their_leash.fileno()]
                    socket.send_fds(self._living(), [WALL.pack(wall_s)], numbers)
                    break
                except OSError:  # it has just ended: start another
                    self._end()
                    if attempt == 2:
                        raise
        return talk, leash

    def start(self) -> None:
        """Start it if it does not live; returns before it has imported what jobs need."""
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
            self._process = subprocess.Popen(  # nosec B603 # a list of arguments, no shell, no word of a user in it
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
    """Start the server of the processes, so that the first who asks does not wait for it; returns at once."""
    _server.start()


def run(job: Job[P, T], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> T:
    """Return what the job's function returns, run in a process of its own. Raises as `Job` says."""
    surroundings = Surroundings.here(with_keys=job.opens_secrets)
    with place(surroundings.organisation, job.limits):
        task = Task(job.name, args, dict(kwargs), job.limits, surroundings)
        began = time.monotonic()
        told, ended = _exchanged(pickle.dumps(task), job.limits)
    logger.debug("%s took %.3f s: %s", job.name, time.monotonic() - began, ended)
    if told[:1] == DONE and ended.get("code") == 0:
        return job.result.validate_json(told[1:])
    if told[:1] == FAILED:
        raise RuntimeError(f"{job.name} failed in its process: {told[1:].decode(errors='replace')}")
    raise _refused(job, ended, output_bytes=len(told))


def _exchanged(task: bytes, limits: Limits) -> tuple[bytes, dict[str, Any]]:
    """Return what the process answered, and how it ended. Raises `ClientGone`."""
    talk, leash = _server.ask(limits.wall_s)
    leaving = departure()
    with talk, leash, leaving.ends(lambda: _let_go(talk, leash)):
        leash.settimeout(limits.wall_s + STARTS_WITHIN_S)
        talk.settimeout(limits.wall_s + STARTS_WITHIN_S)
        told = b""
        with contextlib.suppress(OSError):  # it ended before it had read or said all
            talk.sendall(LENGTH.pack(len(task)) + task)
            told = _read(talk, limits.output_bytes + 1)
        if len(told) > limits.output_bytes:
            return told, {"code": -signal.SIGKILL}  # the leash, let go of, ends it
        with contextlib.suppress(OSError, ValueError):
            ended: dict[str, Any] = json.loads(leash.recv(1024))
            return told, ended
    if leaving.departed:
        raise ClientGone
    return told, {}


def _let_go(*lines: socket.socket) -> None:
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


def _refused(job: Job[..., Any], ended: Mapping[str, Any], *, output_bytes: int) -> TooMuchWork:
    """Return the sentence that says which limit was reached."""
    limits = job.limits
    code, cpu_s, wall_s = ended.get("code"), ended.get("cpu_s", 0.0), ended.get("wall_s", 0.0)
    if output_bytes > limits.output_bytes:
        what = f"gives more than {limits.output_bytes // 1024**2} MiB"
    elif code == -signal.SIGXCPU or cpu_s >= limits.cpu_s:
        what = f"takes more than {limits.cpu_s} s of processor time"
    elif wall_s >= limits.wall_s:
        what = f"takes longer than {limits.wall_s:g} s"
    else:
        what = f"takes more than {limits.memory_bytes // 1024**2} MiB of memory"
    logger.warning("%s %s and was ended: %s", job.name, what, dict(ended))
    return TooMuchWork(f"{job.title} {what}, which is all that there is for it. {job.remedy}")
