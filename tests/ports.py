"""Ports for servers of tests."""

import fcntl
import os
import random
import socket
import tempfile
from functools import cache
from pathlib import Path

from deploy.up.place import HOST

PORTS = range(20_000, 32_000)
"""Lower than the ports of outgoing connections: a connection could take a port before its server does."""
_RETURNED: set[int] = set()


def free_port() -> int:
    """Return a port of the loopback address on which nothing listens now; no process of the tests returns it again."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        if port not in _RETURNED and reserve(port) and _is_free(port):
            return port


def reserve(port: int) -> bool:
    """Reserve `port` until the end of this process; return False if another process has reserved it."""
    try:
        fcntl.lockf(_reservations(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except (BlockingIOError, PermissionError):
        return False
    _RETURNED.add(port)
    return True


@cache
def _reservations() -> int:
    """Return the descriptor of a file, in which a locked byte reserves the port of its number."""
    path = Path(tempfile.gettempdir()) / f"punctual-test-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
