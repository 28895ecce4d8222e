"""A small schema registry with the routes of Confluent's API that we use, over http or https on loopback."""

import base64
import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.https import authority

HOST = "127.0.0.1"
USER, PASSWORD = "reader", "planted-registry-password"


@dataclass
class RegistryServer:
    """Subjects and their versions; `compatible` decides if a new text may follow the existing ones."""

    port: int = 0
    scheme: str = "http"
    signs_in: bool = False
    schemas: list[dict[str, Any]] = field(default_factory=list)
    subjects: dict[str, list[int]] = field(default_factory=dict)
    compatible: Callable[[str, str], bool] = lambda _old, _new: True
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    waits: threading.Event | None = None

    @property
    def address(self) -> str:
        return f"{self.scheme}://{HOST}:{self.port}"

    def add(self, subject: str, text: str, kind: str = "AVRO", references: list[dict[str, Any]] | None = None) -> int:
        """Register a schema; return its id, the same for the same schema."""
        entry = {"schema": text, "schemaType": kind, "references": references or []}
        if entry not in self.schemas:
            self.schemas.append(entry)
        number = self.schemas.index(entry) + 1
        versions = self.subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        return number

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body."""
        self.asked.append(f"{method} {path}")
        if self.waits is not None:
            self.waits.wait(60)
        if path in self.answers:
            return self.answers[path]
        if found := re.fullmatch(r"/schemas/ids/(\d+)", path):
            number = int(found[1])
            known = 0 < number <= len(self.schemas)
            return _status_and_body(self._answer_of(number)) if known else _fault(404, 40403, "Schema not found")
        if found := re.fullmatch(r"/subjects/([^/]+)/versions(?:/([^/]+))?", path):
            subject = unquote(found[1])
            return self._register(subject, json.loads(body)) if method == "POST" else self._version(subject, found[2])
        if found := re.fullmatch(r"/compatibility/subjects/([^/]+)/versions/latest", path):
            return self._compatibility(unquote(found[1]), json.loads(body))
        return 404, b"<html>nothing here</html>"

    def _answer_of(self, number: int) -> dict[str, Any]:
        entry = self.schemas[number - 1]
        answer = {name: value for name, value in entry.items() if value}
        if answer.get("schemaType") == "AVRO":  # like the real registry: the default is omitted
            del answer["schemaType"]
        return answer

    def _version(self, subject: str, version: str) -> tuple[int, bytes]:
        versions = self.subjects.get(subject)
        if not versions:
            return _fault(404, 40401, f"Subject '{subject}' not found.")
        at = len(versions) if version == "latest" else int(version)
        if not 0 < at <= len(versions):
            return _fault(404, 40402, f"Version {version} not found.")
        number = versions[at - 1]
        return _status_and_body({"subject": subject, "version": at, "id": number, **self._answer_of(number)})

    def _register(self, subject: str, asked: Mapping[str, Any]) -> tuple[int, bytes]:
        kind = str(asked.get("schemaType", "AVRO"))
        old = [self.schemas[number - 1] for number in self.subjects.get(subject, [])]
        if any(each["schemaType"] != kind or not self.compatible(each["schema"], asked["schema"]) for each in old):
            return _fault(409, 409, "Schema being registered is incompatible with an earlier schema")
        return _status_and_body({"id": self.add(subject, str(asked["schema"]), kind)})

    def _compatibility(self, subject: str, asked: Mapping[str, Any]) -> tuple[int, bytes]:
        versions = self.subjects.get(subject)
        if not versions:
            return _fault(404, 40401, f"Subject '{subject}' not found.")
        return _status_and_body(
            {"is_compatible": self.compatible(self.schemas[versions[-1] - 1]["schema"], asked["schema"])}
        )


def _status_and_body(found: Any, status: int = 200) -> tuple[int, bytes]:
    return status, json.dumps(found).encode()


def _fault(status: int, code: int, message: str) -> tuple[int, bytes]:
    return _status_and_body({"error_code": code, "message": message}, status)


@contextmanager
def running_registry(folder: Path | None = None, *, signs_in: bool = False) -> Iterator[RegistryServer]:
    """Serve over http; over https with a certificate for 127.0.0.1 of its own, stored in `folder`, if given."""
    server = RegistryServer(signs_in=signs_in)
    wanted = f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Print nothing."""

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            status, body = server.answer(self.command, self.path, self.rfile.read(length))
            if server.signs_in and self.headers.get("Authorization") != wanted:
                status, body = _fault(401, 401, "Unauthorized")
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  # the name is the library's

    listening = ThreadingHTTPServer((HOST, 0), Handler)
    listening.daemon_threads = True
    listening.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that went away
    if folder is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority(folder).chain)
        listening.socket = context.wrap_socket(listening.socket, server_side=True)
        server.scheme = "https"
    server.port = listening.server_port
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        if server.waits is not None:
            server.waits.set()
        listening.shutdown()
        listening.server_close()
        thread.join()
