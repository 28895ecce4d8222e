"""The sender of a request: headers of proxies count only if the installation names the proxy."""

import ipaddress
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from webapp.core.http.bodies import Application, Receive, Scope, Send

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SAID_BY_PROXIES: Final = frozenset({b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"forwarded"})
"""Headers that are removed from requests of others, if proxies are named."""


class ClientAddresses:
    """Around an ASGI application: `client` becomes the rightmost address that isn't a trusted proxy.

    Rate limits, networks of tokens and the audit log use it. The client wrote everything to the left of it, and may
    write anything. Without `trusted` networks no header is believed.
    """

    def __init__(self, application: Application, trusted: Sequence[Network]) -> None:
        self._application = application
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the address of its sender."""
        if self._trusted and scope["type"] == "http":
            peer = scope["client"][0] if scope["client"] else ""
            if self._is_proxy(peer):
                scope["client"] = (self._sender(peer, scope["headers"]), 0)
            else:
                scope["headers"] = [each for each in scope["headers"] if each[0] not in SAID_BY_PROXIES]
        await self._application(scope, receive, send)

    def _sender(self, proxy: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return the last hop that isn't a proxy; the proxy itself if its entry is unreadable, else the first one."""
        hops = b",".join(value for name, value in headers if name == b"x-forwarded-for").decode("latin-1").split(",")
        sender = proxy
        for hop in reversed(hops):
            address = _without_port(hop.strip())
            if _parsed(address) is None:
                return sender
            sender = address
            if not self._is_proxy(sender):
                return sender
        return sender

    def _is_proxy(self, address: str) -> bool:
        found = _parsed(address)
        return found is not None and any(found in network for network in self._trusted)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    host, colon, port = hop.partition(":")
    return host if colon and port.isdecimal() else hop


def require_plain_server() -> None:
    """Raise `ImproperlyConfigured` if uvicorn loads this application with its own handling of proxy headers.

    By default it believes X-Forwarded-For from 127.0.0.1. Any sender there, even a proxy that passes the header on
    unchanged, could choose the address that limits, tokens and the audit log use.
    """
    frame = sys._getframe(1)
    while frame is not None:
        loading = frame.f_locals.get("self")
        if type(loading).__module__ == "uvicorn.config" and getattr(loading, "proxy_headers", False):
            raise ImproperlyConfigured(
                "Start the server with `punctual-serve web`, or uvicorn with --no-proxy-headers: without it anybody on "
                "this machine can fake their address. Name the networks of your proxies in PUNCTUAL_TRUSTED_PROXIES."
            )
        frame = frame.f_back  # type: ignore[assignment]
