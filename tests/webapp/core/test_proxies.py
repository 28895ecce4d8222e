"""Only named proxies are believed about the address of a client."""

import http.client
import ipaddress
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from deploy.installation.services import start_web
from deploy.installation.waiting import wait_until
from deploy.serve.servers import web_settings
from deploy.up.place import HOST, InstallationPlace
from tests.conftest import ROOT
from tests.ports import free_port
from webapp.core.http.proxies import ClientAddresses

ECHO = """
import ipaddress, json, sys
from webapp.core.http.proxies import ClientAddresses

async def echo(scope, receive, send):
    if scope["type"] != "http":
        return
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    body = json.dumps({"client": scope["client"][0], "said": headers.get("x-forwarded-for")}).encode()
    length = str(len(body)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": body})

trusted = [ipaddress.ip_network(each) for each in sys.argv[1].split(",") if each]
import uvicorn
uvicorn.run(ClientAddresses(echo, trusted), port=int(sys.argv[2]), proxy_headers=False, log_level="warning")
"""


@contextmanager
def echoing(trusted: str) -> Iterator[int]:
    """A real uvicorn before the application that says who it thinks asks."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", ECHO, trusted, str(port)], cwd=ROOT)
    try:
        assert wait_until(lambda: request_from(port) is not None, timeout_s=30)
        yield port
    finally:
        process.terminate()
        process.wait(20)


def request_from(port: int, **headers: str) -> Any:
    connection = http.client.HTTPConnection(HOST, port, timeout=30)
    try:
        connection.request("GET", "/", headers={name.replace("_", "-"): value for name, value in headers.items()})
        return json.loads(connection.getresponse().read())
    except OSError:
        return None
    finally:
        connection.close()


def test_a_server_that_names_no_proxies_believes_nobody() -> None:
    with echoing("") as port:
        assert {request_from(port, X_Forwarded_For=f"10.0.0.{turn}")["client"] for turn in range(40)} == {HOST}


def test_of_a_named_proxy_the_rightmost_address_counts_that_is_none() -> None:
    with echoing("127.0.0.0/8,10.0.0.0/8,::1/128") as port:
        for reported, counts in {
            "203.0.113.7": "203.0.113.7",
            "10.9.9.9, 203.0.113.7": "203.0.113.7",
            "198.51.100.1, 203.0.113.7, 10.1.2.3": "203.0.113.7",
            "203.0.113.7:4711": "203.0.113.7",
            "[2001:db8::7]:4711, 10.0.0.1": "2001:db8::7",
            "::ffff:10.0.0.1": "::ffff:10.0.0.1",
            "198.51.100.1, nonsense, 10.1.2.3": "10.1.2.3",
            "198.51.100.1, nonsense": HOST,
            "10.0.0.1, 10.0.0.2": "10.0.0.1",
            "": HOST,
        }.items():
            assert request_from(port, X_Forwarded_For=reported)["client"] == counts, reported
        assert request_from(port)["client"] == HOST


def test_headers_of_clients_that_bypass_the_proxies_are_ignored() -> None:
    with echoing("10.0.0.0/8") as port:
        assert request_from(port, X_Forwarded_For="203.0.113.7") == {"client": HOST, "said": None}


@pytest.mark.parametrize("scope", [{"type": "lifespan"}, {"type": "http", "client": None, "headers": []}])
def test_what_has_no_address_is_handed_on(scope: Any) -> None:
    seen = []

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope)

    made: Any = ClientAddresses(application, [ipaddress.ip_network("10.0.0.0/8")])
    with pytest.raises(StopIteration):
        made(scope, None, None).send(None)
    assert seen == [scope]


def test_the_server_is_not_started_by_a_command_that_believes_headers(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "uvicorn", "webapp.asgi:application", "--port", str(free_port())]
    env = {**os.environ, "PUNCTUAL_DATA": str(tmp_path), "PUNCTUAL_EMBEDDED": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "Start the server with `punctual-serve web`" in done.stderr


def test_make_up_starts_it_by_one_that_does_not(tmp_path: Path) -> None:
    class Written:
        def start(self, name: str, command: list[str]) -> list[str]:
            return command

    written: Any = Written()
    command: Any = start_web(written, InstallationPlace(tmp_path, 1))
    assert command[1:4] == ["-m", "deploy.serve", "web"]
    assert web_settings("127.0.0.1", 1)["proxy_headers"] is False


@pytest.mark.parametrize("value", ["10.0.0.1/8", "0.0.0.0/0", "::/0", "proxy.example"])
def test_networks_that_cannot_be_stop_the_start(tmp_path: Path, value: str) -> None:
    env = {**os.environ, "PUNCTUAL_DATA": str(tmp_path), "PUNCTUAL_TRUSTED_PROXIES": value}
    command = [sys.executable, "-c", "import webapp.settings"]
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "PUNCTUAL_TRUSTED_PROXIES" in done.stderr.splitlines()[-1]
