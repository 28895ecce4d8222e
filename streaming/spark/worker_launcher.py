"""What Spark starts where it wants a Python process: asks the fork server for one, and stands for it meanwhile.

Run by the bare interpreter (-I -S -E), so it imports nothing but what starts in milliseconds, and nothing of ours. The
protocol is that of `fork_server`. Where no server answers, it becomes the interpreter that Spark asked for.
"""

import json
import os
import signal
import socket
import struct
import sys


def main(arguments: list[str]) -> int:
    """Have `-m MODULE ...` run as a fork; the exit status is that of the fork."""
    environment = without_archive(dict(os.environ))
    line = connected(environment.get("ENGINE_FORK_SERVER", "")) if arguments[:1] == ["-m"] else None
    if line is not None:
        here = os.getcwd()  # noqa: PTH109 - pathlib takes longer to import than all of this
        request = json.dumps({"arguments": arguments[1:], "environment": environment, "folder": here}).encode()
        try:
            socket.send_fds(line, [struct.pack("!I", len(request))], [0, 1, 2])
            line.sendall(request)
            pid = number(line)
        except OSError:
            pid = None
        if pid is not None:
            return stand_for(pid, line)
    return os.execve(os.environ["ENGINE_PYTHON"], [os.environ["ENGINE_PYTHON"], *arguments], environment)  # nosec B606 # becomes what Spark asked for


def without_archive(environment: dict[str, str]) -> dict[str, str]:
    """The environment without Spark's archive of pyspark, which Spark puts in front of the path.

    What is imported from an archive is compiled anew in every process: a second of processor each.
    """
    parts = environment.get("PYTHONPATH", "").split(os.pathsep)
    return {**environment, "PYTHONPATH": os.pathsep.join(part for part in parts if not part.endswith("/pyspark.zip"))}


def connected(path: str) -> socket.socket | None:
    """A line to the server at `path`; None where there is none."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.connect(path)
    except OSError:
        return None
    return line


def number(line: socket.socket) -> int | None:
    """The next number that the server says; None where it has hung up."""
    content = line.recv(4, socket.MSG_WAITALL)
    return struct.unpack("!i", content)[0] if len(content) == 4 else None


def stand_for(pid: int, line: socket.socket) -> int:
    """Hand signals on to the fork `pid` until it ends, then end as it did."""
    for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(each, lambda which, _: os.kill(pid, which))
    status = number(line)
    if status is None:  # the server is gone, and with it whoever would tell of the fork's end
        os.kill(pid, signal.SIGKILL)
        return 1
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
