"""A store with the S3 protocol (moto) in its own process on the loopback address; it fails where a test wants it to.

python -m tests.object_store        # prints the port, serves until its standard input ends
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpcore
from botocore.config import Config
from botocore.session import Session

HOST = "127.0.0.1"
KEY = "AKIATESTSTESTSTESTS1"
SECRET = "planted-s3-secret-99b1"
OPEN = 1_000_000


class FailingStore:
    """Moto answers one request at a time; each of `faults` applies once, to the first request that fits.

    A fault has `method`, `key` (a part of the path) and `then`: a status instead of an answer, `lost` (done, but
    answered 500), or a body (the answer).
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self.faults: list[Mapping[str, Any]] = []
        self.asked: list[str] = []

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with self._lock:
            path = environ["PATH_INFO"]
            if path == "/-/faults":
                size = int(environ.get("CONTENT_LENGTH") or 0)
                self.faults = json.loads(environ["wsgi.input"].read(size))
                start_response("200 OK", [("Content-Length", "0")])
                return [b""]
            if path == "/-/asked":
                start_response("200 OK", [("Content-Type", "application/json")])
                return [json.dumps(self.asked).encode()]
            return self._served(environ, start_response)

    def _served(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        self.asked.append(f"{method} {path} {environ.get('HTTP_RANGE', '')}".strip())
        fits = (at for at, each in enumerate(self.faults) if each["method"] == method and each["key"] in path)
        at = next(fits, None)
        if at is None:
            return list(self._inner(environ, start_response))
        then = self.faults.pop(at)["then"]
        if then == "lost":
            list(self._inner(environ, lambda *_, **__: None))
            then = 500
        if isinstance(then, str):
            start_response("200 OK", [("Content-Type", "application/xml")])
            return [then.encode()]
        start_response(f"{then} Told", [("Content-Type", "application/xml")])
        return [b"<Error><Code>InternalError</Code></Error>" if then == 500 else b""]


def serve() -> None:
    """Serve until standard input ends."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class QuietHandler(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_request(self, *_: Any) -> None:
            """Print nothing."""

    server = make_server(
        HOST,
        0,
        FailingStore(DomainDispatcherApplication(create_backend_app)),
        threaded=True,
        request_handler=QuietHandler,
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


@lru_cache
def _client(endpoint: str, service: str, key: str, secret: str) -> Any:
    config = Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1})
    names = {"aws_access_key_id": key, "aws_secret_access_key": secret}
    return Session().create_client(service, endpoint_url=endpoint, region_name="us-east-1", config=config, **names)


@dataclass(frozen=True)
class ObjectStore:
    """A running store."""

    port: int

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}"

    def options(self, bucket: str, **more: Any) -> dict[str, Any]:
        """Return options of an adapter for `bucket`."""
        keys = {"access_key": KEY, "secret_key": SECRET}
        return {"bucket": bucket, "endpoint": self.endpoint, **keys, **more}

    def client(self, service: str = "s3", key: str = KEY, secret: str = SECRET) -> Any:
        """Return Botocore's own client, which shows what others see."""
        return _client(self.endpoint, service, key, secret)

    def put(self, bucket: str, key: str, content: bytes) -> None:
        self.client().put_object(Bucket=bucket, Key=key, Body=content)

    def objects(self, bucket: str) -> dict[str, bytes]:
        """Return all objects by key."""
        client = self.client()
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        keys = [each["Key"] for page in pages for each in page.get("Contents", ())]
        return {key: client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}

    def fail(self, *faults: tuple[str, str, int | str]) -> None:
        """Answer the next requests that fit (method, part of the path) with `then`."""
        listed = [{"method": method, "key": key, "then": then} for method, key, then in faults]
        self.call("POST", "/-/faults", json.dumps(listed).encode())

    def requests_seen(self) -> Sequence[str]:
        """Return all requests so far: method, path, range."""
        found: list[str] = json.loads(self.call("GET", "/-/asked"))
        return found

    def call(self, method: str, path: str, body: bytes = b"") -> bytes:
        return httpcore.request(method, f"{self.endpoint}{path}", content=body).content

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Check keys inside the block: signatures and rights."""
        self.call("POST", "/moto-api/reset-auth", b"0")
        try:
            yield
        finally:
            self.call("POST", "/moto-api/reset-auth", str(OPEN).encode())


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """A store that ends with the block."""
    command = [sys.executable, "-m", "tests.object_store"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield ObjectStore(int(process.stdout.readline()))
        finally:
            process.stdin.close()
            process.wait()


if __name__ == "__main__":
    serve()
