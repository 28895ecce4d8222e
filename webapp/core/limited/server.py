"""`python -m webapp.core.limited.server FD`: forks a limited process for each job that is asked for through FD.

It has imported what jobs need, so that a process is ready in milliseconds; it has never seen a secret, a database or
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
from typing import Any, Final

WALL: Final = struct.Struct("!d")
MOST_WAITING_S: Final = 3_600.0


@dataclass(frozen=True)
class _RunningJob:
    """A process at work; whoever waits for it holds the other end of `leash`, and lets go of it to end the work."""

    pid: int
    exit: int
    leash: socket.socket
    began: float
    deadline: float


@dataclass
class LimitedServer:
    """The processes that run now, each known by its exit descriptor and by its leash."""

    control: socket.socket
    jobs: dict[str, Any]
    poll: select.poll = field(default_factory=select.poll)
    running: dict[int, _RunningJob] = field(default_factory=dict)

    def serve(self) -> None:
        """Return when nobody can ask for anything any more; whatever runs then is ended."""
        self.poll.register(self.control, select.POLLIN)
        while True:
            events = dict(self.poll.poll(self._waiting_ms()))
            asked = events.pop(self.control.fileno(), None)
            for number in events:
                if (running := self.running.get(number)) is not None:
                    self._end(running, by_itself=number == running.exit)
            for running in [each for each in set(self.running.values()) if each.deadline <= time.monotonic()]:
                self._end(running)
            if asked is not None and not self._accept():  # last: it takes descriptors that were just let go of
                return self._end_all()

    def _waiting_ms(self) -> float:
        soonest = min((each.deadline for each in self.running.values()), default=time.monotonic() + MOST_WAITING_S)
        return max(soonest - time.monotonic(), 0.001) * 1000

    def _accept(self) -> bool:
        """Fork a process for the job that is asked for; False when the asking has ended."""
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
        self.poll.register(leash, 0)  # only its end is of interest
        return True

    def _become_child(self, leash: socket.socket) -> None:
        self.control.close()
        leash.close()
        for number in list(self.running):
            os.close(number)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _end(self, running: _RunningJob, *, by_itself: bool = False) -> None:
        if not by_itself:
            os.kill(running.pid, signal.SIGKILL)  # not waited for yet, so that the number is still its own
        _, status, used = os.wait4(running.pid, 0)
        self.poll.unregister(running.exit)
        self.poll.unregister(running.leash)
        for number in (running.exit, running.leash.fileno()):
            del self.running[number]
        os.close(running.exit)
        told = {
            "code": os.waitstatus_to_exitcode(status),
            "cpu_s": used.ru_utime + used.ru_stime,
            "wall_s": time.monotonic() - running.began,
            "peak_bytes": used.ru_maxrss * 1024,
        }
        with contextlib.suppress(OSError):  # nobody waits for it
            running.leash.send(json.dumps(told).encode(), socket.MSG_DONTWAIT)
        running.leash.close()

    def _end_all(self) -> None:
        for running in set(self.running.values()):
            self._end(running)


def main(arguments: list[str]) -> None:
    """Import what jobs need and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.core.limited.settings"
    import django

    django.setup()
    from streaming.adapters.installed import built_in_kinds
    from webapp.core.limited.jobs import known_jobs

    built_in_kinds()  # else each process that checks an adapter imports all of them anew, for 0.2 s of every check
    jobs = known_jobs()
    for each in jobs.values():
        assert each.result  # nosec B101 # built here once, and not in each process
    gc.collect()
    gc.freeze()  # else the first collection in each process copies all that it shares with this one
    LimitedServer(socket.socket(fileno=int(arguments[0])), jobs).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
