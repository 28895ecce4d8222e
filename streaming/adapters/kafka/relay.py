"""Opens every connection to a broker: checks its address and then connects, no matter who named the address.

The client (librdkafka) opens its own sockets, to any address that a broker names, and Python can't hook into that. So
the client connects only to this relay, on the loopback address: one port for each broker. The relay resolves the
broker's name, checks all of its addresses by the policy, connects to one of these, and speaks TLS with the broker's own
name. Answers that name further brokers are rewritten so that they lead to ports of the relay (`addresses_in_answers`).

Passwords (SASL) pass through. A port serves only this process: connections of other processes are refused where the
system reports their owner.
"""

import asyncio
import os
import ssl
import struct
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.addresses_in_answers import REWRITTEN, BadAnswer, Place, may_ask, rewritten
from streaming.adapters.kafka.connection_options import KafkaConnectionOptions
from streaming.adapters.kafka.reaching import (
    BrokerAddress,
    BrokerRefused,
    allowed_addresses,
    brokers_of,
    client_settings,
    in_lines,
)
from streaming.adapters.network.fetching import Reach
from streaming.adapters.network.own_connections import is_own

HERE: Final = "127.0.0.1"
CONNECT_S: Final = 10.0
PIECE: Final = 256 << 10
MOST_REWRITTEN: Final = 64 << 20
"""The size limit of an answer that names brokers."""
MOST_BROKERS: Final = 1_000
_REQUEST: Final = struct.Struct(">ihhi")
_ANSWER: Final = struct.Struct(">ii")


class BrokerRelay:
    """The ports for the brokers of `options`; errors are appended to `errors`. `close` ends all connections."""

    def __init__(self, options: KafkaConnectionOptions, reach: Reach, errors: "deque[Any]") -> None:
        """Raise `AdapterError` for invalid certificates and for an invalid broker address."""
        self._options = options
        self._reach = reach
        self._errors = errors
        self._tls = None if options.security == "none" else _tls_of(options, reach)
        self._ports: dict[BrokerAddress, int] = {}
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.named: list[BrokerAddress] = []
        """The brokers that answers named, in addition to those in the options."""
        first = brokers_of(options)
        self.first: Sequence[int] = [_run(self._port(broker)) for broker in first]
        self._closing = weakref.finalize(self, _run_later, _Closing(self._servers, self._tasks).begin)

    def settings(self) -> dict[str, Any]:
        """Return the settings for a client of the cluster: it connects to the relay, without TLS."""
        settings = {name: value for name, value in client_settings(self._options).items() if name[:4] != "ssl."}
        settings["bootstrap.servers"] = ",".join(f"{HERE}:{port}" for port in self.first)
        settings["security.protocol"] = "plaintext" if self._options.sign_in == "none" else "sasl_plaintext"
        return settings

    def close(self) -> None:
        """End all connections and stop listening."""
        self._closing()

    async def _port(self, broker: BrokerAddress) -> int:
        known = self._ports.get(broker)
        if known is not None:
            return known
        if len(self._ports) >= MOST_BROKERS:
            raise BadAnswer("the cluster names too many brokers")
        itself = weakref.ref(self)

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            relay, task = itself(), asyncio.current_task()
            if relay is None or task is None or not relay._closing.alive:
                writer.close()
                return
            relay._tasks.add(task)
            try:
                with suppress(asyncio.CancelledError):  # on close; asyncio logs a cancelled connection as an error
                    await relay._serve(broker, reader, writer)
            finally:
                relay._tasks.discard(task)

        server = await asyncio.start_server(accept, HERE, 0, limit=PIECE)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        self._ports[broker] = port
        return port

    async def _relocated(self, place: Place) -> Place:
        broker = BrokerAddress(place[0], place[1])
        if broker not in self._ports:
            self.named.append(broker)
        return HERE, await self._port(broker)

    async def _serve(self, broker: BrokerAddress, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = [writer]
        try:
            if not is_own(writer.get_extra_info("peername"), writer.get_extra_info("sockname")):
                return
            theirs, ours = await self._connected(broker)
            ends.append(ours)
            asked: deque[tuple[int, int, int]] = deque()
            ways = (self._ask(reader, ours, asked), self._answer(theirs, writer, asked))
            pumps = [asyncio.ensure_future(each) for each in ways]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in pumps:
                    each.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        except AdapterError as refused:
            self._errors.append(BrokerRefused(_named_by(refused, broker, self._options)))
        except ssl.SSLError as error:
            self._errors.append(_tls_error(error))
        except (OSError, RuntimeError):  # RuntimeError: this process is ending, and starts no more threads
            return  # the client notices the closed connection and retries
        finally:
            for end in ends:
                _close(end)

    async def _connected(self, broker: BrokerAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        loop = asyncio.get_running_loop()
        addresses = await loop.run_in_executor(None, allowed_addresses, broker, self._options, self._reach)
        name = None if self._tls is None else broker.host
        failed: OSError = ConnectionError("no address")
        for address in addresses:
            opening = asyncio.open_connection(
                str(address), broker.port, ssl=self._tls, server_hostname=name, limit=PIECE
            )
            try:
                return await asyncio.wait_for(opening, CONNECT_S)
            except ssl.SSLError:
                raise
            except (OSError, TimeoutError) as error:
                failed = error if isinstance(error, OSError) else ConnectionError("no answer")
        raise failed

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: deque[tuple[int, int, int]]
    ) -> None:
        """Forward requests, recording each for its answer."""
        while True:
            head = await reader.readexactly(_REQUEST.size)
            size, key, version, number = _REQUEST.unpack(head)
            if not may_ask(key, version):
                raise ConnectionError("a request of this version is not forwarded")
            asked.append((number, key, version))
            writer.write(head)
            await _pass_on(reader, writer, size - 8)

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: deque[tuple[int, int, int]]
    ) -> None:
        """Forward answers; one that does not belong to the oldest request ends the connection."""
        while True:
            size, number = _ANSWER.unpack(await reader.readexactly(_ANSWER.size))
            if not asked or asked[0][0] != number:
                raise ConnectionError("an answer belongs to no request")
            _, key, version = asked.popleft()
            if key not in REWRITTEN:
                writer.write(_ANSWER.pack(size, number))
                await _pass_on(reader, writer, size - 4)
                continue
            if not 4 <= size <= MOST_REWRITTEN:
                raise ConnectionError("an answer is too large")
            body = await rewritten(key, version, await reader.readexactly(size - 4), self._relocated)
            writer.write(_ANSWER.pack(len(body) + 4, number) + body)
            await writer.drain()


class _Closing:
    """Ends the connections of a relay that may already have been garbage-collected."""

    def __init__(self, servers: list[asyncio.Server], tasks: "set[asyncio.Task[None]]") -> None:
        self._servers = servers
        self._tasks = tasks

    def begin(self) -> None:
        """Accept nothing more, and end the connections in the next turn of the loop.

        Until then each accepted connection has its transport: Python 3.11 leaks one that gets it after `close`.
        """
        loop = asyncio.get_running_loop()
        for server in self._servers:
            for listening in server.sockets:
                loop.remove_reader(listening)
        loop.call_soon(self._end)

    def _end(self) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._tasks):
            task.cancel()


def _close(end: asyncio.StreamWriter) -> None:
    # asyncio never closes a paused TLS connection whose other side has ended
    cast("asyncio.Transport", end.transport).resume_reading()
    end.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, left: int) -> None:
    if left < 0:
        raise ConnectionError("a message has no length")
    while left:
        piece = await reader.read(min(left, PIECE))
        if not piece:
            raise ConnectionError("the connection ended")
        left -= len(piece)
        writer.write(piece)
        await writer.drain()
    await writer.drain()


def _named_by(refused: AdapterError, broker: BrokerAddress, options: KafkaConnectionOptions) -> AdapterError:
    if broker in brokers_of(options):
        return refused
    return AdapterError(
        f"{refused} The cluster at {options.brokers} lists it as one of its brokers.", domain=refused.domain
    )


def _tls_error(error: ssl.SSLError) -> Any:
    from confluent_kafka import KafkaError

    return KafkaError(KafkaError._SSL, f"certificate verify failed: {error}" if _is_untrusted(error) else str(error))


def _is_untrusted(error: ssl.SSLError) -> bool:
    return isinstance(error, ssl.SSLCertVerificationError)


def _tls_of(options: KafkaConnectionOptions, reach: Reach) -> ssl.SSLContext:
    """A TLS context with every check enabled. Raises `AdapterError` for an invalid certificate or key."""
    try:
        if options.certificate_authority is None:
            context = reach.trust()
        else:
            context = ssl.create_default_context(cadata=options.certificate_authority)
        if options.client_certificate is not None and options.client_key is not None:
            _load_chain(context, options.client_certificate, in_lines(options.client_key.get_secret_value()))
    except (ssl.SSLError, ValueError) as error:
        raise AdapterError(
            f"The certificates or the key are invalid ({error}). Enter them again as PEM text."
        ) from None
    return context


def _load_chain(context: ssl.SSLContext, certificate: str, key: str) -> None:
    """Load a key, which Python reads only from a file: in memory where possible, otherwise a file deleted at once."""
    in_memory = hasattr(os, "memfd_create")
    handle, path = (os.memfd_create("chain"), "") if in_memory else tempfile.mkstemp(prefix="punctual-")
    try:
        os.write(handle, f"{certificate.strip()}\n{key.strip()}\n".encode())
        context.load_cert_chain(path or f"/proc/self/fd/{handle}")
    finally:
        os.close(handle)
        if path:
            Path(path).unlink()


_loops: dict[int, asyncio.AbstractEventLoop] = {}
_lock = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process's relays, in a thread of its own; a forked process gets its own loop."""
    with _lock:
        found = _loops.get(os.getpid())
        if found is None:
            found = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=found.run_forever, name="kafka-relay", daemon=True).start()
        return found


def _run(work: "Coroutine[Any, Any, int]") -> int:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


def _run_later(work: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the process is ending
        _loop().call_soon_threadsafe(work)
