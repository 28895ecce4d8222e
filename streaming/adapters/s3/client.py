"""S3 requests, signed by botocore and sent over our own connections, so that the outgoing policy applies to each.

We use neither botocore's nor Arrow's client: both resolve names and connect on their own, and both search for keys in
the environment, in files and in the machine's metadata service. The signer gets only our keys.
"""

import itertools
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import httpcore

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.dialing import Deadline, Dialer
from streaming.adapters.network.fetching import Reach, headers_of, translate_errors
from streaming.adapters.network.urls import Url, read_url
from streaming.adapters.s3.connection_options import S3ConnectionOptions
from streaming.adapters.s3.failures import StoreAnswer, failure
from streaming.adapters.s3.listing import ListedObject, ListedPage, read_listing

REQUEST_S: Final = 120.0
"""The time for one request including its answer: pieces are small enough for a slow connection."""
MOST_ANSWERED: Final = 16 << 20
"""The size limit of an answer; no valid answer is larger."""
MOST_LISTED: Final = 100_000
PAGE_KEYS: Final = 1_000
MORE_PAGES: Final = 1_000
"""The number of additional short pages allowed: a malicious server might never end the list."""
_UP_TO_SLASH: Final = (("delimiter", "/"),)
_SLOW: Final = "takes too long to answer. The request is retried."
_BROKEN: Final = "closed the connection before it answered. The request is retried."


@dataclass(frozen=True)
class StoreRequest:
    """A request: `what` is the right that it needs, `key` the object, None for the bucket."""

    method: str
    what: str
    key: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class S3Client:
    """Requests to one bucket, one after the other over one connection; thread-safe."""

    def __init__(self, options: S3ConnectionOptions, reach: Reach) -> None:
        """Raise `AdapterError` for an invalid endpoint; does not connect yet."""
        self._options = options
        self._reach = reach
        self._base = _base(options)
        self._in_path = bool(options.endpoint) or "." in options.bucket
        self._deadline = Deadline(REQUEST_S, reach.clock)
        self._connection: httpcore.HTTPConnection | None = None
        self._lock = threading.Lock()
        self._trust: ssl.SSLContext | None = None

    def url_of(self, key: str) -> str:
        """The object's name in messages."""
        return f"s3://{self._options.bucket}/{key}"

    def listed(self, prefix: str, most: int = MOST_LISTED, *, delimited: bool = False) -> Iterator[ListedObject]:
        """Yield all objects whose keys begin with `prefix`, by key; `delimited`: only those without a slash after
        it.
        """
        more = _UP_TO_SLASH if delimited else ()
        count, after = 0, ""
        for pages in itertools.count(1):
            page = self._page(prefix, more, after, PAGE_KEYS)
            count += len(page.objects)
            if count > most or pages > most // PAGE_KEYS + MORE_PAGES:
                raise AdapterError(
                    f"There are more than {most:,} objects below {self.url_of(prefix)}. Choose a "
                    "longer prefix, or move "
                    "away objects that were already read."
                )
            yield from page.objects
            after = page.next
            if not after:
                return

    def folders(self, prefix: str) -> Iterator[str]:
        """Yield the prefixes directly below `prefix`, each up to and including the next slash.

        Raises `AdapterError`.
        """
        after = ""
        for _ in range(MORE_PAGES):
            page = self._page(prefix, _UP_TO_SLASH, after, PAGE_KEYS)
            yield from page.prefixes
            after = page.next
            if not after:
                return

    def _page(self, prefix: str, more: tuple[tuple[str, str], ...], after: str, most: int) -> ListedPage:
        query = [("list-type", "2"), ("prefix", prefix), ("max-keys", str(most)), ("encoding-type", "url"), *more]
        if after:
            query.append(("continuation-token", after))
        asked = StoreRequest("GET", "LIST", query=tuple(sorted(query)))
        return read_listing(self._answer(asked).body, self.url_of(prefix))

    def get(self, key: str, span: tuple[int, int] | None = None, tag: str | None = None) -> StoreAnswer:
        """Read the bytes `span` (from, until) of the object, or all of a small one; `tag`: only if it has that ETag."""
        headers = [] if span is None else [("Range", f"bytes={span[0]}-{span[1] - 1}")]
        if tag is not None:
            headers.append(("If-Match", tag))
        return self._answer(StoreRequest("GET", "GET", key, headers=tuple(headers)))

    def head(self, key: str) -> StoreAnswer:
        """Read the object's headers. Raises as `get` does."""
        return self._answer(StoreRequest("HEAD", "HEAD", key))

    def put(self, key: str, body: bytes, condition: tuple[str, str] | None = None) -> str:
        """Put the object, under an optional condition; return its ETag. Raises `ObjectChanged`, `AdapterError`."""
        headers = (("Content-Type", "application/octet-stream"), *(() if condition is None else (condition,)))
        return self._answer(StoreRequest("PUT", "PUT", key, headers=headers, body=body)).headers.get("etag", "")

    def delete(self, key: str) -> None:
        """Delete the object; a missing object is not an error. Raises `AdapterError`."""
        self._answer(StoreRequest("DELETE", "DELETE", key))

    def close(self) -> None:
        """Close the connection; never raises."""
        with self._lock:
            self._drop()

    def _answer(self, asked: StoreRequest) -> StoreAnswer:
        with self._lock:
            answer = self._sent(asked)
        if 200 <= answer.status < 300:
            return answer
        raise failure(answer, asked.what, self.url_of(asked.key or ""), self._options)

    def _sent(self, asked: StoreRequest) -> StoreAnswer:
        """Send over the existing connection; if the store has closed it since then, over a new one."""
        kept = self._connection is not None and self._connection.is_idle()
        try:
            with translate_errors(self._base, slow=_SLOW, broken=_BROKEN):
                return self._once(asked)
        except AdapterError:
            self._drop()
            if not kept:
                raise
        with translate_errors(self._base, slow=_SLOW, broken=_BROKEN):
            return self._once(asked)

    def _once(self, asked: StoreRequest) -> StoreAnswer:
        self._deadline.renew(REQUEST_S)
        target = self._target(asked)
        url = httpcore.URL(scheme=self._base.scheme, host=self._base.host, port=self._base.port, target=target)
        request = httpcore.Request(asked.method, url, headers=self._signed(asked, target), content=asked.body)
        connection = self._connection = self._connected()
        response = connection.handle_request(request)
        try:
            body = bytearray()
            for piece in response.iter_stream():
                body += piece
                if len(body) > MOST_ANSWERED:
                    raise AdapterError(
                        f"{self._base.origin} sends a larger answer than requested. Correct the endpoint."
                    )
        except BaseException:
            self._drop()
            raise
        finally:
            response.close()
        return StoreAnswer(response.status, headers_of(response), bytes(body))

    def _connected(self) -> httpcore.HTTPConnection:
        if self._connection is not None and self._connection.is_idle() and not self._connection.has_expired():
            return self._connection
        self._drop()
        plain = self._base.scheme == "http"
        dialer = Dialer(self._reach.policy, self._deadline, plain=plain, resolve=self._reach.resolve)
        origin = httpcore.Origin(self._base.scheme.encode(), self._base.host.encode(), self._base.port)
        if not plain and self._trust is None:
            self._trust = self._reach.trust()
        context = None if plain else self._trust
        return httpcore.HTTPConnection(origin, ssl_context=context, network_backend=dialer, keepalive_expiry=5.0)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _target(self, asked: StoreRequest) -> str:
        path = self._base.target.rstrip("/") + (f"/{self._options.bucket}" if self._in_path else "")
        path += f"/{_quoted(asked.key, '/') if asked.key else ''}"
        query = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in asked.query)
        return f"{path}?{query}" if query else path

    def _signed(self, asked: StoreRequest, target: str) -> list[tuple[bytes | str, bytes | str]]:
        # Imported only to connect: not in every process that lists the kinds.
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        token = self._options.session_token
        keys = Credentials(
            self._options.access_key,
            self._options.secret_key.get_secret_value(),
            None if token is None else token.get_secret_value(),
        )
        headers = dict(asked.headers) | {"User-Agent": "Punctual", "Accept-Encoding": "identity"}
        request = AWSRequest(asked.method, f"{self._base.origin}{target}", headers, asked.body)
        S3SigV4Auth(keys, "s3", self._options.region).add_auth(request)
        host = self._base.origin.partition("://")[2]
        return [*request.headers.items(), ("Host", host), ("Content-Length", str(len(asked.body)))]


def _base(options: S3ConnectionOptions) -> Url:
    if options.endpoint:
        base = read_url(options.endpoint)
        if "?" in base.target:
            raise AdapterError("The endpoint has a query. Write it as https://name, with nothing after it.")
        return base
    name = f"s3.{options.region}.amazonaws.com"
    return read_url(f"https://{name}" if "." in options.bucket else f"https://{options.bucket}.{name}")


def _quoted(text: str, safe: str = "") -> str:
    return quote(text, safe=f"-_.~{safe}")
