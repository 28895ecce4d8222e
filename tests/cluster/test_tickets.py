"""The secrets of a run for workers on other machines: who bears a ticket is told, and nobody else learns anything."""

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
from streaming.spark import tickets
from streaming.spark.offset import Offset
from streaming.spark.secret_client import ADDRESS_VARIABLE, bear, issued, revealed
from streaming.spark.session import driver_host, is_local
from streaming.spark.source import FeedReader
from streaming.spark.tickets import Ticket, TicketRefused, ask
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
    """This process is of a runner whose workers may be far away."""
    hatch = opened(HOST)
    yield
    hatch.close()
    bear(None)


@pytest.fixture
def ticket(planner: None, monkeypatch: pytest.MonkeyPatch) -> Ticket:
    """One of the runner's, in a process that has nothing else of it."""
    found = issued()
    assert found is not None
    monkeypatch.delenv(ADDRESS_VARIABLE)
    return found


def test_who_bears_a_ticket_is_told_the_secret(ticket: Ticket) -> None:
    with pytest.raises(AdapterError, match="could not be asked"):
        revealed("a-1", "readings", OPTIONS)
    bear(ticket)
    assert revealed("a-1", "readings", OPTIONS) == {"url": URL, "token": PLANTED}


def test_many_who_ask_at_the_same_moment_are_all_told(ticket: Ticket) -> None:
    bear(ticket)
    together = threading.Barrier(50)

    def reveal(_: int) -> dict[str, Any]:
        together.wait()
        return revealed("a-1", "readings", OPTIONS)

    with ThreadPoolExecutor(50) as threads:
        assert list(threads.map(reveal, range(50))) == [{"url": URL, "token": PLANTED}] * 50


def test_a_refusal_comes_through_as_it_is(ticket: Ticket) -> None:
    bear(ticket)
    with pytest.raises(AdapterError, match="does not know") as raised:
        revealed("z-1", "readings", OPTIONS)
    assert raised.value.domain == "external"


def test_a_runner_whose_workers_are_on_its_machine_listens_on_no_port_and_issues_nothing() -> None:
    before = psutil.Process().net_connections("tcp")
    hatch = opened(None)
    try:
        assert issued() is None
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
def test_a_master_says_whether_workers_may_be_elsewhere_and_where_they_reach_the_driver(
    master: str, local: bool, host: str
) -> None:
    assert is_local(master) == local
    assert driver_host(master) == host


def exchanged(ticket: Ticket, sent: bytes) -> bytes:
    """All bytes that come back for `sent`; who is refused may find the line cut before all of it is written."""
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


def test_who_has_no_ticket_gets_no_byte(ticket: Ticket) -> None:
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
    """A line that records what goes over it; with `instead` it answers that, and asks the runner nothing."""

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
    bear(between.ticket)
    assert revealed("a-1", "readings", OPTIONS)["token"] == PLANTED
    between.close()
    seen = b"".join(between.seen)
    assert ticket.id.encode() in seen
    for hidden in (PLANTED, ticket.key, "readings", "token"):
        assert hidden.encode() not in seen
    again = exchanged(ticket, between.seen[0])
    assert again
    assert again != between.seen[1]
    assert PLANTED.encode() not in again


def test_who_stands_between_can_neither_answer_nor_repeat_an_answer(ticket: Ticket) -> None:
    question = {"run": "a-1", "input": "readings"}
    between = Between(ticket)
    assert ask(between.ticket, question, 10)["secrets"] == {"token": PLANTED}
    between.close()
    for instead in (b"", b"{}", between.seen[1], Fernet(Fernet.generate_key()).encrypt(b'{"secrets": {}}')):
        impostor = Between(ticket, instead)
        with pytest.raises(TicketRefused):
            ask(impostor.ticket, question, 10)
        bear(impostor.ticket)
        with pytest.raises(AdapterError, match="could not be asked"):
            revealed("a-1", "readings", OPTIONS)
        impostor.close()


def test_old_tickets_count_no_more(planner: None) -> None:
    first, *others = [issued() for _ in range(tickets.KEPT + 1)]
    assert first is not None
    bear(first)
    with pytest.raises(AdapterError, match="could not be asked"):
        revealed("a-1", "readings", OPTIONS)
    for each in (others[0], others[-1]):
        bear(each)
        assert revealed("a-1", "readings", OPTIONS)["token"] == PLANTED


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
