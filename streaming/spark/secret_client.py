"""The secrets of a run, asked of its runner by each process that builds the run's adapters.

The control log holds placeholders, so that no secret, sealed or not, is in a checkpoint, and keys may change while a
run goes on. Planner and workers are started by Spark, which hands on the environment alone: it holds the path of a
socket in a folder that nobody but the runner's user may enter, and no secret. Workers on other machines cannot come to
that socket; they bear a ticket (`tickets`) that came with their task.
"""

import json
import os
import socket
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from streaming.adapters.contract import AdapterError
from streaming.spark.tickets import Ticket, TicketRefused, ask
from streaming.wire.sealed import is_placeholder

T = TypeVar("T")
ADDRESS_VARIABLE: Final = "PUNCTUAL_RUNNER_SECRETS"
TICKETS_VARIABLE: Final = "PUNCTUAL_RUNNER_TICKETS"
"""Set where the runner hands out tickets, because workers may be on other machines."""
_ANSWER_S: Final = 10.0
_borne: list[Ticket] = []


def revealed(run: str, name: str, options: Mapping[str, Any], organisation: str = "") -> dict[str, Any]:
    """The `options` of input `name` of `run` of `organisation` with its secrets in place of their placeholders.

    Raises `AdapterError`, external when the runner cannot be asked, user when the secret has to be given again.
    """
    if not any(is_placeholder(value) for value in options.values()):
        return dict(options)
    question = {"organisation": organisation, "run": run, "input": name}
    answer = _told(lambda: ask(_borne[0], question, _ANSWER_S) if _borne else _ask(question))
    if "refused" in answer:
        raise AdapterError(answer["refused"], domain=answer["domain"])
    return {**options, **answer["secrets"]}


def issued() -> Ticket | None:
    """A ticket for the tasks of one batch; None where every worker is on the runner's machine.

    Called by the planner. Raises `AdapterError` when the runner cannot be asked.
    """
    if TICKETS_VARIABLE not in os.environ:
        return None
    return _told(lambda: Ticket(**_ask({"ticket": True})))


def bear(ticket: Ticket | None) -> None:
    """Ask with `ticket` from now on in this process; None: at the socket of the runner's machine."""
    _borne[:] = [] if ticket is None else [ticket]


def _told(asking: Callable[[], T]) -> T:
    try:
        return asking()
    except (OSError, KeyError, TypeError, ValueError, TicketRefused):
        raise AdapterError(
            "The runner could not be asked for the secrets of this connection. It is tried again.", domain="external"
        ) from None


def _ask(question: Mapping[str, Any]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_ANSWER_S)
        line.connect(os.environ[ADDRESS_VARIABLE])
        line.sendall(json.dumps(question).encode() + b"\n")
        with line.makefile("rb") as reader:
            answer: dict[str, Any] = json.loads(reader.read())
    return answer
