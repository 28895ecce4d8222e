"""A real runner with a planted secret: only its server receives it, and nothing else contains it."""

import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import ClassVar

import psutil
import pytest
import redis
from cryptography import x509
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from streaming.definition.streams.stream import AdapterChoice
from streaming.wire.messages import RunSpec
from streaming.wire.sealed import sealed
from tests.runtime.processes.process import carried, key_of
from tests.spark.specs import spec, write_readings

PLANTED = "planted-5e7c41d0-token"
SECRETIVE, CURIOUS = "secretive", "curious"
KEY = key_of(SECRETIVE)


class Guarded(BaseHTTPRequestHandler):
    """Serves the file to requests with the token."""

    content: ClassVar[bytes] = b""
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        given = self.headers.get("Authorization", "")
        self.asked.append(given)
        allowed = given == f"Bearer {PLANTED}" and self.path == "/rows.jsonl"
        self.send_response(200 if allowed else 403)
        self.send_header("Content-Length", str(len(self.content) if allowed else 0))
        self.end_headers()
        self.wfile.write(self.content if allowed else b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def write_certificate(folder: Path) -> Path:
    """Write the key and a self-signed certificate of 127.0.0.1 as one PEM file."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "here")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "certificate.pem"
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    certificate = write_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    write_readings(tmp_path / "served.jsonl", 3)
    Guarded.content = (tmp_path / "served.jsonl").read_bytes()
    (tmp_path / "served.jsonl").unlink()
    Guarded.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Guarded) as answering:
        answering.socket = context.wrap_socket(answering.socket, server_side=True)
        threading.Thread(target=answering.serve_forever, daemon=True).start()
        yield f"https://127.0.0.1:{answering.server_port}"
        answering.shutdown()


def downloading(binding: str, url: str, token: str) -> RunSpec:
    plain = spec(binding, "unused")
    adapter = AdapterChoice(kind="download", options={"url": url, "token": sealed(token), "format": "json_lines"})
    item = plain.inputs["readings"].model_copy(update={"adapter": adapter})
    return plain.model_copy(update={"inputs": {"readings": item}})


def of(organisation: str, wanted: RunSpec) -> RunSpec:
    return wanted.model_copy(update={"organisation": organisation})


def shown_by_processes(root: int) -> str:
    """Return the command lines and environments of a process and all its children."""
    runner = psutil.Process(root)
    shown = []
    for process in (runner, *runner.children(recursive=True)):
        try:
            shown += [*process.cmdline(), *(f"{name}={value}" for name, value in process.environ().items())]
        except psutil.Error:
            continue
    return "\n".join(shown)


def holding(folder: Path, needles: list[bytes]) -> list[str]:
    """Return the files below `folder` that contain one of `needles`."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_socket()]
    assert files
    return [str(path) for path in files if any(needle in path.read_bytes() for needle in needles)]


@pytest.mark.spark
@pytest.mark.parametrize("pooled", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["own", "pooled"])
def test_a_secret_reaches_its_server_and_no_other_place(
    tmp_path: Path, redis_server_url: str, server: str, pooled: bool
) -> None:
    token = Fernet(KEY).encrypt(PLANTED.encode()).decode()
    good, bad = downloading("good", f"{server}/rows.jsonl", token), downloading("bad", f"{server}/gone.jsonl", token)
    redis_url = f"{redis_server_url}{'&' if '?' in redis_server_url else '?'}client_name={PLANTED}-redis"
    who = (SECRETIVE, CURIOUS) if pooled else (SECRETIVE,)
    (runner,), mails = carried(
        tmp_path, who, redis_url, "--idle-exit-s", "600", "--min-interval-s", "0.1", pooled=pooled
    )
    runner.configuration |= {"outgoing": {"public": False, "networks": ["127.0.0.0/8"]}}
    mail = mails[0]
    for other in mails[1:]:
        write_readings(other.files / "readings.jsonl", 3)
        other.desire(of(CURIOUS, spec("neighbour", "readings.jsonl")))
    runner.start()
    assert runner.process is not None
    try:
        mail.desire(of(SECRETIVE, good), of(SECRETIVE, bad))
        over = {"failed", "completed"}
        runner.wait_until(lambda: {mail.state(each.run) for each in (good, bad)} <= over, "both runs end")
        for other in mails[1:]:
            runner.wait_until(lambda other=other: other.state("neighbour-1") == "completed", "the neighbour's ends")
        shown = shown_by_processes(runner.process.pid)
        failed = mail.observed(bad.run)
    finally:
        runner.end()
    assert [mail.state(each.run) for each in (good, bad)] == ["completed", "failed"], runner.log_end()
    assert mail.progress(good.run).inputs["readings"].received == 15
    assert set(Guarded.asked) == {f"Bearer {PLANTED}"}
    assert "streaming.runtime" in shown
    for needle in (PLANTED, token, KEY):
        assert needle not in shown
        assert needle not in str(failed)
    assert holding(tmp_path, [PLANTED.encode(), token.encode(), KEY.encode()]) == []
    with redis.Redis.from_url(redis_server_url) as connection:
        kept = b"".join(connection.dump(key) or b"" for key in connection.scan_iter("punctual:secretive:*"))
        assert PLANTED.encode() not in kept
        if pooled:
            marks = [SECRETIVE.encode(), good.run.encode(), bad.run.encode(), b"gone.jsonl"]
            assert holding(tmp_path / CURIOUS, marks) == []
            assert holding(tmp_path / SECRETIVE, [CURIOUS.encode(), b"neighbour-1"]) == []
            theirs = {key: connection.dump(key) or b"" for key in connection.scan_iter(f"punctual:{CURIOUS}:*")}
            assert len(theirs) > 3
            assert [key for key, content in theirs.items() if any(mark in content for mark in marks)] == []
            assert not any(mark in runner.log_end().encode() for mark in marks[1:])
