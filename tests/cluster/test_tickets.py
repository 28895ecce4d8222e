"""Secrets of a run for workers on other machines: only the holder of a ticket receives them."""

import errno
import json
import os
import pickle
import socket
import socketserver
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from cryptography.fernet import Fernet
from pyspark import cloudpickle

from deploy.up.place import HOST
from streaming.adapters.contract import AdapterError
from streaming.runtime.secret_server import SecretKeeper, SecretSocket
from streaming.spark.query.offset import Offset
from streaming.spark.session import tickets
from streaming.spark.session.secret_client import ADDRESS_VARIABLE, request_ticket, reveal_secrets, use_ticket
from streaming.spark.session.session import driver_host, is_local
from streaming.spark.session.tickets import Ticket, TicketRefused, ask
from streaming.spark.source.source import FeedReader
from streaming.wire.sealed import PLACEHOLDER, Keyring
from tests.runtime.test_secret_server import PLANTED, URL, with_secret
from tests.spark.loop import Loop
from tests.spark.specs import write_readings
from tests.spark.test_loop import add, spec

OPTIONS = {"url": URL, "token": dict(PLACEHOLDER)}


def opened(host: str | None) -> SecretSocket:
    keeper = SecretKeeper(Keyring([]))
    keeper.take({"a": with_secret("a", None)})
    return SecretSocket(keeper, host)


@pytest.fixture
def planner() -> Iterator[None]:
    """Make this process that of a runner whose workers may be on other machines."""
    hatch = opened(HOST)
    yield
    hatch.close()
    use_ticket(None)


@pytest.fixture
def ticket(planner: None, monkeypatch: pytest.MonkeyPatch) -> Ticket:
    """Return a ticket of the runner, in a process that has nothing else of it."""
    found = request_ticket()
    assert found is not None
    monkeypatch.delenv(ADDRESS_VARIABLE)
    return found


def test_the_holder_of_a_ticket_receives_the_secret(ticket: Ticket) -> None:
    with pytest.raises(AdapterError, match="did not provide the secrets"):
        reveal_secrets("a-1", "readings", OPTIONS)
    use_ticket(ticket)
    assert reveal_secrets("a-1", "readings", OPTIONS) == {"url": URL, "token": PLANTED}


def test_many_simultaneous_questions_are_all_answered(ticket: Ticket) -> None:
    use_ticket(ticket)
    together = threading.Barrier(50)

    def reveal(_: int) -> dict[str, Any]:
        together.wait()
        return reveal_secrets("a-1", "readings", OPTIONS)

    with ThreadPoolExecutor(50) as threads:
        assert list(threads.map(reveal, range(50))) == [{"url": URL, "token": PLANTED}] * 50


def test_a_refusal_arrives_unchanged(ticket: Ticket) -> None:
    use_ticket(ticket)
    with pytest.raises(AdapterError, match="does not have the secrets of this connection yet") as raised:
        reveal_secrets("z-1", "readings", OPTIONS)
    assert raised.value.domain == "external"


def test_a_runner_whose_workers_are_on_its_machine_listens_on_no_port_and_issues_nothing() -> None:
    before = psutil.Process().net_connections("tcp")
    hatch = opened(None)
    try:
        assert request_ticket() is None
        assert [each for each in psutil.Process().net_connections("tcp") if each not in before] == []
    finally:
        hatch.close()


@pytest.mark.parametrize(
    ("master", "local", "host"),
    [
        ("local[2]", True, HOST),
        ("local", True, HOST),
        ("local-cluster[2,1,1024]", False, HOST),
        ("spark://127.0.0.1:7077", False, HOST),
        ("spark://localhost:7077", False, HOST),
        ("k8s://https://127.0.0.1:6443", False, HOST),
    ],
)
def test_the_master_decides_if_workers_may_be_elsewhere_and_their_address_of_the_driver(
    master: str, local: bool, host: str
) -> None:
    assert is_local(master) == local
    assert driver_host(master) == host


def exchanged(ticket: Ticket, sent: bytes) -> bytes:
    """Return all bytes that come back for `sent`; after a refusal the connection may close before all is written."""
    got = b""
    with socket.create_connection((ticket.host, ticket.port), 10) as line:
        try:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            while part := line.recv(tickets.MOST_BYTES):
                got += part
        except OSError as cut:
            if cut.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                raise
    return got


def test_without_a_ticket_no_byte_is_sent(ticket: Ticket) -> None:
    question = json.dumps({"run": "a-1", "input": "readings", "nonce": "x"}).encode()
    under_another = Fernet(Fernet.generate_key()).encrypt(question)
    under_its_own = Fernet(ticket.key).encrypt(question)
    for sent in (
        question + b"\n",
        b'{"ticket": true}\n',
        ticket.id.encode() + b"\n",
        b"%s %s\n" % (ticket.id.encode(), question),
        b"%s %s\n" % (ticket.id.encode(), under_another),
        b"%s %s\n" % (b"0" * 32, under_its_own),
        b"\xff" * tickets.MOST_BYTES * 2,
        b"",
    ):
        assert exchanged(ticket, sent) == b""
    assert exchanged(ticket, b"%s %s\n" % (ticket.id.encode(), under_its_own))


class Between:
    """A proxy that records the traffic; with `instead` it sends that as the answer, without asking the runner."""

    def __init__(self, ticket: Ticket, instead: bytes | None = None) -> None:
        self.seen: list[bytes] = []
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                sent = self.rfile.readline()
                answer = exchanged(ticket, sent) if instead is None else instead
                outer.seen += [sent, answer]
                self.wfile.write(answer)

        self.server = socketserver.ThreadingTCPServer((HOST, 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.ticket = replace(ticket, port=self.server.server_address[1])

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_the_line_shows_neither_secret_nor_key_nor_question(ticket: Ticket) -> None:
    between = Between(ticket)
    use_ticket(between.ticket)
    assert reveal_secrets("a-1", "readings", OPTIONS)["token"] == PLANTED
    between.close()
    seen = b"".join(between.seen)
    assert ticket.id.encode() in seen
    for hidden in (PLANTED, ticket.key, "readings", "token"):
        assert hidden.encode() not in seen
    again = exchanged(ticket, between.seen[0])
    assert again
    assert again != between.seen[1]
    assert PLANTED.encode() not in again


def test_a_man_in_the_middle_can_neither_answer_nor_replay_an_answer(ticket: Ticket) -> None:
    question = {"run": "a-1", "input": "readings"}
    between = Between(ticket)
    assert ask(between.ticket, question, 10)["secrets"] == {"token": PLANTED}
    between.close()
    for instead in (b"", b"{}", between.seen[1], Fernet(Fernet.generate_key()).encrypt(b'{"secrets": {}}')):
        impostor = Between(ticket, instead)
        with pytest.raises(TicketRefused):
            ask(impostor.ticket, question, 10)
        use_ticket(impostor.ticket)
        with pytest.raises(AdapterError, match="did not provide the secrets"):
            reveal_secrets("a-1", "readings", OPTIONS)
        impostor.close()


def test_old_tickets_are_invalid(planner: None) -> None:
    first, *others = [request_ticket() for _ in range(tickets.KEPT + 1)]
    assert first is not None
    use_ticket(first)
    with pytest.raises(AdapterError, match="did not provide the secrets"):
        reveal_secrets("a-1", "readings", OPTIONS)
    for each in (others[0], others[-1]):
        use_ticket(each)
        assert reveal_secrets("a-1", "readings", OPTIONS)["token"] == PLANTED


def test_a_batch_carries_one_ticket_that_neither_its_reader_nor_any_text_shows(planner: None, tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", 2)
    loop = Loop(tmp_path)
    add(loop, spec("a", "readings.jsonl"))
    reader = FeedReader({"carrier": loop.carrier.location})
    offset = loop.planner.plan(Offset())
    parts = reader.partitions(Offset().to_json(), offset.to_json())
    borne = {part.ticket for part in parts}  # type: ignore[attr-defined]
    assert len(borne) == 1
    (one,) = borne
    assert one.key not in f"{parts[0]!r} {parts[0]} {one!r} {offset.to_json()}"
    assert one.key.encode() not in cloudpickle.dumps(reader)
    assert all(one.key.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert one.key not in " ".join(os.environ.values())
    assert one.key.encode() in pickle.dumps(parts[0])
