"""Who really sends a request: what proxies say of that counts where it comes from one that the installation names."""

import ipaddress
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from webapp.core.bodies import Application, Receive, Scope, Send

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SAID_BY_PROXIES: Final = frozenset({b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"forwarded"})
"""Headers that are taken out of a request from elsewhere, where proxies are named."""


class ClientAddresses:
    """Around an ASGI application: `client` becomes the rightmost address that is no trusted proxy.

    Rate limits, networks of tokens and the audit log all go by it. Whatever stands left of it was written by the
    client, who may write anything. Without `trusted` networks nothing is believed.
    """

    def __init__(self, application: Application, trusted: Sequence[Network]) -> None:
        self._application = application
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on under the address that counts."""
        if self._trusted and scope["type"] == "http":
            said = scope["client"][0] if scope["client"] else ""
            if self._is_proxy(said):
                scope["client"] = (self._sender(said, scope["headers"]), 0)
            else:
                scope["headers"] = [each for each in scope["headers"] if each[0] not in SAID_BY_PROXIES]
        await self._application(scope, receive, send)

    def _sender(self, proxy: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """The last hop that is no proxy; the proxy that says something unreadable, and the first one if all are."""
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
    """Raise `ImproperlyConfigured` while uvicorn loads this application and would believe what any header says.

    It believes X-Forwarded-For from 127.0.0.1 where nothing else is said: whoever is there, be it a proxy that hands
    the header on as it came, chooses the address that limits, tokens and the audit log go by.
    """
    frame = sys._getframe(1)
    while frame is not None:
        loading = frame.f_locals.get("self")
        if type(loading).__module__ == "uvicorn.config" and getattr(loading, "proxy_headers", False):
            raise ImproperlyConfigured(
                "Start uvicorn with --no-proxy-headers: without it anybody on this machine may say to be anywhere. "
                "Name the networks of your proxies in PUNCTUAL_TRUSTED_PROXIES."
            )
        frame = frame.f_back  # type: ignore[assignment]
