"""GET of one address: every redirect is checked like the first address, and no server can hold or flood its reader."""

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
"""Answers, beside those from 500 on, that say nothing against the request itself."""
_SLOW: Final = "takes too long to send the file. Try again later, or give a smaller file."
_BROKEN: Final = "broke off before the file was complete. Try again later."


@dataclass(frozen=True)
class Reach:
    """How far a process reaches out: the installation's policy, the resolver of names, and whose certificates count.

    `trust` makes the TLS settings: by default the system's authorities, every check on. `holder` names the input for
    which is connected, a name of its own for ever, under which it keeps its footprint (`Footprint`); None: nobody, so
    that nothing is left at the other side under anybody's name.
    """

    policy: OutgoingPolicy
    resolve: Resolve = resolve
    trust: Callable[[], ssl.SSLContext] = ssl.create_default_context
    clock: Callable[[], float] = field(default=time.monotonic)
    holder: str | None = None


@dataclass(frozen=True)
class FetchedFile:
    """A file that a server is sending; `length` in bytes where it says so. `chunks` raises `AdapterError`."""

    url: Url
    length: int | None
    chunks: Iterator[bytes]


@contextmanager
def fetched(url: Url, reach: Reach, *, most_s: float, token: str | None = None) -> Iterator[FetchedFile]:
    """Ask for `url`, follow its redirects, hand out the body as it comes; all within `most_s` seconds.

    `token` goes as a bearer token to the origin of `url` alone, and never beyond a redirect that leaves it. Raises
    `AdapterError`: an address that the policy refuses reads like one at which nobody answers.
    """
    deadline = Deadline(most_s, reach.clock)
    for _ in range(MOST_REDIRECTS + 1):
        with connected(url, reach, deadline) as connection:
            response = _asked(connection, url, token)
            headers = headers_of(response)
            if response.status not in _REDIRECTS:
                _refuse(response.status, headers, url)
                yield FetchedFile(url, _length(headers), _body(response, url))
                return
        further = read_redirect(url, headers.get("location", ""))
        token = token if further.origin == url.origin else None
        url = further
    raise AdapterError(f"{url.shown} redirects more than {MOST_REDIRECTS} times. Give the address of the file itself.")


@contextmanager
def connected(url: Url, reach: Reach, deadline: Deadline) -> Iterator[httpcore.HTTPConnection]:
    """A connection to the origin of `url` that `reach` allows, opened with the first request and closed behind."""
    dialer = Dialer(reach.policy, deadline, plain=url.scheme == "http", resolve=reach.resolve)
    origin = httpcore.Origin(url.scheme.encode(), url.host.encode(), url.port)
    context = reach.trust() if url.scheme == "https" else None
    connection = httpcore.HTTPConnection(origin, ssl_context=context, network_backend=dialer)
    try:
        yield connection
    finally:
        connection.close()


def _asked(connection: httpcore.HTTPConnection, url: Url, token: str | None) -> httpcore.Response:
    host = url.origin.partition("://")[2]
    headers = [("Host", host), ("User-Agent", "Punctual"), ("Accept", "*/*"), ("Accept-Encoding", "identity")]
    if token is not None:
        headers.append(("Authorization", f"Bearer {token}"))
    address = httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target)
    with told(url, slow=_SLOW, broken=_BROKEN):
        return connection.handle_request(httpcore.Request("GET", address, headers=[*headers, ("Connection", "close")]))


def _body(response: httpcore.Response, url: Url) -> Iterator[bytes]:
    with told(url, slow=_SLOW, broken=_BROKEN):
        yield from response.iter_stream()


def headers_of(response: httpcore.Response) -> Mapping[str, str]:
    """The headers of an answer, names in small letters."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}


def _length(headers: Mapping[str, str]) -> int | None:
    text = headers.get("content-length", "")
    return int(text) if text.isdecimal() else None


def _refuse(status: int, headers: Mapping[str, str], url: Url) -> None:
    if status in {401, 403}:
        raise AdapterError(
            f"{url.shown} answers {status}: it wants other credentials. Correct the token, or ask for access."
        )
    if status >= 500 or status in AGAIN_LATER:
        raise AdapterError(f"{url.shown} answers {status} for now. Try again later.", domain="external")
    if status != 200:
        raise AdapterError(f"{url.shown} answers {status} instead of a file. Correct the address.")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise AdapterError(
            f"{url.shown} sends the file compressed though it was asked not to. Let it send the file as it is; "
            "a file whose name ends in .gz may be compressed."
        )


@contextmanager
def told(url: Url, *, slow: str, broken: str) -> Iterator[None]:
    """Turn what a connection can raise into an `AdapterError`; `slow` and `broken` go on where the address ends."""
    try:
        yield
    except (httpcore.ConnectError, httpcore.ConnectTimeout):
        raise AdapterError(unreachable(url), domain="external") from None
    except NotTrusted:
        raise AdapterError(
            f"{url.origin} cannot prove that it is {url.host}: its certificate is for another name, out of date, or of "
            "an authority that this installation does not trust. Correct the address or have the certificate renewed.",
            domain="external",
        ) from None
    except httpcore.TimeoutException:
        raise AdapterError(f"{url.shown} {slow}", domain="external") from None
    except (httpcore.NetworkError, httpcore.ProtocolError):
        raise AdapterError(f"{url.shown} {broken}", domain="external") from None


def unreachable(url: Url) -> str:
    """The one sentence for a name without address, a network that is not allowed, and an address that is silent.

    Different sentences would tell a stranger which names and addresses there are inside.
    """
    return (
        f"{url.origin} cannot be reached: it does not answer, or its network or port is not allowed here. Correct the "
        "address, or ask whoever runs this installation to allow its network (PUNCTUAL_OUTGOING_NETWORKS)."
    )
