"""Tickets: with one a worker on any machine asks the runner for the secrets of its runs, over an open line.

The planner, which is on the runner's machine, has one made for each batch and gives it to the tasks of the feed inside
their partitions: it is in the memory of these processes and in Spark's messages to executors, which an installation
with several machines encrypts (spark.network.crypto or spark.ssl.rpc), and in no command line, environment, file or
log. Its key never goes over the line: question and answer are Fernet tokens under it (AES-128-CBC, HMAC-SHA256), so
nobody else can ask, answer, change or read. Asking again what was recorded gives what cannot be read.

A question is one line, `<id> <token>`; the answer is a token, or nothing where the ticket is not known.
"""

import json
import secrets
import socket
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken

KEPT: Final = 64
"""The newest so many tickets count: one that is older was for a batch that is over."""
MOST_BYTES: Final = 20_000
"""Of a question, and of an answer."""
_NONCE: Final = "nonce"


class TicketRefused(Exception):
    """The line gave no answer under the ticket's key; the message says nothing of either."""


@dataclass(frozen=True)
class Ticket:
    """Where to ask (`host`, `port`), which ticket it is, and its key (32 bytes as URL-safe base64), not shown."""

    host: str
    port: int
    id: str
    key: str = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """As it is handed to the planner through the runner's own socket."""
        return asdict(self)


def ask(ticket: Ticket, question: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
    """The answer to `question`. Raises `TicketRefused`, `OSError`."""
    lock, nonce = Fernet(ticket.key), secrets.token_hex(16)
    sent = lock.encrypt(json.dumps({**question, _NONCE: nonce}).encode())
    with socket.create_connection((ticket.host, ticket.port), timeout_s) as line:
        line.sendall(b"%s %s\n" % (ticket.id.encode(), sent))
        with line.makefile("rb") as reader:
            token = reader.read(MOST_BYTES)
    try:
        answer: dict[str, Any] = json.loads(lock.decrypt(token))
    except (InvalidToken, ValueError):
        raise TicketRefused from None
    if answer.pop(_NONCE, None) != nonce:
        raise TicketRefused
    return answer


class Tickets:
    """The tickets that count; asked by threads, so it locks."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def issue(self, host: str, port: int) -> Ticket:
        """A new ticket; the oldest is forgotten."""
        ticket = Ticket(host, port, secrets.token_hex(16), Fernet.generate_key().decode())
        with self._lock:
            self._keys[ticket.id] = ticket.key
            while len(self._keys) > KEPT:
                self._keys.popitem(last=False)
        return ticket

    def opened(self, line: bytes) -> "TicketQuestion | None":
        """The question in `line`; None where it is under no ticket that counts."""
        name, _, token = line.strip().partition(b" ")
        with self._lock:
            key = self._keys.get(name.decode("ascii", "replace"))
        if key is None:
            return None
        try:
            question: dict[str, Any] = json.loads(Fernet(key).decrypt(token))
            return TicketQuestion(key, question, str(question[_NONCE]))
        except (InvalidToken, ValueError, KeyError, TypeError):
            return None


@dataclass(frozen=True)
class TicketQuestion:
    """A question that came under a ticket."""

    _key: str = field(repr=False)
    question: Mapping[str, Any]
    _nonce: str

    def sealed(self, answer: Mapping[str, Any]) -> bytes:
        """`answer` for whoever asked, and for nobody else."""
        return Fernet(self._key).encrypt(json.dumps({**answer, _NONCE: self._nonce}).encode())
