"""One request to one address: no redirect is followed, and no server can hold or flood whoever asks."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import httpcore

from streaming.adapters.network.dialing import Deadline
from streaming.adapters.network.fetching import Reach, connected, headers_of, told
from streaming.adapters.network.urls import Url

MOST_READ: Final = 4_096
"""So many bytes of an answer are read; the rest is nobody's business."""
_SLOW: Final = "takes too long to answer. It is tried again."
_BROKEN: Final = "broke off before it had answered. It is tried again."


@dataclass(frozen=True)
class OutgoingRequest:
    """What is asked: `body` goes with POST alone; of the answer `most_read` bytes are read."""

    headers: Mapping[str, str]
    body: bytes = b""
    method: str = "POST"
    most_read: int = MOST_READ


@dataclass(frozen=True)
class PostAnswer:
    """What a server said: `text` is how its answer begins, headers have names in small letters."""

    status: int
    headers: Mapping[str, str]
    text: str


def posted(url: Url, reach: Reach, body: bytes, headers: Mapping[str, str], *, most_s: float) -> PostAnswer:
    """Send `body` to `url` and return what it answers, as `answered` does."""
    return answered(url, reach, OutgoingRequest(headers, body), most_s=most_s)


def answered(url: Url, reach: Reach, said: OutgoingRequest, *, most_s: float) -> PostAnswer:
    """Ask `url` and return what it answers, whatever that is, all within `most_s` seconds.

    Raises `AdapterError` (external) where there is no answer: an address that the policy refuses reads like one at
    which nobody answers.
    """
    address = httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target)
    sent = {
        "Host": url.origin.partition("://")[2],
        "User-Agent": "Punctual",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        **({"Content-Length": str(len(said.body))} if said.method == "POST" else {}),
        "Connection": "close",
        **said.headers,
    }
    request = httpcore.Request(said.method, address, headers=list(sent.items()), content=said.body)
    with connected(url, reach, Deadline(most_s, reach.clock)) as connection, told(url, slow=_SLOW, broken=_BROKEN):
        response = connection.handle_request(request)
        with closing(response):
            beginning = _beginning(response.iter_stream(), said.most_read)
        return PostAnswer(response.status, headers_of(response), beginning.decode("utf-8", "replace"))


def _beginning(chunks: Iterable[bytes], most: int) -> bytes:
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) >= most:
            break
    return bytes(found[:most])
