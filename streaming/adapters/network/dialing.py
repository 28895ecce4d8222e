"""One step from a name to a connection: resolve it, check every answer, connect to that same address.

A name is resolved once. If it were resolved for the check and again for the connection, its owner could answer the
second time with an internal address (DNS rebinding).
"""

import ipaddress
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from ssl import SSLContext
from typing import Any, Final

import httpcore

from streaming.adapters.network.addresses import Address, is_allowed, is_listed
from streaming.wire.outgoing import OutgoingPolicy

CONNECT_S: Final = 10.0
QUIET_S: Final = 30.0
"""The longest silence of a server."""
Resolve = Callable[[str], Sequence[str]]
"""Resolves a name to all its addresses; raises `OSError` if there are no addresses."""


def resolve(name: str) -> Sequence[str]:
    """Ask the system's resolver for the addresses of `name`, in its order of preference."""
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class Deadline:
    """The latest end of an operation; `clock` counts seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = clock() + seconds

    def renew(self, seconds: float) -> None:
        """Set the deadline to this many seconds from now, for example for the next request."""
        self._at = self._clock() + seconds

    def left(self, most: float) -> float:
        """The seconds that remain, at most `most`. Raises `httpcore.ReadTimeout` when none remain."""
        left = self._at - self._clock()
        if left <= 0:
            raise httpcore.ReadTimeout("the total time is over")
        return min(left, most)


class NotTrusted(Exception):
    """The server could not prove its identity."""


class Dialer(httpcore.NetworkBackend):
    """Connects as `policy` allows. `plain`: without TLS, so only to networks that the installation lists.

    A refused address is a `httpcore.ConnectError`, like an address that does not answer.
    """

    def __init__(self, policy: OutgoingPolicy, deadline: Deadline, *, plain: bool, resolve: Resolve = resolve) -> None:
        self._policy = policy
        self._deadline = deadline
        self._plain = plain
        self._resolve = resolve
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of `host` that answers. Raises `httpcore.ConnectError`, `httpcore.ReadTimeout`.

        A single forbidden address refuses the whole name: its owner mixes external with internal addresses.
        """
        addresses = self._checked(host, port)
        for index, address in enumerate(addresses):
            most = self._deadline.left(timeout or CONNECT_S)
            try:
                stream = self._sockets.connect_tcp(str(address), port, most, socket_options=socket_options)
                return BoundedConnection(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if index == len(addresses) - 1:
                    raise
        raise httpcore.ConnectError("no address")

    def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.NetworkStream:
        """Always refuse: a Unix socket is internal."""
        raise httpcore.ConnectError("refused")

    def _checked(self, host: str, port: int) -> Sequence[Address]:
        return checked_addresses(host, port, self._policy, plain=self._plain, resolve=self._resolve)


def checked_addresses(
    host: str, port: int, policy: OutgoingPolicy, *, plain: bool, resolve: Resolve = resolve
) -> Sequence[Address]:
    """Return all addresses of `host`, after checking that `port` is allowed at each; the caller must use one of these.

    `plain`: without TLS, so only in networks that the installation lists. Raises `httpcore.ConnectError`, the same for
    a name without an address as for a name with a forbidden address.
    """
    try:
        addresses = [ipaddress.ip_address(text) for text in _texts(host, resolve)]
    except (OSError, ValueError):  # ValueError: an address with a zone, for example fe80::1%eth0
        raise httpcore.ConnectError("no address") from None
    if not addresses or not all(is_allowed(each, port, policy) for each in addresses):
        raise httpcore.ConnectError("refused")
    if plain and not all(is_listed(each, policy) for each in addresses):
        raise httpcore.ConnectError("refused")
    return addresses


def _texts(host: str, resolve: Resolve) -> Sequence[str]:
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        return resolve(host)


class BoundedConnection(httpcore.NetworkStream):
    """A connection whose single steps take at most `QUIET_S`, and all steps together end before the deadline.

    Otherwise a server that sends a byte every few seconds would block its reader for ever.
    """

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read some bytes. Raises `httpcore.ReadTimeout`."""
        return self._stream.read(max_bytes, self._deadline.left(timeout or QUIET_S))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of `buffer`. Raises `httpcore.WriteTimeout`."""
        self._stream.write(buffer, self._deadline.left(timeout or QUIET_S))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Start TLS; the certificate is checked for the name. Raises `NotTrusted`."""
        try:
            stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left(timeout or QUIET_S))
        except httpcore.ConnectError as error:
            raise NotTrusted(str(error)) from None
        return BoundedConnection(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """The information of the underlying connection."""
        return self._stream.get_extra_info(info)
