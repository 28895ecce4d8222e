"""The relay's own connections, with a server in place of a broker."""

import asyncio
import gc
import socket
import ssl
import struct
import threading
from asyncio.sslproto import SSLProtocol
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.kafka import relay as relays
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.kafka.relay import BrokerRelay
from streaming.adapters.network.fetching import Reach
from streaming.wire.outgoing import OutgoingPolicy
from tests.https import Authority, authority

HERE = OutgoingPolicy(public=False, networks=("127.0.0.1/32",))
FETCH = struct.pack(">ihhi", 8, 1, 10, 7)
ANSWER = struct.pack(">ii", 4 + (600 << 10), 7) + bytes(600 << 10)
"""The relay's reader pauses at this size, and the connection still reads on to its end."""
PATIENCE_S = 30.0


class HalfClosingBroker:
    """Answers one request, ends its side, and waits for the other side's end."""

    def __init__(self, made: Authority) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(made.chain)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = "{}:{}".format(*self._listening.getsockname())
        self.saw_end = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        raw, _ = self._listening.accept()
        raw.settimeout(PATIENCE_S)
        with raw, self._context.wrap_socket(raw, server_side=True) as encrypted:
            encrypted.recv(len(FETCH))
            encrypted.sendall(ANSWER)
            encrypted.shutdown(socket.SHUT_WR)
            with suppress(TimeoutError):
                while socket.socket.recv(encrypted, 1 << 16):
                    continue
                self.saw_end.set()

    def close(self) -> None:
        self._listening.close()
        self._thread.join()


@contextmanager
def half_closing_broker(made: Authority) -> Iterator[HalfClosingBroker]:
    broker = HalfClosingBroker(made)
    try:
        yield broker
    finally:
        broker.close()


def test_a_connection_that_the_broker_ended_while_the_client_was_slow_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = authority(tmp_path)
    saw_eof = threading.Event()

    def eof_received(protocol: SSLProtocol) -> bool | None:
        keeps_open = received(protocol)
        saw_eof.set()
        return keeps_open

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, left: int) -> None:
        if left > len(FETCH):
            await asyncio.Event().wait()

    received = SSLProtocol.eof_received
    monkeypatch.setattr(SSLProtocol, "eof_received", eof_received)
    monkeypatch.setattr(relays, "_pass_on", slow)
    with half_closing_broker(made) as broker:
        options = KafkaConnectionOptions(
            brokers=broker.address, topic="t", certificate_authority=made.chain.read_text()
        )
        errors: deque[Any] = deque()
        relay = BrokerRelay(options, Reach(HERE), errors)
        with socket.create_connection(("127.0.0.1", relay.first[0])) as client:
            client.sendall(FETCH)
            assert saw_eof.wait(PATIENCE_S)
        closed = broker.saw_end.wait(PATIENCE_S)
        relay.close()
    assert closed
    assert not errors


def held(loop: asyncio.AbstractEventLoop) -> tuple[threading.Event, threading.Event]:
    """Stop the loop in its next turn: it sets the first event and waits for the second."""
    holds, goes_on = threading.Event(), threading.Event()

    def hold() -> None:
        holds.set()
        goes_on.wait(PATIENCE_S)

    loop.call_soon_threadsafe(hold)
    return holds, goes_on


def test_a_connection_that_is_accepted_while_the_relay_closes_is_closed() -> None:
    relay = BrokerRelay(KafkaConnectionOptions(brokers="127.0.0.1:9", topic="t"), Reach(HERE), deque())
    before, connected = held(relays._loop())
    assert before.wait(PATIENCE_S)
    with socket.create_connection(("127.0.0.1", relay.first[0]), timeout=PATIENCE_S) as client:
        accepting, closed = held(relays._loop())  # the turn that accepts the connection begins with this
        connected.set()
        assert accepting.wait(PATIENCE_S)
        relay.close()
        closed.set()
        assert client.recv(1) == b""
    gc.collect()
