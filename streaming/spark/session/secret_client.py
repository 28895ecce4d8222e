"""A client for the secrets of a run, in each process that builds the run's adapters; its runner is the server.

The control log holds placeholders, so no secret, sealed or not, is in a checkpoint, and keys may change during a
run. Spark starts planner and workers, and passes only the environment to them: it contains no secret, only the path of
a socket in a folder that only the runner's user may enter. Workers on other machines cannot connect to that socket;
they use a ticket (`tickets`) that came with their task.
"""

import json
import os
import socket
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from streaming.adapters.contract import AdapterError
from streaming.spark.session.tickets import Ticket, TicketRefused, ask
from streaming.wire.sealed import is_placeholder

T = TypeVar("T")
ADDRESS_VARIABLE: Final = "PUNCTUAL_RUNNER_SECRETS"
TICKETS_VARIABLE: Final = "PUNCTUAL_RUNNER_TICKETS"
"""Set if the runner issues tickets, because workers may be on other machines."""
_ANSWER_S: Final = 10.0
_borne: list[Ticket] = []


def reveal_secrets(run: str, name: str, options: Mapping[str, Any], organisation: str = "") -> dict[str, Any]:
    """Return `options` of input `name` of `run` of `organisation`, with secrets in place of their placeholders.

    Raises `AdapterError`: external if the runner doesn't answer, user if the secret must be entered again.
    """
    if not any(is_placeholder(value) for value in options.values()):
        return dict(options)
    question = {"organisation": organisation, "run": run, "input": name}
    answer = _request(lambda: ask(_borne[0], question, _ANSWER_S) if _borne else _ask(question))
    if "refused" in answer:
        raise AdapterError(answer["refused"], domain=answer["domain"])
    return {**options, **answer["secrets"]}


def request_ticket() -> Ticket | None:
    """Request a ticket for the tasks of one batch; None if every worker is on the runner's machine.

    Called by the planner. Raises `AdapterError` if the runner doesn't answer.
    """
    if TICKETS_VARIABLE not in os.environ:
        return None
    return _request(lambda: Ticket(**_ask({"ticket": True})))


def use_ticket(ticket: Ticket | None) -> None:
    """Use `ticket` from now on in this process; None: use the socket of the runner's machine."""
    _borne[:] = [] if ticket is None else [ticket]


def _request(asking: Callable[[], T]) -> T:
    try:
        return asking()
    except (OSError, KeyError, TypeError, ValueError, TicketRefused):
        raise AdapterError(
            "The runner did not provide the secrets of this connection. The request is retried automatically.",
            domain="external",
        ) from None


def _ask(question: Mapping[str, Any]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_ANSWER_S)
        line.connect(os.environ[ADDRESS_VARIABLE])
        line.sendall(json.dumps(question).encode() + b"\n")
        with line.makefile("rb") as reader:
            answer: dict[str, Any] = json.loads(reader.read())
    return answer
