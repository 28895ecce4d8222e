"""A real provider of OpenID Connect on the loopback address: `oidc-provider-mock`, with the PKCE check that it lacks.

It runs in its own process, `python -m tests.oidc`, because its libraries emit warnings at every request.
"""

import base64
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

ROOT = Path(__file__).resolve().parents[1]
CLIENT, SECRET = "punctual", "planted-client-secret-7c1f"
PROVIDER: dict[str, Any] = {"provider_id": "oidc", "name": "Company", "client_id": CLIENT, "secret": SECRET}


class Pkce:
    """WSGI: stores the challenge of each code, and refuses a token to a client without the verifier (RFC 7636)."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.challenges: dict[str, str] = {}
        self.tokens_asked: list[dict[str, str]] = []

    def __call__(self, environ: Any, start_response: Any) -> Any:
        path = environ["PATH_INFO"]
        if path == "/asked":
            start_response("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(self.tokens_asked).encode()]
        if path == "/oauth2/token":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = BytesIO(body)
            asked = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            self.tokens_asked.append(asked)
            digest = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != self.challenges.get(asked.get("code", "")):
                start_response("400 Bad Request", [("Content-Type", "application/json")])
                return [b'{"error": "invalid_grant"}']
        query = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}

        def remember(status: str, headers: Any, *rest: Any) -> Any:
            address = dict(headers).get("Location", "")
            code = parse_qs(urlsplit(address).query).get("code", [""])[0]
            if path == "/oauth2/authorize" and code and query.get("code_challenge_method") == "S256":
                self.challenges[code] = query["code_challenge"]
            return start_response(status, headers, *rest)

        return self.inner(environ, remember)


class Provider:
    """The running provider: tests add people to it, and a person's browser passes through it."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer

    def knows(self, subject: str, **claims: Any) -> None:
        httpx.put(f"{self.issuer}/users/{subject}", json=claims, timeout=60).raise_for_status()

    def token_requests(self) -> list[dict[str, str]]:
        """Return the body of each request for a token, oldest first."""
        found: list[dict[str, str]] = httpx.get(f"{self.issuer}/asked", timeout=60).json()
        return found

    def consent(self, address: str, subject: str) -> str:
        """Sign `subject` in at the authorization address and return where the provider sends them."""
        answered = httpx.post(address, data={"sub": subject}, timeout=60)
        assert answered.status_code == 302, answered.text
        return answered.headers["Location"]

    def deny(self, address: str) -> str:
        """Refuse at the authorization address and return where the provider sends them."""
        return httpx.post(address, data={"action": "deny"}, timeout=60).headers["Location"]


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Run the provider at a free port."""
    command = [sys.executable, "-m", "tests.oidc"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        try:
            yield Provider(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


def serve() -> None:
    """Serve until the process is ended; the port is printed first."""
    from oidc_provider_mock import app
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", 0, Pkce(app().wsgi_app), threaded=True)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve()
