"""GET of one address: every redirect is checked like the first address, and no server can block or flood its reader."""

import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import httpcore

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.dialing import Deadline, Dialer, NotTrusted, Resolve, resolve
from streaming.adapters.network.urls import Url, read_redirect
from streaming.wire.outgoing import OutgoingPolicy

MOST_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
AGAIN_LATER: Final = frozenset({408, 425, 429})
"""Statuses that don't reject the request itself, in addition to all from 500 on."""
_SLOW: Final = "takes too long to send the file. Try again later, or provide a smaller file."
_BROKEN: Final = "broke off before the file was complete. Try again later."


@dataclass(frozen=True)
class Reach:
    """The network access of a process: the installation's policy, the name resolver, and the trusted authorities.

    `trust` creates the TLS settings: by default the system's authorities, with every check enabled. `holder` is the
    permanent unique name of the input that connects, under which its footprint is stored (`Footprint`); None: no input,
    so that nothing is left on the other side.
    """

    policy: OutgoingPolicy
    resolve: Resolve = resolve
    trust: Callable[[], ssl.SSLContext] = ssl.create_default_context
    clock: Callable[[], float] = field(default=time.monotonic)
    holder: str | None = None


@dataclass(frozen=True)
class FetchedFile:
    """A file that a server is sending; `length` in bytes if the server states it. `chunks` raises `AdapterError`."""

    url: Url
    length: int | None
    chunks: Iterator[bytes]


@contextmanager
def fetch(url: Url, reach: Reach, *, most_s: float, token: str | None = None) -> Iterator[FetchedFile]:
    """Request `url`, follow its redirects, and yield the body as it arrives; all within `most_s` seconds.

    `token` is sent as a bearer token only to the origin of `url`, never after a redirect to another origin. Raises
    `AdapterError`: the error for a forbidden address is the same as for one that does not answer.
    """
    deadline = Deadline(most_s, reach.clock)
    for _ in range(MOST_REDIRECTS + 1):
        with connection_to(url, reach, deadline) as connection:
            response = _request(connection, url, token)
            headers = headers_of(response)
            if response.status not in _REDIRECTS:
                _refuse(response.status, headers, url)
                yield FetchedFile(url, _length(headers), _body(response, url))
                return
        further = read_redirect(url, headers.get("location", ""))
        token = token if further.origin == url.origin else None
        url = further
    raise AdapterError(
        f"{url.display_url} redirects more than {MOST_REDIRECTS} times. Use the address of the file itself."
    )


@contextmanager
def connection_to(url: Url, reach: Reach, deadline: Deadline) -> Iterator[httpcore.HTTPConnection]:
    """A connection to the origin of `url` that `reach` allows, opened with the first request and closed at the end."""
    dialer = Dialer(reach.policy, deadline, plain=url.scheme == "http", resolve=reach.resolve)
    origin = httpcore.Origin(url.scheme.encode(), url.host.encode(), url.port)
    context = reach.trust() if url.scheme == "https" else None
    connection = httpcore.HTTPConnection(origin, ssl_context=context, network_backend=dialer)
    try:
        yield connection
    finally:
        connection.close()


def _request(connection: httpcore.HTTPConnection, url: Url, token: str | None) -> httpcore.Response:
    host = url.origin.partition("://")[2]
    headers = [("Host", host), ("User-Agent", "Punctual"), ("Accept", "*/*"), ("Accept-Encoding", "identity")]
    if token is not None:
        headers.append(("Authorization", f"Bearer {token}"))
    address = httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target)
    with translate_errors(url, slow=_SLOW, broken=_BROKEN):
        return connection.handle_request(httpcore.Request("GET", address, headers=[*headers, ("Connection", "close")]))


def _body(response: httpcore.Response, url: Url) -> Iterator[bytes]:
    with translate_errors(url, slow=_SLOW, broken=_BROKEN):
        yield from response.iter_stream()


def headers_of(response: httpcore.Response) -> Mapping[str, str]:
    """The headers of an answer, with names in lower case."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}


def _length(headers: Mapping[str, str]) -> int | None:
    text = headers.get("content-length", "")
    return int(text) if text.isdecimal() else None


def _refuse(status: int, headers: Mapping[str, str], url: Url) -> None:
    if status in {401, 403}:
        raise AdapterError(
            f"{url.display_url} answers {status}: it does not accept the credentials. Correct the "
            "token, or ask for access."
        )
    if status >= 500 or status in AGAIN_LATER:
        raise AdapterError(f"{url.display_url} answers {status}. Try again later.", domain="external")
    if status != 200:
        raise AdapterError(f"{url.display_url} answers {status} instead of a file. Correct the address.")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise AdapterError(
            f"{url.display_url} sends the file with a Content-Encoding, although none was requested. "
            "Send the file as it is. "
            "A file whose name ends in .gz may be compressed."
        )


@contextmanager
def translate_errors(url: Url, *, slow: str, broken: str) -> Iterator[None]:
    """Convert errors of a connection to `AdapterError`; `slow` and `broken` are texts that follow the address."""
    try:
        yield
    except (httpcore.ConnectError, httpcore.ConnectTimeout):
        raise AdapterError(unreachable(url), domain="external") from None
    except NotTrusted:
        raise AdapterError(
            f"{url.origin} can't prove that it is {url.host}: its certificate is for another name, has expired, or is "
            "from an authority that is not trusted here. Correct the address or renew the certificate.",
            domain="external",
        ) from None
    except httpcore.TimeoutException:
        raise AdapterError(f"{url.display_url} {slow}", domain="external") from None
    except (httpcore.NetworkError, httpcore.ProtocolError):
        raise AdapterError(f"{url.display_url} {broken}", domain="external") from None


def unreachable(url: Url) -> str:
    """The shared error for an unknown name, a forbidden network, and an address that does not answer.

    Different errors would reveal which internal names and addresses exist.
    """
    return (
        f"{url.origin} can't be reached: it does not answer, or its network or port is not allowed here. Correct the "
        "address, or ask your administrator to allow its network (PUNCTUAL_OUTGOING_NETWORKS)."
    )
