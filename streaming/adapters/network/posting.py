"""A single request to one address: no redirect is followed, and no server can block or flood the caller."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import httpcore

from streaming.adapters.network.dialing import Deadline
from streaming.adapters.network.fetching import Reach, connection_to, headers_of, translate_errors
from streaming.adapters.network.urls import Url

MOST_READ: Final = 4_096
"""The bytes of an answer that are read; the rest is ignored."""
_SLOW: Final = "takes too long to answer. The request is retried."
_BROKEN: Final = "closed the connection before it answered. The request is retried."


@dataclass(frozen=True)
class OutgoingRequest:
    """A request: `body` is sent only with POST; at most `most_read` bytes of the answer are read."""

    headers: Mapping[str, str]
    body: bytes = b""
    method: str = "POST"
    most_read: int = MOST_READ


@dataclass(frozen=True)
class PostAnswer:
    """A server's answer: `text` is its beginning, headers have names in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str


def post(url: Url, reach: Reach, body: bytes, headers: Mapping[str, str], *, most_s: float) -> PostAnswer:
    """Send `body` to `url` and return the answer, as `send_request` does."""
    return send_request(url, reach, OutgoingRequest(headers, body), most_s=most_s)


def send_request(url: Url, reach: Reach, outgoing: OutgoingRequest, *, most_s: float) -> PostAnswer:
    """Send a request to `url` and return the answer, whatever its status, all within `most_s` seconds.

    Raises `AdapterError` (external) without an answer: the error for a forbidden address is the same as for one that
    does not answer.
    """
    address = httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target)
    sent = {
        "Host": url.origin.partition("://")[2],
        "User-Agent": "Punctual",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        **({"Content-Length": str(len(outgoing.body))} if outgoing.method == "POST" else {}),
        "Connection": "close",
        **outgoing.headers,
    }
    request = httpcore.Request(outgoing.method, address, headers=list(sent.items()), content=outgoing.body)
    with (
        connection_to(url, reach, Deadline(most_s, reach.clock)) as connection,
        translate_errors(url, slow=_SLOW, broken=_BROKEN),
    ):
        response = connection.handle_request(request)
        with closing(response):
            beginning = _beginning(response.iter_stream(), outgoing.most_read)
        return PostAnswer(response.status, headers_of(response), beginning.decode("utf-8", "replace"))


def _beginning(chunks: Iterable[bytes], most: int) -> bytes:
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) >= most:
            break
    return bytes(found[:most])
