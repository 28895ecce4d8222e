"""Lists and runs, and the exit code for each refusal of the server."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.client.conftest import Punctual, token_of
from tests.webapp.conftest import Person
from webapp.core.context import organisation_context
from webapp.runs.models import Run


def test_list_shows_everything_by_name(punctual: Punctual, binding: dict[str, Any]) -> None:
    ended = punctual("list")
    assert ended.code == 0
    for word in ("STREAM", "cars", "QUERY", "speeding", "BINDING", "watch", "never started", "No runs."):
        assert word in ended.out


def test_list_of_one_kind_is_what_the_server_says(punctual: Punctual, binding: dict[str, Any], alice: Person) -> None:
    assert punctual("list", "bindings", "--json").json == alice.get("bindings/").json()
    everything = punctual("list", "--json").json
    assert set(everything) == {"streams", "queries", "bindings", "runs"}


def test_a_run_is_started_shown_and_stopped_by_the_name_of_its_binding(
    punctual: Punctual, binding: dict[str, Any]
) -> None:
    assert punctual("run", "status", "--json").json == []
    assert punctual("run", "status", "watch").code == 4
    started = punctual("run", "start", "watch", "--json")
    assert (started.code, started.json["observed"]) == (0, "requested")
    shown = punctual("run", "status", "watch", "--json").json
    assert shown["id"] == started.json["id"]
    assert punctual("run", "status", shown["id"], "--json").json.items() >= shown.items()
    assert "requested" in punctual("run", "status").out
    stopped = punctual("run", "stop", binding["id"], "--json")
    assert (stopped.code, stopped.json["desired"]) == (0, "stopped")


def test_a_note_is_about_a_binding_or_about_all(punctual: Punctual, binding: dict[str, Any], alice: Person) -> None:
    ended = punctual("note", "Firmware 4.2.1", "--binding", "watch", "--at", "2026-11-26T10:00Z", "--json")
    assert (ended.code, ended.json["binding"]["name"], ended.json["begin"]) == (0, "watch", 1_795_687_200_000_000)
    ended = punctual("note", "Maintenance", "--at", "2026-11-26T10:00Z", "--until", "2026-11-26T11:00Z")
    assert (ended.code, ended.out) == (0, "The charts of all bindings have the note now.\n")
    notes = alice.get("annotations/").json()["annotations"]
    assert {each["text"]: each["end"] for each in notes} == {
        "Firmware 4.2.1": None,
        "Maintenance": 1_795_690_800_000_000,
    }
    assert punctual("note", "x", "--binding", "nobody").code == 4
    assert punctual("note", " ").code == 1
    assert punctual("note", "x", "--at", "noon").code == 2


def test_a_start_reports_its_position_and_accepts_one(
    punctual: Punctual, binding: dict[str, Any], alice: Person
) -> None:
    assert binding["name"] == "watch"
    started = punctual("run", "start", "watch", "--begin", "beginning")
    assert (started.code, "first start" in started.out) == (0, True)
    with organisation_context(alice.organisation.pk):
        assert Run.objects.get().read_spec().begin == "beginning"
    assert punctual("run", "start", "watch", "--begin", "yesterday").code == 2
    assert punctual("run", "start", "watch", "--begin-at", "yesterday").code == 2


@pytest.mark.usefixtures("binding")
def test_a_start_may_begin_at_a_time_and_a_stop_discard_the_state(punctual: Punctual, alice: Person) -> None:
    started = punctual("run", "start", "watch", "--begin-at", "1970-01-01T00:00:01Z")
    assert (started.code, "at that time or later" in started.out) == (0, True)
    assert punctual("run", "stop", "watch", "--discard", "--flush").code == 2
    assert punctual("run", "stop", "watch", "--discard").code == 0
    with organisation_context(alice.organisation.pk):
        run = Run.objects.select_related("binding").get()
        begin = run.read_spec().model_dump()["begin"]
    assert (begin, run.discard) == ({"kind": "time", "at": 1_000_000}, True)


def test_starting_twice_at_once_is_one_start_and_another_beginning_is_a_conflict(punctual: Punctual, run: str) -> None:
    assert punctual("run", "start", "watch", "--json").json["id"] == run
    ended = punctual("run", "start", "watch", "--begin", "beginning")
    assert (ended.code, ended.out) == (5, "")
    assert ended.err.startswith("punctual: ")


def test_what_is_not_there_is_4_and_names_what_is(punctual: Punctual, binding: dict[str, Any]) -> None:
    ended = punctual("run", "start", "wacht")
    assert (ended.code, "There are: watch." in ended.err) == (4, True)
    assert punctual("run", "status", "00000000-0000-0000-0000-000000000000").code == 4


def test_a_role_that_may_not_is_3_with_the_servers_sentence(
    punctual: Punctual, alice: Person, binding: dict[str, Any]
) -> None:
    ended = punctual("run", "start", "watch", "--json", env={"PUNCTUAL_TOKEN": token_of(alice, "designer")})
    assert (ended.code, ended.json["error"]["code"]) == (3, "forbidden")
    assert "The role designer of this token may not operate here." in ended.json["error"]["message"]


def test_charlies_token_finds_none_of_alices_things(
    punctual: Punctual, charlie: Person, binding: dict[str, Any], run: str
) -> None:
    theirs = {"PUNCTUAL_TOKEN": token_of(charlie)}
    assert punctual("list", "runs", "--json", env=theirs).json == []
    assert punctual("tail", run, env=theirs).code == 4
    assert punctual("list", "--organisation", "acme", env=theirs).code == 4


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["nonsense"],
        ["list", "everything"],
        ["run"],
        ["run", "start"],
        ["tail", "x", "--limit", "0"],
        ["explain", "x", "--format", "pdf"],
        ["list", "--jso"],
        ["completion", "powershell"],
    ],
)
def test_a_command_line_that_cannot_be_understood_is_2(argv: list[str], bare: Punctual) -> None:
    ended = bare(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert "usage: punctual" in ended.err


def test_help_teaches_exit_codes_and_examples(bare: Punctual) -> None:
    ended = bare("--help")
    assert ended.code == 0
    for line in ("exit codes:", "  5  conflict", "PUNCTUAL_TOKEN", "punctual sign-in"):
        assert line in ended.out
    assert "examples:" in bare("tail", "--help").out


def test_a_server_that_is_not_there_is_6(bare: Punctual) -> None:
    ended = bare("list", "--json", "--address", "http://127.0.0.1:1", env={"PUNCTUAL_TOKEN": "pct_a_b"})
    assert (ended.code, ended.json["error"]["exit"]) == (6, 6)
    assert "cannot be reached" in ended.err


class Stranger(BaseHTTPRequestHandler):
    """A server that is not Punctual: the path selects its answer."""

    seen: list[str]

    def do_GET(self) -> None:
        type(self).seen.append(self.path)
        kind = self.path.split("/")[1]
        status = {"failing": 500, "moved": 302, "busy": 429}.get(kind, 200)
        body = {"json": b"[1, 2]", "html": b"<!doctype html>"}.get(kind, b"")
        self.send_response(status)
        if kind == "moved":
            self.send_header("Location", "/json/")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def stranger() -> Iterator[str]:
    Stranger.seen = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("html", "does not answer as Punctual does"),
        ("json", "does not answer as Punctual does"),
        ("empty", "does not answer as Punctual does"),
        ("busy", "does not answer as Punctual does (status 429)"),
        ("failing", "The server failed (status 500)"),
        ("moved", "redirects elsewhere, and redirects are not followed"),
    ],
)
def test_a_server_that_is_something_else_is_6(kind: str, sentence: str, stranger: str, bare: Punctual) -> None:
    ended = bare("whoami", "--address", f"{stranger}/{kind}", env={"PUNCTUAL_TOKEN": "pct_a_b"})
    assert (ended.code, sentence in ended.err) == (6, True), ended
    assert Stranger.seen == [f"/{kind}/api/me/"]


def own_certificate(folder: Path) -> Path:
    """Write a self-signed key and certificate for this machine, and return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "own.pem").write_bytes(plain + certificate.public_bytes(pem))
    return folder / "own.pem"


def test_a_certificate_that_this_machine_does_not_trust_ends_it_before_the_token_is_sent(
    bare: Punctual, tmp_path: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own_certificate(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        heard: list[bytes] = []

        def answer() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
                heard.append(secure.recv(4096))

        thread = threading.Thread(target=answer)
        thread.start()
        ended = bare("whoami", "--address", f"https://127.0.0.1:{port}", env={"PUNCTUAL_TOKEN": "pct_a_b"})
        thread.join(30)
    assert (ended.code, "this machine does not trust its certificate" in ended.err) == (6, True), ended
    assert b"".join(heard) == b""


def test_a_proxy_of_the_environment_is_not_on_the_way_to_this_machine(
    punctual: Punctual, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert punctual("whoami").code == 0
