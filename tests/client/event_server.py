"""A server of events over real HTTP that cuts its connections where a test wants it."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from deploy.up.place import HOST


@dataclass(frozen=True)
class StreamAnswer:
    """The start of an answer; `is_cut`: the connection breaks after it, in the middle of the answer.

    `retry_after`: its header `Retry-After`; "": without it.
    """

    body: bytes = b""
    status: int = 200
    is_cut: bool = True
    retry_after: str = ""


@dataclass(frozen=True)
class StreamRequest:
    """A request: its parameters, its headers by their names in lower case, and the cursor in either of them."""

    parameters: Mapping[str, Sequence[str]]
    headers: Mapping[str, str]

    @property
    def cursor(self) -> str | None:
        return self.headers.get("last-event-id") or next(iter(self.parameters.get("after", [])), None)


@dataclass
class EventServer:
    """Answers requests with `respond`, and records them."""

    respond: Callable[[StreamRequest], StreamAnswer]
    address: str = ""
    requests: list[StreamRequest] = field(default_factory=list)

    @property
    def cursors(self) -> list[str | None]:
        return [each.cursor for each in self.requests]


@contextmanager
def running(respond: Callable[[StreamRequest], StreamAnswer]) -> Iterator[EventServer]:
    server = EventServer(respond)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            request = StreamRequest(
                parse_qs(urlsplit(self.path).query), {name.lower(): value for name, value in self.headers.items()}
            )
            server.requests.append(request)
            answer = server.respond(request)
            self.send_response(answer.status)
            headers = {"Transfer-Encoding": "chunked", "Connection": "close", "Retry-After": answer.retry_after}
            for name, value in headers.items():
                if value:
                    self.send_header(name, value)
            self.end_headers()
            size = len(answer.body)
            # a cut chunk announces one more byte than it has
            head = b"%x\r\n" % (size + answer.is_cut) if size or answer.is_cut else b""
            tail = b"" if answer.is_cut else b"\r\n0\r\n\r\n" if size else b"0\r\n\r\n"
            self.wfile.write(head + answer.body + tail)
            self.close_connection = True

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - its name in the standard library
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as http:
        server.address = f"http://{HOST}:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


def in_turn(*answers: StreamAnswer) -> Callable[[StreamRequest], StreamAnswer]:
    """Return a responder that gives each of `answers` once."""
    left = iter(answers)
    return lambda _: next(left)


def frame(cursor: str, name: str, data: Mapping[str, Any]) -> str:
    return f"id: {cursor}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def row(cursor: str, plate: str = "A") -> str:
    data = {"id": cursor, "run": "r", "start": 0, "end": None, "payload": {"plate": plate}}
    return frame(cursor, "row", data)


def opening(cursor: str) -> str:
    return f"id: {cursor}\nretry: 2000\n\n"


RESTARTED = frame("1-start", "restarted", {"batch": 1})
MISSING = frame("1-gap", "rows_missing", {"rows": 3})
LOG = {
    "0-0-0": row("0-0-0", "ä\u2028\x85"),
    "0": frame("0", "committed", {"batch": 0, "cti": 5, "ended": False}),
    "1-start": RESTARTED,
    "1-gap": f": a comment\n\n{MISSING}",
    "1-7-0": "id: 1-7-0\n\n",
    "1-8-0": row("1-8-0"),
}
"""The frames of a stream by their ids; one has no data."""
EVENTS = [
    ("0-0-0", "row"),
    ("0", "committed"),
    ("1-start", "restarted"),
    ("1-gap", "rows_missing"),
    ("1-8-0", "row"),
]


def frames_after(cursor: str | None) -> bytes:
    """Return the opening and the frames of LOG after `cursor`."""
    ids = list(LOG)
    place = 0 if cursor in (None, "-1") else ids.index(cursor) + 1
    return (opening(cursor or "-1") + "".join(LOG[each] for each in ids[place:])).encode()


def every_cut() -> Callable[[StreamRequest], StreamAnswer]:
    """Return a responder whose n-th answer after the same cursor breaks off after n bytes."""
    attempts: dict[str | None, int] = {}

    def respond(request: StreamRequest) -> StreamAnswer:
        count = attempts[request.cursor] = attempts.get(request.cursor, -1) + 1
        return StreamAnswer(frames_after(request.cursor)[:count])

    return respond
