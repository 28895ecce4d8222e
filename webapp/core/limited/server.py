"""`python -m webapp.core.limited.server FD`: forks a limited process for each job that is requested through FD.

It has imported the jobs' modules, so that a process is ready in milliseconds. It has never had a secret, a database or
Redis, does no work itself, and keeps nothing from one job to the next. It ends when FD is closed.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

WALL: Final = struct.Struct("!d")
MOST_WAITING_S: Final = 3_600.0


@dataclass(frozen=True)
class _RunningJob:
    """A running process; its client holds the other end of `leash`, and closes it to end the work."""

    pid: int
    exit: int
    leash: socket.socket
    began: float
    deadline: float


@dataclass
class LimitedServer:
    """The running processes, each found by its exit descriptor and by its leash."""

    control: socket.socket
    jobs: dict[str, Any]
    poll: select.poll = field(default_factory=select.poll)
    running: dict[int, _RunningJob] = field(default_factory=dict)

    def serve(self) -> None:
        """Serve until no more jobs can arrive; then end all running processes."""
        self.poll.register(self.control, select.POLLIN)
        while True:
            events = dict(self.poll.poll(self._waiting_ms()))
            asked = events.pop(self.control.fileno(), None)
            for number in events:
                if (running := self.running.get(number)) is not None:
                    self._end(running, by_itself=number == running.exit)
            for running in [each for each in set(self.running.values()) if each.deadline <= time.monotonic()]:
                self._end(running)
            if asked is not None and not self._accept():  # last: it reuses descriptors that were just closed
                return self._end_all()

    def _waiting_ms(self) -> float:
        soonest = min((each.deadline for each in self.running.values()), default=time.monotonic() + MOST_WAITING_S)
        return max(soonest - time.monotonic(), 0.001) * 1000

    def _accept(self) -> bool:
        """Fork a process for the next job; return False at the end of requests."""
        message, descriptors, _, _ = socket.recv_fds(self.control, WALL.size, 2)
        if not message:
            return False
        talk, leash = (socket.socket(fileno=each) for each in descriptors)
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            self._become_child(leash)
            from webapp.core.limited.child import work

            work(talk, self.jobs)
        talk.close()
        running = _RunningJob(pid, os.pidfd_open(pid), leash, began, began + WALL.unpack(message)[0])
        self.running |= {running.exit: running, leash.fileno(): running}
        self.poll.register(running.exit, select.POLLIN)
        self.poll.register(leash, 0)  # only its end matters
        return True

    def _become_child(self, leash: socket.socket) -> None:
        self.control.close()
        leash.close()
        for number in list(self.running):
            os.close(number)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _end(self, running: _RunningJob, *, by_itself: bool = False) -> None:
        if not by_itself:
            os.kill(running.pid, signal.SIGKILL)  # not reaped yet, so the number is still its own
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        queued_s = _queued_s(running.pid)
        _, status, used = os.wait4(running.pid, 0)
        self.poll.unregister(running.exit)
        self.poll.unregister(running.leash)
        for number in (running.exit, running.leash.fileno()):
            del self.running[number]
        os.close(running.exit)
        outcome = {
            "code": os.waitstatus_to_exitcode(status),
            "cpu_s": used.ru_utime + used.ru_stime,
            "wall_s": time.monotonic() - running.began,
            "queued_s": queued_s,
            "peak_bytes": used.ru_maxrss * 1024,
        }
        with contextlib.suppress(OSError):  # nobody reads it
            running.leash.send(json.dumps(outcome).encode(), socket.MSG_DONTWAIT)
        running.leash.close()

    def _end_all(self) -> None:
        for running in set(self.running.values()):
            self._end(running)


def _queued_s(pid: int) -> float:
    """Return how long the process was ready to run while others had the processors, in seconds; 0 if unknown."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):  # another system, or a kernel that does not count it
        return 0.0


def main(arguments: list[str]) -> None:
    """Import the jobs' modules and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.core.limited.settings"
    import django

    django.setup()
    from streaming.adapters.installed import built_in_kinds
    from webapp.core.limited.jobs import known_jobs

    built_in_kinds()  # else each process that checks an adapter imports all of them again, 0.2 s of every check
    jobs = known_jobs()
    for each in jobs.values():
        assert each.result  # nosec B101 # built here once, and not in each process
    gc.collect()
    gc.freeze()  # else the first collection in each process copies all that it shares with this one
    LimitedServer(socket.socket(fileno=int(arguments[0])), jobs).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
