"""A process that has imported everything that Spark's Python processes need, and forks instead of new starts.

Spark starts about twenty Python processes one after another, and each would import pyspark, Arrow, Polars and our rooms
again: 1.2 to 2 s of a core each. Spark starts `worker_launcher` instead, which passes its standard streams,
arguments, environment and folder over a Unix socket. The server imports and does nothing else, so it has a single
thread when it forks; memory pages of the imports stay shared.

It is a child of the driver, ends with it, and has no secrets other than those in the driver's environment.

Protocol: four bytes of length with three file descriptors, then the request as JSON. The server answers with the
process id of the fork and, when the fork has ended, its exit status (negative: the signal that ended it), four bytes
each. If the launcher closes the connection earlier, the fork ends: to kill a launcher means to kill its fork.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import struct
import subprocess  # nosec B404 # starts this very module
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

VARIABLE: Final = "ENGINE_FORK_SERVER"
"""Names the environment variable with the path of the socket, for launchers."""
IMPORTED: Final = (
    "pyspark.worker",
    "pyspark.sql.worker.commit_data_source_write",
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.lookup_data_sources",
    "pyspark.sql.worker.plan_data_source_read",
    "pyspark.sql.worker.python_streaming_sink_runner",
    "pyspark.sql.worker.write_into_data_source",
    "pyspark.sql.streaming.python_streaming_source_runner",
    "pyspark.sql.streaming.stateful_processor_api_client",
    "pyspark.sql.streaming.transform_with_state_driver_worker",
    "pyarrow.compute",
    "pyarrow.csv",
    "pyarrow.json",
    "pyarrow.parquet",
    "streaming.adapters.registry",
    "streaming.spark.sink.sink",
    "streaming.spark.source.source",
    "streaming.spark.stage.stage",
)
SLEEPING: Final = frozenset({"jemalloc_bg_thd", "polars-ooc-clea"})
"""Threads that imports start and that only wait: jemalloc handles forks itself, Polars' thread clears spilled files."""
_COLLECTED_AFTER: Final = 10_000
"""Python searches for reference cycles after this many new objects.

Python's default, 700, costs a carrier of many bindings 6 % of its processor time, and a batch makes no cycle
(tests/spark/test_no_cycles.py)."""
_PATIENCE_S: Final = 10.0
"""The time that a launcher may take to send its request."""


@dataclass(frozen=True)
class ForkRequest:
    """The request of a launcher: standard streams, then module and arguments, environment and folder."""

    streams: tuple[int, int, int]
    arguments: list[str]
    environment: Mapping[str, str]
    folder: str


class ForkServer:
    """Serves launchers at `listener` until `alive` reaches its end. Its single thread only waits and forks."""

    def __init__(self, listener: socket.socket, alive: int) -> None:
        self._listener = listener
        self._alive = alive
        self._lines: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Fork as long as the driver lives."""
        woken, waker = socket.socketpair()
        woken.setblocking(False)
        waker.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for source in (self._listener, self._alive, woken):
            self._selector.register(source, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj == self._alive:
                    return
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj is woken:
                    woken.recv(4096)
                else:
                    self._hung_up(key.data)
            self._reap()

    def _accept(self) -> None:
        line, _ = self._listener.accept()
        line.settimeout(_PATIENCE_S)
        try:
            request = receive_request(line)
        except (OSError, ValueError):
            line.close()
            return
        pid = os.fork()
        if pid == 0:
            become(request)
        for stream in request.streams:
            os.close(stream)
        self._lines[pid] = line
        self._selector.register(line, selectors.EVENT_READ, pid)
        self._send(pid, pid)

    def _hung_up(self, pid: int) -> None:
        """Kill the fork `pid`: its launcher is gone, because a launcher sends nothing after its request."""
        line = self._lines.pop(pid)
        self._selector.unregister(line)
        line.close()
        os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._lines:
                self._send(pid, os.waitstatus_to_exitcode(status))
                line = self._lines.pop(pid)
                self._selector.unregister(line)
                line.close()

    def _send(self, pid: int, number: int) -> None:
        try:
            self._lines[pid].sendall(struct.pack("!i", number))
        except OSError:
            return  # the launcher is gone, and the selector will report it


def receive_request(line: socket.socket) -> ForkRequest:
    """Return the request of the launcher at the other end of `line`. Raises `OSError`, `ValueError`."""
    head, streams, _, _ = socket.recv_fds(line, 4, 3)
    if len(head) < 4 or len(streams) < 3:
        raise ValueError("a launcher sent no streams")
    length = struct.unpack("!I", head)[0]
    content = bytearray()
    while len(content) < length:
        more = line.recv(length - len(content))
        if not more:
            raise ValueError("a launcher closed the connection")
        content += more
    fields = json.loads(content)
    return ForkRequest(
        (streams[0], streams[1], streams[2]), fields["arguments"], fields["environment"], fields["folder"]
    )


def become(request: ForkRequest) -> NoReturn:
    """Become the requested process: `python -m MODULE ARGUMENTS...` in its environment and folder.

    Never returns: the exit status is that of the module.
    """
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, stream in enumerate(request.streams):
            os.dup2(stream, number)
        os.closerange(3, max(int(name) for name in os.listdir("/proc/self/fd")) + 1)  # noqa: PTH208 - names alone
        os.environ.clear()
        os.environ.update(request.environment)
        time.tzset()
        os.chdir(request.folder)
        path = request.environment.get("PYTHONPATH", "").split(os.pathsep)
        sys.path[1:1] = [part for part in path if part and part not in sys.path]
        module, *arguments = request.arguments
        sys.argv = [module, *arguments]
        # The program may have been imported as a module before; that it runs once more is intended.
        warnings.filterwarnings("ignore", message=".*found in sys.modules", category=RuntimeWarning)
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:  # noqa: BLE001 - the border of a process
        sys.excepthook(*sys.exc_info())
    finally:
        for written in (sys.stdout, sys.stderr):
            written.flush()
        os._exit(status)


@dataclass
class ForkServerProcess:
    """The server of this process, held by the driver: it ends when `process` loses its standard input."""

    process: "subprocess.Popen[bytes]"
    path: str

    @property
    def lives(self) -> bool:
        """True if the server can take requests."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End the server, and wait until it has ended."""
        with self.process:
            pass


_OURS: list[ForkServerProcess] = []


def start_fork_server() -> str | None:
    """Start the server of this process, unless it has a live one; return the path of its socket.

    Returns at once: launchers wait until the imports are done. None if forks are impossible (no Unix sockets, no
    /proc).
    """
    if not Path("/proc/self/fd").exists() or not hasattr(socket, "send_fds"):
        return None
    if _OURS and _OURS[-1].lives:
        return _OURS[-1].path
    folder = tempfile.mkdtemp(prefix="engine-forks-")
    path = str(Path(folder) / "socket")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(128)
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    process = subprocess.Popen(  # nosec B603 # a list of arguments, no shell, no word of a user in it
        [sys.executable, "-m", "streaming.spark.session.fork_server", path, str(listener.fileno())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        pass_fds=[listener.fileno()],
        env={"PYTHONHASHSEED": "0", **os.environ, **threads},
    )
    listener.close()
    _OURS.append(ForkServerProcess(process, path))
    atexit.register(_OURS[-1].stop)
    return path


def stop_fork_server() -> None:
    """End the server of this process now, and wait for it; otherwise it ends with the process."""
    for server in _OURS:
        server.stop()


def threads() -> set[str]:
    """Return the names of this process's threads except the calling one."""
    tasks = Path("/proc/self/task")
    mine = str(threading.get_native_id())
    return {(task / "comm").read_text().strip() for task in tasks.iterdir() if task.name != mine}


def wait_for_threads(tries: int = 250) -> bool:
    """Return True if only sleeping threads are left, now or soon.

    A thread starts under the name of the process: on a busy machine a sleeping thread gets its own name a little later.
    """
    for _ in range(tries):
        if not threads() - SLEEPING:
            return True
        time.sleep(0.02)
    return False


def main(path: str, listener: int) -> int:
    """Import, then serve the socket `listener` at `path` until standard input ends."""
    try:
        for name in IMPORTED:
            importlib.import_module(name)
        if not wait_for_threads():
            return 1  # an import has started a thread that computes: a fork would not be safe
        gc.collect()
        gc.freeze()
        gc.set_threshold(_COLLECTED_AFTER, 10, 10)
        ForkServer(socket.socket(fileno=listener), sys.stdin.fileno()).serve()
        return 0
    finally:
        shutil.rmtree(Path(path).parent, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
