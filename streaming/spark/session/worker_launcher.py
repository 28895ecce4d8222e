"""The program that Spark starts as a Python process: it gets one from the fork server, and represents it.

The bare interpreter runs it (-I -S -E), so it imports only modules that load in milliseconds, and nothing of ours. The
protocol is that of `fork_server`. If no server answers, it becomes the interpreter that Spark wanted.
"""

import json
import os
import signal
import socket
import struct
import sys

FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def main(arguments: list[str]) -> int:
    """Run `-m MODULE ...` as a fork; return the exit status of the fork."""
    environment = without_archive(dict(os.environ))
    line = connect(environment.get("ENGINE_FORK_SERVER", "")) if arguments[:1] == ["-m"] else None
    if line is not None:
        here = os.getcwd()  # noqa: PTH109 - pathlib takes longer to import than all of this
        signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)  # until they can be forwarded: the fork may exist before
        request = json.dumps({"arguments": arguments[1:], "environment": environment, "folder": here}).encode()
        try:
            socket.send_fds(line, [struct.pack("!I", len(request))], [0, 1, 2])
            line.sendall(request)
            pid = read_number(line)
        except OSError:
            pid = None
        if pid is not None:
            return stand_for(pid, line)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    return os.execve(os.environ["ENGINE_PYTHON"], [os.environ["ENGINE_PYTHON"], *arguments], environment)  # nosec B606 # becomes the program that Spark wanted


def without_archive(environment: dict[str, str]) -> dict[str, str]:
    """Return the environment without Spark's archive of pyspark, which Spark puts at the front of the path.

    Modules from an archive are compiled again in every process, which costs a second of processor time each.
    """
    parts = environment.get("PYTHONPATH", "").split(os.pathsep)
    return {**environment, "PYTHONPATH": os.pathsep.join(part for part in parts if not part.endswith("/pyspark.zip"))}


def connect(path: str) -> socket.socket | None:
    """Return a connection to the server at `path`; None if there is no server."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.connect(path)
    except OSError:
        return None
    return line


def read_number(line: socket.socket) -> int | None:
    """Return the next number from the server; None if it has closed the connection."""
    content = line.recv(4, socket.MSG_WAITALL)
    return struct.unpack("!i", content)[0] if len(content) == 4 else None


def stand_for(pid: int, line: socket.socket) -> int:
    """Forward signals to the fork `pid` until it ends, then end in the same way."""
    for each in FORWARDED:
        signal.signal(each, lambda which, _: os.kill(pid, which))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    status = read_number(line)
    if status is None:  # the server is gone, so nobody can report the end of the fork
        os.kill(pid, signal.SIGKILL)
        return 1
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
