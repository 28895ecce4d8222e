"""A schema registry that answers with a redirect: it is not followed, and the message's row has the reason."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.formats.framing import framed
from tests.adapters.kafka.formats.registry_server import HOST, RegistryServer, running_registry
from tests.adapters.kafka.formats.test_registry import FIRST, body, decoded


class Redirecting(HTTPServer):
    """Redirects every request to `elsewhere`."""

    elsewhere = ""


class Handler(BaseHTTPRequestHandler):
    server: Redirecting

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", f"{self.server.elsewhere}{self.path}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object, **__: object) -> None:
        """Print nothing."""


def test_a_redirect_of_a_registry_is_not_followed() -> None:
    with running_registry() as inside, Redirecting((HOST, 0), Handler) as outside:
        number = inside.add("t-value", json.dumps(FIRST))
        outside.elsewhere = inside.address
        serving = Thread(target=outside.serve_forever)
        serving.start()
        try:
            with pytest.raises(AdapterError, match="302"):
                decoded([framed(number, body(FIRST, {"at": 1, "v": 1}))], RegistryServer(port=outside.server_port))
        finally:
            outside.shutdown()
            serving.join()
    assert inside.asked == []
