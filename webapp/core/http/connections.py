"""Connections of the web server: time limits for headers, bodies and reading, and the number of open ones.

`punctual-serve web` names `GuardedConnection` to uvicorn. uvicorn itself limits only how long a connection is idle
between two requests. A client that sends its headers a byte at a time, or opens connections and sends nothing, would
hold a file descriptor each, until nobody else can connect.
"""

import asyncio
import resource
from collections import Counter
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from webapp.core.http.event_streams import is_event_stream

MOST: Final = 2_048
"""Connections of one server process, however many files it may open."""
FEWEST_FILES: Final = 1_024
"""The assumed limit of open files if the system has none."""
TIMED_OUT: Final = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: 42\r\n\r\n"
    b"The request came too slowly. Send it again"
)


class OpenConnections:
    """The open connections of one server: at most half of the files that it may open, a quarter of those an address.

    If one too many opens, the connection that has waited longest for its client is closed: for headers, for a body, or
    for the next request. A connection whose request is being answered is never closed for another one.
    """

    def __init__(self, most: int | None = None) -> None:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        limit = FEWEST_FILES if files == resource.RLIM_INFINITY else min(files, 64 * FEWEST_FILES)
        self.most = most or min(limit // 2, MOST)
        self.most_of_address = max(self.most // 4, 1)
        self._open: dict[GuardedConnection, None] = {}
        self._waiting: dict[GuardedConnection, None] = {}
        self._by_address: Counter[str] = Counter()

    def opened(self, connection: "GuardedConnection") -> None:
        """Count a new connection; if there are too many, close another one or this one."""
        address = connection.address
        self._open[connection] = self._waiting[connection] = None
        self._by_address[address] += 1
        if self._by_address[address] > self.most_of_address and not connection.is_of_proxy:
            self._close_one(connection, address)
        elif len(self._open) > self.most:
            self._close_one(connection, None)

    def waits(self, connection: "GuardedConnection", *, for_client: bool) -> None:
        """Record whether a connection waits for its client, or its client for an answer."""
        self._waiting.pop(connection, None)
        if for_client and connection in self._open:
            self._waiting[connection] = None

    def closed(self, connection: "GuardedConnection") -> None:
        """Forget a connection; idempotent."""
        self._waiting.pop(connection, None)
        if connection in self._open:
            del self._open[connection]
            self._by_address[connection.address] -= 1
            self._by_address += Counter()  # removes addresses without connections

    def _close_one(self, newest: "GuardedConnection", address: str | None) -> None:
        candidates = (each for each in self._waiting if address is None or each.address == address)
        oldest = next(candidates, newest)
        self.closed(oldest)
        oldest.transport.abort()


class GuardedConnection(HttpToolsProtocol):
    """uvicorn's protocol with time limits."""

    headers_s = 10.0
    """Seconds from the first moment until the headers are complete."""
    body_s = 10.0
    """Seconds in which `body_bytes` of a body must arrive."""
    body_bytes = 16 * 1024
    reading_s = 20.0
    """Seconds that an answer may wait for a client that does not read it."""

    address = ""
    is_of_proxy = False
    _timer: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _body_came = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection and wait for headers."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.is_of_proxy = not self.address or _is_proxy(self.address)
        self._all.opened(self)
        self._wait(self.headers_s, self._time_out)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._all.closed(self)
        self._cancel()
        if self._reading is not None:
            self._reading.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read; the first bytes of a further request start the time limit of its headers."""
        answered = self.cycle is None or self.cycle.response_complete
        if answered and self._timer is None:
            self._wait(self.headers_s, self._time_out)
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Start the time limit of a body; without a body `on_message_complete` ends it at once."""
        super().on_headers_complete()
        self._body_came = 0
        self._wait(self.body_s, self._check_body)

    def on_body(self, body: bytes) -> None:
        """Count the bytes of the body."""
        self._body_came += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for the application from now on."""
        self._cancel()
        self._all.waits(self, for_client=False)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the client again: for its next request, or until it has read the last answer."""
        super().on_response_complete()
        self._all.waits(self, for_client=True)
        if self.transport.is_closing():
            self._abort_later()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, for good even if its client does not read."""
        super().timeout_keep_alive_handler()
        self._abort_later()

    def shutdown(self) -> None:
        """End after the current answer; end an event stream at once, because its browser reconnects."""
        super().shutdown()
        if self.cycle is not None and not self.cycle.response_complete and is_event_stream(self.cycle.scope):
            self.transport.close()
            self._abort_later()

    def pause_writing(self) -> None:
        """Start the time limit in which the client must read."""
        super().pause_writing()
        self._abort_later()

    def resume_writing(self) -> None:
        """Stop the time limit: the client has read."""
        super().resume_writing()
        if self._reading is not None and not self.transport.is_closing():
            self._reading.cancel()
            self._reading = None

    @property
    def _all(self) -> OpenConnections:
        kept: OpenConnections = vars(self.server_state).setdefault("open_connections", OpenConnections())
        return kept

    def _wait(self, seconds: float, then: Any) -> None:
        self._cancel()
        self._timer = self.loop.call_later(seconds, then)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_body(self) -> None:
        """Continue to wait if enough bytes arrived, or if reading is paused on our side."""
        if self._body_came < self.body_bytes and not self.flow.read_paused:
            self._time_out()
            return
        self._body_came = 0
        self._wait(self.body_s, self._check_body)

    def _time_out(self) -> None:
        """Answer 408 if nothing was answered yet, and close."""
        self._timer = None
        if self.transport.is_closing():
            return
        started = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if not started:
            self.transport.write(TIMED_OUT)
        self.transport.close()
        self._abort_later()

    def _abort_later(self) -> None:
        if self._reading is None:
            self._reading = self.loop.call_later(self.reading_s, self.transport.abort)


def _is_proxy(address: str) -> bool:
    """Return whether `address` is one of the installation's own proxies, which all clients share."""
    from django.conf import settings  # uvicorn loads this module before the application

    found: IPv4Address | IPv6Address = ip_address(address)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in network for network in getattr(settings, "TRUSTED_PROXIES", ()))
