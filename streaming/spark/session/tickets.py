"""Tickets: with a ticket, a worker on any machine can ask the runner for the secrets of its runs, over an open line.

The planner runs on the runner's machine. It requests a ticket for each batch and puts it into the partitions of the
feed's tasks. So the ticket is in the memory of these processes and in Spark's messages to executors, which an
installation with several machines encrypts (spark.network.crypto or spark.ssl.rpc). It is in no command line,
environment, file or log. Its key never crosses the line: question and answer are Fernet tokens under it (AES-128-CBC,
HMAC-SHA256), so nobody else can ask, answer, change or read them. A replayed question gives an unreadable answer.

A question is one line, `<id> <token>`; the answer is a token, or nothing if the ticket is unknown.
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
"""The number of newest tickets that are valid: an older one belongs to a batch that is over."""
MOST_BYTES: Final = 20_000
"""The size limit of a question, and of an answer."""
_NONCE: Final = "nonce"


class TicketRefused(Exception):
    """The line gave no answer under the ticket's key; the message reveals nothing about either."""


@dataclass(frozen=True)
class Ticket:
    """The address for questions (`host`, `port`), the id, and the hidden key (32 bytes as URL-safe base64)."""

    host: str
    port: int
    id: str
    key: str = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON values for the planner, sent through the runner's own socket."""
        return asdict(self)


def ask(ticket: Ticket, question: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
    """Return the answer to `question`. Raises `TicketRefused`, `OSError`."""
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
    """The valid tickets, for use from several threads."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def issue(self, host: str, port: int) -> Ticket:
        """Return a new ticket; the oldest is forgotten."""
        ticket = Ticket(host, port, secrets.token_hex(16), Fernet.generate_key().decode())
        with self._lock:
            self._keys[ticket.id] = ticket.key
            while len(self._keys) > KEPT:
                self._keys.popitem(last=False)
        return ticket

    def opened(self, line: bytes) -> "TicketQuestion | None":
        """Return the question in `line`; None if it uses no valid ticket."""
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
    """A question that used a ticket."""

    _key: str = field(repr=False)
    question: Mapping[str, Any]
    _nonce: str

    def sealed(self, answer: Mapping[str, Any]) -> bytes:
        """Return `answer`, readable only to the process that asked."""
        return Fernet(self._key).encrypt(json.dumps({**answer, _NONCE: self._nonce}).encode())
