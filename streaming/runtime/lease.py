"""The heartbeat of a runner, in a thread of its own: it runs while Spark starts, and stops when the runner hangs."""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable

import psutil
import redis

from streaming.runtime.mailbox import Mailbox
from streaming.wire.messages import RunnerLease

log = logging.getLogger(__name__)

BEAT_S = 2.0
LEASE_WAIT_S = 12.0
HUNG_AFTER_S = 180.0
"""A runner whose main loop makes no turn for this time stops renewing its lease."""


def wall_clock() -> int:
    """Return the current time in ticks."""
    return time.time_ns() // 1_000


class LeaseHeartbeat:
    """Takes the lease and renews it until it is lost, released, or the runner hangs."""

    def __init__(
        self, mailbox: Mailbox, token: str, now: Callable[[], int] = wall_clock, *, stood_by: bool = False
    ) -> None:
        """`stood_by`: the runner was on standby, so its Spark session is older than its assignment."""
        self._mailbox = mailbox
        self._token = token
        self._now = now
        self._started = now()
        self._session_at: int | None = self._started if stood_by else None
        self._turned = time.monotonic()
        self._ended = threading.Event()
        self.lost = threading.Event()

    def take(self) -> bool:
        """Take the lease, also from a dead runner of this machine; return False while another runner holds it."""
        lease = self._lease()
        if self._mailbox.renew(lease):
            return True
        holder = self._mailbox.holder()
        if holder is not None and holder.host == socket.gethostname() and not _lives(holder.pid):
            self._mailbox.take_over(lease)
            return True
        return False

    def start(self) -> None:
        """Start a thread that renews the lease."""
        threading.Thread(target=self._beat_on, name="lease", daemon=True).start()

    def session_began(self) -> None:
        """Note that Spark has started; the next renewal contains the time."""
        self._session_at = self._now()

    def turned(self) -> None:
        """Note that the main loop has made a turn."""
        self._turned = time.monotonic()

    def stop(self) -> None:
        """Stop renewing, and release the lease so that a successor doesn't have to wait."""
        self._ended.set()
        try:
            self._mailbox.release(self._token)
        except redis.RedisError as error:
            log.warning("the lease could not be released: %s", error)

    def _beat_on(self) -> None:
        while not self._ended.wait(BEAT_S) and not self.lost.is_set():
            self.beat()

    def beat(self) -> None:
        """Renew the lease once; set `lost` if another runner has it."""
        if time.monotonic() - self._turned > HUNG_AFTER_S:
            log.error("the runner has hung for %.0f s; its lease is not renewed any more", HUNG_AFTER_S)
            return
        try:
            if not self._mailbox.renew(self._lease()):
                self.lost.set()
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, the lease is not renewed: %s", error)

    def _lease(self) -> RunnerLease:
        return RunnerLease(
            token=self._token,
            host=socket.gethostname(),
            pid=os.getpid(),
            started_at=self._started,
            beat_at=self._now(),
            session_at=self._session_at,
        )


def take_lease(heart: LeaseHeartbeat, asked: threading.Event) -> bool:
    """Take the lease: wait indefinitely for Redis, and for another runner's lease as long as one can last."""
    refused_s = 0.0
    while not asked.is_set():
        try:
            if heart.take():
                return True
            refused_s += 1.0
            log.warning("another runner holds the lease of this organisation")
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, retrying: %s", error)
        if refused_s > LEASE_WAIT_S:
            return False
        asked.wait(1.0)
    return False


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
