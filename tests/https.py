"""A real HTTPS server on the loopback addresses, certified by an authority that only the test trusts."""

import datetime
import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from streaming.adapters.network.dialing import Resolve, resolve
from streaming.adapters.network.fetching import Reach
from streaming.wire.outgoing import OutgoingPolicy

NAME = "files.example"
OTHER = "other.example"
Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True)
class Posted:
    """A request body that a server received; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """Answers by path; records the path, the host and the credentials of each request, and posted bodies."""

    host: str
    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    posted: list[Posted] = field(default_factory=list)

    def url(self, path: str, name: str = NAME) -> str:
        return f"https://{name}:{self.port}{path}"


def sends(body: bytes, status: int = 200, length: bool = True, **headers: str) -> Answer:
    """Return an answer with that body; without `length` it ends with the connection."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        if length:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def redirects(location: str, status: int = 302) -> Answer:
    return sends(b"", status, Location=location)


def endless(chunk: bytes, between: Callable[[], None] = lambda: None) -> Answer:
    """Return an answer whose body never ends."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(chunk)
            between()

    return answer


@dataclass(frozen=True)
class Authority:
    """Certificates for `NAME` and `OTHER`, and TLS settings that trust their authority."""

    chain: Path

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.chain)

    def reach(self, policy: OutgoingPolicy, resolver: Resolve = lambda name: ["127.0.0.1"]) -> Reach:
        return Reach(policy, resolver, self.trust)


def authority(folder: Path) -> Authority:
    """Make an authority with one self-signed certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "An authority for tests")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName(NAME), x509.DNSName(OTHER), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain = folder / "chain.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
    return Authority(chain)


@contextmanager
def serving(made: Authority | None, host: str = "127.0.0.1") -> Iterator[Server]:
    """Serve at a free port of `host`; with TLS if an authority is given."""
    served = Server(host)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            served.asked.append((self.path, self.headers["Host"], self.headers["Authorization"]))
            try:
                served.answers.get(path, sends(b"nothing here", 404))(self)
            except (ConnectionError, ssl.SSLError):
                self.close_connection = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            served.posted.append(Posted(self.path, headers, body))
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Ignore a client that disconnects: that is no error of the server."""

    with Quiet((host, 0), Handler) as server:
        if made is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(made.chain)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        served.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


__all__ = [
    "NAME",
    "OTHER",
    "Authority",
    "Posted",
    "Server",
    "authority",
    "endless",
    "redirects",
    "resolve",
    "sends",
    "serving",
]
