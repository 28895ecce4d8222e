"""Ports for servers of tests."""

import socket

from deploy.up.place import HOST


def free_port() -> int:
    """Return a port of the loopback address on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
