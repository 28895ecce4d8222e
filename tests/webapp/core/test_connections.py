"""Slow and idle connections delay nobody: on a real server that may open 1,024 files."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from deploy.installation.waiting import wait_until
from deploy.serve.servers import web_settings
from deploy.up.place import HOST
from tests.conftest import ROOT
from tests.ports import free_port

FILES = 1_024
SERVER = f"""
import asyncio, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
import uvicorn
from django.conf import settings
from uvicorn.config import import_from_string
settings.configure()
port, http, *times = sys.argv[1:]
kind = import_from_string(http)
for each in times:
    name, value = each.split("=")
    setattr(kind, name, float(value))
ended = asyncio.Event()

async def answered(send, body):
    await send({{"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]}})
    await send({{"type": "http.response.body", "body": body}})

async def application(scope, receive, send):
    if scope["type"] != "http":
        return
    while (message := await receive())["type"] != "http.disconnect" and message.get("more_body"):
        pass
    if scope["path"] == "/ended":
        await ended.wait()
    if scope["path"] != "/endless":
        return await answered(send, b"here")
    left = asyncio.create_task(receive())
    await send({{"type": "http.response.start", "status": 200, "headers": []}})
    while not left.done():
        await send({{"type": "http.response.body", "body": b"x" * 65536, "more_body": True}})
    ended.set()

uvicorn.run(application, port=int(port), http=kind, ws="none", backlog=128, proxy_headers=False, log_level="error")
"""
GUARDED = web_settings(HOST, 0)["http"]
ATTACKER, OTHER = "127.0.0.3", "127.0.0.2"
PATIENCE_S = 20.0


def connected(port: int, address: str = ATTACKER) -> socket.socket:
    return socket.create_connection((HOST, port), PATIENCE_S, source_address=(address, 0))


def said_until_closed(line: socket.socket) -> bytes:
    """Return the server's answer until it closes the connection."""
    parts = []
    while part := line.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def read_until(line: socket.socket, end: bytes) -> bytes:
    """Read until `end` arrives: a response may come in several packets."""
    response = b""
    while end not in response:
        part = line.recv(65_536)
        assert part, f"The server closed the connection after {response!r}"
        response += part
    return response


def is_answered(port: int, address: str = OTHER, path: str = "/") -> bool:
    try:
        with connected(port, address) as line:
            line.sendall(f"GET {path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n".encode())
            return said_until_closed(line).endswith(b"here")
    except OSError:
        return False


@contextmanager
def serving(*times: str, http: str = GUARDED) -> Iterator[int]:
    """A server as an installation starts it, but for these time limits."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), http, *times], cwd=ROOT)
    try:
        assert wait_until(lambda: is_answered(port), timeout_s=30)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost: h"], ids=["nothing", "half of the headers"])
@pytest.mark.parametrize("addresses", [1, 100], ids=["one address", "a hundred addresses"])
def test_more_waiting_connections_than_open_files_leave_room_for_others(sent: bytes, addresses: int) -> None:
    with serving("headers_s=600") as port, ExitStack() as held:
        for number in range(FILES + 200):
            line = held.enter_context(connected(port, f"127.0.1.{1 + number % addresses}"))
            line.sendall(sent)
        assert is_answered(port)
        assert is_answered(port, "127.0.1.1"), "those of the same address too"


def test_an_address_that_opens_too_many_closes_its_own_alone() -> None:
    with serving("headers_s=600") as port, ExitStack() as held:
        slow = held.enter_context(connected(port, OTHER))
        slow.sendall(b"GET / HTTP/1.1\r\nhost: here\r\n")
        first = held.enter_context(connected(port))
        for _ in range(FILES // 8):
            held.enter_context(connected(port))
        assert said_until_closed(first) == b""
        slow.sendall(b"connection: close\r\n\r\n")
        assert said_until_closed(slow).endswith(b"here")


@pytest.mark.parametrize(
    ("times", "sent"),
    [
        ("headers_s=0.2", b""),
        ("headers_s=0.2", b"GET / HTTP/1.1\r\nhost"),
        ("headers_s=0.2", b"GET / HTTP/1.1\r\nhost: here\r\n\r\nGET / HT"),
        ("body_s=0.2", b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100000\r\n\r\nslow"),
        ("body_s=0.2", b"POST / HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n1\r\n"),
    ],
    ids=["nothing", "headers", "headers of the next request", "body", "body in chunks"],
)
def test_a_slow_sender_gets_an_error_and_is_disconnected(times: str, sent: bytes) -> None:
    with serving(times) as port, connected(port) as line:
        head, separator, rest = sent.partition(b"\r\n\r\n")
        early = b""
        if rest.startswith(b"GET"):  # the next one begins once this one is answered
            line.sendall(head + separator)
            response, _, early = read_until(line, b"here").partition(b"here")
            assert response.startswith(b"HTTP/1.1 200")
            sent = rest
        line.sendall(sent)
        assert (early + said_until_closed(line)).startswith(b"HTTP/1.1 408")


def test_a_body_that_comes_steadily_may_take_longer_than_its_time() -> None:
    with serving("body_s=0.05", "body_bytes=1") as port, connected(port) as line:
        line.sendall(b"POST / HTTP/1.1\r\nhost: here\r\nconnection: close\r\ncontent-length: 40000000\r\n\r\n")
        for _ in range(400):
            line.sendall(b"x" * 100_000)
        assert said_until_closed(line).endswith(b"here")


def test_an_answer_that_nobody_reads_ends() -> None:
    with serving("reading_s=0.2") as port, connected(port) as line:
        line.sendall(b"GET /endless HTTP/1.1\r\nhost: here\r\n\r\n")
        assert is_answered(port, path="/ended")


def test_an_installation_guards_its_connections() -> None:
    assert {"http", "ws", "backlog"} <= web_settings(HOST, 8_000).keys()
    assert GUARDED == "webapp.core.http.connections:GuardedConnection"


@pytest.mark.parametrize("files", [256, 1_024, 16_384])
def test_open_and_waiting_connections_leave_files_for_everything_else(files: int) -> None:
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))\n"
        "from deploy.serve.servers import waiting_connections\n"
        "from webapp.core.http.connections import OpenConnections\n"
        "print(OpenConnections().most, waiting_connections())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    open_, waiting = map(int, done.stdout.split())
    assert files - open_ - waiting >= files // 4
    assert waiting >= files // 8
